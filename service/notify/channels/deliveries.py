"""Deliveries: events on their way to webhooks.

Events become deliveries (`write_deliveries`), and deliveries are sent (`attempt`) until they
arrive or there is no hope. The worker calls both; several may do so at once. A delivery is
claimed before it is sent and sent outside any transaction, so that a slow address holds nothing
up. Who dies while sending leaves a claim that runs out: a delivery may arrive twice, with the
same id, but is never lost.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

import orjson
import structlog
from sqlalchemy import and_, func, insert, or_, select, update

from engine.contract import Json
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import new_id
from service.core.pagination import cursor_from, read_cursor, read_instant
from service.core.rate_limits import check_rate
from service.db.models import Delivery, Person, Webhook
from service.db.models.events_webhooks import DeliveryState
from service.db.session import db, transact
from service.notify.channels.webhook_request import Call, Outcome, make_call, next_try
from service.notify.channels.webhooks import (
    DISABLED,
    drop,
    locked,
    note_failure,
    note_success,
    switch_off,
)
from service.notify.event_log import Entry, event_json, events_after, record_events
from service.notify.rules import calls_for

log = structlog.get_logger()

TEST = "webhook.test"
TEST_NUMBER = 0  # in its body, where an event has the number of the log, which begins with 1
CLAIM_FOR = timedelta(minutes=2)  # much longer than an attempt can take

EVENTS_AT_ONCE = 100  # for one webhook


def write_test(webhook: Webhook, at: datetime) -> Delivery:
    """A delivery that says nothing but that deliveries arrive. It is tried once."""
    _must_be_enabled(webhook)
    _check_tests(webhook)
    if _has_pending_test(webhook):
        raise Problem(
            "too_many_deliveries",
            "A test is under way; wait for its result.",
            headers={"Retry-After": "15"},
        )
    event = {
        "number": TEST_NUMBER,
        "type": TEST,
        "game": None,
        "at": at,
        "data": {"webhook": webhook.id},
    }
    delivery = Delivery(**_delivery(webhook.id, event, at))
    db.session.add(delivery)
    db.session.flush()
    return delivery


def resend(webhook: Webhook, delivery: Delivery, at: datetime) -> None:
    """Send a delivery again, arrived or not, with the same id and as many attempts as a new one."""
    _must_be_enabled(webhook)
    _check_tests(webhook)
    delivery.state = DeliveryState.pending
    delivery.attempts = 0
    delivery.status = delivery.error = delivery.sent_at = None
    delivery.next_try_at = at


def _check_tests(webhook: Webhook) -> None:
    check_rate(
        settings().limits.webhook_tests,
        "webhook-tests",
        webhook.id,
        "too_many_deliveries",
        "You test this webhook, or send again, too often",
    )


def _has_pending_test(webhook: Webhook) -> bool:
    query = select(Delivery.id).where(
        Delivery.webhook_id == webhook.id,
        Delivery.type == TEST,
        Delivery.next_try_at.is_not(None),
    )
    return db.session.execute(query.limit(1)).first() is not None


def _must_be_enabled(webhook: Webhook) -> None:
    if webhook.disabled_at is not None:
        raise Problem("webhook_disabled", "Switch the webhook on again first.")


def _delivery(webhook_id: str, event: Json, at: datetime) -> Json:
    """The columns of a new delivery. Its body is the same at every attempt, to the byte."""
    body = {"type": event["type"], "timestamp": event["at"], "data": event}
    return {
        "id": new_id(),
        "webhook_id": webhook_id,
        "number": event["number"] or None,
        "type": event["type"],
        "body": orjson.dumps(body).decode(),
        "state": DeliveryState.pending,
        "attempts": 0,
        "created_at": at,
        "next_try_at": at,
    }


def deliveries_of(
    webhook: Webhook, cursor: str | None, limit: int
) -> tuple[list[Delivery], str | None]:
    """A page of deliveries, newest first, and where the next begins."""
    query = select(Delivery).where(Delivery.webhook_id == webhook.id)
    number = func.coalesce(Delivery.number, 0)  # those written together, by their events
    before = read_cursor(cursor, str, int, str)
    if before is not None:
        created = read_instant(before[0])
        query = query.where(
            or_(
                Delivery.created_at < created,
                and_(Delivery.created_at == created, number < before[1]),
                and_(Delivery.created_at == created, number == before[1], Delivery.id < before[2]),
            )
        )
    rows = db.session.scalars(
        query.order_by(Delivery.created_at.desc(), number.desc(), Delivery.id.desc()).limit(
            limit + 1
        )
    ).all()
    shown = list(rows[:limit])
    if len(rows) <= limit:
        return shown, None
    last = shown[-1]
    return shown, cursor_from(last.created_at.isoformat(), last.number or 0, last.id)


def write_deliveries(at: datetime, limit: int) -> int:
    """Write deliveries for what people were told since, for at most so many webhooks.

    Returns how many webhooks were brought forward: call again until it is none. The webhooks of a
    suspended person wait.
    """
    return transact(lambda: _write_deliveries(at, limit))


_BEHIND = (
    select(Webhook.id, Webhook.person_id, Webhook.types, Webhook.told, Person.last_event)
    .join(Person, Person.id == Webhook.person_id)
    .where(
        Webhook.disabled_at.is_(None),
        Webhook.told < Person.last_event,
        Person.suspended_at.is_(None),
    )
    .order_by(Webhook.id)
    .with_for_update(of=Webhook, skip_locked=True, key_share=True)
)


def _write_deliveries(at: datetime, limit: int) -> int:
    forward = 0
    for webhook in db.session.execute(_BEHIND.limit(limit)).all():
        events = events_after(webhook.person_id, webhook.told, EVENTS_AT_ONCE)
        told = events[-1].number if events else webhook.last_event
        brought = db.session.execute(
            update(Webhook)
            .where(Webhook.id == webhook.id, Webhook.told == webhook.told)
            .values(told=told)
            .returning(Webhook.id)
            .execution_options(synchronize_session=False)
        ).one_or_none()
        if brought is None:
            continue
        forward += 1
        wanted = [event for event in events if calls_for(event.type, webhook.types)]
        if wanted:
            db.session.execute(
                insert(Delivery),
                [_delivery(webhook.id, event_json(event), at) for event in wanted],
            )
    return forward


class Due(NamedTuple):
    """A delivery that is due, and the person it is for; for a bot, its owner."""

    id: str
    person_id: str


def due_deliveries(at: datetime, limit: int, each: int, without: Collection[str] = ()) -> list[Due]:
    """Deliveries to attempt now, at most `each` of one person: the longest waiting of every
    person, then the second of every person, and so on. `without` names people to leave out."""
    person = func.coalesce(Person.owner_id, Person.id)
    waiting = (Delivery.next_try_at, Delivery.number, Delivery.id)
    place = func.row_number().over(partition_by=person, order_by=waiting)
    due = (
        select(
            Delivery.id,
            person.label("person_id"),
            Delivery.next_try_at,
            Delivery.number,
            place.label("place"),
        )
        .join(Webhook, Webhook.id == Delivery.webhook_id)
        .join(Person, Person.id == Webhook.person_id)
        .where(Delivery.next_try_at <= at, Person.suspended_at.is_(None), person.not_in(without))
        .subquery()
    )
    found = db.session.execute(
        select(due.c.id, due.c.person_id)
        .where(due.c.place <= each)
        .order_by(due.c.place, due.c.next_try_at, due.c.number, due.c.id)
        .limit(limit)
    ).all()
    db.session.rollback()  # an attempt that follows holds no transaction open
    return [Due(*row) for row in found]


class _Claim(NamedTuple):
    """A delivery that is this worker's until an instant."""

    webhook_id: str
    type: str
    until: datetime
    call: Call


