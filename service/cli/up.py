"""`laguna up`: prepare the database, start the processes, print the address, supervise."""

import http.client
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from service.cli.errors import CommandError
from service.cli.metrics import start_metrics
from service.cli.supervisor import Child, LogFile, Supervisor, own_command
from service.core.config import Settings
from service.core.private_files import private_directory
from service.core.stop_signal import StopSignal

READY_SECONDS = 180.0  # a few are enough, but not on every machine
LOCAL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104


def run_everything(settings: Settings, socket: int, demo: bool) -> None:
    """Keep the web server and the workers running until asked to stop."""
    stop_signal = StopSignal().listen()
    start_metrics(settings)
    log_file = _log_file(settings)
    prepared = _prepare(demo)
    supervisor = Supervisor(_children(settings, socket), log_file, stop_signal)
    try:
        supervisor.start()
        if _until_ready(settings, supervisor, stop_signal):
            _greet(settings, prepared)
            supervisor.run()
    finally:
        supervisor.stop()
        log_file.close()
    print("Stopped.", file=sys.stderr)


def _children(settings: Settings, socket: int) -> list[Child]:
    """With Redis bots and beat have processes of their own; without it the worker does both."""
    commands = {"web": ["serve", "--socket", str(socket)], "worker": ["work"]}
    if settings.redis_url is not None:
        commands["worker"] += ["--queues", "deadlines,mail,webhooks,upkeep"]
        commands["bots"] = ["work", "--queues", "bots"]
        commands["beat"] = ["beat"]
    if settings.mail_in:
        commands["mail-in"] = ["mail-in"]
    # More arenas would keep freed memory of each thread.
    env = {**os.environ, "LAGUNA_LOG_FORMAT": "json", "MALLOC_ARENA_MAX": "2"}
    return [
        Child(
            name,
            own_command(*command, "--until-stdin-ends"),
            [socket] if name == "web" else [],
            env,
        )
        for name, command in commands.items()
    ]


def _log_file(settings: Settings) -> LogFile:
    try:
        data = private_directory(settings.data)
        return LogFile(data / "laguna.log")
    except OSError as error:
        raise CommandError(
            f"LAGUNA_DATA is {settings.data}, which cannot be written: {error.strerror}."
        ) from error


def _prepare(demo: bool) -> dict[str, Any] | None:
    """Create or update tables and demo in a process of its own; see `service.cli.prepare`."""
    done = subprocess.run(  # noqa: S603 - our own program
        own_command("prepare", *(["--demo"] if demo else [])),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(done.stderr.strip().removeprefix("laguna: "))
    return json.loads(done.stdout) if demo else None


def _until_ready(settings: Settings, supervisor: Supervisor, stop_signal: StopSignal) -> bool:
    """Wait until `/readyz` answers 200; False if asked to stop before."""
    until = time.monotonic() + READY_SECONDS
    while not _ready(settings):
        if stop_signal.wait(0.1):
            return False
        if time.monotonic() > until:
            raise CommandError(
                f"The service is not ready after {READY_SECONDS:.0f} seconds; "
                f"see {settings.data / 'laguna.log'}."
            )
        supervisor.restart_dead()
    return True


def _ready(settings: Settings) -> bool:
    host = LOCAL_ADDRESSES.get(settings.host, settings.host)
    connection = http.client.HTTPConnection(host, settings.port, timeout=5)
    name = (settings.trusted_hosts or (urlsplit(settings.public_url).netloc,))[0]
    try:
        connection.request("GET", "/readyz", headers={"Host": name.lstrip(".")})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _greet(settings: Settings, demo: dict[str, Any] | None) -> None:
    """Print the next steps for a newcomer."""
    print(f"\nLaguna is ready at {settings.public_url}\n")
    if demo is not None:
        header = f"Authorization: Bearer {demo['token']}"
        valid = f"valid once, for {demo['link_minutes']} minutes"
        print(f"Sign in to the demo account, a game with two bots ({valid}):")
        print(f"  {demo['link']}")
        print("A new link:")
        print(f"  {_called()} sign-in-link {demo['email']}")
        print("The same by API (the token is valid until the next start, a day at most):")
        print(f"  curl -H '{header}' {settings.public_url}/v1/decisions\n")
    if settings.smtp_url is None:
        print("Without a mail server mails are shown here, once you are signed in:")
        print(f"  {settings.public_url}/mailbox")
        print("All mails, such as sign-in codes:")
        print(f"  {_called()} mailbox\n")
    print(f"Data and log: {_shown(settings.data)}   Stop: Ctrl-C", flush=True)


def _called() -> str:
    """This command as it was called."""
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
