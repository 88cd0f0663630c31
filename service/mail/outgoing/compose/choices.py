"""Choices of a letter as it lists them: a few to tap on, the others as lines."""

import re
from collections.abc import Sequence
from itertools import pairwise

from engine.contract import GameType, Json
from engine.errors import Unreadable

MOST_FIRST = 6  # a decision with as many choices has all of them on top
BEST_FIRST = 5  # of a larger one
_DETAILS = re.compile(r"[:(;]")  # after the name of a move, its label has its points


def shown_choices(game: GameType, choices: Sequence[Json], premoves: Sequence[Json]) -> Json:
    """Facts of a template: `first` are the choices on top, `plans` those with a premove, `rest` the
    others; all with their numbers. `short` is what a line says after the choice before it."""
    listed = [_listed(game, number, one) for number, one in enumerate([*choices, *premoves], 1)]
    for before, one in pairwise(listed):
        one["short"] = _shortened(one["label"], before["label"])
    first = len(choices) if len(choices) <= MOST_FIRST else BEST_FIRST
    return {
        "first": listed[:first],
        "rest": listed[first : len(choices)],
        "plans": listed[len(choices) :],
    }


def _listed(game: GameType, number: int, choice: Json) -> Json:
    """A choice; its notation only if its label is not understood in a reply."""
    label, text = choice["label"], choice["text"]
    notation = None if _understood(game, label) == text else text
    return {"number": number, "label": label, "notation": notation, "short": label}


def _shortened(label: str, before: str) -> str:
    """The word in which a label differs from the one before it, such as a place; the whole label if
    it differs in more, or in a number."""
    words, others = label.split(), before.split()
    differing = [word for word, other in zip(words, others) if word != other]
    if len(words) != len(others) or len(differing) != 1:
        return label
    word = differing[0].rstrip(":,;")
    return label if word.isdigit() else word


def _understood(game: GameType, label: str) -> str | None:
    """The notation of the move whose name a label begins with; None if it is not readable."""
    try:
        return game.format(game.parse(_DETAILS.split(label)[0].strip()))
    except Unreadable:
        return None
