"""Non-interference over HTTP: when only a secret of others changes, no byte of any answer does."""

import importlib
import json
import random
from collections.abc import Iterator
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import update

from engine.chance import SEED_BYTES, Chance, seed_from_text
from engine.contract import GameType, Json
from engine.errors import MoveError
from engine.options import all_options
from engine.play import begin
from engine.registry import GAME_TYPES
from service.access.games import lock_game
from service.db.models import Game
from service.db.session import db, transact
from service.games.loaded_game import load_game
from tests.support.keyholes import (
    REQUEST_ID,
    Answer,
    answer_of,
    etags,
    everything_seen,
    must_be_equal,
)
from tests.support.rewinding import Snapshot, forget_all
from tests.support.site import Caller, Site


def setups(only_at_once: bool = False) -> list[Any]:
    """Every game with every option, for few and for many; perhaps only where all choose at once."""
    return [
        pytest.param(game, chosen, seats, id=f"{game.meta.key}-{'-'.join(chosen.values())}-{seats}")
        for game in GAME_TYPES
        for chosen in all_options(game)
        for seats in (min(game.meta.seats), max(game.meta.seats))
        if not only_at_once or chooses_at_once(game, chosen, seats)
    ]


def chooses_at_once(game: GameType, options: Json, seats: int) -> bool:
    return len(game.pending(begin(game, seats, options, bytes(SEED_BYTES)).state)) > 1


SETUPS = setups()
SIMULTANEOUS = setups(only_at_once=True)
POSITIONS = 2
NAMES = ("Alice", "Bob", "Carol", "Dave", "Eve", "Frank")


@pytest.fixture(autouse=True)
def time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rate limits count wall-clock time, which is no secret."""
    monkeypatch.setattr("time.time", lambda: 1_800_000_000.0)


@pytest.fixture(autouse=True)
def shuffles_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with the same `--randomly-seed` deals the same cards."""
    monkeypatch.setattr(
        "service.games.tables.secrets", SimpleNamespace(token_bytes=random.randbytes)
    )


class Table:
    """A running game with its players, and a source of random choices."""

    def __init__(self, site: Site, game: GameType, options: Json, seats: int) -> None:
        self.random = random.Random(random.randrange(2**32))
        self.site, self.game = site, game
        self.players = site.people(*NAMES[:seats])
        self.people = [player.id() for player in self.players]
        self.watcher = site.person("Walter")
        self.id = site.game_of(*self.players, game=game.meta.key, options=options)

    @property
    def spectators(self) -> list[tuple[None, Caller]]:
        return [(None, self.watcher), (None, self.site.stranger)]

    def observers(self, without: int | None = None) -> list[tuple[int | None, Caller]]:
        """Two seats and somebody who watches."""
        others = [pair for pair in enumerate(self.players) if pair[0] != without]
        some = self.random.sample(others, min(2, len(others)))
        return [*some, self.random.choice(self.spectators)]

    def state(self) -> Any:
        with self.site.app.app_context():
            return load_game(lock_game(self.id)).state

    def store(self, state: Any) -> None:
        """Put another state in the place of the real one."""
        with self.site.app.app_context():
            dumped = self.game.dump(state)
            transact(
                lambda: db.session.execute(
                    update(Game).where(Game.id == self.id).values(state=dumped)
                )
            )
        forget_all(self.site)

    def pending(self) -> list[int]:
        return list(self.game.pending(self.state()))

    def asked(self) -> list[int]:
        """The seats that really have something to choose."""
        state = self.state()
        return [s for s in self.game.pending(state) if len(self.game.legal_moves(state, s)) > 1]

    def answers(self, seat: int) -> list[Json]:
        """All moves the seat may send, those that carry a plan included."""
        state = self.state()
        legal = self.game.legal_moves(state, seat)
        moves = [
            *legal,
            *(plan for move in legal for plan in self.game.premoves(state, seat, move)),
        ]
        return [self.game.move_to_json(move) for move in moves]

    def sends(self, seat: int, move: Json) -> Answer:
        decision = self.game.decision(self.state(), seat)
        forget_all(self.site)
        return answer_of(
            self.players[seat].post(
                f"/v1/games/{self.id}/moves",
                {"decision": decision, "move": move},
                headers=REQUEST_ID,
            )
        )

    def plays_on(self, moves: int) -> bool:
        """Random moves of whoever is asked; False when the game is over."""
        for _ in range(moves):
            asked = self.asked()
            if not asked:
                return False
            seat = self.random.choice(asked)
            answer = self.sends(seat, self.random.choice(self.answers(seat)))
            assert answer.status == 200, answer.body
        return bool(self.asked())

    def positions(self, asked: int = 1) -> Iterator[int]:
        """The game at random points at which so many seats are asked, set back to each after what
        was done there; no more when it is over."""
        number = 0
        while self.plays_on(self.random.randrange(1, 14)):
            while len(self.asked()) < asked:
                if not self.plays_on(1):
                    return
            here = Snapshot(self.site)
            yield number
            here.restore()
            number += 1

    def seen(self, observer: Caller, pictures: bool = False) -> dict[str, Answer]:
        return everything_seen(self.site, observer, self.id, self.people, pictures)


