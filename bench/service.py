"""The service over HTTP against the least that could do the same, in one run of one server.

On SQLite and on PostgreSQL: a move against a bare transaction of the same shape, GET of a game
against the read of one row, and an unchanged game (304) against the same; `floor` is the usual way
to write that, `lowest` the fastest we know. All are served by the web server of the service, to two
clients; the kinds of request take turns in short rounds, and the median of the rounds' ratios
counts. Every move is legal and every answer is checked.
"""

import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

# Run as a script, this file would be found under the name of the package it measures.
ROOT = Path(__file__).parents[1]
sys.path[:] = [str(ROOT)] + [p for p in sys.path if Path(p).resolve() != Path(__file__).parent]

from sqlalchemy import insert, select  # noqa: E402

from bench.floor import METADATA, ROW  # noqa: E402
from engine import play  # noqa: E402
from engine.contract import Json  # noqa: E402
from engine.registry import GAME_TYPES  # noqa: E402
from service.access.credentials import Key, access_caller  # noqa: E402
from service.access.games import KnownAccess, lock_game  # noqa: E402
from service.accounts.sign_in import sign_in  # noqa: E402
from service.app import create_app  # noqa: E402
from service.core.config import from_environment  # noqa: E402
from service.core.ids import digest  # noqa: E402
from service.db.migrations import upgrade  # noqa: E402
from service.db.models import Game  # noqa: E402
from service.db.session import db, transact  # noqa: E402
from service.games.table_creation import TableSpec, open_table  # noqa: E402
from service.games.tables import join  # noqa: E402
from tests.servers.postgres import PostgresServer  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "1.0"))
SEATS = 3
FLOORS = ("floor", "lowest")  # see `bench/floor.py`
GAMES_NEEDED = int(os.environ.get("BENCH_GAMES", "150"))
CLIENTS = 2
WORKERS = 2


class Request(NamedTuple):
    raw: bytes
    status: int


class Script(NamedTuple):
    """A game from the first request to the last, as each of its players would send it."""

    game_id: str
    tokens: list[str]
    moves: list[Request]


def request(
    method: str,
    path: str,
    token: str | None = None,
    body: Json | None = None,
    status: int = 200,
    headers: Sequence[str] = (),
) -> Request:
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    return Request("\r\n".join(lines).encode() + b"\r\n\r\n" + data, status)


def send(port: int, wanted: Request) -> bytes:
    """One request on a connection of its own; the whole answer."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(wanted.raw)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    answer = b"".join(parts)
    status = int(answer[9:12])
    if status != wanted.status:
        raise SystemExit(f"{wanted.raw[:200]!r}\nwas answered {answer[:2000]!r}")
    return answer


def rate(port: int, streams: Sequence[Iterator[Request]], seconds: float) -> float:
    """Requests a second, by one client for each stream."""
    counts = [0] * len(streams)
    until = time.perf_counter() + seconds

    def run(number: int) -> None:
        for wanted in streams[number]:
            send(port, wanted)
            counts[number] += 1
            if time.perf_counter() >= until:
                return
        raise SystemExit("there were too few requests; raise BENCH_GAMES")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(streams))]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - started)


def prepare() -> tuple[list[Script], int]:
    """People, games and every move they will make; and the rows of the floor."""
    app = create_app()
    at = datetime.now(UTC)
    generator = random.Random(1)
    with app.app_context():
        with db.engine.begin() as connection:
            upgrade(connection)
            METADATA.create_all(connection)
        scripts = [
            _script(transact(partial(_people, number, at)), at, generator)
            for number in range(GAMES_NEEDED)
        ]
        states = db.session.execute(select(Game.id, Game.state)).all()
        transact(
            lambda: db.session.execute(
                insert(ROW), [{"id": row.id, "version": 1, "state": row.state} for row in states]
            )
        )
        db.session.remove()
        db.engine.dispose()
    return scripts, len(states[0].state)


def _people(game: int, at: datetime) -> list[str]:
    """Tokens of the people who play a game, and no other."""
    return [
        sign_in(f"p{game}-{seat}@example.org", f"Player {seat}", "bench", at).secret
        for seat in range(SEATS)
    ]


def _script(tokens: list[str], at: datetime, generator: random.Random) -> Script:
    game = GAME_TYPES[0]

    def start() -> str:
        callers = [access_caller(Key(digest(token))) for token in tokens]
        game_id = open_table(callers[0], TableSpec(game.meta.key, SEATS), at)
        for caller in callers[1:]:
            join(KnownAccess(caller, lock_game(game_id), None, 0, False), at)
        return game_id

    game_id = transact(start)
    row = db.session.execute(select(Game).where(Game.id == game_id)).scalar_one()
    assert row.state is not None
    assert row.seed is not None
    state, seed, moves = game.load(row.state), row.seed, []
    while asked := play.to_ask(game, state):
        seat = asked[0]
        move = generator.choice(game.legal_moves(state, seat))
        body = {"decision": game.decision(state, seat), "move": game.move_to_json(move)}
        path = f"/v1/games/{game_id}/moves"
        moves.append(request("POST", path, tokens[seat], body))
        state = play.play(game, state, seed, seat, None, move).state
    db.session.rollback()
    return Script(game_id, tokens, moves)


@contextmanager
def served(environment: dict[str, str]) -> Iterator[int]:
    """The service and the floor under the web server of the service."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", f"from bench.floor import serve; serve({port})"],
        cwd=ROOT,
        env=os.environ | environment,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            try:
                send(port, request("GET", "/healthz"))
                break
            except OSError:
                time.sleep(0.05)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


