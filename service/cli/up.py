"""What `laguna up` does once it has a place to listen: prepare, start, greet, look after."""

import http.client
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from service.cli.errors import CommandError
from service.cli.metrics import start_metrics
from service.cli.stop_signal import StopSignal
from service.cli.supervisor import Child, LogBook, Supervisor, environment, own_command
from service.core.config import Settings
from service.core.private_files import private_directory

READY_WITHIN = 180.0  # seconds; it takes a few, but not on every machine
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104


class Demo(NamedTuple):
    """The way in for somebody who sees this for the first time; as `laguna prepare` prints it."""

    link: str
    token: str
    email: str
    link_minutes: int


def run_everything(settings: Settings, socket: int, demo: bool) -> None:
    """Keep the web half and the workers running until asked to stop."""
    stop_signal = StopSignal().listen()
    start_metrics(settings)
    book = _log_book(settings)
    prepared = _prepare(demo)
    supervisor = Supervisor(_children(settings, socket), book, stop_signal)
    try:
        supervisor.start()
        if _until_ready(settings, supervisor, stop_signal):
            _greet(settings, prepared)
            supervisor.run()
    finally:
        supervisor.stop()
        book.close()
    print("Stopped.", file=sys.stderr)


def _children(settings: Settings, socket: int) -> list[Child]:
    """With Redis bots think in a process of their own and another keeps time; without it the
    worker does both by itself."""
    commands = {"web": ["serve", "--socket", str(socket)], "worker": ["work"]}
    if settings.redis_url is not None:
        commands["worker"] += ["--queues", "deadlines,mail,webhooks,upkeep"]
        commands["bots"] = ["work", "--queues", "bots"]
        commands["beat"] = ["beat"]
    if settings.mail_in:
        commands["mail-in"] = ["mail-in"]
    # Each thread would otherwise keep freed memory for itself.
    env = environment(LAGUNA_LOG_FORMAT="json", MALLOC_ARENA_MAX="2")
    return [
        Child(
            name,
            own_command(*command, "--until-stdin-ends"),
            [socket] if name == "web" else [],
            env,
        )
        for name, command in commands.items()
    ]


def _log_book(settings: Settings) -> LogBook:
    try:
        data = private_directory(settings.data)
        return LogBook(data / "laguna.log")
    except OSError as error:
        raise CommandError(
            f"LAGUNA_DATA is {settings.data}, but we cannot write there: {error.strerror}."
        ) from error


def _prepare(demo: bool) -> Demo | None:
    """Create or update the tables, and the demo, by a process of its own; see `preparation`."""
    done = subprocess.run(  # noqa: S603 - our own program
        own_command("prepare", *(["--demo"] if demo else [])),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(done.stderr.strip().removeprefix("laguna: "))
    return Demo(**json.loads(done.stdout)) if demo else None


def _until_ready(settings: Settings, supervisor: Supervisor, stop_signal: StopSignal) -> bool:
    """Wait until the service answers that it is ready; False if asked to stop before."""
    until = time.monotonic() + READY_WITHIN
    while not _ready(settings):
        if stop_signal.wait(0.1):
            return False
        if time.monotonic() > until:
            raise CommandError(
                f"The service is not ready after {READY_WITHIN:.0f} seconds; "
                f"{settings.data / 'laguna.log'} says why."
            )
        supervisor.look_after()
    return True


def _ready(settings: Settings) -> bool:
    host = EVERYWHERE.get(settings.host, settings.host)
    connection = http.client.HTTPConnection(host, settings.port, timeout=5)
    name = (settings.trusted_hosts or (urlsplit(settings.public_url).netloc,))[0]
    try:
        connection.request("GET", "/readyz", headers={"Host": name.lstrip(".")})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _greet(settings: Settings, demo: Demo | None) -> None:
    """What somebody who sees this for the first time needs next."""
    print(f"\nLaguna is ready at {settings.public_url}\n")
    if demo is not None:
        header = f"Authorization: Bearer {demo.token}"
        good = f"good once, {demo.link_minutes} minutes"
        print(f"Sign in as the newcomer, for whom two bots wait ({good}):")
        print(f"  {demo.link}")
        print("A new link:")
        print(f"  {_called()} sign-in-link {demo.email}")
        print("The same by program (the token is good until the next start, a day at most):")
        print(f"  curl -H '{header}' {settings.public_url}/v1/decisions\n")
    if settings.smtp_url is None:
        print("Mails stay here. Yours, to read and to answer once you are signed in:")
        print(f"  {settings.public_url}/mailbox")
        print("Everybody's, such as codes to sign in:")
        print(f"  {_called()} mailbox\n")
    print(f"Data and log: {_shown(settings.data)}   Stop: Ctrl-C", flush=True)


def _called() -> str:
    """How this command was called, so that it can be called again."""
    kept = [f"{name}={shlex.quote(os.environ[name])}" for name in _PLACE if name in os.environ]
    given = Path(sys.argv[0])
    if given.name != "laguna":
        return " ".join([*kept, sys.executable, "-m", "service.cli"])
    found = shutil.which("laguna")
    known = found is not None and Path(found).resolve() == given.resolve()
    return " ".join([*kept, "laguna" if known else shlex.quote(os.path.relpath(given))])


_PLACE = ("LAGUNA_DATA", "LAGUNA_PORT", "LAGUNA_DATABASE_URL", "LAGUNA_PUBLIC_URL")


def _shown(path: Path) -> str:
    return os.path.relpath(path) if path.absolute().is_relative_to(Path.cwd()) else str(path)