def imagined(table: Table, seat: int | None, mover: int, move: Any) -> Any:
    """Another state that this seat could not tell from the real one."""
    chance = Chance(seed_from_text(str(table.random.random())), "imagined")
    seats = [] if seat is None else [seat]
    return table.game.imagine(table.state(), seats, chance, mover, move)


@pytest.mark.parametrize(("game", "options", "seats"), SETUPS)
def test_hidden_cards_change_no_byte_of_an_observers_responses(
    site: Site, game: GameType, options: Json, seats: int
) -> None:
    table = Table(site, game, options, seats)
    different = 0
    for number in islice(table.positions(), POSITIONS):
        real = table.state()
        for seat, observer in table.observers():
            pictures = number == 0
            before = table.seen(observer, pictures)
            other = imagined(table, seat, table.pending()[0], None)
            different += game.dump(other) != game.dump(real)
            table.store(other)
            must_be_equal(before, table.seen(observer, pictures), "hands or the deck")
            table.store(real)
    assert different, "the test changed something"


@pytest.mark.parametrize(("game", "options", "seats"), SETUPS)
def test_the_response_to_a_move_does_not_depend_on_hidden_information(
    site: Site, game: GameType, options: Json, seats: int
) -> None:
    table = Table(site, game, options, seats)
    compared = 0
    for number in table.positions():
        if number >= 2 * POSITIONS and compared:
            break
        here = Snapshot(site)
        for seat in table.asked():
            move = table.random.choice(table.answers(seat))
            other = imagined(table, seat, seat, game.move_from_json(move))
            answer = table.sends(seat, move)
            assert answer.status == 200, answer.body
            after = table.seen(table.players[seat])
            here.restore()
            table.store(other)
            elsewhere = table.sends(seat, move)
            if not uncovers(game, answer) and not uncovers(game, elsewhere):
                compared += 1
                assert answer == elsewhere
                must_be_equal(after, table.seen(table.players[seat]), "the secrets of others")
            here.restore()
    assert compared, "the test compared something"


def uncovers(game: GameType, answer: Answer) -> bool:
    """Whether a move revealed something: a card was turned over, or others played on."""
    played = json.loads(answer.body)["played"]
    return len(played) > 1 or any(
        event["type"] in game.meta.uncovering for event in played[0]["events"]
    )


def choosing_at_once(table: Table) -> tuple[int, list[Json]]:
    """A seat that may choose in secret while another still has to, with all it could send."""
    asked = table.asked()
    assert len(asked) > 1
    seat = table.random.choice(asked)
    return seat, table.answers(seat)