def attempt(delivery_id: str, at: datetime) -> DeliveryState | None:
    """Try to send a delivery that is due.

    Returns what became of it; None if it is not due, somebody else has it, or it is gone.
    """
    claim = transact(lambda: _claim(delivery_id, at))
    if claim is None:
        return None
    outcome = make_call(claim.call, settings().open_webhooks)
    state = transact(lambda: _record(claim, outcome, at))
    log.info(
        "webhook_attempt",
        webhook=claim.webhook_id,
        delivery=delivery_id,
        attempt=claim.call.attempt,
        status=outcome.status,
        state=state,
    )
    return state


def _claim(delivery_id: str, at: datetime) -> _Claim | None:
    """Take a due delivery for a while: whose update finds it due has it."""
    until = at + CLAIM_FOR
    claimed = db.session.execute(
        update(Delivery)
        .where(Delivery.id == delivery_id, Delivery.next_try_at <= at)
        .values(next_try_at=until, attempts=Delivery.attempts + 1, tried_at=at)
        .returning(Delivery.webhook_id, Delivery.type, Delivery.body, Delivery.attempts)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if claimed is None:
        return None
    webhook = db.session.execute(
        select(
            Webhook.url,
            Webhook.secret,
            Webhook.old_secret,
            Webhook.old_secret_until,
            Webhook.disabled_at,
        ).where(Webhook.id == claimed.webhook_id)
    ).one()
    if webhook.disabled_at is not None:
        drop(Delivery.id == delivery_id)  # written while the webhook was being switched off
        return None
    signing = [webhook.secret]
    if webhook.old_secret is not None and webhook.old_secret_until > at:
        signing.append(webhook.old_secret)
    return _Claim(
        claimed.webhook_id,
        claimed.type,
        until,
        Call(delivery_id, webhook.url, claimed.body, tuple(signing), claimed.attempts, at),
    )


def _record(claim: _Claim, outcome: Outcome, at: datetime) -> DeliveryState | None:
    """Write down how an attempt ended, unless the delivery is no longer this attempt's."""
    webhook = locked(claim.webhook_id)
    if webhook is None:
        return None
    again = None if outcome.arrived or claim.type == TEST else next_try(claim.call, outcome)
    if outcome.arrived:
        state = DeliveryState.sent
    else:
        state = DeliveryState.dead if again is None else DeliveryState.failed
    recorded = db.session.execute(
        update(Delivery)
        .where(Delivery.id == claim.call.id, Delivery.next_try_at == claim.until)
        .values(
            state=state,
            status=outcome.status,
            error=outcome.error,
            next_try_at=again,
            sent_at=at if outcome.arrived else None,
        )
        .returning(Delivery.id)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if recorded is None:
        return None
    if outcome.arrived:
        note_success(webhook)
    elif webhook.disabled_at is None and (why := note_failure(webhook, outcome, at)):
        switch_off(webhook, why, at)
        told = {"webhook": webhook.id, "reason": why}
        record_events([Entry(webhook.person_id, DISABLED, None, told)], at)
        return DeliveryState.dead
    return state
