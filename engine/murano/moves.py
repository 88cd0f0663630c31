"""Moves, as JSON and as one line of text.

Places are names, not numbers: the board decides which of them exist.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.contract import EVERYBODY, Audience, Json
from engine.errors import Unreadable
from engine.murano.vocabulary import in_order, understood
from engine.toolkit.move_json import Fields, MoveSchema

TILES = ("street", "shop", "palace", "glassworks", "special")
BOUGHT = ("glassworks", "shop", "palace", "special")
SEARCHED = ("shop", "palace")
BEADS = ("red", "blue", "green")
CUSTOMERS = ("red", "blue", "grey")

Beads = tuple[int, int, int]  # of each colour in BEADS


@dataclass(frozen=True, slots=True)
class Sail:
    """Move a ship along the ring; `red` only where two ships share the space it leaves."""

    start: str
    to: str
    red: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """Take gold, move one ship, and do nothing there."""

    start: str
    to: str
    red: bool = False


@dataclass(frozen=True, slots=True)
class Gold:
    """Take gold."""


@dataclass(frozen=True, slots=True)
class Buy:
    """Take the top tile of a stack."""

    tile: str


@dataclass(frozen=True, slots=True)
class Search:
    """Look through a stack, to take any tile of it."""

    tile: str


@dataclass(frozen=True, slots=True)
class Take:
    """Take a tile of this kind from the stack that was looked through."""

    kind: str


@dataclass(frozen=True, slots=True)
class Recruit:
    """See some characters."""


@dataclass(frozen=True, slots=True)
class ChooseCharacter:
    """Take one of the characters shown."""

    character: int


@dataclass(frozen=True, slots=True)
class ChooseCard:
    """Take one of the special cards shown."""

    card: str


@dataclass(frozen=True, slots=True)
class Decline:
    """Take none of the characters shown."""


@dataclass(frozen=True, slots=True)
class Gondolier:
    """Place a gondolier on a dock."""

    island: str
    dock: str


@dataclass(frozen=True, slots=True)
class Street:
    """Draw a street."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay the street that was drawn."""

    at: str


@dataclass(frozen=True, slots=True)
class Build:
    """Build a tile of one's own; shops and palaces are of a kind."""

    tile: str
    kind: str
    at: str


@dataclass(frozen=True, slots=True)
class Done:
    """Build no more."""


@dataclass(frozen=True, slots=True)
class Income:
    """Let the own shops of an island pay."""

    island: str


@dataclass(frozen=True, slots=True)
class Produce:
    """Let so many glassworks produce."""

    count: int


@dataclass(frozen=True, slots=True)
class Sell:
    """Sell these beads, which count as of one colour."""

    beads: Beads


@dataclass(frozen=True, slots=True)
class Keep:
    """Sell nothing."""


@dataclass(frozen=True, slots=True)
class Return:
    """Put a bead back into the bag."""

    bead: str


