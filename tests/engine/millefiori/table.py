"""Positions built by hand, and moves played on them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine import millefiori
from engine.chance import seed_from_text
from engine.contract import Event
from engine.millefiori.board import BONUS_AREAS, DIAMONDS, PLACE
from engine.millefiori.cards import CARD
from engine.millefiori.moves import Keep, parse_move
from engine.millefiori.space_sets import FLEET
from engine.millefiori.state import Board, State
from engine.play import Line, play

SEED = seed_from_text("a table laid out by hand")
RED, GREEN, YELLOW, BLUE = range(4)


def cards(words: str) -> tuple[int, ...]:
    return tuple(sorted(CARD[word] for word in words.split()))


def table(
    seats: int = 4,
    *,
    diamonds: Mapping[int, str] | None = None,
    kept: Mapping[int, str] | None = None,
    hands: Sequence[str] | None = None,
    display: str = "glasses-1 glasses-2",
    deck: str = "key-1 key-2",
    ships: Mapping[int, int] | None = None,
    left: Mapping[int, int] | None = None,
    scores: Sequence[int] | None = None,
    bonuses: Mapping[str, Sequence[int]] | None = None,
    mover: int | None = 0,
    start: int | None = None,
    round: int = 1,  # noqa: A002
    turn: int = 1,
    extras: int = 0,
    tactical: bool = False,
) -> State:
    """A position from what matters for the rule at hand.

    Diamonds are named by space; `H2` three times in a row is a whole fleet, and ships of one line
    are set from the left in the order of the seats. `kept` holds moves without the word keep.
    """
    filled = 0
    sets = [0] * seats
    for seat, names in (diamonds or {}).items():
        for name in names.split():
            if name.startswith("H"):
                free = FLEET[int(name[1:]) - 1] & ~filled
                bit = free & -free
            else:
                bit = 1 << PLACE[name]
            assert bit & ~filled, f"{name} is taken"
            sets[seat] |= bit
            filled |= bit
    takers = tuple(tuple((bonuses or {}).get(area, ())) for area in BONUS_AREAS)
    marks = [sum(seat in seats_of for seats_of in takers) for seat in range(seats)]
    remaining = [DIAMONDS - own.bit_count() - mark for own, mark in zip(sets, marks)]
    board = Board(
        diamonds=tuple(sets),
        filled=filled,
        left=tuple((left or {}).get(seat, remaining[seat]) for seat in range(seats)),
        ships=tuple((ships or {}).get(seat, 0) for seat in range(seats)),
        scores=tuple(scores or [0] * seats),
        bonuses=takers,
    )
    return State(
        tactical=tactical,
        round=round,
        turn=turn,
        start=(mover or 0) if start is None else start,
        mover=mover,
        extras=extras,
        deck=tuple(CARD[word] for word in deck.split()),
        hands=tuple(cards(words) for words in hands or ["key-3 key-4"] * seats),
        kept=tuple(_keep((kept or {}).get(seat)) for seat in range(seats)),
        passed=(),
        display=cards(display),
        discard=(),
        board=board,
        reason=None,
    )


def _keep(words: str | None) -> Keep | None:
    if words is None:
        return None
    keep = parse_move(f"keep {words}")
    assert isinstance(keep, Keep)
    return keep


class After(NamedTuple):
    """What one answer did, without the moves that followed by themselves."""

    state: Any
    events: tuple[Event, ...]
    lines: tuple[Line, ...]

    def points(self, *causes: str) -> dict[int, int]:
        """Points by seat, of these causes or of all."""
        found: dict[int, int] = {}
        for event in self.events:
            if event["type"] == "points" and (not causes or event["for"] in causes):
                found[event["seat"]] = found.get(event["seat"], 0) + event["points"]
        return found

    def happened(self, kind: str) -> list[Event]:
        return [event for event in self.events if event["type"] == kind]

    @property
    def extra_card_offered(self) -> bool:
        return bool(self.happened("extra-card"))


def answer(state: State, seat: int, text: str) -> After:
    """Play the move of a text."""
    lines = play(millefiori, state, SEED, seat, None, text).lines
    return After(lines[0].state, lines[0].events, lines)


def play_kept(text: str, seat: int = 0, **position: Any) -> After:
    """Lay out a table on which the seat has kept the card of this play, and play it."""
    kept = {seat: text.split()[0], **position.pop("kept", {})}
    return answer(table(kept=kept, mover=seat, **position), seat, text)


def legal_texts(state: State, seat: int) -> list[str]:
    return [millefiori.format(move) for move in millefiori.legal_moves(state, seat)]
