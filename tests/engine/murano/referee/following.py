"""Following a record line by line."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.engine.murano.referee.rules import Game, Move, Payment
from tests.engine.murano.referee.scoring import ways_to_score
from tests.engine.murano.referee.tables import (
    ANCHORS,
    BEADS,
    CAUSES,
    FIGURES,
    GONDOLIERS,
    STACKS,
    VIAS,
    character_numbers,
    palaces_removed_at_random,
    tiles_of_a_kind,
    tiles_without_kind,
)

SETUP_LABELS = [
    "start",
    "red-ship",
    "streets",
    "shops",
    "palaces",
    "characters",
    "special-cards",
]


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
    lines: int = 0  # moves followed
    turns: int = 0
    scores: list[int] = field(default_factory=list)
    causes: Counter[str] = field(default_factory=Counter)  # points to all seats together
    moves: Counter[str] = field(default_factory=Counter)  # how often each kind was made
    cards: set[str] = field(default_factory=set)  # special cards somebody had at the end
    characters: set[int] = field(default_factory=set)  # those that scored


def canonical(value: object) -> str:
    """Equal texts for equal JSON values; unlike ==, it tells true from 1."""
    return json.dumps(value, sort_keys=True)


def as_text(value: object) -> str:
    return value if isinstance(value, str) else canonical(value)


def must_equal(line: int, what: str, record: object, referee: object) -> None:
    if canonical(record) != canonical(referee):
        raise Disagreement(line, what, record, referee)


def must_be_one_of(line: int, what: str, record: object, allowed: Sequence[object]) -> None:
    if canonical(record) not in [canonical(value) for value in allowed]:
        raise Disagreement(line, what, record, {"one of": list(allowed)})


def value_of(line: int, entry: Any, key: str) -> Any:
    if not isinstance(entry, dict) or key not in entry:
        raise Disagreement(line, f"key {key}", entry, "the key is missing")
    return entry[key]


def read_entries(lines: Iterable[str]) -> list[tuple[int, dict[str, Any]]]:
    """The objects of the record, each with the number of its line."""
    entries: list[tuple[int, dict[str, Any]]] = []
    for number, text in enumerate(lines, start=1):
        entry = json.loads(text)
        if not isinstance(entry, dict):
            raise Disagreement(number, "format", entry, "not an object")
        entries.append((number, entry))
    return entries


def read_header(line: int, header: dict[str, Any]) -> Game:
    must_equal(line, "game", value_of(line, header, "game"), "murano")
    must_equal(line, "rules", value_of(line, header, "rules"), 1)
    seats = value_of(line, header, "seats")
    must_be_one_of(line, "seats", seats, [2, 3, 4])
    board = value_of(line, value_of(line, header, "options"), "board")
    must_be_one_of(line, "board", board, list(ANCHORS))
    anchors = ANCHORS[board]

    chance = value_of(line, header, "chance")
    labels = [value_of(line, outcome, "label") for outcome in chance]
    must_equal(line, "labels of chance", labels, SETUP_LABELS)
    start, red_ship, streets, shops, palaces, characters, special_cards = [
        value_of(line, outcome, "outcome") for outcome in chance
    ]
    must_be_one_of(line, "start", start, list(range(seats)))
    must_be_one_of(line, "red ship", red_ship, anchors)
    for key, stack in (("streets", streets), ("shops", shops)):
        must_equal(line, key, dict(Counter(stack)), tiles_of_a_kind(key, seats))

    all_palaces = Counter(tiles_of_a_kind("palaces", seats))
    must_equal(line, "palaces there are not", dict(Counter(palaces) - all_palaces), {})
    number = all_palaces.total() - palaces_removed_at_random(seats)
    must_equal(line, "number of palaces", len(palaces), number)

    all_characters = character_numbers(seats)
    must_equal(line, "strange characters", sorted(set(characters) - set(all_characters)), [])
    must_equal(line, "characters twice", len(characters), len(set(characters)))
    number = len(all_characters) - FIGURES["characters_removed_at_random"]
    must_equal(line, "number of characters", len(characters), number)
    all_cards = sorted(FIGURES["special_cards"])
    must_equal(line, "special cards", sorted(special_cards), all_cards)
    stacks = {"street": streets, "shop": shops, "palace": palaces}
    ships = [anchor for anchor in anchors if anchor != red_ship]
    return Game(seats, start, red_ship, ships, stacks, characters, special_cards)


def notation(move: Move) -> str:
    """The move as text: its words in their order, `red` for the red ship."""
    if move["type"] == "sell":
        beads = [f"{bead} {move['beads'][bead]}" for bead in BEADS if bead in move["beads"]]
        return " ".join(["sell", *beads])
    words = [str(value) for key, value in move.items() if key != "red"]
    return " ".join(words + (["red"] if move.get("red") else []))


def check_move(line: int, game: Game, entry: dict[str, Any]) -> None:
    """The move is legal, written correctly, and made in a way it may be made."""
    legal = game.legal_moves()
    move = value_of(line, entry, "move")
    via = value_of(line, entry, "via")
    must_be_one_of(line, "via", via, VIAS)
    must_be_one_of(line, "move", move, legal)
    must_equal(line, "text", value_of(line, entry, "text"), notation(move))
    if "legal" in entry:
        listed = [canonical(option) for option in entry["legal"]]
        must_equal(line, "legal moves listed twice", len(listed), len(set(listed)))
        expected = [canonical(option) for option in legal]
        only_record = [option for option in entry["legal"] if canonical(option) not in expected]
        only_referee = [option for option in legal if canonical(option) not in listed]
        must_equal(line, "legal moves the other does not have", only_record, only_referee)
    automatic = len(legal) == 1 and not game.asks_anyway()
    must_equal(line, "played without asking", via == "auto", automatic)


def check_decision(line: int, game: Game, entry: dict[str, Any]) -> None:
    pattern = rf"t{game.turn}\.{game.step}\.[a-z-]+\.s{game.mover}"
    decision = value_of(line, entry, "decision")
    if not re.fullmatch(pattern, decision):
        raise Disagreement(line, "decision", decision, pattern)


def read_chance(line: int, game: Game, entry: dict[str, Any]) -> dict[str, list[Any]]:
    """The outcomes of chance that the move needs, by label."""
    move = entry["move"]
    chance = value_of(line, entry, "chance")
    labels = [value_of(line, outcome, "label") for outcome in chance]
    drawn = {outcome["label"]: list(value_of(line, outcome, "outcome")) for outcome in chance}
    if move["type"] == "take":
        tile = game.just_bought[0]
        must_equal(line, "labels of chance", labels, [f"{tile}s"])
        left = list(game.stacks[tile])
        left.remove(move["kind"])
        must_equal(line, "shuffled stack", sorted(drawn[f"{tile}s"]), sorted(left))
    elif move["type"] == "produce" and move["count"]:
        must_equal(line, "labels of chance", labels, ["beads"])
        must_equal(line, "beads drawn", len(drawn["beads"]), game.beads_to_draw(move))
        too_many = Counter(drawn["beads"]) - game.bag
        must_equal(line, "beads that are not in the bag", dict(too_many), {})
    else:
        must_equal(line, "labels of chance", labels, [])
    return drawn


def check_points(line: int, entry: dict[str, Any], payments: list[Payment]) -> None:
    """What was paid, by seat and cause; characters and idle gondoliers are one cause here."""
    expected: Counter[tuple[int, str]] = Counter()
    for seat, cause, points in payments:
        expected[seat, cause] += points
    recorded: Counter[tuple[int, str]] = Counter()
    for event in value_of(line, entry, "events"):
        if value_of(line, event, "type") == "points":
            cause = value_of(line, event, "for")
            must_be_one_of(line, "cause of points", cause, CAUSES)
            cause = "character" if cause == "gondolier" else cause
            recorded[value_of(line, event, "seat"), cause] += value_of(line, event, "points")

    def readable(counted: Counter[tuple[int, str]]) -> dict[str, int]:
        return {f"seat {s} {c}": points for (s, c), points in counted.items() if points != 0}

    must_equal(line, "points", readable(recorded), readable(expected))


def told_gold(events: list[dict[str, Any]]) -> int:
    """What these events say was received and paid."""
    return sum(event.get("gold", 0) - event.get("paid", 0) for event in events)


def check_assignment(line: int, game: Game, events: list[dict[str, Any]], gold: list[int]) -> None:
    """The assignment that the events report must be possible, and as good as they say."""
    told = [event for event in events if event["type"] in ("character", "unused")]
    order = list(dict.fromkeys(event["seat"] for event in events if "seat" in event))
    expected = [seat for seat in game.seats_in_scoring_order() if seat in order]
    must_equal(line, "order of scoring", order, expected)
    for seat, player in enumerate(game.players):
        beads = dict(player.beads)
        scene = game.scene(seat)
        free = {island: scene.gondoliers(island) for island in game.islands}
        gold_left = gold[seat]
        named: list[int] = []
        for event in told:
            if event["seat"] != seat:
                continue
            if event["type"] == "unused":
                named += event["characters"]
                continue
            character, island = event["character"], event["island"]
            named.append(character)
            points = next(
                later["points"]
                for later in events[events.index(event) :]
                if later["type"] == "points" and later["for"] == "character"
            )
            done = (points, event.get("beads", {}), event.get("gold", 0))
            ways = ways_to_score(scene, character, island, beads, gold_left, player.working)
            must_be_one_of(line, f"character {character}", done, ways)
            free[island] -= 1
            gold_left -= done[2]
            for bead, number in done[1].items():
                beads[bead] -= number
        must_equal(line, "characters told", sorted(named), sorted(player.characters))
        must_equal(line, "gondoliers too few", [i for i in free if free[i] < 0], [])
        idle = sum(
            event["points"]
            for event in events
            if event["type"] == "points" and (event["seat"], event["for"]) == (seat, "gondolier")
        )
        must_equal(line, "idle gondoliers", idle, sum(free.values()))
        must_equal(line, f"gold left of seat {seat}", gold_left, player.gold)


def check_conservation(line: int, game: Game) -> None:
    for seat in range(game.seats):
        must_equal(line, f"gondoliers of seat {seat}", game.gondoliers_of(seat), GONDOLIERS)
        must_be_one_of(line, "points below 0", game.scores[seat] < 0, [False])
        must_be_one_of(line, "gold below 0", game.players[seat].gold < 0, [False])
    must_equal(line, "all beads", dict(game.all_beads()), FIGURES["beads"])
    tiles = game.tiles_anywhere()
    for stack, key in zip(STACKS, ["streets", "", "shops", "palaces", ""]):
        if key:
            number = sum(tiles_of_a_kind(key, game.seats).values())
            number -= palaces_removed_at_random(game.seats) if key == "palaces" else 0
        else:
            key = "specials" if stack == "special" else stack
            number = tiles_without_kind(key, game.seats)
        must_equal(line, f"tiles of {stack}", tiles[stack], number)


def follow(lines: Iterable[str]) -> Tally:
    """Follow the record of a finished game; raises Disagreement where it cannot agree."""
    entries = read_entries(lines)
    game = read_header(*entries[0])
    tally = Tally()
    outcome_seen = False
    for line, entry in entries[1:]:
        if outcome_seen:
            raise Disagreement(line, "end of the record", entry, "nothing follows the outcome")
        if "outcome" in entry:
            must_equal(line, "the game is over", True, game.phase == "over")
            outcome = entry["outcome"]
            must_equal(line, "final scores", value_of(line, outcome, "scores"), game.scores)
            must_equal(line, "winners", value_of(line, outcome, "winners"), game.winners())
            outcome_seen = True
            continue
        if game.phase == "over":
            raise Disagreement(line, "end of the game", entry, "the game is over")
        follow_move(line, game, entry, tally)
    if not outcome_seen:
        raise Disagreement(entries[-1][0], "end of the record", "nothing more", "no outcome yet")
    tally.turns = game.turn
    tally.scores = list(game.scores)
    tally.cards = {card for player in game.players for card in player.cards}
    return tally


def follow_move(line: int, game: Game, entry: dict[str, Any], tally: Tally) -> None:
    must_equal(line, "n", value_of(line, entry, "n"), tally.lines + 1)
    must_equal(line, "seat", value_of(line, entry, "seat"), game.mover)
    check_decision(line, game, entry)
    check_move(line, game, entry)
    drawn = read_chance(line, game, entry)
    mover = game.mover
    gold = [player.gold for player in game.players]
    payments = game.make(entry["move"], drawn)
    tally.lines += 1
    tally.moves[entry["move"]["type"]] += 1
    check_points(line, entry, payments)
    events = entry["events"]
    types = [event["type"] for event in events]
    must_equal(line, "final scoring", "scoring" in types, game.phase == "over")
    if game.phase == "over":
        scoring = types.index("scoring")
        gold[mover] += told_gold(events[:scoring])
        check_assignment(line, game, events[scoring:], gold)
        tally.characters |= {e["character"] for e in events if e["type"] == "character"}
    else:
        change = game.players[mover].gold - gold[mover]
        must_equal(line, "change of gold", told_gold(events), change)
    for event in events:
        if event["type"] == "points":
            tally.causes[event["for"]] += event["points"]
    must_equal(line, "scores", value_of(line, entry, "scores"), game.scores)
    check_conservation(line, game)
