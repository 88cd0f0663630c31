"""What a turn mail of each game costs, in one run, on SQLite.

- `picture`: boards of four players, in the middle of a game and full, as PNG, in processor time.
  `drawn_ms` is the time for a drawing that was never seen before, `first_ms` for the first one of a
  process, which loads the fonts, `again_ms` for one from the cache, as for the other players of a
  game. `bare_ms` is the renderer with the quickest quantisation that Pillow has.
- `compose`: a turn mail from the database to the bytes that are sent, without the picture, against
  a bare `EmailMessage` of the same text and HTML. `with_picture_ms` shows the same picture again.

`wanted` is what we promise.
"""

import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

# Run as a script, this file would be found under the name of the package it measures.
ROOT = Path(__file__).parents[1]
sys.path[:] = [str(ROOT)] + [p for p in sys.path if Path(p).resolve() != Path(__file__).parent]

from flask import Flask  # noqa: E402
from PIL import Image  # noqa: E402
from sqlalchemy import insert, select  # noqa: E402

from engine import timeouts  # noqa: E402
from engine.chance import seed_from_text  # noqa: E402
from engine.contract import GameType, Json  # noqa: E402
from engine.policies import simulate  # noqa: E402
from engine.registry import GAME_TYPES  # noqa: E402
from service.access.credentials import Key, access_caller  # noqa: E402
from service.access.games import KnownAccess, access_seat, lock_game  # noqa: E402
from service.access.scopes import GAMES_PLAY  # noqa: E402
from service.accounts.sign_in import sign_in  # noqa: E402
from service.app import create_app  # noqa: E402
from service.core.config import Settings, from_environment  # noqa: E402
from service.core.ids import digest, new_id  # noqa: E402
from service.core.telemetry import configure_logging  # noqa: E402
from service.db.migrations import upgrade  # noqa: E402
from service.db.models import Decision, Letter, Person  # noqa: E402
from service.db.session import db, execute, table, transact  # noqa: E402
from service.games.loaded_game import load_game  # noqa: E402
from service.games.moves import answer  # noqa: E402
from service.games.table_creation import TableSpec, open_table  # noqa: E402
from service.games.tables import join  # noqa: E402
from service.mail.outgoing.board_png import picture_of  # noqa: E402
from service.mail.outgoing.compose import Composed, compose  # noqa: E402
from service.mail.outgoing.mime import Enclosed, mail_of  # noqa: E402
from service.mail.outgoing.queue import LetterRow  # noqa: E402

SEATS = 4
NAMES = ("Anna", "Benedikt", "Chiara", "Žofie")
SHOWN = int(os.environ.get("BENCH_BOARDS", "20"))  # boards that are measured
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "100"))
WANTED = {"picture_ms": 100, "picture_bytes": 60_000, "compose_ms": 10}


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def boards(game: GameType, seed: str, ends: Callable[[int], list[int]]) -> Iterator[str]:
    """Drawings of a game for a mail, with the changes of a round of turns marked."""
    lines = simulate(game, SEATS, {}, seed_from_text(seed), "greedy").lines
    for end in ends(len(lines)):
        events = [event for line in lines[max(0, end - 8) : end + 1] for event in line.events]
        yield game.board_svg(game.view(lines[end].state, None), NAMES, events)


def processor_milliseconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def bare_picture(svg: str) -> bytes:
    """The least that anybody has to do: render, choose colours, pack."""
    packed = BytesIO()
    with Image.open(BytesIO(svg.encode()), formats=["SVG"]) as image:
        image.convert("RGB").quantize(method=Image.Quantize.FASTOCTREE).save(packed, "PNG")
    return packed.getvalue()


