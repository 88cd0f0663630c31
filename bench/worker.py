"""The worker against the least that could do the same, in one run, on SQLite and on PostgreSQL.

- `find`: the decisions whose time is up, among a few thousand and among a million open ones,
  against the bare SQL for it.
- `sweep`: all of them played for those who are away as the worker does it, against the bare SQL of
  the same: the very statements with their values, written down beforehand, handed to the driver
  with nothing around them. `bare` is the loop somebody would write by hand, a transaction for each
  decision, as the worker has one. `least` is the least
  transaction that could be called one: lock the game's row, close by a conditional update, store a
  state of the same size, insert two rows. The ratios without what the bots think are the service's
  own part.
- `workers`: BENCH_SWEEP due decisions answered by real worker processes, from the first message to
  the last answer with all rounds and what lies between them, by one process and by two, against
  `bare` transactions for a sample of the same decisions.
- `mail`: letters that wait, sent to a mail server in another process, against a loop with smtplib
  on one connection.
"""

import json
import os
import secrets
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

# Run as a script, this file would be found under the name of the package it measures.
ROOT = Path(__file__).parents[1]
sys.path[:] = [str(ROOT)] + [p for p in sys.path if Path(p).resolve() != Path(__file__).parent]

from flask import Flask  # noqa: E402
from sqlalchemy import bindparam, event, insert, select, text, update  # noqa: E402

from bench.floor import LINE, LINE_DATA, METADATA, ROW  # noqa: E402
from engine import timeouts  # noqa: E402
from engine.contract import Json  # noqa: E402
from engine.registry import GAME_TYPES  # noqa: E402
from service.access.credentials import Key, access_caller  # noqa: E402
from service.access.games import KnownAccess, lock_game  # noqa: E402
from service.accounts.sign_in import sign_in  # noqa: E402
from service.app import create_app  # noqa: E402
from service.core.config import Settings, from_environment  # noqa: E402
from service.core.ids import digest, new_id  # noqa: E402
from service.core.telemetry import configure_logging  # noqa: E402
from service.db.migrations import upgrade  # noqa: E402
from service.db.models import Decision, Game, Letter, Seat  # noqa: E402
from service.db.session import db, reading_options, table, transact  # noqa: E402
from service.db.sqlite import WRITING  # noqa: E402
from service.games import deadlines  # noqa: E402
from service.games.autoplay import answer_automatically  # noqa: E402
from service.games.moves import PlayedMoves  # noqa: E402
from service.games.table_creation import TableSpec, open_table  # noqa: E402
from service.games.tables import join  # noqa: E402
from service.mail.inbound.unread import has_unread_reply  # noqa: E402
from service.mail.outgoing import sender  # noqa: E402
from tests.servers.postgres import PostgresServer  # noqa: E402
from tests.servers.redis import RedisServer  # noqa: E402
from worker.app import create_celery  # noqa: E402
from worker.schedule import job_named, post_again  # noqa: E402

