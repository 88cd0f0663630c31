"""`engine.play`: the checks, their order, and automatic moves."""

from typing import Any

import pytest

from engine import millefiori
from engine.chance import seed_from_text
from engine.decisions import seat_view
from engine.errors import (
    Ambiguous,
    BadSetup,
    BadState,
    DecisionClosed,
    GameOver,
    Illegal,
    MoveError,
    NotPending,
    Unreadable,
)
from engine.play import begin, play, to_ask
from engine.policies import simulate
from engine.registry import game_type_by_key
from engine.timeouts import timeout_move
from tests.engine.millefiori.table import SEED, table

OPENING = begin(millefiori, 4, {}, seed_from_text("7"))


def refused(
    error: type[MoveError],
    answer: object,
    seat: int = 0,
    decision: str | None = None,
    state: object = OPENING.state,
) -> MoveError:
    """The error, after making sure the state is untouched."""
    before = millefiori.dump(state)  # type: ignore[arg-type]
    with pytest.raises(error) as caught:
        play(millefiori, state, SEED, seat, decision, answer)
    assert millefiori.dump(state) == before  # type: ignore[arg-type]
    assert type(caught.value) is error
    return caught.value


def test_every_error_has_its_own_code() -> None:
    kinds = (Unreadable, Ambiguous, Illegal, NotPending, DecisionClosed, GameOver, BadSetup)
    assert [kind.code for kind in kinds] == [
        "unreadable_move",
        "ambiguous_move",
        "illegal_move",
        "not_your_decision",
        "decision_closed",
        "game_over",
        "bad_setup",
    ]


def test_a_finished_game_takes_no_move_not_even_an_unreadable_one() -> None:
    over = simulate(millefiori, 2, {}, seed_from_text("7"), "random").lines[-1].state
    refused(GameOver, "nonsense", decision="nonsense", state=over)


def test_a_seat_that_owes_nothing_is_refused_before_its_move_is_read() -> None:
    state = table(kept={0: "key-1", 1: "key-2"})
    error = refused(NotPending, "nonsense", seat=1, state=state)
    assert "waits for seat 0" in str(error)


def test_the_decision_of_another_seat_is_not_yours() -> None:
    refused(NotPending, "keep key-1", seat=1, decision="r1.t1.keep.s0")


def test_an_answered_decision_is_closed() -> None:
    state = table(3, kept={1: "key-2"}, mover=1, start=0)
    for decision in ("r1.t1.play.s0", "r1.t1.keep.s0"):
        refused(DecisionClosed, "key-1 R1", seat=0, decision=decision, state=state)
    error = refused(DecisionClosed, "key-2 R1", seat=1, decision="r1.t1.keep.s1", state=state)
    assert "r1.t1.play.s1" in str(error)


def test_an_unreadable_answer_says_what_can_be_read() -> None:
    for answer in ("I would like the blue one", {"type": "keep", "card": "kee-1"}):
        error = refused(Unreadable, answer)
        assert "keep quartz-3" in str(error)
        assert error.suggestions
    refused(Unreadable, {"type": "fly"})
    refused(Unreadable, "")


def test_an_illegal_move_names_the_nearest_legal_ones() -> None:
    state = table(kept={0: "quartz-3"}, diamonds={1: "W8"})
    error = refused(Illegal, "quartz-3 W8", state=state)
    assert "quartz-3 W18" in error.suggestions
    assert all(text.startswith("quartz-3") for text in error.suggestions)
    assert error.code == "illegal_move"


def test_part_of_a_move_is_enough_when_it_can_only_mean_one() -> None:
    state = table(kept={0: "quartz-3"})
    line = play(millefiori, state, SEED, 0, None, "w13").lines[0]
    assert millefiori.format(line.move) == "quartz-3 W13"


def test_part_of_a_move_that_fits_several_is_ambiguous() -> None:
    error = refused(Ambiguous, "quartz-3", state=table(kept={0: "quartz-3"}))
    assert "quartz-3 W10" in error.suggestions
    assert len(error.suggestions) <= 8


def test_a_decision_id_belongs_to_one_seat_and_survives_the_moves_of_others() -> None:
    state = OPENING.state
    ids = [millefiori.decision(state, seat) for seat in range(4)]
    assert ids == [f"r1.t1.keep.s{seat}" for seat in range(4)]
    move = millefiori.legal_moves(state, 2)[0]
    state = play(millefiori, state, SEED, 2, ids[2], move).state
    assert [millefiori.decision(state, seat) for seat in range(4)] == ids


def test_a_pick_can_be_changed_until_the_last_one_is_in() -> None:
    state = table(3, mover=None, start=0, hands=["key-1 key-2"] * 3)
    state = play(millefiori, state, SEED, 0, None, "keep key-1").state
    assert millefiori.pending(state) == (1, 2)
    assert millefiori.revisable(state) == (0,)
    changed = play(millefiori, state, SEED, 0, "r1.t1.keep.s0", "keep key-2")
    assert [line.decision for line in changed.lines] == ["r1.t1.keep.s0"]
    assert "chosen" not in [event["type"] for event in changed.lines[0].events]
    state = play(millefiori, changed.state, SEED, 1, None, "keep key-1").state
    state = play(millefiori, state, SEED, 2, None, "keep key-1").state
    assert millefiori.view(state, 0)["you"]["kept"] == "key-2"
    assert millefiori.revisable(state) == ()
    refused(DecisionClosed, "keep key-1", seat=0, decision="r1.t1.keep.s0", state=state)


