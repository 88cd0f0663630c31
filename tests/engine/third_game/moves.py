"""The moves of Nim, as text and as JSON."""

import re
from dataclasses import dataclass

from engine.contract import EVERYBODY, Audience, Json
from engine.errors import Unreadable
from engine.toolkit.move_json import Fields, MoveSchema

HEAPS = "ABC"
LARGEST_HEAP = 5

_TEXT = re.compile(rf"take (\d) from ([{HEAPS.lower()}])\W*", re.IGNORECASE)
_SCHEMA = MoveSchema(
    {"take": Fields(("heap", "count"))},
    example="""{"type": "take", "heap": "A", "count": 2}""",
)


@dataclass(frozen=True, slots=True)
class Take:
    """Take tokens from a heap."""

    heap: int
    count: int


def format_move(move: Take) -> str:
    """The one-line notation, as `take 2 from B`."""
    return f"take {move.count} from {HEAPS[move.heap]}"


def parse(text: str) -> Take:
    """Read the notation; raises Unreadable."""
    found = _TEXT.fullmatch(text.strip())
    if not found:
        raise Unreadable("Write a move as 'take 2 from B'.", words=text)
    return Take(HEAPS.index(found[2].upper()), int(found[1]))


def move_to_json(move: Take) -> Json:
    return {"type": "take", "heap": HEAPS[move.heap], "count": move.count}


def move_from_json(value: object) -> Take:
    """Read a move's JSON; raises Unreadable."""
    _, data = _SCHEMA.check(value)
    heap, count = data["heap"], data["count"]
    if heap not in tuple(HEAPS):
        raise _SCHEMA.refusal(f"'heap' must be one of {', '.join(HEAPS)}")
    if type(count) is not int or not 0 < count <= LARGEST_HEAP:
        raise _SCHEMA.refusal(f"'count' must be a number from 1 to {LARGEST_HEAP}")
    return Take(HEAPS.index(heap), count)


def move_seen_by(seat: int, move: Take) -> Audience:
    return EVERYBODY