def measure(scripts: list[Script], port: int) -> Json:
    """Rates and ratios on one database."""
    halves = [scripts[number::CLIENTS] for number in range(CLIENTS)]
    moving = [_moves(half) for half in halves]
    bare = {
        (floor, path): [
            _around([request(method, f"/{floor}/{path}/{s.game_id}") for s in half])
            for half in halves
        ]
        for floor in FLOORS
        for method, path in (("POST", "moves"), ("GET", "rows"))
    }
    known = {script.game_id: _etag(port, script) for script in scripts[-40:]}
    unchanged = [
        _around(
            [
                request(
                    "GET",
                    f"/v1/games/{s.game_id}",
                    s.tokens[0],
                    status=304,
                    headers=[f"If-None-Match: {known[s.game_id]}"],
                )
                for s in half
                if s.game_id in known
            ]
        )
        for half in halves
    ]
    again = [
        _around([request("GET", f"/v1/games/{s.game_id}", s.tokens[0]) for s in half[-20:]])
        for half in halves
    ]
    kinds: dict[str, Callable[[], list[Iterator[Request]]]] = {
        "floor_move": lambda: bare["floor", "moves"],
        "lowest_move": lambda: bare["lowest", "moves"],
        "move": lambda: moving,
        "floor_read": lambda: bare["floor", "rows"],
        "lowest_read": lambda: bare["lowest", "rows"],
        "get": lambda: [_fresh(half[:-20]) for half in halves],
        "get_again": lambda: again,
        "not_modified": lambda: unchanged,
    }
    rounds: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        rounds.append({kind: rate(port, streams(), SECONDS) for kind, streams in kinds.items()})
    ratios = {
        f"{ours}_to_{floor}": (ours, f"{floor}_{'move' if ours == 'move' else 'read'}")
        for floor in FLOORS
        for ours in ("move", "get", "get_again", "not_modified")
    }
    return {
        "requests_per_second": {
            kind: round(median(found[kind] for found in rounds)) for kind in kinds
        },
        "ratios": {
            name: round(median(found[ours] / found[floor] for found in rounds), 2)
            for name, (ours, floor) in ratios.items()
        },
    }


def _moves(scripts: Sequence[Script]) -> Iterator[Request]:
    for script in scripts[:-20]:
        yield from script.moves


def _fresh(scripts: Sequence[Script]) -> Iterator[Request]:
    """Every game through the eyes of each of its seats, never rendered before."""
    while True:
        for script in scripts:
            for token in script.tokens:
                path = f"/v1/games/{script.game_id}"
                yield request("GET", path, token, headers=["X-Fresh: 1"])


def _around(requests: list[Request]) -> Iterator[Request]:
    while True:
        yield from requests


def _etag(port: int, script: Script) -> str:
    answer = send(port, request("GET", f"/v1/games/{script.game_id}", script.tokens[0]))
    head = answer.partition(b"\r\n\r\n")[0].decode()
    return next(line[6:] for line in head.split("\r\n") if line.lower().startswith("etag: "))


def _statements(script: Script, one: Script, port: int) -> Json:
    """How many statements each request takes, at the beginning and at the end of a game."""
    counts = [_count(send(port, move)) for move in script.moves]
    return {
        "move_10": counts[9],
        "move_last": counts[-1],
        "move_most": max(counts),
        "moves": len(counts),
        "get": _count(send(port, request("GET", f"/v1/games/{one.game_id}", one.tokens[0]))),
        "not_modified": _count(
            send(
                port,
                request(
                    "GET",
                    f"/v1/games/{one.game_id}",
                    one.tokens[0],
                    status=304,
                    headers=[f"If-None-Match: {_etag(port, one)}"],
                ),
            )
        ),
    }


def _count(answer: bytes) -> int:
    head = answer.partition(b"\r\n\r\n")[0].decode().lower()
    return next(int(line[14:]) for line in head.split("\r\n") if line.startswith("x-statements:"))


def on_database(url: str, data: Path) -> Json:
    environment = {
        "LAGUNA_DATABASE_URL": url,
        "LAGUNA_DATA": str(data),
        "LAGUNA_SECRET_KEY": secrets.token_hex(32),
        "LAGUNA_LOG_LEVEL": "info",
        "LAGUNA_LIMIT_REQUESTS": "1000000 per minute",
        "LAGUNA_LIMIT_RUNNING_GAMES": "1000000",
        "LAGUNA_LIMIT_JOINS": "1000000 per minute",
        "LAGUNA_WEB_THREADS": "2",
        "LAGUNA_WEB_WORKERS": str(WORKERS),
    }
    os.environ.update(environment)
    from_environment()
    scripts, state_bytes = prepare()
    with served({}) as port:
        result = measure(scripts, port)
    with served({"BENCH_COUNT": "1"}) as port:
        result["statements"] = _statements(scripts[-1], scripts[-2], port)
    return result | {"state_bytes": state_bytes}


def main() -> None:
    found: Json = {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        found["sqlite"] = on_database(f"sqlite:///{data}/bench.db", data)
        with PostgresServer() as server:
            found["postgresql"] = on_database(server.create_database(), data)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
