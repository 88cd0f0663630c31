"""Paths: the card, the place and the further choices of a move."""

from functools import cache

from engine.contract import Stop
from engine.languages import ENGLISH
from engine.millefiori.board import PLACE_NAME, ROUTE, ROUTE_END
from engine.millefiori.cards import NAME
from engine.millefiori.moves import Decline, Discard, Keep, Move, in_harbor
from engine.millefiori.names import card_names, translation
from engine.millefiori.state import State

BUTTONS = frozenset({"stay", "discard", "decline"})


def path(state: State, seat: int, move: Move, language: str = ENGLISH) -> tuple[Stop, ...]:
    """The stops of a move; an extra card is on the display."""
    return _path(move, state.extras > 0, state.board.ships[seat] < ROUTE_END, language)


@cache
def _path(move: Move, extra: bool, ship_can_sail: bool, language: str) -> tuple[Stop, ...]:
    _ = translation(language).gettext
    if isinstance(move, Decline):
        return (Stop("decline", _("Leave the extra card")),)
    spot = display_spot if extra else hand_spot
    card = Stop(spot(NAME[move.card]), card_names(language)[move.card])
    if isinstance(move, Discard):
        return (card, Stop("discard", _("discard")))
    play = move.then if isinstance(move, Keep) else move
    if play is None:
        return (card,)
    sail = Stop(PLACE_NAME[ROUTE], _("sail"))
    if play.to == ROUTE:
        return (card, sail)
    place = Stop(PLACE_NAME[play.to], PLACE_NAME[play.to])
    if not (in_harbor(play.to) and ship_can_sail):
        return (card, place)
    return (card, place, sail if play.sail else Stop("stay", _("stay")))


def hand_spot(card: str) -> str:
    return f"card:{card}"


def display_spot(card: str) -> str:
    return f"display:{card}"
