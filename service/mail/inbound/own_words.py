"""Own words of the writer of a text: stages `quote` and `footer` one after the other."""

from collections.abc import Sequence
from typing import NamedTuple

from service.mail.inbound.footers import without_footers
from service.mail.inbound.plain_text import folded, plain
from service.mail.inbound.quote_stripper import split_quotes, without_pgp
from service.mail.inbound.taken_off import TakenOff

MOST_LINES = 6000
LONGEST_QUOTE = 20_000


class TooManyLines(Exception):
    """More lines than a person writes."""


class OwnWords(NamedTuple):
    """The text of the writer in the form of `plain`, "" if there is none; the text of the quotes
    without their signs; the text outside of quotes with its additions; and what was taken off."""

    text: str
    quote: str = ""
    unquoted: str = ""
    taken_off: tuple[TakenOff, ...] = ()


def own_words(text: str, name: str = "", names: Sequence[str] = ()) -> OwnWords:
    """Read a text of a writer who is called `name`; `names` are those of the people who may be
    quoted. Raises TooManyLines."""
    lines = without_pgp(plain(text).split("\n"))
    if len(lines) > MOST_LINES:
        raise TooManyLines
    split = split_quotes(lines, [folded(other) for other in names])
    pieces, additions = without_footers(split.pieces, name)
    return OwnWords(
        _joined(pieces),
        "\n".join(split.quote)[:LONGEST_QUOTE].strip("\n"),
        _joined(split.pieces),
        (*split.taken, *additions),
    )


def _joined(pieces: Sequence[Sequence[str]]) -> str:
    texts = ("\n".join(piece).strip("\n") for piece in pieces)
    return "\n\n".join(text for text in texts if text)
