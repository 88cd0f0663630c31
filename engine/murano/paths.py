"""Paths: the stops of a move.

A ship and its destination; the reached space for its action, and the subject of the action; a tile
and its place; a card. Stops that are not drawn are buttons.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from engine.contract import Stop
from engine.languages import ENGLISH
from engine.murano.board import boards
from engine.murano.moves import (
    BEADS,
    Build,
    Buy,
    ChooseCard,
    ChooseCharacter,
    Decline,
    Dismiss,
    Done,
    Gondolier,
    Hire,
    Income,
    Keep,
    Lay,
    Move,
    Pass,
    Produce,
    Return,
    Sail,
    Search,
    Sell,
    Street,
    Take,
)
from engine.murano.names import action_names, card_names, colour_name, island_name, translation
from engine.murano.phrases import bead_words, counted, short_tile_words
from engine.murano.state import AT_ONCE, SAIL, State, board_of

BUTTONS = frozenset(
    {"pass", "top", "search", "decline", "done", "produce", "sell", "keep", "hire", "dismiss"}
)


def path(state: State, seat: int, move: Move, language: str = ENGLISH) -> tuple[Stop, ...]:
    """The stops of a move."""
    stops = _stops(state, move, language)
    if state.phase == SAIL and not isinstance(move, (Sail, Pass)):
        return (_here(state, language), *stops)
    return tuple(stops)


@cache
def _texts(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "pass": _("Pass"),
        "ship": _("ship on %(space)s"),
        "red ship": _("red ship on %(space)s"),
        "top": _("top of the stack"),
        "search": _("look through the stack"),
        "character": _("character %(number)d"),
        "decline": _("Take none of them"),
        "dock": _("%(island)s, %(dock)s dock"),
        "street": _("Draw a street"),
        "done": _("Build no more"),
        "done at once": _("Do not build it now"),
        "produce 0": _("Produce nothing"),
        "keep": _("Sell nothing"),
        "hire": _("Hire a gondolier"),
        "dismiss": _("Dismiss a gondolier"),
    }


def _here(state: State, language: str) -> Stop:
    """The space of the ring whose action is taken."""
    board = board_of(state)
    return Stop(board.ring[state.at], action_names(language)[board.actions[state.at]])


def _stops(state: State, move: Move, language: str) -> Iterator[Stop]:
    """The stops of a move besides the space of its action."""
    say = _texts(language)
    match move:
        case Sail(start, to, red):
            yield _ship(state, start, red, language)
            yield _arrivals(state.board, language)[to]
        case Pass(start, to, red):
            yield Stop("pass", say["pass"])
            yield _ship(state, start, red, language)
            yield Stop(to, to)
        case Buy("shop" | "palace"):
            yield Stop("top", say["top"])
        case Search():
            yield Stop("search", say["search"])
        case Take(kind):
            tile = str(state.shown[0])
            yield Stop(shown_spot(tile, kind), short_tile_words(tile, kind, language))
        case ChooseCharacter(number):
            yield Stop(character_spot(number), say["character"] % {"number": number})
        case ChooseCard(card):
            yield Stop(card_spot(card), card_names(language)[card])
        case Decline():
            yield Stop("decline", say["decline"])
        case Gondolier(island, colour):
            yield _dock(state, island, colour, language)
        case Street():
            yield Stop(stack_spot("street"), say["street"])
        case Lay(at):
            yield Stop(at, at)
        case Build(tile, kind, at):
            if state.phase != AT_ONCE:  # if its kind is known
                yield Stop(tile_spot(tile, kind), short_tile_words(tile, kind, language))
            yield Stop(at, at)
        case Done():
            yield Stop("done", say["done at once" if state.phase == AT_ONCE else "done"])
        case Income(island):
            yield Stop(island_spot(island), island_name(island, board_of(state)))
        case Produce(count):
            words = counted("glassworks", count, language) if count else say["produce 0"]
            yield Stop(f"produce:{count}", words)
        case Sell(beads):
            sold = {colour: count for colour, count in zip(BEADS, beads) if count}
            spot = "-".join(f"{colour}-{count}" for colour, count in sold.items())
            yield Stop(f"sell:{spot}", bead_words(sold, language))
        case Keep():
            yield Stop("keep", say["keep"])
        case Return(bead):
            yield Stop(bead_spot(bead), counted(f"{bead} bead", 1, language))
        case Hire():
            yield Stop("hire", say["hire"])
        case Dismiss():
            yield Stop("dismiss", say["dismiss"])


@cache
def _arrivals(key: str, language: str) -> Mapping[str, Stop]:
    """The spaces of the ring as destinations, with their actions."""
    board, names = boards()[key], action_names(language)
    return {
        space: Stop(space, f"{space}: {names[action]}")
        for space, action in zip(board.ring, board.actions)
    }


def _ship(state: State, start: str, red: bool, language: str) -> Stop:
    """The ship that leaves this space; `red` only where two share it."""
    at_red = start == board_of(state).ring[state.red] and state.red not in state.ships
    is_red = red or at_red
    words = _texts(language)["red ship" if is_red else "ship"] % {"space": start}
    return Stop(ship_spot(start, is_red), words)


def _dock(state: State, island: str, colour: str, language: str) -> Stop:
    words = _texts(language)["dock"] % {
        "island": island_name(island, board_of(state)),
        "dock": colour_name(colour, language),
    }
    return Stop(dock_spot(island, colour), words)


# Spots on the board. Spaces have their names.


def ship_spot(space: str, red: bool) -> str:
    return "ship:red" if red else f"ship:{space}"


def island_spot(code: str) -> str:
    return f"island:{code}"


def dock_spot(island: str, colour: str) -> str:
    return f"dock:{island}-{colour}"


def stack_spot(stack: str) -> str:
    return f"stack:{stack}"


def tile_spot(tile: str, kind: str = "") -> str:
    """A tile in front of the seat."""
    return f"tile:{tile}-{kind}" if kind else f"tile:{tile}"


def shown_spot(tile: str, kind: str) -> str:
    """A tile of the stack that the seat looks through."""
    return f"shown:{tile}-{kind}"


def character_spot(number: int) -> str:
    return f"character:{number}"


def card_spot(card: str) -> str:
    return f"card:{card}"


def bead_spot(colour: str) -> str:
    """The beads of the seat of a colour."""
    return f"bead:{colour}"
