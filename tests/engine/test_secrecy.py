"""The check for leaks finds leaks: each planted one is noticed within a few random games."""

from collections.abc import Callable
from typing import Any

import pytest

from engine import millefiori
from engine.chance import Chance, seed_from_text
from engine.contract import Json, Step
from engine.play import begin, play
from engine.policies import random_move
from engine.secrecy import check_secrecy


class Leaky:
    """Mille Fiori with some functions replaced."""

    def __init__(self, **replaced: Callable[..., Any]) -> None:
        self.replaced = replaced

    def __getattr__(self, name: str) -> Any:
        return self.replaced.get(name) or getattr(millefiori, name)


def leaky_event(kind: str, secret: Callable[[Any, Any, int], Any]) -> Leaky:
    """An event of this type carries what it should not."""

    def apply(state: Any, seat: int, move: Any, chance: Chance) -> Step:
        after, events = millefiori.apply(state, seat, move, chance)
        for event in events:
            if event["type"] == kind:
                event["leak"] = secret(state, after, seat)
        return Step(after, events)

    return Leaky(apply=apply)


def leaky_view(secret: Callable[[Any], Any]) -> Leaky:
    def view(state: Any, seat: int | None) -> Json:
        return {**millefiori.view(state, seat), "leak": secret(state)}

    return Leaky(view=view)


LEAKS: dict[str, tuple[Leaky, str]] = {
    "the hands when they are passed": (
        leaky_event("pass", lambda before, after, seat: after.hands),
        "standard",
    ),
    "the deck when a round begins": (
        leaky_event("round", lambda before, after, seat: after.deck),
        "standard",
    ),
    "the hand of a player with an extra card": (
        leaky_event("extra-card", lambda before, after, seat: before.hands[seat]),
        "standard",
    ),
    "the rest of the hand one plays from": (
        leaky_event("place", lambda before, after, seat: after.hands[seat]),
        "tactical",
    ),
    "that a card was chosen, and which": (
        leaky_event("chosen", lambda before, after, seat: after.kept[seat].card),
        "standard",
    ),
    "the order of the deck": (leaky_view(lambda state: state.deck[:1]), "standard"),
    "everybody's hand": (leaky_view(lambda state: state.hands), "tactical"),
    "everybody's kept card": (
        leaky_view(lambda state: [keep and keep.card for keep in state.kept]),
        "standard",
    ),
    "what others passed on": (leaky_view(lambda state: state.passed), "standard"),
}


def first_leak(game: Any, variant: str, games: int) -> str | None:
    for number in range(games):
        seed = seed_from_text(f"leak {number}")
        chance = Chance(seed, "test")
        state = begin(millefiori, 3, {"variant": variant}, seed).state
        while pending := millefiori.pending(state):
            seat = pending[chance.below("seat", len(pending))]
            move = random_move(millefiori, state, seat, chance)
            if leak := check_secrecy(game, state, seat, move, chance):
                return leak
            state = play(millefiori, state, seed, seat, None, move).state
    return None


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_noticed(name: str) -> None:
    game, variant = LEAKS[name]
    leak = first_leak(game, variant, games=10)
    assert leak is not None
    assert leak.startswith("A secret shows to")


@pytest.mark.parametrize("variant", ["standard", "tactical"])
def test_without_a_leak_nothing_is_reported(variant: str) -> None:
    assert first_leak(millefiori, variant, games=10) is None


def test_a_plan_in_the_view_is_noticed() -> None:
    game = leaky_view(lambda state: [keep and str(keep.then) for keep in state.kept])
    state = begin(millefiori, 3, {}, seed_from_text("7")).state
    chance = Chance(seed_from_text("7"), "test")
    seat = millefiori.pending(state)[0]
    plan = millefiori.premoves(state, seat, millefiori.legal_moves(state, seat)[0])[0]
    state = play(millefiori, state, seed_from_text("7"), seat, None, plan).state
    other = millefiori.pending(state)[0]
    move = millefiori.legal_moves(state, other)[0]
    assert any(check_secrecy(game, state, other, move, chance) for _ in range(20))
