"""The checks themselves: they notice what is wrong, and what they imagine is possible."""

import pytest

from engine import millefiori
from engine.chance import Chance, seed_from_text
from engine.decisions import seat_view
from engine.millefiori.board import PLACE
from engine.millefiori.moves import Keep
from engine.millefiori.space_sets import SHIP_SPACES
from engine.millefiori.state import State
from engine.policies import simulate

LINES = simulate(millefiori, 3, {"variant": "standard"}, seed_from_text("checks"), "random").lines
MIDDLE: State = LINES[len(LINES) // 2].state


def with_board(**changes: object) -> State:
    return MIDDLE._replace(board=MIDDLE.board._replace(**changes))  # type: ignore[arg-type]


def with_diamond(name: str) -> State:
    first, *others = MIDDLE.board.diamonds
    left = (MIDDLE.board.left[0] - 1, *MIDDLE.board.left[1:])
    bit = 1 << PLACE[name]
    filled = MIDDLE.board.filled | bit
    return with_board(diamonds=(first | bit, *others), filled=filled, left=left)


def with_ship_out_of_order() -> State:
    """A third ship where there is none before it, in the first line that is empty."""
    filled = MIDDLE.board.filled
    line = next(ships for ships in SHIP_SPACES if not any(ship & filled for ship in ships))
    first, *others = MIDDLE.board.diamonds
    left = (MIDDLE.board.left[0] - 1, *MIDDLE.board.left[1:])
    return with_board(diamonds=(first | line[2], *others), filled=filled | line[2], left=left)


BROKEN = {
    "a card too many": MIDDLE._replace(display=(*MIDDLE.display, 0)),
    "a card too few": MIDDLE._replace(discard=MIDDLE.discard[1:]),
    "an exchanged card": MIDDLE._replace(deck=(MIDDLE.deck[0], *MIDDLE.deck[:-1])),
    "another round": MIDDLE._replace(round=MIDDLE.round + 1),
    "an unsorted hand": MIDDLE._replace(hands=tuple(hand[::-1] for hand in MIDDLE.hands)),
    "a diamond too few": with_board(left=(MIDDLE.board.left[0] - 1, *MIDDLE.board.left[1:])),
    "a diamond too many": with_board(left=(MIDDLE.board.left[0] + 1, *MIDDLE.board.left[1:])),
    "a filled space without a diamond": with_board(filled=MIDDLE.board.filled | 1 << 200),
    "a bonus taken twice": with_board(
        bonuses=((0, 0), (), (), (), ()),
        left=tuple(
            30 - own.bit_count() - (seat == 0) for seat, own in enumerate(MIDDLE.board.diamonds)
        ),
    ),
    "a ship before the others": with_ship_out_of_order(),
    "a kept card that is not in the hand": MIDDLE._replace(
        mover=None,
        hands=tuple((*hand, 73)[-4:] for hand in MIDDLE.hands),
        kept=(Keep(0), None, None),
    ),
    "a gap in the residences": with_diamond("R20"),
    "a pyramid in the air": with_diamond("N1"),
    "a negative score": with_board(scores=(-1, 0, 0)),
    "a ship out at sea": with_board(ships=(21, 0, 0)),
    "an early end": MIDDLE._replace(reason="deck", mover=None),
    "a wrong reason": MIDDLE._replace(reason="diamonds", mover=None),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_state_is_noticed(name: str) -> None:
    assert millefiori.faults(BROKEN[name])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a bonus taken twice", "A seat took the workshops bonus twice: (0, 0)."),
        ("a ship before the others", "is not filled from the left."),
        ("a kept card that is not in the hand", "Seat 0 keeps quartz-1, which is not in its hand."),
    ],
)
def test_faults_are_described(name: str, sentence: str) -> None:
    assert any(fault.endswith(sentence) for fault in millefiori.faults(BROKEN[name]))


def test_sound_states_have_no_faults() -> None:
    for line in LINES:
        assert millefiori.faults(line.state) == []


def test_imagined_states_are_sound_and_look_the_same_to_those_who_do_not_know() -> None:
    chance = Chance(seed_from_text("imagine"), "test")
    for line in LINES:
        for knowing in ([], [0], [1, 2]):
            imagined = millefiori.imagine(line.state, knowing, chance, 0, None)
            assert millefiori.faults(imagined) == []
            viewers: list[int | None] = [None, *knowing]
            for viewer in viewers:
                real = seat_view(millefiori, line.state, viewer)
                assert seat_view(millefiori, imagined, viewer) == real


def test_imagining_really_changes_what_is_hidden() -> None:
    chance = Chance(seed_from_text("imagine"), "test")
    start: State = LINES[0].state
    imagined = millefiori.imagine(start, [0], chance, 0, None)
    assert imagined.deck != start.deck
    assert imagined.hands[0] == start.hands[0]
    assert imagined.hands[1] != start.hands[1]
    assert imagined.hands[2] != start.hands[2]