@pytest.mark.parametrize(("game", "options", "seats"), SIMULTANEOUS)
def test_a_secret_pick_changes_no_byte_for_others_until_all_have_picked(
    site: Site, game: GameType, options: Json, seats: int
) -> None:
    table = Table(site, game, options, seats)
    compared = 0
    for number in islice(table.positions(asked=2), POSITIONS):
        chooser, answers = choosing_at_once(table)
        observers = table.observers(without=chooser)
        here = Snapshot(site)
        one, other = _two(table, answers)
        simulations = []
        ways: list[list[Json | str]] = [
            [one],
            [other],
            [one, other, one, other],
            [NOTE, one, PLAN, NOTE],
        ]
        for things in ways:
            does(table, chooser, things)
            simulations.append([table.seen(observer, number == 0) for _, observer in observers])
            here.restore()
        for simulation in simulations[1:]:
            for before, after in zip(simulations[0], simulation):
                must_be_equal(before, after, f"the pick of seat {chooser}")
        compared += 1
    assert compared, "the test compared something"


def _two(table: Table, answers: list[Json]) -> list[Json]:
    return table.random.sample(answers, 2)


NOTE, PLAN = "note", "plan"


def does(table: Table, seat: int, things: list[Json | str]) -> None:
    """Pick, pick again, or leave something that nobody else may know of."""
    path, player = f"/v1/games/{table.id}", table.players[seat]
    for thing in things:
        if thing == NOTE:
            assert player.put(f"{path}/note", {"text": "I keep the best"}).status_code == 200
        elif thing == PLAN:
            wanted = {"wishes": wishes(table, seat)}
            assert player.put(f"{path}/plan", wanted).status_code == 200
        else:
            assert isinstance(thing, dict)
            assert table.sends(seat, thing).status == 200


def wishes(table: Table, seat: int) -> list[str]:
    """Wishes this game understands, found among the words of its notation."""
    decision = table.players[seat].sees(table.id)["decision"]
    words = {word for move in decision["moves"] for word in move["text"].split()}
    return [word for word in sorted(words) if _is_wish(table.game, word)][:5]


def _is_wish(game: GameType, word: str) -> bool:
    try:
        return bool(game.read_preferences([word]))
    except MoveError:
        return False


@pytest.mark.parametrize(("game", "options", "seats"), SIMULTANEOUS)
def test_a_changed_secret_pick_leaves_the_etags_of_others_valid(
    site: Site, game: GameType, options: Json, seats: int
) -> None:
    table = Table(site, game, options, seats)
    chooser, answers = choosing_at_once(table)
    does(table, chooser, [answers[0]])
    observers = [*table.observers(without=chooser), *table.spectators]
    held = [(observer, etags(table.seen(observer))) for _, observer in observers]
    own = etags(table.seen(table.players[chooser]))
    does(table, chooser, [answers[1], NOTE, answers[-1], PLAN])
    for observer, tags in held:
        assert f"/v1/games/{table.id}/board.svg" in tags
        for path, etag in tags.items():
            again = observer.get(path, headers={"If-None-Match": etag})
            assert again.status_code == 304, path
            assert again.data == b""
            assert again.headers["ETag"] == etag
    game_path = f"/v1/games/{table.id}"
    changed = table.players[chooser].get(game_path, headers={"If-None-Match": own[game_path]})
    assert changed.status_code == 200, "the seat itself gets the change"


def test_a_planted_leak_is_found(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself is checked: an ETag that depends on a secret is noticed."""
    table = Table(site, *SIMULTANEOUS[0].values)
    seat, answers = choosing_at_once(table)
    _, observer = table.observers(without=seat)[0]
    here = Snapshot(site)

    def seen_after(move: Json) -> dict[str, Answer]:
        does(table, seat, [move])
        seen = table.seen(observer)
        here.restore()
        return seen

    must_be_equal(seen_after(answers[0]), seen_after(answers[1]), "the pick")
    monkeypatch.setattr(
        importlib.import_module("service.api.records"),
        "game_etag",
        lambda access, *more: f'"{hash(access.game.state)}"',
    )
    with pytest.raises(AssertionError, match="tells the pick"):
        must_be_equal(seen_after(answers[0]), seen_after(answers[1]), "the pick")