OPEN = int(os.environ.get("BENCH_OPEN", "1000000"))
FEW = 1000
DUE = int(os.environ.get("BENCH_DUE", "1000"))
SWEEP = int(os.environ.get("BENCH_SWEEP", "10000"))
SAMPLE = SWEEP // 20  # decisions that are answered bare, to compare
LETTERS = int(os.environ.get("BENCH_LETTERS", "1000"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
AT_ONCE = 10_000  # rows of a statement that fills the database
LATE = timedelta(days=3)

_DECISION = table(Decision)
BARE_FIND = text(
    "SELECT game_id, id FROM decision WHERE closed_at IS NULL AND due_at <= :at"
    " ORDER BY due_at LIMIT :most"
)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def prepare(at: datetime) -> None:
    """Games with decisions that are overdue by now, and tables of the floor."""
    with db.engine.begin() as connection:
        upgrade(connection)
        METADATA.create_all(connection)
    started = 0
    while started < DUE:
        transact(partial(_game, started, at))
        started += 2
    states = db.session.execute(select(Game.id, Game.state)).all()
    transact(
        lambda: db.session.execute(
            insert(ROW), [{"id": row.id, "version": 1, "state": row.state} for row in states]
        )
    )


def _game(number: int, at: datetime) -> None:
    """Two people who pick at the same time, and do not."""
    people = [
        sign_in(f"p{number}-{seat}@example.org", f"Player {seat}", "bench", at).secret
        for seat in range(2)
    ]
    callers = [access_caller(Key(digest(token))) for token in people]
    clock = {"kind": "flat", "hours": 24, "absence_days": 0}
    game_id = open_table(callers[0], TableSpec(GAME_TYPES[0].meta.key, 2, clock=clock), at)
    join(KnownAccess(callers[1], lock_game(game_id), None, 0, False), at)


def fill(until: int, at: datetime) -> None:
    """Open decisions that are not due for long, until there are so many."""
    seat = db.session.execute(select(Seat.game_id, Seat.person_id).limit(1)).one()
    there = db.session.execute(text("SELECT count(*) FROM decision")).scalar_one()
    db.session.rollback()
    for start in range(there, until, AT_ONCE):
        rows = [
            {
                "game_id": seat.game_id,
                "id": f"later.{number}",
                "seat": 0,
                "person_id": seat.person_id,
                "opened_at": at,
                "due_at": at + timedelta(days=30, seconds=number),
            }
            for number in range(start, min(start + AT_ONCE, until))
        ]
        transact(lambda rows=rows: db.session.execute(insert(_DECISION), rows))  # type: ignore[misc]
    with db.engine.connect().execution_options(**reading_options(db.engine)) as connection:
        connection.exec_driver_sql("ANALYZE")


def find(at: datetime) -> Json:
    """Rates of finding what is due, ours and bare, in turns."""

    def bare() -> None:
        found = db.session.execute(BARE_FIND, {"at": at, "most": DUE}).all()
        assert len(found) == DUE
        db.session.rollback()

    def ours() -> None:
        assert len(deadlines.overdue(at, DUE)) == DUE
        db.session.rollback()

    bare()
    ours()
    rounds = [(seconds(bare), seconds(ours)) for _ in range(4 * ROUNDS)]
    return {
        "bare_ms": round(median(pair[0] for pair in rounds) * 1000, 2),
        "ours_ms": round(median(pair[1] for pair in rounds) * 1000, 2),
        "ours_to_bare": round(median(pair[0] / pair[1] for pair in rounds), 2),
    }


Games = list[tuple[deadlines.Waiting, deadlines.Waiting]]  # with the two decisions of each


def sweep(at: datetime) -> Json:
    """Rates of playing for the absent, ours and bare, in turns."""
    waiting = sorted(deadlines.overdue(at, DUE))
    db.session.rollback()
    games = list(zip(waiting[::2], waiting[1::2]))
    ways = [games[way::2] for way in range(2)]
    share = len(ways[-1]) // ROUNDS
    rounds = [
        _round(at, *[way[number * share : (number + 1) * share] for way in ways])
        for number in range(ROUNDS)
    ]

    def to(other: str, mine: str) -> float:
        return round(median(took[other] / took[mine] for took in rounds), 2)

    return {
        **{
            f"{name}_per_second": round(2 * share / median(took[name] for took in rounds))
            for name in ("least", "bare", "ours")
        },
        **{
            f"{mine}_to_{other}": to(other, mine)
            for other in ("bare", "least")
            for mine in ("ours", "ours_without_thinking")
        },
    }


def _round(at: datetime, by_us: Games, bare: Games) -> dict[str, float]:
    """Seconds for the decisions of as many games in each way.

    Each answers one decision in all of its games, then the other: that one ends the choosing, and
    is more work.
    """
    least = sum(seconds(partial(_close_least, some)) for some in zip(*by_us))
    started = time.perf_counter()
    with _thinking() as thoughts:
        for some in zip(*by_us):
            _play(some)
    ours = time.perf_counter() - started
    return {
        "least": least,
        "ours": ours,
        "ours_without_thinking": ours - sum(thoughts),
        "bare": sum(_replayed(some, at) for some in zip(*bare)),
    }


@contextmanager
def _thinking() -> Iterator[list[float]]:
    """For how long each of the bots thinks meanwhile."""
    thoughts: list[float] = []
    think = timeouts.timeout_move

    def timed(*args: Any) -> Any:
        started = time.perf_counter()
        try:
            return think(*args)
        finally:
            thoughts.append(time.perf_counter() - started)

    timeouts.timeout_move = timed  # type: ignore[assignment]
    try:
        yield thoughts
    finally:
        timeouts.timeout_move = think


class _TakenBack(Exception):
    """Ends a transaction that was only made to see its statements."""


Statement = tuple[str, Any, bool]


def _written_down(waiting: deadlines.Waiting, at: datetime) -> list[Statement]:
    """The statements with which a decision is answered, which is then taken back."""
    found: list[Statement] = []

    def note(_: Any, __: Any, sql: str, values: Any, ___: Any, many: bool) -> None:
        found.append((sql, values, many))

    def play() -> None:
        assert (
            answer_automatically(waiting.game_id, waiting.decision, at, has_unread_reply)
            is not None
        )
        db.session.flush()
        raise _TakenBack

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        with suppress(_TakenBack):
            transact(play)
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    return found


def _replayed(waiting: Sequence[deadlines.Waiting], at: datetime) -> float:
    """Seconds for the bare statements, a transaction for each decision."""
    return seconds(partial(_replay, [_written_down(one, at) for one in waiting]))


def _replay(transactions: list[list[Statement]]) -> None:
    """The same statements, as short as it can be said in Python."""
    connection: Any = db.engine.raw_connection()
    sqlite = db.engine.dialect.name == "sqlite"
    for statements in transactions:
        if sqlite:
            connection.cursor().execute("BEGIN IMMEDIATE")
        for sql, values, many in statements:
            cursor = connection.cursor()
            (cursor.executemany if many else cursor.execute)(sql, values)
            if cursor.description:
                cursor.fetchall()
        connection.commit()
    connection.close()


def _play(waiting: Sequence[deadlines.Waiting]) -> None:
    """As the worker does it."""
    attempts = list(deadlines.attempt_each(waiting, has_unread_reply))
    assert len(attempts) == len(waiting)
    assert all(isinstance(attempt.came, PlayedMoves) for attempt in attempts)


_LOCKED = select(ROW).where(ROW.c.id == bindparam("wanted")).with_for_update()
_CLOSED = (
    update(LINE)
    .where(LINE.c.row_id == bindparam("wanted"), LINE.c.version == 0, LINE.c.data == "open")
    .values(data="closed")
)
_STORED = (
    update(ROW)
    .where(ROW.c.id == bindparam("wanted"), ROW.c.version == bindparam("seen"))
    .values(state=bindparam("new_state"), version=bindparam("seen") + 1)
)


def _close_least(waiting: Sequence[deadlines.Waiting]) -> None:
    engine = db.engine
    for one in waiting:
        with engine.connect().execution_options(**{WRITING: True}) as connection:
            row = connection.execute(_LOCKED, {"wanted": one.game_id}).one()
            connection.execute(_CLOSED, {"wanted": one.game_id})
            state = row.state[1:] + row.state[:1]
            stored = {"wanted": one.game_id, "seen": row.version, "new_state": state}
            assert connection.execute(_STORED, stored).rowcount == 1
            connection.execute(
                insert(LINE),
                [
                    {"row_id": row.id, "version": row.version, "kind": kind, "data": LINE_DATA}
                    for kind in (0, 1)
                ],
            )
            connection.commit()


def workers(url: str, redis: RedisServer, at: datetime) -> Json:
    """Rates of real worker processes that share a sweep, against bare transactions."""
    for number in range(1_000_000, 1_000_000 + SWEEP, 2):
        transact(partial(_game, number, at - LATE))
    with db.engine.connect() as connection:
        connection.execute(text("DELETE FROM decision WHERE id LIKE 'later.%'"))
        connection.commit()
    found: Json = {"due": SWEEP}
    for processes in (1, 2):
        _all_are_due(at)
        before = _bare_rate(at)
        due = _count_due(at)
        took = _swept(url, redis.take_database(), processes, at)
        _all_are_due(at)
        bare = (before + _bare_rate(at)) / 2
        name = f"{processes}_process" + "es" * (processes > 1)
        found[name] = {
            "bare_per_second": round(bare),
            "ours_per_second": round(due / took),
            "ours_to_bare": round(due / took / bare, 2),
        }
    one, two = found["1_process"], found["2_processes"]
    found["two_to_one"] = round(two["ours_per_second"] / one["ours_per_second"], 2)
    return found


def _bare_rate(at: datetime) -> float:
    """Bare transactions a second, for one decision of each of some games."""
    sample = list({one.game_id: one for one in deadlines.overdue(at, 2 * SAMPLE)}.values())
    db.session.rollback()
    return len(sample) / _replayed(sample, at)


def _all_are_due(at: datetime) -> None:
    late = update(_DECISION).where(_DECISION.c.closed_at.is_(None)).values(due_at=at - LATE)
    transact(lambda: db.session.execute(late))


def _count_due(at: datetime) -> int:
    db.session.rollback()
    counted = "SELECT count(*) FROM decision WHERE closed_at IS NULL AND due_at <= :at"
    late = db.session.execute(text(counted), {"at": at - LATE / 2}).scalar_one()
    db.session.rollback()
    return int(late)


def _swept(url: str, redis: str, processes: int, at: datetime) -> float:
    """Seconds from the first message until nothing is due, by so many worker processes."""
    env = os.environ | {"LAGUNA_DATABASE_URL": url, "LAGUNA_REDIS_URL": redis}
    env["LAGUNA_LOG_LEVEL"] = "info"
    command = [sys.executable, "-m", "service.cli", "work", "--queues", "deadlines"]
    started = [
        subprocess.Popen(
            [*command, "--concurrency", "1"], cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True
        )
        for _ in range(processes)
    ]
    celery = create_celery(from_environment_with(redis))
    try:
        for worker in started:
            assert worker.stderr is not None
            assert "worker_started" in worker.stderr.readline()
        time.sleep(2)  # until they have connected
        began = time.perf_counter()
        for _ in started:
            post_again(celery, job_named("deadlines"))
        while _count_due(at):
            time.sleep(0.05)
        return time.perf_counter() - began
    finally:
        celery.close()
        for worker in started:
            worker.terminate()
            worker.wait(60)


def from_environment_with(redis: str) -> Settings:
    return replace(from_environment(), redis_url=redis)


@contextmanager
def mail_server() -> Iterator[int]:
    """A mail server in a process of its own, which takes everything."""
    code = (
        "import sys\n"
        "from aiosmtpd.controller import Controller\n"
        "class Sink:\n"
        "    async def handle_DATA(self, server, session, envelope):\n"
        "        return '250 taken'\n"
        "server = Controller(Sink(), hostname='127.0.0.1', port=int(sys.argv[1]))\n"
        "server.start()\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
        "server.stop()\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield port
    finally:
        process.stdin.close()
        process.wait(10)


def mail(port: int, at: datetime) -> Json:
    """Letters a second, ours and bare, in turns."""
    rounds = []
    for _ in range(ROUNDS):
        letters = _write_letters(LETTERS // ROUNDS, at)
        bare_took = seconds(lambda letters=letters: _send_bare(port, letters))  # type: ignore[misc]
        sent = 0

        def ours() -> None:
            nonlocal sent
            while done := sender.send_letters():
                sent += done

        ours_took = seconds(ours)
        assert sent == len(letters), (sent, len(letters))
        rounds.append((len(letters) / bare_took, len(letters) / ours_took))
    return {
        "bare_per_second": round(median(one[0] for one in rounds)),
        "ours_per_second": round(median(one[1] for one in rounds)),
        "ours_to_bare": round(median(one[1] / one[0] for one in rounds), 2),
    }


def _write_letters(count: int, at: datetime) -> list[tuple[str, str, str]]:
    letters = [
        (f"p{number}@example.org", f"Letter {number}", "It is your turn.\n" * 60)
        for number in range(count)
    ]
    rows = [
        {
            "id": new_id(),
            "kind": "sign_in",
            "to": to,
            "subject": subject,
            "text": body,
            "facts": {},
            "state": "pending",
            "attempts": 0,
            "created_at": at,
            "next_try_at": at,
        }
        for to, subject, body in letters
    ]
    transact(lambda: db.session.execute(insert(table(Letter)), rows))
    return letters


def _send_bare(port: int, letters: list[tuple[str, str, str]]) -> None:
    with smtplib.SMTP("127.0.0.1", port) as server:
        for to, subject, body in letters:
            server.sendmail(
                "laguna@localhost",
                [to],
                f"From: laguna@localhost\r\nTo: {to}\r\nSubject: {subject}\r\n\r\n{body}",
            )


def on_database(url: str, data: Path, port: int, redis: RedisServer) -> Json:
    os.environ.update(
        {
            "LAGUNA_DATABASE_URL": url,
            "LAGUNA_DATA": str(data),
            "LAGUNA_SECRET_KEY": secrets.token_hex(32),
            "LAGUNA_LOG_LEVEL": "error",
            "LAGUNA_SMTP_URL": f"smtp://127.0.0.1:{port}",
        }
    )
    settings = from_environment()
    configure_logging(settings)
    app: Flask = create_app(settings)
    present = datetime.now(UTC)
    with app.app_context():
        prepare(present - LATE)
        fill(FEW + DUE, present)
        few = find(present)
        fill(OPEN, present)
        many = find(present)
        found = {
            "find": {
                f"open_{FEW + DUE}": few,
                f"open_{OPEN}": many,
                "growth": round(many["ours_ms"] / few["ours_ms"], 2),
                "growth_of_bare": round(many["bare_ms"] / few["bare_ms"], 2),
            },
            "sweep": sweep(present),
            "workers": workers(url, redis, present),
            "mail": mail(port, present),
        }
        db.session.remove()
        db.engine.dispose()
    return found


def main() -> None:
    found: Json = {}
    with tempfile.TemporaryDirectory() as folder, mail_server() as port, RedisServer() as redis:
        data = Path(folder)
        found["sqlite"] = on_database(f"sqlite:///{data}/bench.db", data, port, redis)
        with PostgresServer() as server:
            found["postgresql"] = on_database(server.create_database(), data, port, redis)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
