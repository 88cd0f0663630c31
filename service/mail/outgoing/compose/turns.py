"""Composition of letters with questions: turns, digests, reminders, and answers to replies."""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, Row, bindparam, func, select

from engine.contract import Json
from service.db.models import Decision, Game, Letter, LetterState
from service.db.session import error_fields, execute, is_transient
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.game_context import Question, Table, wanted
from service.notify.notification_rules import ANSWER, DIGEST

log = structlog.get_logger()

MOST_TURNS = 20  # in one letter
BEST_SHOWN = 3  # of each of several turns
# Letters are planned within less than this after their events: a letter that was sent so long after
# another one was planned contains the events of that one as well.
PLANNED_WITHIN = timedelta(minutes=2)

_OPEN = (
    select(Decision.game_id, Decision.id)
    .join(Game, Game.id == Decision.game_id)
    .where(
        Decision.person_id == bindparam("person"),
        Decision.closed_at.is_(None),
        Game.frozen_at.is_(None),
    )
    .order_by(Decision.due_at.is_(None), Decision.due_at, Decision.game_id)
)


def turn(context: LetterContext) -> Composed:
    began = bool(context.letter.facts.get("began"))
    question = wanted(context).question(context.decision)
    same = (Letter.game_id == context.game_id, Letter.decision == context.decision)
    planned_at = _must_be_new(context, *same)
    if _was_sent(context, ANSWER, planned_at - PLANNED_WITHIN, *same):
        raise NotNeeded("told_with_answer")
    return _asking(context, "turn", question, {"began": began})


def reminder(context: LetterContext) -> Composed:
    question = wanted(context).question(context.decision)
    if question.due_at is None:
        raise NotNeeded("paused")
    if question.due_at <= context.at:
        raise NotNeeded("late")
    return _asking(context, "reminder", question, {})


def _must_be_new(context: LetterContext, *same: ColumnElement[bool]) -> datetime:
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


def _asking(context: LetterContext, kind: str, question: Question, more: Json) -> Composed:
    """A letter with one question that a reply can answer."""
    about = question.about
    facts = more | about.facts() | about.position() | question.facts()
    return context.written(
        kind,
        facts,
        about.picture(),
        game_id=about.row.id,
        decision=question.decision,
        choices=tuple(choice["text"] for choice in question.choices),
        deadline=question.deadline(),
    )


def digest(context: LetterContext) -> Composed:
    """All open decisions of the reader; a single one as in a letter about a turn."""
    waiting = list(execute(_OPEN, {"person": context.reader.id}))
    asked, failure = _asked_in(context, waiting, MOST_TURNS)
    if not asked:
        raise failure or NotNeeded("nothing_open")
    _must_be_new(context)
    if len(asked) == 1 and not waiting:
        return _asking(context, "turn", asked[0], {"began": False})
    return context.written(DIGEST, _turns(asked, len(waiting)))


def _asked_in(
    context: LetterContext, waiting: list[Row[str, str]], most: int
) -> tuple[list[Question], Exception | None]:
    """The first questions, which are removed from `waiting`; the failure if some are missing."""
    asked: list[Question] = []
    failure: Exception | None = None
    while waiting and len(asked) < most:
        game_id, decision = waiting.pop(0)
        try:
            about = Table(context, game_id)
            if about.muted and context.letter.kind != ANSWER:
                continue
            asked.append(about.question(decision))
        except NotNeeded:
            continue
        except Exception as error:  # one broken game must not suppress the others
            if is_transient(error):
                raise
            log.error(
                "turn_left_out", game=game_id, letter=context.letter.id, **error_fields(error)
            )
            failure = error
    return asked, failure


def _turns(asked: list[Question], more: int) -> Json:
    """Facts of several questions, a few lines each."""
    turns = [
        question.about.facts()
        | question.facts()
        | {"choices": question.choices[:BEST_SHOWN], "all": len(question.choices)}
        for question in asked
    ]
    return {
        "count": len(asked) + more,
        "first": _first_deadline(asked),
        "turns": turns,
        "more": more,
    }


def _first_deadline(asked: list[Question]) -> str | None:
    first = min((one.due_at for one in asked if one.due_at is not None), default=None)
    if first is None:
        return None
    context = asked[0].about.context
    if first <= context.at:
        return context.ends(first)
    moment, left = context.moment(first), context.left(first)
    return context.say(
        "The first deadline is %(moment)s; that leaves %(left)s.", moment=moment, left=left
    )


def answer(context: LetterContext) -> Composed:
    """The answer to a reply: results or refusal, requested information, and the open question of
    the reader."""
    facts = context.letter.facts
    shown = {"said": facts.get("said", []), "refused": facts.get("refused")}
    shown |= {"show": facts.get("show", []), "confirm": facts.get("confirm")}
    shown |= {"waiting": None, "question": None, "wishes": None}
    if "games" in shown["show"]:
        waiting = list(execute(_OPEN, {"person": context.reader.id}))
        asked, _ = _asked_in(context, waiting, MOST_TURNS)
        shown["waiting"] = _turns(asked, len(waiting))
    if context.letter.game_id is None:
        return context.written(ANSWER, shown | {"named": None, "link": context.link("/")})
    about = Table(context, context.letter.game_id)
    if "help" in shown["show"]:
        shown["wishes"] = about.game.preference_labels(
            about.game.all_preferences(), context.language
        )
    return _answer_about(context, about, shown | about.facts())


def _answer_about(context: LetterContext, about: Table, shown: Json) -> Composed:
    if about.access.seat is None or not about.loaded.begun or about.loaded.frozen:
        shown["show"] = [what for what in shown["show"] if what in ("help", "games")]
        return context.written(ANSWER, shown, game_id=about.row.id)
    if "log" in shown["show"]:
        shown["log"] = about.log()
    if "rules" in shown["show"]:
        shown["summary"] = about.game.about(context.language).summary
        guide = about.game.guide(context.language)
        shown["guide"] = [f"{topic.title}: {topic.text}" for topic in guide]
    question = about.open_question(revising="choices" in shown["show"])
    if question is not None:
        return _asking(context, ANSWER, question, shown)
    if "board" not in shown["show"]:
        return context.written(ANSWER, shown, game_id=about.row.id)
    return context.written(ANSWER, shown | about.position(), about.picture(), game_id=about.row.id)
