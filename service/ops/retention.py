"""Retention: rows that nobody needs any more are deleted, a batch in one transaction.

What verifying, auditing, replaying and exporting a game needs (its seed, moves and result) is never
deleted. `docs/operations.md` lists what goes when.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import (
    ColumnElement,
    CursorResult,
    Delete,
    Update,
    and_,
    delete,
    func,
    select,
    tuple_,
    update,
)

from service.accounts.sign_in import NO_CODE, SIGN_IN_FOR
from service.core.config import Retention
from service.core.current_settings import settings
from service.db.models import (
    Bounce,
    Decision,
    Delivery,
    Event,
    Game,
    Incoming,
    Invitation,
    KeptAnswer,
    Letter,
    LetterState,
    Person,
    Picture,
    SignIn,
    Webhook,
)
from service.db.session import Base, db, one_writes_at_a_time, table, transact
from service.db.write_lock import give_way
from service.mail.outgoing.reply_address import GOOD_FOR
from service.notify.rules import SIGN_IN

log = structlog.get_logger()

DELETED = Counter("laguna_retention_rows_total", "Rows deleted or emptied by retention", ["what"])
BATCH = 500  # rows of one transaction: others write in between
# That a letter was sent is known for as long as somebody may reply to it.
REPLIES_FOR = GOOD_FOR + timedelta(days=2)
UNUSED_PICTURES_FOR = timedelta(days=1)  # that no letter shows any more
CODE_EXPIRED = "The code that stood here is no longer good.\n"
NO_TEXT = "This mail is too old; what it said is no longer kept.\n"

Stop = Callable[[], bool]


class Due(NamedTuple):
    """What one rule would do now: how many rows, of which age in days."""

    what: str
    days: float
    rows: int


class Rule(NamedTuple):
    """One kind of rows, and when they are no longer needed."""

    what: str
    kept_for: timedelta
    count: Callable[[datetime], int]  # rows older than an instant
    batches: Callable[[datetime], Iterator[int]]  # deletes them; rows of each transaction


def purge(at: datetime, stop: Stop = lambda: False) -> int:
    """Delete what is older than it is kept, until asked to stop; how many rows that were."""
    return sum(_applied(rule, at, stop) for rule in rules(settings().retention))


def due(at: datetime) -> list[Due]:
    """What `purge` would delete now, and nothing is deleted."""
    found = [
        Due(rule.what, rule.kept_for / timedelta(days=1), rule.count(at - rule.kept_for))
        for rule in rules(settings().retention)
    ]
    db.session.rollback()
    return found


def _applied(rule: Rule, at: datetime, stop: Stop) -> int:
    rows = 0
    if stop():
        return rows
    for some in rule.batches(at - rule.kept_for):
        rows += some
        DELETED.labels(rule.what).inc(some)
        if stop():
            break
        if one_writes_at_a_time():
            give_way()
    if rows:
        log.info("retention", what=rule.what, rows=rows)
    return rows


def rules(kept: Retention) -> list[Rule]:
    """What is kept for how long; a setting of 0 keeps it for ever and has no rule."""
    days = {name: timedelta(days=number) for name, number in asdict(kept).items() if number}
    found = [_codes()]
    for name, made in _RULES.items():
        if name in days:
            found += made(days[name])
    return found


def _codes() -> Rule:
    """Of mails with a code to sign in only that there were some is kept longer than the code."""
    return _emptied(
        "sign-in codes",
        SIGN_IN_FOR,
        Letter,
        lambda before: and_(
            Letter.kind == SIGN_IN, Letter.created_at <= before, Letter.subject != NO_CODE
        ),
        subject=NO_CODE,
        text=CODE_EXPIRED,
        html=None,
    )


def _letters(kept_for: timedelta) -> list[Rule]:
    """Rows of letters: replies and links in them need them for a hundred days."""
    return [
        _deleted(
            "letters",
            max(kept_for, REPLIES_FOR),
            Letter,
            lambda before: and_(
                Letter.created_at < before, Letter.sent_at < before, Letter.next_try_at.is_(None)
            ),
        )
    ]


def _letter_texts(kept_for: timedelta) -> list[Rule]:
    shown = select(Letter.picture).where(Letter.picture.is_not(None))
    sent = and_(Letter.state == LetterState.sent, Letter.kind != SIGN_IN)
    return [
        _emptied(
            "texts of letters",
            kept_for,
            Letter,
            lambda before: and_(
                sent, Letter.created_at < before, Letter.sent_at < before, Letter.text != NO_TEXT
            ),
            text=NO_TEXT,
            html=None,
            picture=None,
        ),
        _deleted(
            "letters that were not sent",
            kept_for,
            Letter,
            lambda before: and_(
                Letter.sent_at.is_(None) | (Letter.kind == SIGN_IN),
                Letter.state != LetterState.skipped,
                Letter.created_at < before,
                Letter.next_try_at.is_(None),
            ),
        ),
        _deleted(
            "pictures",
            min(kept_for, UNUSED_PICTURES_FOR),
            Picture,
            lambda before: and_(Picture.made_at < before, Picture.digest.not_in(shown)),
        ),
    ]


def _skipped_letters(kept_for: timedelta) -> list[Rule]:
    return [
        _deleted(
            "skipped letters",
            kept_for,
            Letter,
            lambda before: and_(Letter.state == LetterState.skipped, Letter.created_at < before),
        )
    ]


def _deliveries(kept_for: timedelta) -> list[Rule]:
    return [
        _deleted(
            "webhook deliveries",
            kept_for,
            Delivery,
            lambda before: and_(Delivery.created_at < before, Delivery.next_try_at.is_(None)),
        )
    ]


def _invitations(kept_for: timedelta) -> list[Rule]:
    """An invitation that nobody used goes with its address, of one that was used the address."""
    return [
        _deleted(
            "expired invitations",
            kept_for,
            Invitation,
            lambda before: and_(Invitation.expires_at < before, Invitation.used_by.is_(None)),
        ),
        _emptied(
            "addresses of invitations",
            kept_for,
            Invitation,
            lambda before: and_(Invitation.expires_at < before, Invitation.email.is_not(None)),
            email=None,
            mailbox=None,
        ),
    ]


def _sign_ins(kept_for: timedelta) -> list[Rule]:
    return [_deleted("sign-ins", kept_for, SignIn, lambda before: SignIn.created_at < before)]


def _idempotency_answers(kept_for: timedelta) -> list[Rule]:
    return [
        _deleted(
            "idempotency answers",
            kept_for,
            KeptAnswer,
            lambda before: KeptAnswer.created_at < before,
        )
    ]


def _incoming_mails(kept_for: timedelta) -> list[Rule]:
    """The rows go with the letters that were answered."""
    return [
        _emptied(
            "texts of incoming mails",
            kept_for,
            Incoming,
            lambda before: and_(
                Incoming.received_at < before,
                Incoming.next_try_at.is_(None),
                Incoming.raw.is_not(None),
            ),
            raw=None,
            result=None,
        ),
        _deleted(
            "incoming mails without a letter",
            kept_for,
            Incoming,
            lambda before: and_(
                Incoming.received_at < before,
                Incoming.next_try_at.is_(None),
                Incoming.letter_id.is_(None),
            ),
        ),
        _deleted("bounces", kept_for, Bounce, lambda before: Bounce.at < before),
    ]


def _decisions(kept_for: timedelta) -> list[Rule]:
    return [Rule("decisions of finished games", kept_for, _count_decisions, _delete_decisions)]


def _events(kept_for: timedelta) -> list[Rule]:
    return [Rule("events", kept_for, _count_events, _delete_events)]


_RULES: dict[str, Callable[[timedelta], list[Rule]]] = {
    "idempotency_answers": _idempotency_answers,
    "sign_ins": _sign_ins,
    "skipped_letters": _skipped_letters,
    "letter_texts": _letter_texts,
    "incoming_mails": _incoming_mails,
    "letters": _letters,
    "deliveries": _deliveries,
    "invitations": _invitations,
    "decisions": _decisions,
    "events": _events,
}


# Rows of one table


def _deleted(
    what: str,
    kept_for: timedelta,
    model: type[Base],
    which: Callable[[datetime], ColumnElement[bool]],
) -> Rule:
    return _rule(what, kept_for, model, which, delete(model))


def _emptied(
    what: str,
    kept_for: timedelta,
    model: type[Base],
    which: Callable[[datetime], ColumnElement[bool]],
    **values: str | None,
) -> Rule:
    return _rule(what, kept_for, model, which, update(model).values(values))


def _rule(
    what: str,
    kept_for: timedelta,
    model: type[Base],
    which: Callable[[datetime], ColumnElement[bool]],
    change: Delete | Update,
) -> Rule:
    columns = table(model).primary_key.columns
    key = tuple_(*columns)

    def count(before: datetime) -> int:
        rows = select(func.count()).select_from(model).where(which(before))
        return db.session.execute(rows).scalar_one()

    def batches(before: datetime) -> Iterator[int]:
        some = select(*columns).where(which(before)).limit(BATCH).with_for_update(skip_locked=True)
        while rows := transact(lambda: _changed(change.where(key.in_(some)))):
            yield rows
            if rows < BATCH:
                return

    return Rule(what, kept_for, count, batches)


def _changed(change: Delete | Update) -> int:
    done = db.session.execute(change.execution_options(synchronize_session=False))
    assert isinstance(done, CursorResult)
    return done.rowcount


# Decisions: what a player answered in time is counted from those that are kept


def _ended_games(
    before: datetime, after: tuple[datetime, str] | None
) -> list[tuple[datetime, str]]:
    """Games with decisions that ended before an instant, the longest ago first."""
    query = (
        select(Game.ended_at, Game.id)
        .where(
            Game.ended_at < before,
            Game.ended_at.is_not(None),
            select(Decision.id).where(Decision.game_id == Game.id).exists(),
        )
        .order_by(Game.ended_at, Game.id)
        .limit(BATCH)
    )
    if after is not None:
        query = query.where(tuple_(Game.ended_at, Game.id) > after)
    found = db.session.execute(query).all()
    db.session.rollback()
    return [(ended_at, game_id) for ended_at, game_id in found if ended_at is not None]


def _count_decisions(before: datetime) -> int:
    return db.session.execute(
        select(func.count())
        .select_from(Decision)
        .join(Game, Game.id == Decision.game_id)
        .where(Game.ended_at < before)
    ).scalar_one()


def _delete_decisions(before: datetime) -> Iterator[int]:
    """A game in one transaction."""
    games = _ended_games(before, None)
    while games:
        for _, game_id in games:
            gone = delete(Decision).where(Decision.game_id == game_id)
            yield transact(lambda gone=gone: _changed(gone))  # type: ignore[misc]
        games = _ended_games(before, games[-1])


# Events: the log of a person loses its beginning, and stays without gaps


class _Log(NamedTuple):
    """The beginning of a person's log that may go: numbers from `first` up to before `kept`."""

    person_id: str
    first: int
    kept: int


