"""The only source of randomness: seeded, labelled, the same on every Python and every machine.

Each random outcome has a key: the game's seed, the scope (the set-up, or the decision that is
being answered), a label, and how often the label was used in that scope. The stream of a key is

    SHA-256(seed | scope | 0x00 | label | 0x00 | use | block)        block = 0, 1, 2, ...

with `use` and `block` as 4-byte big-endian numbers and scope and label in UTF-8. It is read in
8-byte big-endian numbers; a number that would favour some results is thrown away. Because an
outcome depends on its key alone, nothing a player does can shift the shuffles of others.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count
from struct import unpack
from typing import NamedTuple, TypeVar

from engine.contract import EVERYBODY, Audience
from engine.errors import BadSetup

SEED_BYTES = 32
SETUP = "setup"
_RANGE = 2**64

T = TypeVar("T")


class Draw(NamedTuple):
    """One random outcome as it stands in the record, and who may know it."""

    label: str
    outcome: object
    seen_by: Audience


class Chance:
    """The randomness of one scope. `drawn` lists what was consumed, in order."""

    def __init__(self, seed: bytes, scope: str) -> None:
        if len(seed) != SEED_BYTES:
            raise BadSetup(f"A seed is {SEED_BYTES} bytes; this one has {len(seed)}.")
        self._seed = seed
        self._scope = scope
        self._uses: dict[str, int] = {}
        self.drawn: list[Draw] = []

    def below(self, label: str, bound: int, seen_by: Audience = EVERYBODY) -> int:
        """A number from 0 to `bound` - 1, each equally likely."""
        if bound < 1:
            raise ValueError(f"nothing to choose from: {bound}")
        outcome = next(_fair(self._stream(label), [bound]))
        self.drawn.append(Draw(label, outcome, seen_by))
        return outcome

    def one_of(self, label: str, items: Sequence[T], seen_by: Audience = EVERYBODY) -> T:
        """One of the items, each equally likely."""
        outcome = items[next(_fair(self._stream(label), [len(items)]))]
        self.drawn.append(Draw(label, outcome, seen_by))
        return outcome

    def shuffled(
        self,
        label: str,
        items: Sequence[T],
        seen_by: Audience = EVERYBODY,
        count: int | None = None,
    ) -> tuple[T, ...]:
        """The items in random order (Fisher-Yates from the end), each order equally likely; only
        the first `count` of them, if it is given: of the others nothing is told."""
        order = list(items)
        lasts = range(len(order) - 1, 0, -1)
        bounds = range(len(order), 1, -1)
        for last, other in zip(lasts, _fair(self._stream(label), bounds)):
            order[last], order[other] = order[other], order[last]
        outcome = tuple(order[:count])
        self.drawn.append(Draw(label, outcome, seen_by))
        return outcome

    def _stream(self, label: str) -> Iterator[int]:
        use = self._uses.get(label, 0)
        self._uses[label] = use + 1
        key = self._seed + f"{self._scope}\0{label}\0".encode() + use.to_bytes(4, "big")
        return _numbers(key)


def _numbers(key: bytes) -> Iterator[int]:
    for block in count():
        yield from unpack(">4Q", sha256(key + block.to_bytes(4, "big")).digest())


def _fair(stream: Iterator[int], bounds: Iterable[int]) -> Iterator[int]:
    """For each bound a number below it. From the last multiple of the bound on, small results
    would come up too often, so such numbers of the stream are skipped."""
    for bound in bounds:
        unfair = _RANGE - _RANGE % bound
        number = next(stream)
        while number >= unfair:
            number = next(stream)
        yield number % bound


def commitment(seed: bytes) -> str:
    """What is published when a game starts: it binds the seed without telling it."""
    return sha256(seed).hexdigest()


def seed_from_text(text: str) -> bytes:
    """A seed as typed: 64 hexadecimal digits, or any number or word, which is stretched.

    A word is stretched so that every seed has full length; only 32 random bytes make a seed
    that nobody can find by trying, which is what a hosted game uses.
    """
    text = text.strip()
    if len(text) == 2 * SEED_BYTES and not text.lower().strip("0123456789abcdef"):
        return bytes.fromhex(text)
    return sha256(b"laguna seed\0" + text.encode("utf-8", "surrogateescape")).digest()