@dataclass(frozen=True, slots=True)
class Hire:
    """Take a gondolier back from the supply."""


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Send a gondolier to the supply."""


Move = (
    Sail | Pass | Gold | Buy | Search | Take | Recruit | ChooseCharacter | ChooseCard | Decline
    | Gondolier | Street | Lay | Build | Done | Income | Produce | Sell | Keep | Return | Hire
    | Dismiss
)  # fmt: skip

# Moves without parameters.
_BARE: Mapping[str, Callable[[], Move]] = {
    "gold": Gold,
    "recruit": Recruit,
    "decline": Decline,
    "street": Street,
    "done": Done,
    "keep": Keep,
    "hire": Hire,
    "dismiss": Dismiss,
}
_NAME_OF_BARE: Mapping[object, str] = {kind: name for name, kind in _BARE.items()}
GRAMMAR = (
    "Write a move as 'sail A5 A6', 'pass A5 A6', 'gold', 'buy shop', 'search palace', 'take 3', "
    "'recruit', 'choose 17', 'decline', 'gondolier SD orange', 'street', 'lay SD-b2', "
    "'build shop red SD-a1', 'choose bank', 'done', 'income SD', 'produce 2', 'sell green 3', "
    "'keep', 'return blue', 'hire' or 'dismiss'."
)


def move_seen_by(seat: int, move: Move) -> Audience:
    """A tile taken from a searched stack and a recruited character are secret."""
    return (seat,) if isinstance(move, (Take, ChooseCharacter)) else EVERYBODY


# Text


def format_move(move: Move) -> str:
    """The one-line notation, as `sail A5 A6`."""
    match move:
        case Sail(start, to, red):
            return f"sail {start} {to}" + (" red" if red else "")
        case Pass(start, to, red):
            return f"pass {start} {to}" + (" red" if red else "")
        case Buy(tile):
            return f"buy {tile}"
        case Search(tile):
            return f"search {tile}"
        case Take(kind):
            return f"take {kind}"
        case ChooseCharacter(character):
            return f"choose {character}"
        case ChooseCard(card):
            return f"choose {card}"
        case Gondolier(island, dock):
            return f"gondolier {island} {dock}"
        case Lay(at):
            return f"lay {at}"
        case Build(tile, kind, at):
            return " ".join(filter(None, ("build", tile, kind, at)))
        case Income(island):
            return f"income {island}"
        case Produce(count):
            return f"produce {count}"
        case Sell(beads):
            return "sell " + " ".join(f"{name} {n}" for name, n in zip(BEADS, beads) if n)
        case Return(bead):
            return f"return {bead}"
    return _NAME_OF_BARE[type(move)]


def parse_move(text: str) -> Move:
    """Read the notation, in the words of any language; raises Unreadable."""
    words = in_order(understood(text))
    try:
        return _move(words)
    except Unreadable as unreadable:
        raise Unreadable(unreadable.sentence, words=" ".join(words)) from None


def _move(words: list[str]) -> Move:
    """A move from the words of the notation, in small letters."""
    match words:
        case [word] if word in _BARE:
            return _BARE[word]()
        case ["sail" | "pass" as word, start, to]:
            return _voyage(word, start, to, red=False)
        case ["sail" | "pass" as word, start, to, "red"]:
            return _voyage(word, start, to, red=True)
        case ["buy", tile]:
            return Buy(_one_of(BOUGHT, tile, "tile"))
        case ["search", tile]:
            return Search(_one_of(SEARCHED, tile, "stack"))
        case ["take", kind]:
            return Take(_one_of(KINDS, kind, "kind"))
        case ["choose", number] if number.isdecimal():
            return ChooseCharacter(_number(number, "character"))
        case ["choose", card]:
            return ChooseCard(_word(card, "special card"))
        case ["gondolier", island, dock]:
            return Gondolier(_island(island), _word(dock, "dock"))
        case ["lay", at]:
            return Lay(_space(at))
        case ["build", "shop" | "palace" as tile, kind, at]:
            return _building(tile, kind, at)
        case ["build", "glassworks" | "special" as tile, at]:
            return Build(tile, "", _space(at))
        case ["income", island]:
            return Income(_island(island))
        case ["produce", count]:
            return Produce(_number(count, "count"))
        case ["sell", *parts] if parts:
            return _sale(parts)
        case ["return", bead]:
            return Return(_one_of(BEADS, bead, "bead"))
    raise Unreadable(f"There is no move in this. {GRAMMAR}")


KINDS = (*CUSTOMERS, "1", "2", "3")


def _voyage(word: str, start: str, to: str, red: bool) -> Sail | Pass:
    kind = Sail if word == "sail" else Pass
    return kind(_anchorage(start), _anchorage(to), red)


def _building(tile: str, kind: str, at: str) -> Build:
    kinds = CUSTOMERS if tile == "shop" else KINDS[len(CUSTOMERS) :]
    return Build(tile, _one_of(kinds, kind, f"kind of {tile}"), _space(at))


def _sale(parts: list[str]) -> Sell:
    if len(parts) % 2:
        raise _refusal("A sale names colours with how many of each")
    sold = [0] * len(BEADS)
    for colour, count in zip(parts[::2], parts[1::2]):
        index = BEADS.index(_one_of(BEADS, colour, "bead"))
        if sold[index]:
            raise _refusal(f"'{colour}' stands there twice")
        sold[index] = _number(count, "number of beads")
    return _sell(sold)


def _sell(sold: list[int]) -> Sell:
    if not 1 <= sum(sold) <= 3:
        raise _refusal("One to three beads are sold")
    return Sell((sold[0], sold[1], sold[2]))


def _one_of(known: tuple[str, ...], word: str, what: str) -> str:
    if word not in known:
        raise _refusal(f"'{word[:40]}' is no {what}: {', '.join(known)}")
    return word


def _word(word: str, what: str) -> str:
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", word) or len(word) > 40:
        raise _refusal(f"'{word[:40]}' is no {what}")
    return word


def _anchorage(word: str) -> str:
    if not re.fullmatch(r"a[1-9][0-9]?", word):
        raise _refusal(f"'{word[:40]}' is no space of the ring, such as A5")
    return word.upper()


def _island(word: str) -> str:
    if not re.fullmatch(r"[a-z]{2}", word):
        raise _refusal(f"'{word[:40]}' is no island, such as SD")
    return word.upper()


def _space(word: str) -> str:
    if not re.fullmatch(r"[a-z]{2}-[a-z][1-9]", word):
        raise _refusal(f"'{word[:40]}' is no space of an island, such as SD-a1")
    return word[:2].upper() + word[2:]


def _number(word: str, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,2}", word):
        raise _refusal(f"'{word[:40]}' is no {what}")
    return int(word)


# JSON


def move_to_json(move: Move) -> Json:
    match move:
        case Sail(start, to, red):
            return {"type": "sail", "from": start, "to": to} | ({"red": True} if red else {})
        case Pass(start, to, red):
            return {"type": "pass", "from": start, "to": to} | ({"red": True} if red else {})
        case Buy(tile):
            return {"type": "buy", "tile": tile}
        case Search(tile):
            return {"type": "search", "tile": tile}
        case Take(kind):
            return {"type": "take", "kind": kind}
        case ChooseCharacter(character):
            return {"type": "choose", "character": character}
        case ChooseCard(card):
            return {"type": "choose", "card": card}
        case Gondolier(island, dock):
            return {"type": "gondolier", "island": island, "dock": dock}
        case Lay(at):
            return {"type": "lay", "at": at}
        case Build(tile, kind, at):
            return {"type": "build", "tile": tile} | ({"kind": kind} if kind else {}) | {"at": at}
        case Income(island):
            return {"type": "income", "island": island}
        case Produce(count):
            return {"type": "produce", "count": count}
        case Sell(beads):
            return {"type": "sell", "beads": {name: n for name, n in zip(BEADS, beads) if n}}
        case Return(bead):
            return {"type": "return", "bead": bead}
    return {"type": _NAME_OF_BARE[type(move)]}


_SCHEMA = MoveSchema(
    {
        **dict.fromkeys(_BARE, Fields()),
        "sail": Fields(("from", "to"), ("red",)),
        "pass": Fields(("from", "to"), ("red",)),
        "buy": Fields(("tile",)),
        "search": Fields(("tile",)),
        "take": Fields(("kind",)),
        "choose": Fields(optional=("character", "card")),
        "gondolier": Fields(("island", "dock")),
        "lay": Fields(("at",)),
        "build": Fields(("tile", "at"), ("kind",)),
        "income": Fields(("island",)),
        "produce": Fields(("count",)),
        "sell": Fields(("beads",)),
        "return": Fields(("bead",)),
    },
    example="""{"type": "sail", "from": "A5", "to": "A6"}""",
)


def move_from_json(value: object) -> Move:
    """Read a move's JSON; raises Unreadable, also for unknown or missing fields."""
    kind, data = _SCHEMA.check(value)
    if kind == "sell":
        return _sale_from_json(data["beads"])
    return _move(" ".join([kind, *_words(kind, data)]).lower().split())


