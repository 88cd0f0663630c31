"""What a seat sees, and what it never sees."""

import json

from engine import millefiori
from engine.chance import Chance, seed_from_text
from engine.decisions import seat_view
from engine.millefiori.moves import Move
from engine.millefiori.state import State
from engine.play import begin
from engine.policies import random_move
from engine.record import as_seen_by, visible_events
from tests.engine.millefiori.table import answer, play_kept, table


def label_of(state: State, move: Move) -> str:
    expected = millefiori.preview(state, 0, move)
    return millefiori.label(state, 0, move, expected, ["Anna", "Ben", "Carla", "Dario"])


def test_a_seat_sees_its_own_hand_and_kept_card_only() -> None:
    hands = ["key-1 swans-1", "coin-1 swans-2", "fish-1 swans-3"]
    state = answer(table(3, mover=None, hands=hands, deck="crab-1"), 1, "keep coin-1").state
    own = millefiori.view(state, 1)
    assert own["you"]["hand"] == ["coin-1", "swans-2"]
    assert own["you"]["kept"] == "coin-1"
    for viewer in (None, 0, 2):
        seen = json.dumps(millefiori.view(state, viewer))
        for secret in ("coin-1", "swans-2", "crab-1"):
            assert secret not in seen


def test_everybody_sees_who_has_chosen() -> None:
    state = table(3, mover=None, hands=["key-1 key-2"] * 3)
    state = answer(state, 1, "keep key-1").state
    for viewer in (None, 0, 1):
        view = millefiori.view(state, viewer)
        assert [player["chosen"] for player in view["players"]] == [False, True, False]
        assert view["pending"] == [0, 2]


def test_while_cards_are_played_the_passed_hand_lies_face_down() -> None:
    hands = ["key-1 swans-1", "coin-1 swans-2", "fish-1 swans-3"]
    state = table(3, mover=None, start=0, hands=hands)
    for seat, text in enumerate(["keep key-1", "keep coin-1", "keep fish-1"]):
        state = answer(state, seat, text).state
    view = millefiori.view(state, 1)
    assert view["you"]["hand"] == []
    assert "swans-1" not in json.dumps(view)


def test_a_seat_is_shown_the_hands_it_passed_on() -> None:
    hands = ["key-1 key-2 swans-1", "coin-1 coin-2 swans-2", "fish-1 fish-2 swans-3"]
    state = table(3, mover=None, start=0, hands=hands)
    for seat, text in enumerate(["keep key-1", "keep coin-1", "keep fish-1"]):
        state = answer(state, seat, text).state
    [sight] = millefiori.view(state, 0)["you"]["passed"]
    assert sight == {
        "turn": 1,
        "cards": ["key-2", "swans-1"],
        "now_with": 1,
        "left": 2,
        "may_remain": ["key-2", "swans-1"],
    }
    for seat, text in enumerate(["key-1 R1", "coin-1 N9", "fish-1 P10"]):
        state = answer(state, seat, text).state
    assert millefiori.view(state, 0)["you"]["hand"] == ["fish-2", "swans-3"]
    for seat, text in enumerate(["keep fish-2", "keep swans-1", "keep coin-2"]):
        state = answer(state, seat, text).state
    first, second = millefiori.view(state, 0)["you"]["passed"]
    # Seat 1 has kept one of the two cards, but seat 0 does not know which.
    assert (first["now_with"], first["left"], first["may_remain"]) == (2, 1, ["key-2", "swans-1"])
    assert (second["now_with"], second["may_remain"]) == (1, ["swans-3"])
    state = answer(state, 0, "fish-2 P9").state
    state = answer(state, 1, "swans-1 S1").state
    first, _ = millefiori.view(state, 0)["you"]["passed"]
    assert first["may_remain"] == ["key-2"]


def test_the_last_hand_of_a_round_is_not_passed() -> None:
    hands = ["key-1 key-2 key-3", "coin-1 coin-2 coin-3"]
    state = table(2, mover=None, start=0, turn=3, hands=hands)
    state = answer(answer(state, 0, "keep key-1").state, 1, "keep coin-1").state
    assert millefiori.view(state, 0)["you"]["passed"][-1]["now_with"] == 0


def test_the_view_offers_the_legal_moves_with_what_each_scores() -> None:
    state = table(kept={0: "carafes-1"}, diamonds={0: "C1", 2: "C2"}, ships={0: 3})
    decision = seat_view(millefiori, state, 0, ["Anna", "Ben", "Carla", "Dario"])["decision"]
    assert decision["id"] == "r1.t1.play.s0"
    by_text = {priced["text"]: priced for priced in decision["moves"]}
    assert by_text["carafes-1 C4"]["points"] == [
        {"seat": 0, "points": 6, "for": "trade", "words": "trade"},
        {"seat": 2, "points": 3, "for": "trade", "words": "trade"},
    ]
    assert by_text["carafes-1 C4"]["label"] == "carafes-1 to C4: 6 points; Carla 3"
    assert by_text["carafes-1 route"]["label"] == "Sail with carafes-1: 3 points"
    assert seat_view(millefiori, state, 1)["decision"] is None


