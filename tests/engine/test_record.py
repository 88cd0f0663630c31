"""The record: its exact form, what a seat may have of it, and proof against any change."""

import json
from typing import Any

import pytest

from engine import millefiori
from engine.chance import commitment, seed_from_text
from engine.errors import BadState, RecordError
from engine.policies import simulate
from engine.record import as_seen_by, record_lines
from engine.verify import follow, split_lines, verify

SEED = seed_from_text("7")
OPTIONS = {"variant": "standard"}
GAME = simulate(millefiori, 4, OPTIONS, SEED, "random")
RECORD = list(record_lines(millefiori, 4, OPTIONS, SEED, *GAME))
WITH_LEGAL = list(record_lines(millefiori, 4, OPTIONS, SEED, *GAME, with_legal=True))


def changed(line: int, key: str, value: Any, record: list[str] = RECORD) -> list[str]:
    """The record with one field of one line (from 1) set to something else."""
    entry = json.loads(record[line - 1])
    entry[key] = value
    copy = list(record)
    copy[line - 1] = json.dumps(entry, separators=(",", ":"), ensure_ascii=False)
    return copy


def refused(record: list[str]) -> RecordError:
    with pytest.raises(RecordError) as caught:
        verify(record)
    return caught.value


def test_header_moves_and_outcome_have_their_keys_in_order() -> None:
    header, move, outcome = (json.loads(RECORD[at]) for at in (0, 1, -1))
    assert list(header) == ["game", "rules", "seats", "options", "seed", "commitment", "chance"]
    assert header["seed"] == SEED.hex()
    assert header["commitment"] == commitment(SEED)
    assert [draw["label"] for draw in header["chance"]] == ["start", "deck"]
    assert len(header["chance"][1]["outcome"]) == 109
    keys = ["n", "seat", "decision", "move", "text", "via", "chance", "events", "scores"]
    assert list(move) == keys
    assert (move["n"], move["decision"]) == (1, f"r1.t1.keep.s{move['seat']}")
    assert list(json.loads(WITH_LEGAL[1])) == [*keys, "legal"]
    assert list(outcome["outcome"]) == ["scores", "winners", "reason"]


def test_the_header_has_every_random_outcome() -> None:
    """From it a program that does not know our generator can deal the whole game."""
    header = json.loads(RECORD[0])
    start, deck = (draw["outcome"] for draw in header["chance"])
    view = millefiori.view(GAME.opening.start, start)
    assert view["start"] == start
    assert sorted(view["display"]) == sorted(deck[:9])
    assert sorted(view["you"]["hand"]) == sorted(deck[9:14])


def test_options_left_out_are_written_out() -> None:
    opening, lines = simulate(millefiori, 2, {}, SEED, "random")
    assert verify(record_lines(millefiori, 2, {}, SEED, opening, lines)).outcome is not None


def test_errors_about_a_damaged_state_reveal_no_secrets() -> None:
    text = millefiori.dump(GAME.lines[30].state)
    with pytest.raises(BadState) as caught:
        millefiori.load(text.replace('"deck":"', '"deck":"nonsense '))
    assert len(str(caught.value)) < 100


def test_a_true_record_is_verified() -> None:
    for record in (RECORD, WITH_LEGAL):
        followed = verify(record)
        assert followed.lines == GAME.lines
        assert followed.state == GAME.lines[-1].state


def test_every_line_of_a_stored_record_ends_in_a_line_feed() -> None:
    stored = "".join(f"{line}\n" for line in RECORD).encode()
    assert split_lines(stored) == RECORD
    with pytest.raises(RecordError, match="does not end in a line feed"):
        split_lines(stored[:-1])
    with pytest.raises(RecordError, match="line 3: this is not UTF-8"):
        split_lines(stored.replace(b'"n":2', b'"\xff":2'))
    for other in (b"\r\n", b"\r", b"\x0b", b"\x0c", b"\xe2\x80\xa8", b"\xc2\x85", b"\n\n"):
        with pytest.raises(RecordError):
            verify(split_lines(stored.replace(b"\n", other, 1)))


def test_legal_moves_stand_in_all_lines_or_in_none() -> None:
    assert refused([*WITH_LEGAL[:5], *RECORD[5:]]).line == 6
    assert refused([*RECORD[:5], *WITH_LEGAL[5:]]).line == 6


def test_a_seat_is_a_number_and_not_something_like_it() -> None:
    line = next(n for n, text in enumerate(RECORD, start=1) if '"seat":1,"decision"' in text)
    for seat in (True, 1.0):
        assert refused(changed(line, "seat", seat)).line == line


def test_a_changed_seed_is_refused() -> None:
    error = refused(changed(1, "seed", "00" * 32))
    assert (error.line, "commitment" in error.reason) == (1, True)
    for seed in ("00", "zz" * 32, 7, None):
        assert refused(changed(1, "seed", seed)).line == 1


def test_a_seed_with_its_own_commitment_does_not_fit_the_shuffle() -> None:
    other = bytes(32)
    record = changed(1, "commitment", commitment(other), changed(1, "seed", other.hex()))
    error = refused(record)
    assert (error.line, error.reason[:6]) == (1, "chance")


