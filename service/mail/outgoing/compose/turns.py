"""Composition of letters with one question: turns and reminders."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select

from engine.contract import Json
from service.db.models import Letter, LetterState
from service.db.session import execute
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.game_context import Question, wanted
from service.notify.notification_rules import ANSWER

# Letters are planned within less than this after their events: a letter that was sent so long after
# another one was planned contains the events of that one as well.
PLANNED_WITHIN = timedelta(minutes=2)


def turn(context: LetterContext) -> Composed:
    began = bool(context.letter.facts.get("began"))
    question = wanted(context).question(context.decision)
    same = (Letter.game_id == context.game_id, Letter.decision == context.decision)
    planned_at = must_be_new(context, *same)
    if _was_sent(context, ANSWER, planned_at - PLANNED_WITHIN, *same):
        raise NotNeeded("told_with_answer")
    return asking(context, "turn", question, {"began": began})


def reminder(context: LetterContext) -> Composed:
    question = wanted(context).question(context.decision)
    if question.due_at is None:
        raise NotNeeded("paused")
    if question.due_at <= context.at:
        raise NotNeeded("late")
    facts = question.about.facts() | question.facts()
    return context.written("reminder", facts, **question.answered())


def must_be_new(context: LetterContext, *same: ColumnElement[bool]) -> datetime:
    """Raise NotNeeded if another letter of this kind was sent after all letters that this one
    replaces were planned, such as after an outage of the mail server; the instant of the last of
    them."""
    letter = context.letter
    replaced = select(func.max(Letter.created_at)).where(
        Letter.person_id == context.reader.id,
        Letter.kind == letter.kind,
        (Letter.id == letter.id) | (Letter.reason == "joined"),
        *same,
    )
    planned_at = execute(replaced).scalar_one()
    if _was_sent(context, letter.kind, planned_at + PLANNED_WITHIN, *same):
        raise NotNeeded("joined")
    return planned_at


def _was_sent(
    context: LetterContext, kind: str, since: datetime, *same: ColumnElement[bool]
) -> bool:
    """Whether a letter of this kind was sent to the reader since an instant."""
    sent = select(Letter.id).where(
        Letter.person_id == context.reader.id,
        Letter.kind == kind,
        Letter.state == LetterState.sent,
        Letter.sent_at >= since,
        *same,
    )
    return execute(sent.limit(1)).first() is not None


def asking(context: LetterContext, kind: str, question: Question, more: Json) -> Composed:
    """A letter with one question that a reply can answer."""
    about = question.about
    facts = more | about.facts() | about.position() | question.facts()
    return context.written(kind, facts, about.picture(), **question.answered())
