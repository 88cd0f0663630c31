"""The only source of randomness: seeded, labelled, the same on every Python and every machine.

Each random outcome has a key: the game's seed, the scope (the set-up, or the decision that is being
answered), a label, and how often the label was used in that scope. The stream of a key is

    SHA-256(seed | scope | 0x00 | label | 0x00 | use | block)        block = 0, 1, 2, ...

with `use` and `block` as 4-byte big-endian numbers and scope and label in UTF-8. The generator
reads it in 8-byte big-endian numbers and rejects a number that would favour some results. An
outcome depends on its key alone, so that no player's move shifts the shuffles of others.
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
    """One random outcome in the record, and its audience."""

    label: str
    outcome: object
    seen_by: Audience


class Chance:
    """The random generator of one scope. `drawn` lists the outcomes in order."""

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
        """The items in random order (Fisher-Yates from the end), each order equally likely. With
        `count`, only the first so many of them; the record keeps the others secret."""
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
    """For each bound a number below it. Rejection sampling: a number from the last multiple of the
    bound on is skipped, because small results would come up too often."""
    for bound in bounds:
        unfair = _RANGE - _RANGE % bound
        number = next(stream)
        while number >= unfair:
            number = next(stream)
        yield number % bound


def commitment(seed: bytes) -> str:
    """The commitment to a seed: its SHA-256, published when the game starts."""
    return sha256(seed).hexdigest()


def seed_from_text(text: str) -> bytes:
    """The seed for a text: 64 hexadecimal digits, or any number or word, which is hashed.

    The hash gives every seed its full length. It is as easy to guess as the word: a hosted game
    draws 32 random bytes instead.
    """
    text = text.strip()
    if len(text) == 2 * SEED_BYTES and not text.lower().strip("0123456789abcdef"):
        return bytes.fromhex(text)
    return sha256(b"laguna seed\0" + text.encode("utf-8", "surrogateescape")).digest()
