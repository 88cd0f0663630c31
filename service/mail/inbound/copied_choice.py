"""Copied choices: a line of the list in the mail, with or without its number and what it scores."""

import re
from collections.abc import Sequence

from service.mail.inbound.plain_text import folded

FEWEST_WORDS = 2  # of the beginning of a line
_SIGNS = re.compile(r"[^\w-]+")
_SCORE = re.compile(r":\s|\s\(")


def copied_choices(text: str, choices: Sequence[str], labels: Sequence[str]) -> list[int]:
    """The places of the choices whose line, or the beginning of it, is this text: one if it is
    clear. A line has the label of the choice, its notation, or both."""
    written = normal(text)
    if len(written.split()) < FEWEST_WORDS:
        return []
    lines = [line_forms(choice, label) for choice, label in zip(choices, labels)]
    begun = [
        place
        for place, known in enumerate(lines)
        if any(form == written or form.startswith(f"{written} ") for form in known)
    ]
    whole = [place for place in begun if written in lines[place]]
    return whole if len(whole) == 1 and _is_complete(written, lines[whole[0]], begun) else begun


def _is_complete(written: str, known: Sequence[str], begun: Sequence[int]) -> bool:
    """Whether the text is all of a line, or no other line begins like it."""
    return len(begun) == 1 or written in known[1:]


def line_forms(choice: str, label: str) -> tuple[str, ...]:
    """The forms of a line: the label without what it scores, all of it, and with its notation."""
    return (
        normal(_SCORE.split(label)[0]),
        normal(label),
        normal(f"{label} {choice}"),
    )


def normal(text: str) -> str:
    """The text in folded form, with blanks for all signs between words."""
    return _SIGNS.sub(" ", folded(text)).strip(" -")
