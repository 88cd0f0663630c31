"""Retention: deletes rows that are no longer needed, a batch in one transaction.

The seed, moves and result of a game are never deleted: verifying, auditing, replaying and exporting
it need them. `docs/operations.md` lists the periods.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

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
    true,
    tuple_,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute

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
from service.db.session import Base, db, table, transact
from service.db.sqlite import give_way
from service.mail.outgoing.reply_address import GOOD_FOR, PLAY
from service.notify.notification_rules import CONFIRMATION, SIGN_IN

log = structlog.get_logger()

DELETED = Counter("laguna_retention_rows_total", "Rows deleted or emptied by retention", ["what"])
BATCH = 500  # rows of one transaction: others write in between
REPLIES_FOR = GOOD_FOR + timedelta(days=2)  # replies and links in a letter need its row
UNUSED_PICTURES_FOR = timedelta(days=1)
STRANGERS_FOR = timedelta(days=1)  # an address without an account that wrote and did not confirm
CODE_EXPIRED = "The code that stood here is no longer good.\n"
NO_TEXT = "This mail is too old; what it said is no longer kept.\n"

Stop = Callable[[], bool]


class Due(NamedTuple):
    """Rows that one rule would delete or empty now, and their age in days."""

    what: str
    days: float
    rows: int


class Rule(NamedTuple):
    """Rows of one kind and the period for which they are kept."""

    what: str
    kept_for: timedelta
    count: Callable[[datetime], int]  # rows older than an instant
    batches: Callable[[datetime], Iterator[int]]  # deletes them; rows of each transaction


def purge(at: datetime, stop: Stop = lambda: False) -> int:
    """Apply all rules until asked to stop; the number of rows."""
    return sum(_apply(rule, at, stop) for rule in rules(settings().retention))


def due(at: datetime) -> list[Due]:
    """The rows that `purge` would delete or empty now."""
    found = [
        Due(rule.what, rule.kept_for / timedelta(days=1), rule.count(at - rule.kept_for))
        for rule in rules(settings().retention)
    ]
    db.session.rollback()
    return found


def _apply(rule: Rule, at: datetime, stop: Stop) -> int:
    rows = 0
    if stop():
        return rows
    for some in rule.batches(at - rule.kept_for):
        rows += some
        DELETED.labels(rule.what).inc(some)
        if stop():
            break
        give_way(db.engine)
    if rows:
        log.info("retention", what=rule.what, rows=rows)
    return rows


def rules(kept: Retention) -> list[Rule]:
    """The rules for these settings; rows with a setting of 0 are kept for ever."""
    days = {name: timedelta(days=number) for name, number in asdict(kept).items() if number}
    found = [_CODES.rule(SIGN_IN_FOR)]
    found += [rule.rule(STRANGERS_FOR) for rule in _STRANGERS]
    found += [rule.rule(days[rule.setting]) for rule in _TABLE_RULES if rule.setting in days]
    if "decisions" in days:
        name = "decisions of finished games"
        found.append(Rule(name, days["decisions"], _count_decisions, _delete_decisions))
    if "events" in days:
        found.append(Rule("events", days["events"], _count_events, _delete_events))
    return found


class TableRule(NamedTuple):
    """Old rows of one table that are deleted, or whose columns get the values of `emptied`."""

    setting: str  # of Retention
    what: str
    ages: Sequence[InstrumentedAttribute[Any]]  # all of these instants are old
    which: ColumnElement[bool] = true()
    emptied: Mapping[str, str | None] | None = None
    at_least: timedelta = timedelta()
    at_most: timedelta = timedelta.max

    def rule(self, kept_for: timedelta) -> Rule:
        period = min(max(kept_for, self.at_least), self.at_most)
        return Rule(self.what, period, self._count, self._batches)

    @property
    def model(self) -> type[Base]:
        return cast(type[Base], self.ages[0].class_)

    def _old(self, before: datetime) -> ColumnElement[bool]:
        return and_(*(age < before for age in self.ages), self.which)

    def _count(self, before: datetime) -> int:
        rows = select(func.count()).select_from(self.model).where(self._old(before))
        return db.session.execute(rows).scalar_one()

    def _batches(self, before: datetime) -> Iterator[int]:
        key = table(self.model).primary_key.columns
        some = select(*key).where(self._old(before)).limit(BATCH)
        change: Delete | Update = delete(self.model)
        if self.emptied is not None:
            change = update(self.model).values(self.emptied)
        change = change.where(tuple_(*key).in_(some.with_for_update(skip_locked=True)))
        while rows := transact(lambda: _delete_batch(change)):
            yield rows
            if rows < BATCH:
                return


def _delete_batch(change: Delete | Update) -> int:
    done = db.session.execute(change.execution_options(synchronize_session=False))
    assert isinstance(done, CursorResult)
    return done.rowcount


_NO_ATTEMPT_LEFT = Letter.next_try_at.is_(None)
_SHOWN_PICTURES = select(Letter.picture).where(Letter.picture.is_not(None))
_PROCESSED = Incoming.next_try_at.is_(None)

_CODES = TableRule(
    "",
    "sign-in codes",
    [Letter.created_at],
    (Letter.kind == SIGN_IN) & (Letter.subject != NO_CODE),
    {"subject": NO_CODE, "text": CODE_EXPIRED, "html": None},
)

_STRANGERS = (
    TableRule(  # with the replies to them
        "",
        "unanswered confirmations",
        [Letter.created_at],
        and_(Letter.kind == CONFIRMATION, Letter.person_id.is_(None), _NO_ATTEMPT_LEFT),
    ),
    TableRule(
        "",
        "mails to the own address",
        [Incoming.received_at],
        and_(_PROCESSED, Incoming.letter_id.is_(None), Incoming.purpose == PLAY),
    ),
)

_TABLE_RULES = (
    TableRule("idempotency_answers", "idempotency answers", [KeptAnswer.created_at]),
    TableRule("sign_ins", "sign-ins", [SignIn.created_at]),
    TableRule(
        "skipped_letters",
        "skipped letters",
        [Letter.created_at],
        Letter.state == LetterState.skipped,
    ),
    TableRule(
        "letter_texts",
        "texts of letters",
        [Letter.created_at, Letter.sent_at],
        and_(Letter.state == LetterState.sent, Letter.kind != SIGN_IN, Letter.text != NO_TEXT),
        {"text": NO_TEXT, "html": None, "picture": None},
    ),
    TableRule(
        "letter_texts",
        "letters that were not sent",
        [Letter.created_at],
        and_(
            Letter.sent_at.is_(None) | (Letter.kind == SIGN_IN),
            Letter.state != LetterState.skipped,
            _NO_ATTEMPT_LEFT,
        ),
    ),
    TableRule(
        "letter_texts",
        "pictures",
        [Picture.made_at],
        Picture.digest.not_in(_SHOWN_PICTURES),
        at_most=UNUSED_PICTURES_FOR,
    ),
    TableRule(  # the rows go with the letters that they answer
        "incoming_mails",
        "texts of incoming mails",
        [Incoming.received_at],
        _PROCESSED & Incoming.raw.is_not(None),
        {"raw": None, "result": None},
    ),
    TableRule(
        "incoming_mails",
        "incoming mails without a letter",
        [Incoming.received_at],
        _PROCESSED & Incoming.letter_id.is_(None),
    ),
    TableRule("incoming_mails", "bounces", [Bounce.at]),
    TableRule(
        "letters",
        "letters",
        [Letter.created_at, Letter.sent_at],
        _NO_ATTEMPT_LEFT,
        at_least=REPLIES_FOR,
    ),
    TableRule(
        "deliveries",
        "webhook deliveries",
        [Delivery.created_at],
        Delivery.next_try_at.is_(None),
    ),
    TableRule(
        "invitations",
        "expired invitations",
        [Invitation.expires_at],
        Invitation.used_by.is_(None),
    ),
    TableRule(
        "invitations",
        "addresses of invitations",
        [Invitation.expires_at],
        Invitation.email.is_not(None),
        {"email": None, "mailbox": None},
    ),
)


def _ended_games(before: datetime) -> Sequence[str]:
    """A batch of games that ended before an instant and have decisions."""
    found = db.session.scalars(
        select(Game.id)
        .where(
            Game.ended_at < before, select(Decision.id).where(Decision.game_id == Game.id).exists()
        )
        .order_by(Game.ended_at, Game.id)
        .limit(BATCH)
    ).all()
    db.session.rollback()
    return found


def _count_decisions(before: datetime) -> int:
    return db.session.execute(
        select(func.count())
        .select_from(Decision)
        .join(Game, Game.id == Decision.game_id)
        .where(Game.ended_at < before)
    ).scalar_one()


def _delete_decisions(before: datetime) -> Iterator[int]:
    """All decisions of a game in one transaction: statistics count games that still have them."""
    while games := _ended_games(before):
        for game_id in games:
            gone = delete(Decision).where(Decision.game_id == game_id)
            yield transact(lambda gone=gone: _delete_batch(gone))  # type: ignore[misc]


class _OldEvents(NamedTuple):
    """Events at the beginning of a person's log that may go: from `first` to before `kept`."""

    person_id: str
    first: int
    kept: int


def _count_events(before: datetime) -> int:
    return sum(old.kept - old.first for old in _old_events(before))


def _delete_events(before: datetime) -> Iterator[int]:
    """A log loses its beginning only, so that it stays without gaps."""
    for old in _old_events(before):
        for first in range(old.first, old.kept, BATCH):
            gone = delete(Event).where(
                Event.person_id == old.person_id, Event.number < min(first + BATCH, old.kept)
            )
            yield transact(lambda gone=gone: _delete_batch(gone))  # type: ignore[misc]


def _old_events(before: datetime) -> Iterator[_OldEvents]:
    """Old events of every person, by person."""
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
        found = [
            # The newest stays: by it a client sees that numbers before it are missing.
            _OldEvents(person_id, start, min(last, _first_kept(person_id, noticed, before)))
            for person_id, noticed, last, start in people
        ]
        db.session.rollback()
        yield from (old for old in found if old.kept > old.first)
        after = people[-1][0]


def _first_kept(person_id: str, noticed: int, before: datetime) -> int:
    """The number of the first event that is still needed: it is young, not yet settled or
    delivered, or belongs to an open decision, for which reminders follow."""
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
