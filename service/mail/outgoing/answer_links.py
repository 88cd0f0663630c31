"""Answering what a letter asked, by one of the choices it had; the letter is all that is shown.

Who has a letter may be somebody else than whom it was written to. They can make the one decision
it asks for, and learn no more than the letter told: which choices there are as long as it is
open, and afterwards that it is not.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from engine.play import to_ask
from service.access.games import GameAccess, access_by_letter, access_for_letter
from service.core.errors import Problem
from service.db.models import Decision, Status
from service.db.session import execute, table
from service.games import views
from service.games.loaded_game import load_game
from service.games.moves import answer

BY_PLAYER = "player"


class Standing(StrEnum):
    """How it is with what a letter asked."""

    open = "open"
    changeable = "changeable"  # answered, and the answer may still be changed
    answered = "answered"
    decided = "decided"  # by the house: time was up, or a bot or a plan answered
    over = "over"  # the game is
    resigned = "resigned"
    kept = "kept"  # by a bot, which has answered this
    frozen = "frozen"
    nothing = "nothing"  # it asked nothing, or not of somebody who still sits there


ASKS = (Standing.open, Standing.changeable)


class Question(NamedTuple):
    """What a letter asks of whom: one decision, with its choices as they were numbered."""

    person_id: str
    game_id: str
    decision: str
    choices: Sequence[str]


class Choice(NamedTuple):
    number: int
    label: str


class Asked(NamedTuple):
    """What a letter asked, as it is now."""

    standing: Standing
    table: str
    due_at: datetime | None = None
    choices: Sequence[Choice] = ()  # while it asks


class Played(NamedTuple):
    """What came of a choice."""

    label: str
    changed: bool  # an earlier answer was
    again: bool  # it is their turn once more
    over: bool


_DECISION = table(Decision)
_HOW = select(_DECISION.c.due_at, _DECISION.c.closed_at, _DECISION.c.via).where(
    _DECISION.c.game_id == bindparam("game"), _DECISION.c.id == bindparam("decision")
)


def asked_by(letter: Any, language: str) -> Asked:
    """What a letter asked, in the words of its choices."""
    question = _question_of(letter)
    if question is None:
        return Asked(Standing.nothing, "")
    return _asked(access_for_letter(question.person_id, question.game_id), question, language)


def _question_of(letter: Any) -> Question | None:
    choices = letter.facts.get("choices")
    named = (letter.person_id, letter.game_id, letter.decision)
    return None if None in named or not choices else Question(*named, choices)


def _asked(access: GameAccess, question: Question, language: str) -> Asked:
    row, loaded = access.game, load_game(access.game, access.seats)
    title = row.title or loaded.game.meta.title
    if row.status in (Status.finished, Status.cancelled):
        return Asked(Standing.over, title)
    if access.seat is None:
        return Asked(Standing.nothing, title)
    if access.resigned:
        return Asked(Standing.resigned, title)
    if loaded.frozen:
        return Asked(Standing.frozen, title)
    how = execute(_HOW, {"game": row.id, "decision": question.decision}).one_or_none()
    waits = how is not None and how.closed_at is None
    if loaded.seats[access.seat].away_since is not None and not waits:
        return Asked(Standing.kept, title)
    shown = views.game_json(access, language=language)["decision"]
    if shown is None or shown["id"] != question.decision:
        by_player = how is not None and how.via == BY_PLAYER
        return Asked(Standing.answered if by_player else Standing.decided, title)
    labels = {move["text"]: move["label"] for move in shown["moves"]}
    return Asked(
        Standing.changeable if shown["revising"] else Standing.open,
        title,
        shown["due_at"],
        [
            Choice(number, labels[text])
            for number, text in enumerate(question.choices, start=1)
            if text in labels
        ],
    )


def play_choice(letter: Any, number: int, language: str, at: datetime) -> Played:
    """Answer what a letter asked by one of its choices; raises Problem."""
    question = _question_of(letter)
    if question is None:
        raise Problem("not_found", "This mail asks nothing.")
    access = access_by_letter(question.person_id, question.game_id)
    asked = _asked(access, question, language)
    label = next((choice.label for choice in asked.choices if choice.number == number), None)
    if label is None:
        raise Problem("decision_closed", "This choice is not open.")
    result = answer(access, question.decision, [question.choices[number - 1]], at)
    game, state = result.loaded.game, result.state
    return Played(
        label,
        asked.standing == Standing.changeable,
        access.seat in to_ask(game, state),
        game.outcome(state) is not None,
    )
