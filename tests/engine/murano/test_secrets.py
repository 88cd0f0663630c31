"""Who may know what: views, moves and events, and that nothing else shows."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine import murano
from engine.chance import Chance, seed_from_text
from engine.contract import EVERYBODY, Json, Step
from engine.murano.state import State
from engine.play import begin, play
from engine.policies import random_move, simulate
from engine.record import as_seen_by, record_lines
from engine.secrecy import check_secrecy
from tests.engine.murano.table import arrived, having, laid, moves, played, table
from tests.engine.murano.table import play as after


def holding() -> State:
    """Two seats with things that others must not see."""
    state = having(table(), 0, shops="rg", palaces="13", characters=(7, 21), glassworks=2)
    return having(state, 1, shops="b", palaces="2", characters=(40,), specials=1, gold=9)


# The view


def test_a_seat_sees_its_own_tiles_and_characters() -> None:
    you = murano.view(holding(), 0)["you"]
    assert you["shops"] == ["red", "grey"]
    assert you["palaces"] == ["1", "3"]
    assert you["characters"] == [7, 21]
    assert you["recruit_price"] == 3
    assert murano.view(holding(), 1)["you"]["shops"] == ["blue"]
    assert murano.view(holding(), None)["you"] is None


@pytest.mark.parametrize("observer", [None, 0, 1, 2])
def test_everybody_sees_the_numbers_and_what_lies_open(observer: int | None) -> None:
    first, second, _ = murano.view(holding(), observer)["players"]
    assert first["tiles"] == {"glassworks": 2, "special": 0, "shop": 2, "palace": 2}
    assert second["tiles"] == {"glassworks": 0, "special": 1, "shop": 1, "palace": 1}
    assert (first["characters"], second["characters"]) == (2, 1)
    assert (first["gold"], second["gold"]) == (5, 9)
    assert second["gondoliers"] == {"hand": 5, "placed": 0, "supply": 2}
    assert second["beads"] == {"red": 0, "blue": 0, "green": 0}


def everything_in(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from everything_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from everything_in(part)
    else:
        yield value


def test_the_others_kinds_and_stacks_are_nowhere_in_a_view() -> None:
    view = murano.view(holding(), 2)
    assert view["stacks"] == {"street": 35, "shop": 9, "palace": 11, "glassworks": 11,
                              "special": 9, "characters": 33, "special_cards": 15}  # fmt: skip
    text = json.dumps(view)
    for card in table().cards:
        assert card not in text
    assert not [
        one for one in everything_in(view["players"]) if one in ("1", "2", "3", "grey+grey")
    ]
    own = view["you"]
    assert (own["shops"], own["palaces"], own["characters"]) == ([], [], [])


def test_special_cards_lie_open_and_say_whether_they_work() -> None:
    state = having(table(), 1, cards=("bank", "inn"), active=1)
    for observer in (None, 0, 1):
        assert murano.view(state, observer)["players"][1]["cards"] == [
            {"card": "bank", "active": True}, {"card": "inn", "active": False},
        ]  # fmt: skip


# What was seen once


def test_a_person_who_looked_through_a_stack_keeps_what_was_left_in_it() -> None:
    state = arrived(table(), "A8")._replace(shops="rgb")
    searching = after(state, "search shop")
    assert murano.view(searching, 0)["you"]["shown"] == {
        "tile": "shop", "stack": ["red", "blue", "grey"],
    }  # fmt: skip
    taken = after(searching, "take grey")
    assert murano.view(taken, 0)["you"]["seen"]["shop"] == {"turn": 1, "left": ["red", "blue"]}
    assert murano.view(taken, 1)["you"]["seen"]["shop"] is None
    assert murano.view(taken, 0)["you"]["seen"]["palace"] is None


def test_a_person_who_recruited_keeps_those_that_went_under_the_stack() -> None:
    state = arrived(table(), "A3")._replace(characters=(1, 2, 3, 4))
    shown = after(state, "recruit")
    assert murano.view(shown, 0)["you"]["shown"] == {"characters": [1, 2, 3]}
    assert murano.view(shown, 1)["you"]["shown"] is None
    chosen = after(shown, "choose 2")
    assert murano.view(chosen, 0)["you"]["seen"]["characters"] == [1, 3]
    assert murano.view(chosen, 0)["you"]["characters"] == [2]
    assert murano.view(chosen, 1)["you"]["seen"]["characters"] == []
    declined = after(shown, "decline")
    assert murano.view(declined, 0)["you"]["seen"]["characters"] == [1, 2, 3]


def test_a_person_who_drew_special_cards_keeps_those_not_taken() -> None:
    state = having(laid(arrived(table(), "A1"), SD_a2="street blank"), 0, specials=1)
    state = state._replace(cards=("bank", "inn", "hostel", "harbour"))
    shown = after(state, "build special SD-a1")
    assert murano.view(shown, 0)["you"]["shown"] == {"cards": ["bank", "inn", "hostel"]}
    assert murano.view(shown, 2)["you"]["shown"] is None
    assert "hostel" not in json.dumps(murano.view(shown, None))
    chosen = after(shown, "choose inn")
    assert murano.view(chosen, 0)["you"]["seen"]["special_cards"] == ["bank", "hostel"]
    assert murano.view(chosen, 1)["you"]["seen"]["special_cards"] == []


def test_what_was_bought_in_the_last_round_is_shown_to_its_buyer() -> None:
    state = after(arrived(table(), "A8")._replace(streets="", shops="r"), "buy shop")
    assert murano.view(state, 0)["you"]["shown"] == {"tile": "shop", "kind": "red"}
    assert murano.view(state, 1)["you"]["shown"] is None


# Moves and events


def test_only_taking_and_recruiting_are_secret_moves() -> None:
    secret = {"take red", "choose 17"}
    for text in ("sail A1 A2", "pass A1 A2", "gold", "buy shop", "search shop", "take red",
                 "recruit", "choose 17", "choose bank", "decline", "gondolier SD white", "street",
                 "lay SD-a2", "build shop red SD-a1", "done", "income SD", "produce 1",
                 "sell red 1", "keep", "return red", "hire", "dismiss"):  # fmt: skip
        seen_by = murano.move_seen_by(1, murano.parse(text))
        assert seen_by == ((1,) if text in secret else EVERYBODY), text


@pytest.mark.parametrize(
    ("space", "texts", "private"),
    [
        ("A8", ["buy shop"], {"bought"}),
        ("A10", ["search palace", "take 2"], {"bought"}),
        ("A3", ["recruit"], {"characters"}),
        ("A3", ["recruit", "decline"], {"characters"}),
        ("A1", ["street", "lay SD-a2"], set()),
        ("A6", ["gondolier SD white"], set()),
    ],
)
def test_events_that_tell_a_secret_are_for_its_owner(
    space: str, texts: list[str], private: set[str]
) -> None:
    _, events = played(arrived(table(), space), *texts)
    assert {event["type"] for event in events if event.get("seen_by") == [0]} == private
    assert {event["type"] for event in events if "seen_by" in event} == private


def test_the_record_of_a_running_game_hides_the_same() -> None:
    seed = seed_from_text("record")
    simulated = simulate(murano, 3, {}, seed, "greedy")
    lines = [line for line in simulated.lines if line.state.reason is None]
    for observer in (None, 0):
        record = [
            json.loads(line)
            for line in record_lines(
                murano, 3, {}, seed, simulated.opening, lines, as_seen_by(observer), with_legal=True
            )
        ]
        assert "seed" not in record[0]
        assert [draw["label"] for draw in record[0]["chance"]] == ["start", "red-ship"]
        for line in record[1:]:
            assert not [draw for draw in line["chance"] if draw["label"] != "beads"]
            assert ("legal" in line) == (line["seat"] == observer)
            for event in line["events"]:
                if event["type"] in ("bought", "chosen", "characters", "cards-shown"):
                    assert event["seat"] == observer
            if "move" not in line:
                assert line["seat"] != observer
                assert "text" not in line
                assert "via" not in line


# Nothing else shows


class Leaky:
    """Murano with some functions replaced."""

    def __init__(self, **replaced: Callable[..., Any]) -> None:
        self.replaced = replaced

    def __getattr__(self, name: str) -> Any:
        return self.replaced.get(name) or getattr(murano, name)


def leaky_view(secret: Callable[[State], Any]) -> Leaky:
    def view(state: State, seat: int | None) -> Json:
        return {**murano.view(state, seat), "leak": secret(state)}

    return Leaky(view=view)


def leaky_event(kind: str, secret: Callable[[State, State, int], Any]) -> Leaky:
    """An event of this type carries what it should not."""

    def apply(state: State, seat: int, move: Any, chance: Chance) -> Step:
        after, events = murano.apply(state, seat, move, chance)
        for event in events:
            if event["type"] == kind:
                event["leak"] = secret(state, after, seat)
        return Step(after, events)

    return Leaky(apply=apply)


LEAKS: dict[str, Leaky] = {
    "the streets": leaky_view(lambda state: state.streets[:1]),
    "the stack of shops": leaky_view(lambda state: state.shops),
    "everybody's palaces": leaky_view(lambda state: [one.palaces for one in state.players]),
    "everybody's characters": leaky_view(lambda state: [one.characters for one in state.players]),
    "the characters in the stack": leaky_view(lambda state: state.characters[:2]),
    "the special cards in the stack": leaky_view(lambda state: state.cards[:1]),
    "what is shown to somebody": leaky_view(
        lambda state: state.shown if state.phase in ("recruit", "card") else ()
    ),
    "what was taken": leaky_event("taken", lambda before, after, seat: after.players[seat].palaces),
    "whom somebody recruited": leaky_event(
        "recruited", lambda before, after, seat: after.players[seat].characters[-1]
    ),
    "the stack after a search": leaky_event("taken", lambda before, after, seat: after.shops),
    "which tile was bought": leaky_event(
        "buy", lambda before, after, seat: after.players[seat].shops
    ),
}


def first_leak(game: Any, games: int) -> str | None:
    for number in range(games):
        seed = seed_from_text(f"leak {number}")
        chance = Chance(seed, "test")
        state = begin(murano, 3, {}, seed).state
        while pending := murano.pending(state):
            seat = pending[0]
            move = random_move(murano, state, seat, chance)
            if leak := check_secrecy(game, state, seat, move, chance):
                return leak
            state = play(murano, state, seed, seat, None, move).state
    return None


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_noticed(name: str) -> None:
    leak = first_leak(LEAKS[name], games=10)
    assert leak is not None
    assert leak.startswith("A secret shows to")


def test_nothing_shows_over_whole_games() -> None:
    """What a seat receives does not depend on what it may not know."""
    assert first_leak(murano, games=2) is None


def test_a_search_that_finds_one_kind_only_tells_nobody() -> None:
    """To be asked or not would tell the others what lies in the stack."""
    state = having(arrived(table(), "A8"), 1, shops="b")._replace(shops="rr")
    other = having(state, 1, shops="r")._replace(shops="rb")
    seen = []
    for one in (state, other):
        reached, lines = play(murano, one, bytes(32), 0, None, "search shop")
        seen.append((len(lines), murano.view(reached, 2)))
    assert seen[0] == seen[1]
    assert moves(after(state, "search shop")) == ["take red"]