@pytest.mark.parametrize(
    ("key", "value"),
    [("game", "chess"), ("rules", 2), ("seats", "4"), ("options", {}),
     ("options", []), ("options", {"variant": "wild"}), ("chance", [])],
)  # fmt: skip
def test_a_changed_header_is_refused(key: str, value: Any) -> None:
    assert refused(changed(1, key, value)).line == 1


def test_another_number_of_seats_is_refused_by_the_first_move_at_the_latest() -> None:
    for seats in (2, 3):
        assert refused(changed(1, "seats", seats)).line <= 2


def test_a_changed_move_is_refused() -> None:
    for line, other in _first_lines_with_a_choice():
        error = refused(changed(line, "move", other))
        assert error.line in (line, line + 1)


def _first_lines_with_a_choice() -> list[tuple[int, Any]]:
    found = []
    for number in range(2, 40):
        entry = json.loads(WITH_LEGAL[number - 1])
        others = [move for move in entry["legal"] if move != entry["move"]]
        if others:
            found.append((number, others[0]))
    assert len(found) > 20
    return found


def test_an_illegal_move_is_refused_with_the_line_and_the_reason() -> None:
    line = next(n for n, text in enumerate(RECORD, start=1) if '"type":"play"' in text)
    error = refused(changed(line, "move", {"type": "decline"}))
    assert str(error).startswith(f"line {line}: 'decline' is not possible now.")


@pytest.mark.parametrize(
    ("key", "value"),
    [("n", 99), ("seat", 3), ("seat", "0"), ("seat", 9), ("decision", "r9.t1.keep.s0"),
     ("decision", None), ("move", None), ("move", "keep"), ("text", "keep key-1"), ("via", "magic"),
     ("via", "auto"), ("chance", [1]), ("events", []), ("scores", [1, 0, 0, 0]), ("extra", 1)],
)  # fmt: skip
def test_any_other_changed_field_is_refused(key: str, value: Any) -> None:
    assert refused(changed(2, key, value)).line == 2


def test_a_changed_score_is_refused_and_quoted() -> None:
    error = refused(changed(60, "scores", [1, 2, 3, 4]))
    assert error.line == 60
    assert error.reason.startswith("scores is [1, 2, 3, 4], but the game says [")


def test_a_changed_outcome_is_refused() -> None:
    last = len(RECORD)
    error = refused(changed(last, "outcome", {"scores": [1, 1, 1, 1], "winners": [0]}))
    assert error.line == last


def test_any_changed_byte_is_refused() -> None:
    """One byte changed in every line, at a place that walks through it."""
    for number, text in enumerate(RECORD[:80], start=1):
        at = (number * 37) % len(text)
        other = "x" if text[at] != "x" else "y"
        record = [*RECORD]
        record[number - 1] = text[:at] + other + text[at + 1 :]
        assert refused(record).line in (number, number + 1)


def test_an_added_blank_is_not_the_exact_form() -> None:
    record = [*RECORD]
    record[5] = record[5].replace(",", ", ", 1)
    assert "exact form" in refused(record).reason


def test_lines_left_out_doubled_or_added_are_refused() -> None:
    assert refused([*RECORD[:10], *RECORD[11:]]).line == 11
    assert refused([*RECORD[:10], RECORD[9], *RECORD[10:]]).line == 11
    assert refused([*RECORD, RECORD[-1]]).line == len(RECORD) + 1
    assert "not over" in refused([*RECORD[:10], RECORD[-1]]).reason


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", "[" * 100_000])
def test_input_that_is_not_a_record_is_refused(text: str) -> None:
    assert refused([text]).line == 1
    assert refused([RECORD[0], text]).line == 2


def test_an_unfinished_record_can_be_followed_but_not_verified() -> None:
    assert follow(RECORD[:50]).outcome is None
    assert "stops before the end" in refused(RECORD[:50]).reason


def test_nothing_at_all_is_refused() -> None:
    assert refused([]).line == 1


# What a seat may have of a running game


def seat_record(seat: int | None, variant: str = "standard") -> list[str]:
    options = {"variant": variant}
    opening, lines = simulate(millefiori, 4, options, SEED, "random")
    return list(
        record_lines(
            millefiori, 4, options, SEED, opening, lines[:60], as_seen_by(seat), with_legal=True
        )
    )


@pytest.mark.parametrize("variant", ["standard", "tactical"])
def test_the_record_of_a_running_game_reveals_no_secrets(variant: str) -> None:
    for seat in (None, 1):
        header, *moves = [json.loads(line) for line in seat_record(seat, variant)]
        assert "seed" not in header
        assert header["commitment"] == commitment(SEED)
        assert [draw["label"] for draw in header["chance"]] == ["start"]
        for move in moves:
            hidden = ".keep." in move["decision"] and move["seat"] != seat
            # How an unseen pick came about would tell that there was only one card to choose.
            assert hidden == ("move" not in move) == ("via" not in move)
            # What else was possible would tell the rest of the hand.
            assert ("legal" in move) == (move["seat"] == seat)
            for event in move["events"]:
                assert event.get("seen_by", [seat]) == [seat]


def test_a_record_without_a_seed_proves_nothing_yet() -> None:
    assert "no seed" in refused(seat_record(1)).reason