def test_what_can_only_be_one_thing_is_played_automatically() -> None:
    state = table(
        3, kept={0: "coin-1", 1: "key-1", 2: "key-2"}, ships={1: 20, 2: 20}, hands=["key-5"] * 3
    )
    lines = play(millefiori, state, SEED, 0, None, "coin-1 N8").lines
    assert [(millefiori.format(line.move), line.via) for line in lines] == [
        ("coin-1 N8", "player"),
        ("key-1 R1", "auto"),
        ("key-2 R2", "auto"),
        ("keep key-5", "auto"),
        ("keep key-5", "auto"),
        ("keep key-5", "auto"),
    ]


def test_a_person_who_has_no_choice_waits_until_nobody_else_has_one() -> None:
    """Otherwise a pick made at once would tell that a hand holds only equal cards."""
    state = table(3, mover=None, start=0, hands=["key-1 key-2", "key-3 key-3", "key-4 key-5"])
    state, lines = play(millefiori, state, SEED, 0, None, "keep key-1")
    assert len(lines) == 1
    assert millefiori.pending(state) == (1, 2)
    assert to_ask(millefiori, state) == [2]
    state, lines = play(millefiori, state, SEED, 2, None, "keep key-4")
    assert [(line.seat, line.via) for line in lines[:2]] == [(2, "player"), (1, "auto")]


def test_a_person_who_has_no_choice_may_still_leave_a_plan() -> None:
    state = table(3, mover=None, start=1, hands=["key-1 key-2", "key-3 key-3", "key-4 key-5"])
    state = play(millefiori, state, SEED, 1, None, "keep key-3 then R1").state
    for seat, text in ((0, "keep key-1"), (2, "keep key-4")):
        state, lines = play(millefiori, state, SEED, seat, None, text)
    assert (millefiori.format(lines[1].move), lines[1].via) == ("key-3 R1", "plan")


@pytest.mark.parametrize("answer", [None, 5, 2.5, [1], b"keep", True, {}, object()])
def test_what_is_neither_text_nor_json_of_a_move_is_unreadable(answer: object) -> None:
    refused(Unreadable, answer)


@pytest.mark.parametrize("seat", [-1, 4, 99, True, 1.0, "0", None])
def test_a_seat_that_does_not_exist_has_nothing_to_choose(seat: int) -> None:
    refused(NotPending, "keep key-1", seat=seat)


@pytest.mark.parametrize("decision", ["", "r99.t9.keep.s0", "nonsense", 5, b"x", "x" * 5000])
def test_a_decision_that_is_not_open_is_refused(decision: str) -> None:
    with pytest.raises(NotPending) as caught:
        play(millefiori, OPENING.state, SEED, 0, decision, "keep key-1")
    assert len(str(caught.value)) < 200


def test_nobody_can_claim_that_a_move_was_automatic() -> None:
    for via in ("auto", "magic", None):
        with pytest.raises(ValueError, match="cannot come about"):
            play(millefiori, OPENING.state, SEED, 0, None, "keep key-1", via)  # type: ignore[arg-type]


def test_a_deeply_nested_plan_is_unreadable() -> None:
    nested: dict[str, object] = {"type": "keep", "card": "key-1"}
    for _ in range(3000):
        nested = {"type": "keep", "card": "key-1", "then": nested}
    refused(Unreadable, nested)


def test_there_is_no_view_for_a_seat_that_does_not_exist() -> None:
    wrong: list[Any] = [-1, 4, True, 1.0]
    for seat in wrong:
        with pytest.raises(ValueError, match="no seat"):
            seat_view(millefiori, OPENING.state, seat)


def test_time_cannot_run_out_for_a_seat_that_owes_nothing() -> None:
    with pytest.raises(NotPending):
        timeout_move(millefiori, table(kept={0: "key-1"}), 1)
    chosen = table(3, mover=None, hands=["key-1 key-2"] * 3, kept={1: "key-1"})
    with pytest.raises(NotPending):  # it may still change its pick, but nobody else may
        timeout_move(millefiori, chosen, 1)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"board":{}}', "nonsense", "[" * 100_000]
)
def test_what_is_no_stored_state_is_refused(text: str) -> None:
    with pytest.raises(BadState):
        millefiori.load(text)


def test_a_game_needs_the_right_seats_and_options() -> None:
    for seats in (0, 1, 5, -2, 2.0, True, "2"):
        with pytest.raises(BadSetup, match="2, 3, 4 seats"):
            begin(millefiori, seats, {}, SEED)  # type: ignore[arg-type]
    with pytest.raises(BadSetup, match="variant"):
        begin(millefiori, 2, {"colour": "red"}, SEED)
    wrong: list[Any] = ["wild", [], None, 1]
    for variant in wrong:
        with pytest.raises(BadSetup, match="standard, tactical"):
            begin(millefiori, 2, {"variant": variant}, SEED)
    no_options: list[Any] = [None, [], "variant"]
    for options in no_options:
        with pytest.raises(BadSetup, match="object"):
            begin(millefiori, 2, options, SEED)
    with pytest.raises(BadSetup, match="millefiori"):
        game_type_by_key("chess")
    with pytest.raises(BadSetup, match="rules version 99"):
        game_type_by_key("millefiori", 99)
