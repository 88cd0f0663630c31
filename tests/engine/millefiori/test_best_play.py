"""The play that is called best beside a card counts the extra card that it earns."""

import pytest

from engine import millefiori
from engine.chance import SETUP, Chance, seed_from_text
from engine.millefiori.legal import plays
from engine.millefiori.moves import Keep, Play
from engine.millefiori.state import State
from engine.play import begin, play
from engine.policies import random_move

SEED = seed_from_text("best play")


def worth(state: State, seat: int, card: int, move: Play) -> int:
    """The own points of a play and of the best extra card from the display, played by the rules."""
    kept = tuple(Keep(card) if other == seat else None for other in range(len(state.hands)))
    turn = state._replace(mover=seat, extras=0, kept=kept)
    after, events = millefiori.apply(turn, seat, move, Chance(SEED, SETUP))
    own: int = sum(
        event["points"] for event in events if event["type"] == "points" and event["seat"] == seat
    )
    if after.mover != seat or not after.extras:
        return own
    extras: list[int] = [
        millefiori.preview(after, seat, extra).for_seat(seat)
        for extra in millefiori.legal_moves(after, seat)
        if isinstance(extra, Play)
    ]
    return own + max(extras, default=0)


@pytest.mark.parametrize("number", range(4))
def test_no_other_play_of_the_card_is_better(number: int) -> None:
    seed = seed_from_text(f"best play {number}")
    dice = Chance(seed, "test")
    state = begin(millefiori, 2 + number % 3, {}, seed).state
    with_extra = 0
    while pending := millefiori.pending(state):
        seat = pending[0]
        if state.mover is None:
            for card in dict.fromkeys(state.hands[seat]):
                best = millefiori.preview(state, seat, Keep(card))
                possible = [
                    move for move in plays(state.board, seat, card) if isinstance(move, Play)
                ]
                if not possible:
                    continue
                values = {move: worth(state, seat, card, move) for move in possible}
                assert values[best.follow_up] == max(values.values())
                with_extra += best.again
        move = random_move(millefiori, state, seat, dice)
        state = play(millefiori, state, seed, seat, None, move).state
    assert with_extra
