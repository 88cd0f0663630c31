"""Moves, as JSON and as one line of text."""

from dataclasses import dataclass
from functools import lru_cache

from engine.contract import EVERYBODY, Audience, Json
from engine.errors import Unreadable
from engine.millefiori.board import FIRST_LINE, PLACE, PLACE_NAME, ROUTE
from engine.millefiori.cards import CARD, NAME, SYMBOL
from engine.millefiori.vocabulary import understood
from engine.toolkit.move_json import Fields, MoveSchema


@dataclass(frozen=True, slots=True)
class Play:
    """Use a card: a diamond to a place of its area, or the ship along the route.

    `sail` is for a ship card placed in the harbor: whether the ship then sails as well.
    """

    card: int
    to: int
    sail: bool = False


@dataclass(frozen=True, slots=True)
class Keep:
    """Choose the card to keep; the premove `then` is its placement in the seat's turn."""

    card: int
    then: Play | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard a card that has no play."""

    card: int


@dataclass(frozen=True, slots=True)
class Decline:
    """Leave the extra card."""


Move = Keep | Play | Discard | Decline

GRAMMAR = (
    "Write a move as 'keep quartz-3' (or with a plan: 'keep quartz-3 then W8'), 'quartz-3 W8', "
    "'ship-4 H2 sail', 'coin-2 route', 'coin-2 discard' or 'decline'."
)


def move_seen_by(seat: int, move: Move) -> Audience:
    """A kept card is secret to its seat; all other moves are open."""
    return (seat,) if isinstance(move, Keep) else EVERYBODY


def in_harbor(place: int) -> bool:
    return FIRST_LINE <= place < ROUTE


# Text


def format_place(play: Play) -> str:
    return PLACE_NAME[play.to] + (" sail" if play.sail else "")


def format_move(move: Move) -> str:
    """The one-line notation, as `quartz-3 W8`."""
    match move:
        case Keep(card, then):
            plan = "" if then is None else f" then {format_place(then)}"
            return f"keep {NAME[card]}{plan}"
        case Play(card, _, _):
            return f"{NAME[card]} {format_place(move)}"
        case Discard(card):
            return f"{NAME[card]} discard"
        case Decline():
            return "decline"


def parse_move(text: str) -> Move:
    """Read the notation, in the words of any language; raises Unreadable."""
    words = understood(text)
    try:
        return _move(words)
    except Unreadable as unreadable:
        raise Unreadable(unreadable.sentence, words=" ".join(words)) from None


def _move(words: list[str]) -> Move:
    match words:
        case ["decline"]:
            return Decline()
        case ["keep", card]:
            return Keep(_card(card))
        case ["keep", card, "then", name, *place] if name == card:
            return Keep(_card(card), parse_place(_card(card), place))
        case ["keep", card, "then", *place]:
            return Keep(_card(card), parse_place(_card(card), place))
        case [card, "discard"] | ["discard", card]:
            return Discard(_card(card))
        case ["sail", card]:
            return Play(_card(card), ROUTE)
        case [card, *place]:
            return parse_place(_card(card), place)
    raise Unreadable(f"There is no move in this. {GRAMMAR}")


@lru_cache(maxsize=4096)  # stored states repeat a few texts
def parse_keep(text: str) -> Keep:
    """Read the notation of a keep; raises Unreadable for any other move."""
    move = parse_move(text)
    if not isinstance(move, Keep):
        raise Unreadable(f"'{text[:60]}' keeps no card.")
    return move


def parse_place(card: int, words: list[str]) -> Play:
    """The play of this card to the place in these words."""
    match words:
        case ["sail"] if SYMBOL[card] != "ship":  # a ship card may sail after being placed, too
            return Play(card, ROUTE)
        case [place]:
            return Play(card, _place(place))
        case [place, "sail"]:
            return Play(card, _place(place), sail=True)
    raise Unreadable(f"'{' '.join(words)[:60]}' names no place for {NAME[card]}. {GRAMMAR}")


def _card(word: str) -> int:
    card = CARD.get(word)
    if card is None:
        raise Unreadable(f"There is no card '{word[:40]}'. {GRAMMAR}")
    return card


def _place(word: str) -> int:
    place = PLACE.get(word)
    if place is None:
        raise Unreadable(f"There is no place '{word[:40]}' on the board. {GRAMMAR}")
    return place


# JSON


def move_to_json(move: Move) -> Json:
    """The JSON of a move."""
    match move:
        case Keep(card, then):
            plan = {} if then is None else {"then": move_to_json(then)}
            return {"type": "keep", "card": NAME[card], **plan}
        case Play(card, to, sail) if sail or in_harbor(to):
            return {"type": "play", "card": NAME[card], "to": PLACE_NAME[to], "sail": sail}
        case Play(card, to, _):
            return {"type": "play", "card": NAME[card], "to": PLACE_NAME[to]}
        case Discard(card):
            return {"type": "discard", "card": NAME[card]}
        case Decline():
            return {"type": "decline"}


_SCHEMA = MoveSchema(
    {
        "keep": Fields(("card",), ("then",)),
        "play": Fields(("card", "to"), ("sail",)),
        "discard": Fields(("card",)),
        "decline": Fields(),
    },
    example="""{"type": "play", "card": "quartz-3", "to": "W8"}""",
)


def move_from_json(value: object) -> Move:
    """Read a move's JSON; raises Unreadable, also for unknown or missing fields."""
    kind, data = _SCHEMA.check(value)
    if kind == "decline":
        return Decline()
    card = _card(_string(data, "card"))
    if kind == "discard":
        return Discard(card)
    if kind == "keep":
        return Keep(card, _plan_from_json(card, data.get("then")))
    sail = data.get("sail", False)
    if not isinstance(sail, bool):
        raise _SCHEMA.refusal("'sail' must be true or false")
    return Play(card, _place(_string(data, "to")), sail)


def _plan_from_json(card: int, data: object) -> Play | None:
    if data is None:
        return None
    if isinstance(data, dict) and data.get("type") == "play":
        plan = move_from_json(data)
        if isinstance(plan, Play) and plan.card == card:
            return plan
    raise _SCHEMA.refusal(f"'then' must be a play of the card that is kept, {NAME[card]}")


def _string(data: Json, key: str) -> str:
    value = data[key]
    if not isinstance(value, str):
        raise _SCHEMA.refusal(f"'{key}' must be a string")
    return value
