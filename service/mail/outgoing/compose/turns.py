"""Letters that ask something: turns, one or several, reminders, and answers to replies."""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import Select, bindparam, func, or_, select

from engine.contract import Json
from service.db.models import Decision, Game, Letter, LetterState
from service.db.session import AnyRow, error_fields, execute, is_transient, table
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.game_context import Question, Table, wanted
from service.notify.rules import ANSWER, DIGEST

log = structlog.get_logger()

MOST_TURNS = 20  # in one letter
BEST_SHOWN = 3  # of each of several turns
# Which letters follow from what happened is settled in less than this: a letter that was written
# so long after another one was settled told the same, as far as it was still true.
SETTLED_WITHIN = timedelta(minutes=2)

_GAME, _DECISION, _LETTER = (table(model) for model in (Game, Decision, Letter))
_OPEN = (
    select(*_DECISION.c["game_id", "id", "due_at"])
    .select_from(_DECISION.join(_GAME, _GAME.c.id == _DECISION.c.game_id))
    .where(
        _DECISION.c.person_id == bindparam("person"),
        _DECISION.c.closed_at.is_(None),
        _GAME.c.frozen_at.is_(None),
    )
    .order_by(_DECISION.c.due_at.is_(None), _DECISION.c.due_at, _DECISION.c.game_id)
)
_OF_KIND = select(_LETTER.c.id).where(
    _LETTER.c.person_id == bindparam("person"), _LETTER.c.kind == bindparam("kind")
)
_ABOUT_DECISION = (_LETTER.c.game_id == bindparam("game")) & (
    _LETTER.c.decision == bindparam("decision")
)
_STANDS_FOR = or_(_LETTER.c.id == bindparam("letter"), _LETTER.c.reason == "joined")
_SENT_SINCE = (_LETTER.c.state == LetterState.sent) & (_LETTER.c.sent_at >= bindparam("since"))
_NEWEST = _OF_KIND.where(_STANDS_FOR).with_only_columns(func.max(_LETTER.c.created_at).label("at"))
_NEWEST_OF_ALL, _NEWEST_OF_ONE = _NEWEST, _NEWEST.where(_ABOUT_DECISION)
_TOLD = _OF_KIND.where(_SENT_SINCE).limit(1)
_TOLD_OF_ALL, _TOLD_OF_ONE = _TOLD, _TOLD.where(_ABOUT_DECISION)


def turn(context: LetterContext) -> Composed:
    began = bool(context.letter.facts.get("began"))
    question = wanted(context).question(context.letter.decision)
    settled_at = _must_be_new(context, _NEWEST_OF_ONE, _TOLD_OF_ONE)
    asked = {"person": context.reader.id, "kind": ANSWER, "since": settled_at - SETTLED_WITHIN}
    asked |= {"game": context.letter.game_id, "decision": context.letter.decision}
    if execute(_TOLD_OF_ONE, asked).first() is not None:
        raise NotNeeded("told_with_answer")
    return _asking(context, "turn", question, {"began": began})


def reminder(context: LetterContext) -> Composed:
    question = wanted(context).question(context.letter.decision)
    if question.due_at is None:
        raise NotNeeded("paused")
    if question.due_at <= context.at:
        raise NotNeeded("late")
    return _asking(context, "reminder", question, {})


def _must_be_new(context: LetterContext, newest: Select[datetime], told: Select[str]) -> datetime:
    """Raise NotNeeded if another letter of this kind was sent after everything was settled that
    this one stands for: several that could not be sent all go when the mail server is back. When
    the last of it was settled."""
    letter = context.letter
    known = {"person": context.reader.id, "kind": letter.kind, "letter": letter.id}
    known |= {"game": letter.game_id, "decision": letter.decision}
    settled_at = execute(newest, known).scalar_one()
    if execute(told, known | {"since": settled_at + SETTLED_WITHIN}).first() is not None:
        raise NotNeeded("joined")
    return settled_at


def _asking(context: LetterContext, kind: str, question: Question, more: Json) -> Composed:
    """A letter with one question, which a reply can answer."""
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
    """Everything that waits for the reader; a single question as in its own letter."""
    waiting = list(execute(_OPEN, {"person": context.reader.id}))
    asked, failure = _asked_in(context, waiting, MOST_TURNS)
    if not asked:
        raise failure or NotNeeded("nothing_open")
    _must_be_new(context, _NEWEST_OF_ALL, _TOLD_OF_ALL)
    if len(asked) == 1 and not waiting:
        return _asking(context, "turn", asked[0], {"began": False})
    return context.written(DIGEST, _turns(asked, len(waiting)))


def _asked_in(
    context: LetterContext, waiting: list[AnyRow], most: int
) -> tuple[list[Question], Exception | None]:
    """The first questions of those that wait, which are taken off; why others are missing."""
    asked: list[Question] = []
    failure: Exception | None = None
    while waiting and len(asked) < most:
        row = waiting.pop(0)
        try:
            about = Table(context, row.game_id)
            if about.quiet and context.letter.kind != ANSWER:
                continue
            asked.append(about.question(row.id))
        except NotNeeded:
            continue
        except Exception as error:  # one game that cannot be read must not silence the others
            if is_transient(error):
                raise
            log.error(
                "turn_left_out", game=row.game_id, letter=context.letter.id, **error_fields(error)
            )
            failure = error
    return asked, failure


def _turns(asked: list[Question], more: int) -> Json:
    """Several questions in a few lines each."""
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
    """The answer to a reply: what was done or why it was not, what was asked for, and, if it is
    the reader's move, the whole question."""
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