def picture(game: GameType) -> Json:
    places = {"middle": lambda count: [count // 2], "full": lambda count: [count - 2]}
    first = next(boards(game, "first", places["full"]))
    found: Json = {"first_ms": round(processor_milliseconds(partial(picture_of, first)), 1)}
    for place, ends in places.items():
        svgs = [next(boards(game, f"measured {n}", ends)) for n in range(SHOWN)]
        rounds = [
            [processor_milliseconds(partial(work, svg)) for work in (picture_of, bare_picture)]
            for svg in svgs
        ]
        again = [processor_milliseconds(partial(picture_of, svg)) for svg in svgs]
        sizes = [len(picture_of(svg).png) for svg in svgs]
        found[place] = {
            "drawn_ms": round(median(ours for ours, _ in rounds), 1),
            "longest_ms": round(max(ours for ours, _ in rounds), 1),
            "bare_ms": round(median(bare for _, bare in rounds), 1),
            "drawn_to_bare": round(median(ours / bare for ours, bare in rounds), 2),
            "again_ms": round(median(again), 2),
            "bytes": round(median(sizes)),
            "bytes_to_bare": round(
                median(size / len(bare_picture(svg)) for size, svg in zip(sizes, svgs)), 2
            ),
            "most_bytes": max(sizes),
        }
    return found


def play_to_the_middle(game: GameType, at: datetime) -> None:
    """A game of four people, half played."""
    tokens = [
        transact(partial(sign_in, f"{name}@example.org", name, "bench", at)).secret
        for name in ("anna", "ben", "chiara", "zofie")
    ]
    keys = [Key(digest(token)) for token in tokens]
    callers = [access_caller(key) for key in keys]
    game_id = transact(partial(open_table, callers[0], TableSpec(game.meta.key, SEATS), at))
    for caller in callers[1:]:
        transact(lambda caller=caller: _join(caller, game_id, at))  # type: ignore[misc]
    moves = len(simulate(game, SEATS, {}, bytes(32), "greedy").lines)
    for _ in range(moves // 2):
        transact(partial(_play_one, keys, game_id, at))


def _join(caller: Any, game_id: str, at: datetime) -> None:
    join(KnownAccess(caller, lock_game(game_id), None, 0, False), at)


def _play_one(keys: list[Key], game_id: str, at: datetime) -> None:
    loaded = load_game(lock_game(game_id))
    seat = loaded.game.pending(loaded.state)[0]
    [person] = [row.person_id for row in loaded.seats if row.number == seat]
    [key] = [key for key in keys if access_caller(key).person_id == person]
    move = timeouts.bot_move(loaded.game, loaded.state, seat)
    decision = loaded.game.decision(loaded.state, seat)
    answer(access_seat(key, GAMES_PLAY, game_id), decision, [loaded.game.format(move)], at)


def turn_letter(at: datetime) -> LetterRow:
    """A letter about a decision that is open."""
    letters, decisions, people = table(Letter), table(Decision), table(Person)
    asked = db.session.execute(
        select(*decisions.c["game_id", "id", "person_id"], people.c.email)
        .join(people, people.c.id == decisions.c.person_id)
        .where(decisions.c.closed_at.is_(None))
    ).first()
    assert asked is not None
    letter = {
        "id": new_id(),
        "kind": "turn",
        "to": asked.email,
        "person_id": asked.person_id,
        "game_id": asked.game_id,
        "decision": asked.id,
        "facts": {},
        "created_at": at,
    }
    transact(lambda: db.session.execute(insert(letters), [letter]))
    written = select(*letters.c[LetterRow._fields]).where(letters.c.id == letter["id"])
    return LetterRow._make(execute(written).one())


def to_bytes(letter: LetterRow, composed: Composed, settings: Settings, at: datetime) -> bytes:
    written = letter._replace(
        subject=composed.subject,
        text=composed.text,
        html=composed.html,
        game_id=composed.game_id,
        decision=composed.decision,
    )
    return mail_of(written, settings, at, Enclosed(composed.picture))


def bare_mail(composed: Composed) -> bytes:
    message = EmailMessage(SMTP)
    message["From"], message["To"] = "Laguna <laguna@localhost>", "anna@example.org"
    message["Subject"] = composed.subject
    message.set_content(composed.text)
    message.add_alternative(composed.html or "", subtype="html")
    return message.as_bytes()


def composing(settings: Settings, game: GameType, at: datetime) -> Json:
    with db.engine.begin() as connection:
        upgrade(connection)
    play_to_the_middle(game, at)
    letter = turn_letter(at)

    def ours() -> bytes:
        return to_bytes(letter, compose(letter, at), settings, at)

    def measured() -> tuple[float, float]:
        return milliseconds(ours), milliseconds(partial(bare_mail, composed))

    with patch("service.mail.outgoing.compose.game_context.Table.picture", lambda _: None):
        composed = compose(letter, at)
        size = len(ours())
        rounds = [measured() for _ in range(ROUNDS)]
    with_picture = [milliseconds(ours) for _ in range(ROUNDS)]
    return {
        "ours_ms": round(median(one[0] for one in rounds), 2),
        "bare_ms": round(median(one[1] for one in rounds), 2),
        "ours_to_bare": round(median(one[0] / one[1] for one in rounds), 2),
        "bytes": size,
        "with_picture_ms": round(median(with_picture), 2),
        "bytes_with_picture": len(ours()),
    }


def composing_in_a_house_of_its_own(game: GameType) -> Json:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            {
                "LAGUNA_DATABASE_URL": f"sqlite:///{folder}/bench.db",
                "LAGUNA_DATA": folder,
                "LAGUNA_SECRET_KEY": secrets.token_hex(32),
                "LAGUNA_LOG_LEVEL": "error",
            }
        )
        settings = from_environment()
        configure_logging(settings)
        app: Flask = create_app(settings)
        with app.app_context():
            found = composing(settings, game, datetime.now(UTC))
            db.session.remove()
            db.engine.dispose()
    return found


def main() -> None:
    found: Json = {"wanted": WANTED}
    for game in GAME_TYPES:
        found[game.meta.key] = {
            "picture": picture(game),
            "compose": composing_in_a_house_of_its_own(game),
        }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
