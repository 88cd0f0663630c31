"""Record of the text that a stage of reading took off a mail."""

from collections.abc import Iterable
from typing import NamedTuple

# Stages in their order. `parse` and `classify` take no text off.
TEXT, QUOTE, FOOTER = "text", "quote", "footer"


class TakenOff(NamedTuple):
    """Text that is not the writer's own, with the stage that took it off and the reason."""

    stage: str
    why: str
    text: str


def taken_off(stage: str, why: str, lines: Iterable[str]) -> list[TakenOff]:
    """The record of these lines; none if they are blank."""
    text = "\n".join(lines).strip("\n")
    return [TakenOff(stage, why, text)] if text.strip() else []
