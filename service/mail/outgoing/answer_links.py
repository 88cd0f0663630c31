"""Answer links: the decision a letter asks for, answered by one of its numbered choices.

A letter may be in the hands of another person than its recipient. Its links allow that one
decision and show no more than the letter: the choices while it is open, afterwards that it is not.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from engine.decisions import best_premoves
from engine.play import to_ask
from service.access.games import GameAccess, access_by_letter, access_for_letter
from service.core.errors import Problem
from service.db.models import Decision, Letter, Status
from service.db.session import db
from service.games import views
from service.games.loaded_game import load_game
from service.games.moves import answer
from service.games.undo import was_withdrawn

BY_PLAYER = "player"


class DecisionState(StrEnum):
    """State of the decision a letter asks for."""

    open = "open"
    changeable = "changeable"  # answered, and the answer may still be changed
    answered = "answered"
    withdrawn = "withdrawn"  # the player took back the step that led to it
    decided = "decided"  # by a time-out, a bot or a premove
    over = "over"  # the game has ended
    resigned = "resigned"
    kept = "kept"  # a bot keeps the seat and has answered
    frozen = "frozen"
    nothing = "nothing"  # no decision, or the person has lost the seat


OPEN_STATES = (DecisionState.open, DecisionState.changeable)


class Question(NamedTuple):
    """The decision a letter asks for, with its choices in their numbered order."""

    person_id: str
    game_id: str
    decision: str
    choices: Sequence[str]
    asked_at: datetime


class Choice(NamedTuple):
    number: int
    label: str


class Asked(NamedTuple):
    """The current state of the decision a letter asks for."""

    state: DecisionState
    table: str
    due_at: datetime | None = None
    choices: Sequence[Choice] = ()  # while it is open


class Played(NamedTuple):
    """Result of a choice."""

    label: str
    changed: bool  # it replaces an earlier answer
    again: bool  # the player has another decision
    over: bool


def asked_by(letter: Letter, language: str) -> Asked:
    """The decision a letter asks for, with the labels of its choices."""
    question = _question_of(letter)
    if question is None:
        return Asked(DecisionState.nothing, "")
    return _asked(access_for_letter(question.person_id, question.game_id), question, language)


def _question_of(letter: Letter) -> Question | None:
    choices = letter.facts.get("choices")
    if letter.person_id is None or letter.game_id is None or letter.decision is None or not choices:
        return None
    asked_at = letter.sent_at or letter.created_at
    return Question(letter.person_id, letter.game_id, letter.decision, choices, asked_at)


def _asked(access: GameAccess, question: Question, language: str) -> Asked:
    row, loaded = access.game, load_game(access.game, access.seats)
    title = row.title or loaded.game.meta.title
    if row.status in (Status.finished, Status.cancelled):
        return Asked(DecisionState.over, title)
    if access.seat is None:
        return Asked(DecisionState.nothing, title)
    if access.resigned:
        return Asked(DecisionState.resigned, title)
    if loaded.frozen:
        return Asked(DecisionState.frozen, title)
    decision = db.session.get(Decision, (row.id, question.decision), populate_existing=True)
    is_open = decision is not None and decision.closed_at is None
    if loaded.seats[access.seat].away_since is not None and not is_open:
        return Asked(DecisionState.kept, title)
    if was_withdrawn(row.id, question.decision, question.asked_at):
        return Asked(DecisionState.withdrawn, title)
    shown = views.game_json(access, language=language)["decision"]
    if shown is None or shown["id"] != question.decision:
        by_player = decision is not None and decision.via == BY_PLAYER
        return Asked(DecisionState.answered if by_player else DecisionState.decided, title)
    plans = best_premoves(loaded.game, loaded.state, access.seat, loaded.names, language)
    labels = {move["text"]: move["label"] for move in [*shown["moves"], *plans]}
    return Asked(
        DecisionState.changeable if shown["revising"] else DecisionState.open,
        title,
        shown["due_at"],
        [
            Choice(number, labels[text])
            for number, text in enumerate(question.choices, start=1)
            if text in labels
        ],
    )


def play_choice(letter: Letter, number: int, language: str, at: datetime) -> Played:
    """Answer the decision a letter asks for by one of its choices; raises Problem."""
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
        asked.state == DecisionState.changeable,
        access.seat in to_ask(game, state),
        game.outcome(state) is not None,
    )