def test_a_label_splits_points_by_cause_and_announces_an_extra_card() -> None:
    state = table(kept={0: "swans-1"}, diamonds={0: "G1 C1 J1", 1: "S1 S2"})
    move = millefiori.parse("swans-1 S5")
    label = label_of(state, move)
    assert label == "swans-1 to S5: 23 points (3 trade, 20 bonus), good deal: extra card; Ben 6"


def test_points_of_one_cause_are_added_up_in_a_label() -> None:
    state = table(kept={0: "coin-2"}, diamonds={0: "N9 N10 N8"})
    label = label_of(state, millefiori.parse("coin-2 N5"))
    assert label == "coin-2 to N5: 25 points (5 nobili, 20 bonus)"


def test_the_question_says_what_to_do() -> None:
    names = ["Anna", "Ben", "Carla"]

    def question(state: State, seat: int) -> str:
        return millefiori.question(seat_view(millefiori, state, seat), names)

    state = table(3, mover=None, hands=["key-1 key-2"] * 3)
    assert question(state, 2) == "Choose a card to keep. The others go to Anna."
    state = answer(state, 2, "keep key-1").state
    assert question(state, 2).startswith("You keep key-1; you may still choose another card.")
    last = table(3, mover=None, hands=["key-1 key-2"] * 3, turn=4)
    assert question(last, 0).endswith("The others go on display at the end of the round.")
    assert question(table(3, kept={0: "coin-2"}), 0).startswith("Play coin-2:")
    assert question(table(3, kept={0: "coin-2"}), 1) == ""
    assert "extra card" in question(table(3, extras=1), 0)
    assert "a card of your hand" in question(table(3, tactical=True), 0)


def test_a_keep_is_priced_by_the_best_play_on_the_board_now() -> None:
    state = table(mover=None, hands=["key-1 coin-3"] * 4, ships={0: 3})
    assert label_of(state, millefiori.parse("keep coin-3")) == (
        "Keep coin-3 (now best route: 10 points)"
    )
    assert label_of(state, millefiori.parse("keep key-1 then R1")) == (
        "Keep key-1, then R1 (2 points)"
    )
    assert label_of(state, millefiori.parse("keep coin-3 then N1")) == (
        "Keep coin-3, then N1 (not possible yet)"
    )


def test_the_last_card_on_display_promises_no_further_one() -> None:
    state = table(extras=1, display="coin-1", ships={0: 6})
    assert label_of(state, millefiori.parse("coin-1 route")) == "Sail with coin-1: 0 points"


def test_a_preview_is_exactly_what_the_move_then_scores() -> None:
    for number in range(30):
        seed = seed_from_text(f"previews {number}")
        state = begin(millefiori, 2 + number % 3, {}, seed).state
        chance = Chance(seed, "test")
        while pending := millefiori.pending(state):
            seat = pending[0]
            move = random_move(millefiori, state, seat, chance)
            foreseen = millefiori.preview(state, seat, move)
            after = millefiori.apply(state, seat, move, chance)
            if millefiori.format(move).split()[0] != "keep":
                scored = [
                    (event["seat"], event["points"], event["for"])
                    for event in after.events
                    if event["type"] == "points"
                ]
                assert [item[:3] for item in foreseen.points] == scored
                assert foreseen.again == any(e["type"] == "extra-card" for e in after.events)
            state = after.state


def test_the_event_of_a_pick_is_for_its_seat_alone() -> None:
    state = table(3, mover=None, hands=["key-1 key-2"] * 3)
    events = answer(state, 1, "keep key-1").events
    for viewer in (None, 0, 1, 2):
        seen = [event["type"] for event in visible_events(events, as_seen_by(viewer))]
        assert seen == (["keep", "chosen"] if viewer == 1 else ["chosen"])


def test_the_opening_tells_the_display_and_nothing_of_the_deck() -> None:
    opening = begin(millefiori, 4, {}, seed_from_text("7"))
    display, first_round = opening.events
    assert display == {"type": "display", "cards": millefiori.view(opening.start, None)["display"]}
    assert first_round == {"type": "round", "round": 1, "start": opening.start.start}


def test_spectators_see_the_table_without_a_seat() -> None:
    view = seat_view(millefiori, play_kept("fish-2 route").state, None)
    assert view["you"] is None
    assert view["decision"] is None
    assert view["game"] == "millefiori"