def _count_events(before: datetime) -> int:
    return sum(log.kept - log.first for log in _logs(before))


def _delete_events(before: datetime) -> Iterator[int]:
    for one in _logs(before):
        for first in range(one.first, one.kept, BATCH):
            gone = delete(Event).where(
                Event.person_id == one.person_id,
                Event.number < min(first + BATCH, one.kept),
            )
            yield transact(lambda gone=gone: _changed(gone))  # type: ignore[misc]


def _logs(before: datetime) -> Iterator[_Log]:
    """The logs that begin before an instant, by person."""
    first = (
        select(func.min(Event.number))
        .where(Event.person_id == Person.id)
        .correlate(Person)
        .scalar_subquery()
    )
    query = (
        select(Person.id, Person.noticed, Person.last_event, Event.number)
        .join(Event, and_(Event.person_id == Person.id, Event.number == first))
        .where(Event.at < before)
        .order_by(Person.id)
        .limit(BATCH)
    )
    after = ""
    while people := db.session.execute(query.where(Person.id > after)).all():
        logs = [
            # The newest stays: with it a client sees that numbers before it are missing.
            _Log(person_id, start, min(last, _first_kept(person_id, noticed, before)))
            for person_id, noticed, last, start in people
        ]
        db.session.rollback()
        yield from (log for log in logs if log.kept > log.first)
        after = people[-1][0]


def _first_kept(person_id: str, noticed: int, before: datetime) -> int:
    """The number of the first event that somebody still needs: it is young, or not settled or
    delivered yet, or tells of a decision that is open and of which reminders follow."""
    opened = db.session.scalar(
        select(func.min(Decision.opened_at)).where(
            Decision.person_id == person_id, Decision.closed_at.is_(None)
        )
    )
    young = before if opened is None else min(before, opened)
    told = db.session.scalar(
        select(func.min(Webhook.told)).where(
            Webhook.person_id == person_id, Webhook.disabled_at.is_(None)
        )
    )
    done = noticed if told is None else min(noticed, told)
    kept = db.session.scalar(
        select(func.min(Event.number)).where(
            Event.person_id == person_id, (Event.number > done) | (Event.at >= young)
        )
    )
    return done + 1 if kept is None else kept