def _words(kind: str, data: Json) -> list[str]:
    """The notation of a move in JSON; raises Unreadable for a value that is not a word."""
    if kind == "choose":
        if ("character" in data) == ("card" in data):
            raise _SCHEMA.refusal("A choice names a character or a card")
        if "character" in data:
            return [_digits(data, "character")]
        return [_word(_letters(data, "card").strip().lower(), "special card")]
    if kind == "produce":
        return [_digits(data, "count")]
    if kind == "build":
        kinds = [_letters(data, "kind")] if "kind" in data else []
        return [_letters(data, "tile"), *kinds, _letters(data, "at")]
    words = [_letters(data, name) for name in _SCHEMA.fields[kind].required]
    if data.get("red", True) is not True:
        raise _SCHEMA.refusal("'red' is true or left out")
    return [*words, "red"] if "red" in data else words


def _letters(data: Json, key: str) -> str:
    value = data[key]
    if not isinstance(value, str) or len(value.split()) != 1:
        raise _SCHEMA.refusal(f"'{key}' must be a word")
    return value


def _digits(data: Json, key: str) -> str:
    value = data[key]
    if type(value) is not int or not 0 <= value <= 99:
        raise _SCHEMA.refusal(f"'{key}' must be a number from 0 to 99")
    return str(value)


def _sale_from_json(beads: object) -> Sell:
    if not isinstance(beads, dict) or not beads or set(beads) - set(BEADS):
        raise _SCHEMA.refusal(f"'beads' must tell how many of {', '.join(BEADS)}")
    if any(type(count) is not int or not 1 <= count <= 3 for count in beads.values()):
        raise _SCHEMA.refusal("Of each colour that is sold there are 1 to 3 beads")
    return _sell([beads.get(name, 0) for name in BEADS])


def _refusal(sentence: str) -> Unreadable:
    return Unreadable(f"{sentence}. {GRAMMAR}")
