"""Following a record line by line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.engine.millefiori.referee.rules import Game
from tests.engine.millefiori.referee.scoring import (
    Move,
    Payment,
    area_of,
    canonical,
    notation,
    symbol_of,
)
from tests.engine.millefiori.referee.tables import (
    ALL_CARDS,
    CAUSES,
    PYRAMID_SPACES,
    RESERVE_AT_START,
    RESIDENCE_NUMBERS,
    SUPPLY_AT_START,
    TRADE_BY_HARBOR_LINE,
    TRADE_BY_SYMBOL,
    VIAS,
    WORKSHOPS_BY_SYMBOL,
)


class Disagreement(AssertionError):
    """The record and the referee do not say the same."""

    def __init__(self, line: int, what: str, record: object, referee: object) -> None:
        self.line = line
        super().__init__(
            f"line {line}, {what}: the record says {as_text(record)}, "
            f"the referee says {as_text(referee)}"
        )


@dataclass
class Tally:
    lines: int  # moves followed
    rounds: int
    reason: str
    scores: list[int]
    causes: dict[str, int]  # points paid to all seats together, by cause


def as_text(value: object) -> str:
    return value if isinstance(value, str) else canonical(value)


def must_equal(line: int, what: str, record: object, referee: object) -> None:
    if canonical(record) != canonical(referee):
        raise Disagreement(line, what, record, referee)


def must_be_one_of(line: int, what: str, record: object, allowed: Sequence[object]) -> None:
    if canonical(record) not in [canonical(value) for value in allowed]:
        raise Disagreement(line, what, record, {"one of": list(allowed)})


def field(line: int, entry: Any, key: str) -> Any:
    if not isinstance(entry, dict) or key not in entry:
        raise Disagreement(line, f"key {key}", entry, "the key is missing")
    return entry[key]


def read_entries(lines: Iterable[str]) -> list[tuple[int, dict[str, Any]]]:
    """The objects of the record, each with the number of its line."""
    entries: list[tuple[int, dict[str, Any]]] = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            entry = json.loads(text)
        except json.JSONDecodeError:
            raise Disagreement(number, "format", text, "not JSON") from None
        if not isinstance(entry, dict):
            raise Disagreement(number, "format", entry, "not an object")
        entries.append((number, entry))
    return entries


def read_header(line: int, header: dict[str, Any]) -> Game:
    must_equal(line, "game", field(line, header, "game"), "millefiori")
    must_equal(line, "rules", field(line, header, "rules"), 1)
    seats = field(line, header, "seats")
    must_be_one_of(line, "seats", seats, [2, 3, 4])
    options = field(line, header, "options")
    variant = field(line, options, "variant")
    must_be_one_of(line, "variant", variant, ["standard", "tactical"])

    chance = field(line, header, "chance")
    labels = [field(line, outcome, "label") for outcome in chance]
    must_equal(line, "labels of chance", labels, ["start", "deck"])
    start, deck = [field(line, outcome, "outcome") for outcome in chance]
    must_be_one_of(line, "start", start, list(range(seats)))
    must_equal(line, "cards of the deck", sorted(deck), sorted(ALL_CARDS))
    return Game(seats, variant, start, list(deck))


def conceivable_plans(card: str) -> list[Move]:
    """Every play the card could ever make, whether or not it is open at the moment."""
    symbol, area = symbol_of(card), area_of(card)
    plans: list[Move] = [{"type": "play", "card": card, "to": "route"}]
    if area == "harbor":
        for line in TRADE_BY_HARBOR_LINE:
            plans.append({"type": "play", "card": card, "to": line, "sail": False})
            plans.append({"type": "play", "card": card, "to": line, "sail": True})
        return plans
    if area == "workshops":
        spaces = WORKSHOPS_BY_SYMBOL[symbol]
    elif area == "residences":
        spaces = list(RESIDENCE_NUMBERS)
    elif area == "trade":
        spaces = TRADE_BY_SYMBOL[symbol]
    else:
        spaces = PYRAMID_SPACES[area]
    return plans + [{"type": "play", "card": card, "to": space} for space in spaces]


def check_move(line: int, game: Game, seat: int, entry: dict[str, Any]) -> None:
    """The move is legal, written correctly, and made in a way it may be made."""
    legal = game.legal_moves(seat)
    move = field(line, entry, "move")
    via = field(line, entry, "via")
    must_be_one_of(line, "via", via, VIAS)

    plain = move
    if game.phase == "keep" and isinstance(move, dict) and "then" in move:
        plain = {key: value for key, value in move.items() if key != "then"}
    must_be_one_of(line, "move", plain, legal)
    if plain is not move:
        must_be_one_of(line, "plan", move["then"], conceivable_plans(move["card"]))
    must_equal(line, "text", field(line, entry, "text"), notation(move))

    if "legal" in entry:
        listed = [canonical(option) for option in entry["legal"]]
        duplicates = sorted({option for option in listed if listed.count(option) > 1})
        must_equal(line, "duplicates among the legal moves", duplicates, [])
        expected = [canonical(option) for option in legal]
        only_record = [option for option in entry["legal"] if canonical(option) not in expected]
        only_referee = [option for option in legal if canonical(option) not in listed]
        must_equal(line, "legal moves the other does not have", only_record, only_referee)

    owing = game.owing()
    if all(len(game.legal_moves(other)) == 1 for other in owing):
        must_be_one_of(line, "seat with only one possible move", seat, owing)
        must_equal(line, "via of the only possible move", via, "auto")
        must_equal(line, "the only possible move", move, legal[0])
    elif via == "auto":
        raise Disagreement(line, "via", "auto", "somebody still has a choice")


def check_points(line: int, entry: dict[str, Any], payments: list[Payment]) -> None:
    expected: Counter[tuple[int, str]] = Counter()
    for seat, cause, points in payments:
        expected[seat, cause] += points

    recorded: Counter[tuple[int, str]] = Counter()
    for event in field(line, entry, "events"):
        if field(line, event, "type") == "points":
            cause = field(line, event, "for")
            must_be_one_of(line, "cause of points", cause, CAUSES)
            recorded[field(line, event, "seat"), cause] += field(line, event, "points")

    def readable(counted: Counter[tuple[int, str]]) -> dict[str, int]:
        return {f"seat {s} {c}": points for (s, c), points in counted.items() if points != 0}

    must_equal(line, "points", readable(recorded), readable(expected))


def check_conservation(line: int, game: Game) -> None:
    must_equal(line, "all cards", sorted(game.all_cards()), sorted(ALL_CARDS))
    for seat in range(game.seats):
        diamonds = game.all_diamonds(seat)
        must_equal(line, f"diamonds of seat {seat}", diamonds, SUPPLY_AT_START + RESERVE_AT_START)


def follow(lines: Iterable[str]) -> Tally:
    """Follow the record of a finished game; raises Disagreement where it cannot agree."""
    entries = read_entries(lines)
    if not entries:
        raise Disagreement(1, "header", "nothing", "a record begins with its header")
    game = read_header(*entries[0])
    causes = dict.fromkeys(CAUSES, 0)
    moves_made = 0
    outcome_seen = False

    for line, entry in entries[1:]:
        if outcome_seen:
            raise Disagreement(line, "end of the record", entry, "nothing follows the outcome")
        if "outcome" in entry:
            must_equal(line, "seats still to decide", [], game.owing())
            outcome = entry["outcome"]
            must_equal(line, "final scores", field(line, outcome, "scores"), game.scores)
            must_equal(line, "winners", field(line, outcome, "winners"), game.winners())
            must_equal(line, "reason", field(line, outcome, "reason"), game.reason)
            outcome_seen = True
            continue

        must_equal(line, "n", field(line, entry, "n"), moves_made + 1)
        seat = field(line, entry, "seat")
        must_be_one_of(line, "seat", seat, game.answering())
        must_equal(line, "decision", field(line, entry, "decision"), game.decision(seat))
        check_move(line, game, seat, entry)
        must_equal(line, "chance", field(line, entry, "chance"), [])

        payments = game.make(seat, entry["move"])
        moves_made += 1
        for _, cause, points in payments:
            causes[cause] += points
        check_points(line, entry, payments)
        must_equal(line, "scores", field(line, entry, "scores"), game.scores)
        check_conservation(line, game)

    if not outcome_seen:
        raise Disagreement(entries[-1][0], "end of the record", "nothing more", "no outcome yet")
    return Tally(moves_made, game.round, game.reason, list(game.scores), causes)
