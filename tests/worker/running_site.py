"""The service as real processes on real servers, which a test may kill one by one."""

import contextlib
import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil  # type: ignore[import-untyped]
from sqlalchemy import ColumnElement, Executable, func, select, update

from service.accounts.sign_in import ask_to_sign_in
from service.core.clock import wall_clock
from service.db.models import Decision, Letter, MailServerOutage, Move, Person
from service.db.session import db, transact
from tests.servers.guarded import ROOT
from tests.servers.ports import free_port
from tests.servers.tree import PATIENCE, kill_tree, until
from tests.support.site import Caller, Site, settings_for
from tests.worker.sink import Sink
from worker.app import create_celery
from worker.wakeup import wake_queue

A_DAY = {"kind": "flat", "hours": 24}
PROGRAM = ("-m", "service.cli")
QUICKLY = 10.0  # seconds until a request counts as not answered


def long_ago() -> datetime:
    return wall_clock() - timedelta(days=1)


class Process:
    """A command `laguna ..`, ended with the test. Its standard input ends with us too."""

    def __init__(
        self, log: Path, env: dict[str, str], *command: str, program: Sequence[str] = PROGRAM
    ) -> None:
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, *program, *command, "--until-stdin-ends"],
                cwd=ROOT,
                env=env,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.tree = psutil.Process(self.process.pid)

    def kill(self) -> None:
        """SIGKILL to the process and all its children."""
        kill_tree(self.tree)
        self._ended()

    def kill_head(self) -> list[Any]:
        """SIGKILL to the first process alone; what is left of it then."""
        children: list[Any] = self.tree.children(recursive=True)
        self.tree.kill()
        self._ended()
        return children

    def stop(self) -> int:
        self.process.terminate()
        return self._ended()

    def _ended(self) -> int:
        code = self.process.wait(PATIENCE)
        assert self.process.stdin is not None
        self.process.stdin.close()
        return code

    def clear(self) -> None:
        if self.process.poll() is None:
            self.kill()

    def said(self) -> list[dict[str, Any]]:
        """The lines of the log; what is not a line of ours is an error."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def has_said(self, event: str) -> bool:
        return any(line["event"] == event for line in self.said())


class RunningSite:
    """A site, a mail server, and the processes that a test starts."""

    def __init__(self, folder: Path, database_url: str, redis_url: str | None) -> None:
        self.folder = folder
        self.sink = Sink()
        self.processes: list[Process] = []
        self.port = free_port()
        url = database_url.replace("+psycopg", "")
        settings = settings_for(folder, url, redis_url=redis_url, mail_delay=0)
        self.site = Site(settings, wall_clock)
        self.site.clock = wall_clock  # type: ignore[assignment]
        self.celery = create_celery(settings)
        self.open_before: set[tuple[str, str]] = set()

    def __enter__(self) -> Self:
        self.sink.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self.processes:
            process.clear()
            if kind is not None:
                print(process.log, process.log.read_text(), sep="\n")  # noqa: T201
        self.sink.__exit__(kind, error, trace)
        self.celery.close()
        with self.site.app.app_context():
            db.session.remove()
            db.engine.dispose()

    def start(self, *command: str, program: Sequence[str] = PROGRAM, **own: str) -> Process:
        clean = {name: value for name, value in os.environ.items() if name[:7] != "LAGUNA_"}
        settings = self.site.settings
        env = clean | {
            "LAGUNA_DATA": str(settings.data),
            "LAGUNA_DATABASE_URL": settings.database_url,
            "LAGUNA_REDIS_URL": settings.redis_url or "",
            "LAGUNA_SMTP_URL": self.sink.url,
            "LAGUNA_SECRET_KEY": settings.secret_key,
            "LAGUNA_MAIL_IN": ",".join(settings.mail_in),
            "LAGUNA_MAIL_DELAY": "0",
            "LAGUNA_PORT": str(self.port),
            "LAGUNA_WEB_WORKERS": "1",
            "LAGUNA_LOG_LEVEL": "info",
            **own,
        }
        log = self.folder / f"{len(self.processes)}-{command[0]}.log"
        process = Process(log, env, *command, program=program)
        self.processes.append(process)
        return process

    # What there is to do

    def letters(self, *names: str) -> None:
        """Write a letter to each of these: a code to sign in."""
        with self.site.app.app_context():
            for name in names:
                address = f"{name}@example.org"
                transact(lambda address=address: ask_to_sign_in(address, wall_clock()))  # type: ignore[misc]

    def overdue_games(self, count: int) -> None:
        """Games of people whose time is up."""
        people = self.site.people("Alice", "Bob", "Carol")
        for _ in range(count):
            self.site.game_of(*people, clock=A_DAY)
        waiting = select(Decision.game_id, Decision.id).where(Decision.closed_at.is_(None))
        self.open_before = {(row.game_id, row.id) for row in self.query(waiting)}
        self.execute(update(Decision).values(due_at=long_ago()))

    def time_passes(self, others_live: bool = False) -> None:
        """Letters that wait for their next attempt are due, and so are those that were claimed by
        somebody who died; if others live, only what nobody has claimed just now."""
        waiting: ColumnElement[bool] = Letter.next_try_at.is_not(None)
        if others_live:
            waiting &= Letter.claim.is_(None)
        self.execute(update(Letter).where(waiting).values(next_try_at=long_ago()))
        self.execute(update(MailServerOutage).values(next_try_at=long_ago()))

    def wake(self, queue: str) -> None:
        """As the web does."""
        wake_queue(self.celery, queue)

    # What became of it

    def query(self, what: Executable) -> list[Any]:
        with self.site.app.app_context(), db.engine.connect() as connection:
            return list(connection.execute(what))

    def count(self, which: ColumnElement[bool]) -> int:
        [[number]] = self.query(select(func.count()).where(which))
        return int(number)

    def execute(self, change: Executable) -> None:
        with self.site.app.app_context():
            transact(lambda: db.session.execute(change))

    def all_done(self) -> bool:
        """No decision overdue or waiting for a bot, nothing to settle, no letter on its way."""
        late = Decision.person_id.is_(None) | (Decision.due_at < wall_clock())
        return not (
            self.count(Decision.closed_at.is_(None) & late)
            or self.count(Person.last_event > Person.noticed)
            or self.count(Letter.next_try_at.is_not(None))
        )

    def until_done(self) -> None:
        until(self.all_done, "everything done")

    def until_mailed(self, *names: str) -> None:
        wanted = {f"{name}@example.org" for name in names}
        until(lambda: wanted <= {mail.to for mail in self.sink.mails}, f"mails to {names}")

    def check(self, repeated: Collection[str] = ()) -> None:
        """Nothing was lost and nothing was done twice. Mails that may have come twice are named
        by their Message-ID: even they have only one for what they tell."""
        letters = {f"<{row.id}.letter@localhost>": row for row in self.query(select(Letter))}
        came = self.sink.times()
        assert {row.state for row in letters.values()} <= {"sent", "skipped"}
        sent = {name: row for name, row in letters.items() if row.state == "sent"}
        unconfirmed = {name for name, row in sent.items() if row.reason == "unconfirmed"}
        assert sent.keys() - unconfirmed <= set(came) <= sent.keys()
        assert {name for name, times in came.items() if times > 1} <= set(repeated), "came twice"
        told = [letters[name] for name in came]
        events = [(row.person_id, row.number, row.to) for row in told if row.number is not None]
        assert len(events) == len(set(events))
        turns = [(row.person_id, row.game_id, row.decision) for row in told if row.kind == "turn"]
        assert len(turns) == len(set(turns)), "told twice of the same decision"
        asked = self.query(
            select(Decision.person_id, Decision.game_id, Decision.id).where(
                Decision.closed_at.is_(None), Decision.person_id.is_not(None)
            )
        )
        assert set(map(tuple, asked)) <= set(turns), "not told of a decision"
        self._check_games()

    def _check_games(self) -> None:
        """What was overdue is answered, once, and nothing else was."""
        answers = Counter(tuple(row) for row in self.query(select(Move.game_id, Move.decision)))
        assert all(answers[decision] == 1 for decision in self.open_before)
        timed_out = select(Decision.game_id, Decision.id).where(Decision.via == "timeout")
        assert {tuple(row) for row in self.query(timed_out)} == self.open_before

    # The web half

    def web(self) -> Process:
        process = self.start("serve")
        until(lambda: self._alive(process), "the web half")
        return process

    def _alive(self, process: Process) -> bool:
        assert process.process.poll() is None, process.log.read_text()
        with contextlib.suppress(OSError):
            return bool(self.call(None, "GET", "/healthz")["status"] == "ok")
        return False

    def call(self, who: Caller | None, method: str, path: str, body: Any = None) -> Any:
        """A request that has to be answered soon."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        if who is not None:
            request.add_header("Authorization", f"Bearer {who.token}")
        with urllib.request.urlopen(request, timeout=QUICKLY) as answer:  # noqa: S310
            return json.loads(answer.read())

    def plays(self, who: Caller, game_id: str) -> Any:
        """Answer what is asked, over HTTP."""
        decision = self.call(who, "GET", f"/v1/games/{game_id}")["decision"]
        move = {"decision": decision["id"], "move": decision["moves"][0]["move"]}
        return self.call(who, "POST", f"/v1/games/{game_id}/moves", move)
