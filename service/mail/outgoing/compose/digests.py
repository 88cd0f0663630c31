"""Composition of letters about several games, each with its letter of the alphabet: A, B, C..

A reply names a choice by that letter and its number ("A2").
"""

from collections.abc import Mapping
from string import ascii_uppercase

import structlog
from sqlalchemy import Row, bindparam, select

from engine.contract import Json
from service.db.models import Decision, Game
from service.db.session import error_fields, execute, is_transient
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.game_context import Question, Table
from service.mail.outgoing.compose.turns import asking, must_be_new
from service.notify.notification_rules import ANSWER, DIGEST

log = structlog.get_logger()

MOST_TURNS = 20  # in one letter
KEYS = ascii_uppercase[:MOST_TURNS]
MOST_LISTED = 8  # choices of a decision that is listed as a whole
BEST_LISTED = 5  # choices of a larger one

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


def digest(context: LetterContext) -> Composed:
    """All open decisions of the reader; a single one as in a letter about a turn."""
    waiting = list(execute(_OPEN, {"person": context.reader.id}))
    asked, failure = _asked_in(context, waiting, MOST_TURNS)
    if not asked:
        raise failure or NotNeeded("nothing_open")
    must_be_new(context)
    if len(asked) == 1 and not waiting:
        return asking(context, "turn", asked[0], {"began": False})
    keyed = dict(zip(KEYS, asked))
    facts = turns_facts(keyed, len(waiting)) | {"first": _first_deadline(asked)}
    return context.written(DIGEST, facts, games=games_facts(keyed))


def open_questions(context: LetterContext) -> tuple[dict[str, Question], int]:
    """The open decisions of the reader by their letters; how many more there are."""
    waiting = list(execute(_OPEN, {"person": context.reader.id}))
    asked, _ = _asked_in(context, waiting, MOST_TURNS)
    return dict(zip(KEYS, asked)), len(waiting)


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


def turns_facts(keyed: Mapping[str, Question], more: int) -> Json:
    """Facts of several questions for the templates, a few lines each."""
    return {
        "count": len(keyed) + more,
        "turns": [turn_facts(key, question) for key, question in keyed.items()],
        "more": more,
    }


def turn_facts(key: str, question: Question) -> Json:
    listed = _listed(question)
    return (
        question.about.facts()
        | question.facts()
        | {"key": key, "choices": listed, "unlisted": len(question.choices) - len(listed)}
        | {"revising": question.revising}
    )


def games_facts(keyed: Mapping[str, Question]) -> dict[str, Json]:
    """What a reply can answer in each game."""
    return {key: _game_facts(question) for key, question in keyed.items()}


def _game_facts(question: Question) -> Json:
    listed = _listed(question)
    return {
        "game_id": question.about.row.id,
        "decision": question.decision,
        "choices": [choice["text"] for choice in listed],
        "labels": [choice["label"] for choice in listed],
    }


def _listed(question: Question) -> list[Json]:
    """The choices that the letter lists, numbered from 1."""
    small = len(question.choices) <= MOST_LISTED
    return question.choices if small else question.choices[:BEST_LISTED]


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
