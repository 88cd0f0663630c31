"""Premoves (the placement of a kept card), and preferences lists of cards."""

import re
from collections.abc import Callable, Sequence

from engine.errors import Unreadable
from engine.languages import ENGLISH
from engine.millefiori.cards import AREA, AREAS, CARD, NUMBER, SYMBOL, SYMBOLS
from engine.millefiori.legal import legal_moves
from engine.millefiori.moves import Discard, Keep, Move, Play
from engine.millefiori.names import area_names, card_name, symbol_names, translation
from engine.millefiori.state import State
from engine.millefiori.vocabulary import understood
from engine.toolkit.preferences import read_list

EXTREMES: dict[str, Callable[[list[int]], int]] = {"highest": max, "lowest": min}
WISH_WORDS = (*AREAS, *SYMBOLS, *EXTREMES, "any")
_BETWEEN_WISHES = re.compile(r"[ ,]*\belse\b[ ,]*|[ ,]*,[ ,]*")


def premove(state: State, seat: int) -> Play | None:
    """The placement of the kept card, if it is the seat's turn to play it and it is legal."""
    keep = state.kept[seat]
    if keep is None or keep.then is None or state.mover != seat or state.extras:
        return None
    return keep.then if keep.then in legal_moves(state, seat) else None


def read_preferences(wishes: object) -> tuple[str, ...]:
    """A preferences list in normal form, as of "keep pigments, else highest number, else any"."""
    return read_list(wishes, _alternatives, understood, _wish)


def _alternatives(text: str) -> list[list[str]]:
    """The words between commas and words for "else". A missing part before or after an "else" gives
    a preference without words, which is unreadable."""
    parts = [" ".join(understood(part)) for part in re.split(r"[,;\n]", text)]
    listed = " , ".join(filter(None, parts))
    return [wish.split() for wish in _BETWEEN_WISHES.split(listed)]


def _wish(words: list[str]) -> str:
    match words:
        case [word] | ["keep", word] if word in WISH_WORDS or word in CARD:
            return word
    raise Unreadable(
        f"'{' '.join(words)[:40]}' is no wish. Use a card as quartz-3, or one of: "
        f"{', '.join(WISH_WORDS)}."
    )


def all_preferences() -> tuple[str, ...]:
    return WISH_WORDS


def preference_labels(wishes: Sequence[str], language: str = ENGLISH) -> list[str]:
    """Each preference for a person, as `pigments` and `highest number`."""
    _ = translation(language).gettext
    names = {
        **area_names(language),
        **symbol_names(language),
        "highest": _("highest number"),
        "lowest": _("lowest number"),
        "any": _("any card"),
    }
    return [names[wish] if wish in names else card_name(wish, language) for wish in wishes]


def preferred_moves(state: State, seat: int, wishes: Sequence[str]) -> list[Move]:
    """The legal moves that match the first possible preference."""
    moves = [move for move in legal_moves(state, seat) if isinstance(move, (Keep, Play, Discard))]
    if not moves or state.extras:
        return []
    for wish in wishes:
        fulfilling = [move for move in moves if _fulfils(move, wish, moves)]
        if fulfilling:
            return list(fulfilling)
    return []


def _fulfils(
    move: Keep | Play | Discard, wish: str, moves: Sequence[Keep | Play | Discard]
) -> bool:
    if wish == "any":
        return True
    if wish in EXTREMES:
        numbers = [NUMBER[other.card] for other in moves]
        return NUMBER[move.card] == EXTREMES[wish](numbers)
    if wish in CARD:
        return move.card == CARD[wish]
    return wish in (SYMBOL[move.card], AREA[move.card])
