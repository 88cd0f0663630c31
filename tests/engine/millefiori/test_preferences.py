"""Choices left in advance: the placement with a keep, and ranked lists."""

import pytest

from engine import millefiori
from engine.errors import Illegal, Unreadable
from engine.millefiori.state import State
from engine.timeouts import timeout_move
from tests.engine.millefiori.table import answer, table


def choosing(hands: list[str] | None = None, **position: object) -> State:
    return table(
        3,
        mover=None,
        start=0,
        hands=hands or ["quartz-3 key-1", "key-2 ash-2", "coin-1 coin-2"],
        **position,  # type: ignore[arg-type]
    )


def played(state: State, *answers: tuple[int, str]) -> list[tuple[str, str]]:
    """The lines of these answers with all that followed, as (text, via)."""
    lines: list[tuple[str, str]] = []
    for seat, text in answers:
        after = answer(state, seat, text)
        lines += [(millefiori.format(line.move), line.via) for line in after.lines]
        state = after.lines[-1].state
    return lines


def test_a_plan_is_played_when_the_turn_comes() -> None:
    lines = played(
        choosing(),
        (0, "keep quartz-3 then W8"),
        (1, "keep ash-2 then W2"),
        (2, "keep coin-1"),
    )
    assert lines[-2:] == [("quartz-3 W8", "plan"), ("ash-2 W2", "plan")]


def test_a_plan_that_is_no_longer_legal_is_dropped_and_the_seat_is_asked() -> None:
    lines = played(
        choosing(hands=["key-1 key-2", "key-2 key-3", "coin-1 coin-2"]),
        (0, "keep key-1"),
        (1, "keep key-2 then R1"),
        (2, "keep coin-1"),
        (0, "key-1 R1"),
    )
    assert lines[-1] == ("key-1 R1", "player")


def test_a_plan_may_wait_for_a_space_that_is_not_open_yet() -> None:
    lines = played(
        choosing(hands=["coin-2 key-2", "coin-1 ash-2", "key-1 key-2"], diamonds={2: "N9"}),
        (0, "keep coin-2"),
        (1, "keep coin-1 then N5"),
        (2, "keep key-1"),
        (0, "coin-2 N10"),
    )
    assert lines[-1] == ("coin-1 N5", "plan")


def test_the_last_change_of_a_pick_counts_with_its_plan() -> None:
    state = answer(choosing(), 0, "keep quartz-3 then W8").state
    state = answer(state, 0, "keep quartz-3").state
    assert millefiori.view(state, 0)["you"]["then"] is None
    state = answer(state, 0, "keep key-1 then R1").state
    lines = played(state, (1, "keep ash-2"), (2, "keep coin-1"))
    assert lines[-1] == ("key-1 R1", "plan")


def test_only_one_possible_move_is_automatic_even_if_it_was_planned() -> None:
    lines = played(
        choosing(ships={0: 20}), (0, "keep key-1 then R1"), (1, "keep key-2"), (2, "keep coin-1")
    )
    assert lines[-1] == ("key-1 R1", "auto")


@pytest.mark.parametrize("text", ["keep quartz-3 then W1", "keep quartz-3 then W8 sail"])
def test_a_plan_that_can_never_come_true_is_refused(text: str) -> None:
    with pytest.raises(Illegal):
        answer(choosing(), 0, text)


def test_a_plan_for_another_card_is_unreadable() -> None:
    plan = {"type": "play", "card": "key-1", "to": "R1"}
    with pytest.raises(Unreadable, match="quartz-3"):
        millefiori.move_from_json({"type": "keep", "card": "quartz-3", "then": plan})


def test_nobody_else_sees_a_plan() -> None:
    state = answer(choosing(), 0, "keep quartz-3 then W8").state
    assert millefiori.view(state, 0)["you"]["then"]["to"] == "W8"
    for viewer in (None, 1, 2):
        assert "W8" not in str(millefiori.view(state, viewer))


# Ranked lists


def test_a_ranked_list_is_read_from_a_sentence() -> None:
    assert millefiori.read_preferences("pigments, else highest number, else any") == (
        "pigments",
        "highest",
        "any",
    )
    assert millefiori.read_preferences(["Ship-4", "trade", "lowest"]) == (
        "ship-4",
        "trade",
        "lowest",
    )


@pytest.mark.parametrize("wishes", ["", "gold", [], ["any", 7], {"any": 1}, None, ["any"] * 31])
def test_an_unreadable_list_is_refused(wishes: object) -> None:
    with pytest.raises(Unreadable):
        millefiori.read_preferences(wishes)


@pytest.mark.parametrize(
    ("wishes", "kept"),
    [
        ("pigments, else highest, else any", "pigments-1"),
        ("swans, else highest number", "ship-5"),
        ("swans, lowest", "pigments-1"),
        ("residences", "key-3"),
        ("key-3, any", "key-3"),
    ],
)
def test_when_time_is_up_the_first_wish_that_can_be_fulfilled_decides(
    wishes: str, kept: str
) -> None:
    state = choosing(hands=["pigments-1 key-3 ship-5", "key-1 key-2", "key-4 key-5"])
    move, via = timeout_move(millefiori, state, 0, millefiori.read_preferences(wishes))
    assert millefiori.format(move) == f"keep {kept}"
    assert via == "plan"


def test_without_a_wish_that_fits_the_bot_chooses() -> None:
    state = choosing()
    for wishes in ((), ("swans",)):
        move, via = timeout_move(millefiori, state, 0, wishes)
        assert millefiori.accepts(state, 0, move)
        assert via == "timeout"


def test_in_the_tactical_variant_a_list_chooses_the_card_to_play() -> None:
    state = table(3, tactical=True, hands=["quartz-3 key-1 swans-2", "key-2", "key-3"])
    move, via = timeout_move(millefiori, state, 0, ["trade"])
    assert millefiori.format(move).startswith("swans-2")
    assert via == "plan"


def test_a_list_does_not_apply_to_extra_cards() -> None:
    state = table(extras=1, display="swans-1 swans-2")
    assert timeout_move(millefiori, state, 0, ["swans-1"])[1] == "timeout"
