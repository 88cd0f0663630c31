"""Deliveries: events on their way to webhooks.

Events become deliveries (`write_deliveries`), and `attempt` sends a delivery until it arrives or
its attempts are used up. Several workers may call both at once. A delivery is claimed under a lease
and sent outside any transaction, so that a slow address blocks nothing. A worker that dies while
sending leaves a lease that expires: a delivery may arrive twice, with the same id, but is never
lost.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

import orjson
import structlog
from sqlalchemy import func, insert, select, tuple_, update

from engine.contract import Json
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import new_id
from service.core.pagination import cursor_from, read_cursor, read_instant
from service.core.rate_limits import check_rate
from service.db.lease_queue import Lease, LeaseQueue
from service.db.models import Delivery, Person, Webhook
from service.db.models.events_webhooks import DeliveryState
from service.db.session import db, table, transact
from service.notify.channels.webhook_request import Call, Outcome, make_call, next_try
from service.notify.channels.webhooks import (
    DISABLED,
    drop,
    locked,
    note_failure,
    note_success,
    switch_off,
)
from service.notify.event_log import Entry, EventRow, event_json, events_after, record_events
from service.notify.notification_rules import sends_to_webhook

log = structlog.get_logger()

TEST = "webhook.test"
TEST_NUMBER = 0  # in the body of a test; events are numbered from 1
LEASE = timedelta(minutes=2)  # much longer than an attempt takes
EVENTS_AT_ONCE = 100  # for one webhook


def write_test(webhook: Webhook, at: datetime) -> Delivery:
    """Write a test delivery, which carries no event. It is tried once."""
    _check_enabled(webhook)
    _check_rate(webhook)
    if _has_pending_test(webhook):
        raise Problem(
            "too_many_deliveries",
            "A test is under way; wait for its result.",
            headers={"Retry-After": "15"},
        )
    data = {"webhook": webhook.id}
    event = EventRow(webhook.person_id, TEST_NUMBER, TEST, game_id=None, data=data, at=at)
    delivery = Delivery(**_delivery(webhook.id, event, at))
    db.session.add(delivery)
    db.session.flush()
    return delivery


def resend(webhook: Webhook, delivery: Delivery, at: datetime) -> None:
    """Send a delivery again, arrived or not, with the same id and as many attempts as a new one."""
    _check_enabled(webhook)
    _check_rate(webhook)
    delivery.state = DeliveryState.pending
    delivery.attempts = 0
    delivery.status = delivery.error = delivery.sent_at = None
    delivery.next_try_at = at


def _check_rate(webhook: Webhook) -> None:
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


def _check_enabled(webhook: Webhook) -> None:
    if webhook.disabled_at is not None:
        raise Problem("webhook_disabled", "Switch the webhook on again first.")


def _delivery(webhook_id: str, event: EventRow, at: datetime) -> Json:
    """The columns of a new delivery. Its body is the same at every attempt, to the byte."""
    body = {"type": event.type, "timestamp": event.at, "data": event_json(event)}
    return {
        "id": new_id(),
        "webhook_id": webhook_id,
        "number": event.number or None,
        "type": event.type,
        "body": orjson.dumps(body).decode(),
        "state": DeliveryState.pending,
        "attempts": 0,
        "created_at": at,
        "next_try_at": at,
    }


def deliveries_of(
    webhook: Webhook, cursor: str | None, limit: int
) -> tuple[list[Delivery], str | None]:
    """A page of deliveries, newest first, and the cursor of the next."""
    query = select(Delivery).where(Delivery.webhook_id == webhook.id)
    number = func.coalesce(Delivery.number, 0)  # deliveries of one instant, by their events
    before = read_cursor(cursor, str, int, str)
    if before is not None:
        created = read_instant(before[0])
        place = tuple_(Delivery.created_at, number, Delivery.id)
        query = query.where(place < (created, before[1], before[2]))
    newest_first = (Delivery.created_at.desc(), number.desc(), Delivery.id.desc())
    rows = db.session.scalars(query.order_by(*newest_first).limit(limit + 1)).all()
    shown = list(rows[:limit])
    if len(rows) <= limit:
        return shown, None
    last = shown[-1]
    return shown, cursor_from(last.created_at.isoformat(), last.number or 0, last.id)


def write_deliveries(at: datetime, limit: int) -> int:
    """Write deliveries for new events, for at most so many webhooks.

    Returns the number of webhooks with new events: call again until it is 0. The webhooks of a
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
    count = 0
    for webhook in db.session.execute(_BEHIND.limit(limit)).all():
        events = events_after(webhook.person_id, webhook.told, EVENTS_AT_ONCE)
        newest = events[-1].number if events else webhook.last_event
        advanced = db.session.execute(
            update(Webhook)
            .where(Webhook.id == webhook.id, Webhook.told == webhook.told)
            .values(told=newest)
            .returning(Webhook.id)
            .execution_options(synchronize_session=False)
        ).one_or_none()
        if advanced is None:
            continue
        count += 1
        wanted = [event for event in events if sends_to_webhook(event.type, webhook.types)]
        if wanted:
            rows = [_delivery(webhook.id, event, at) for event in wanted]
            db.session.execute(insert(Delivery), rows)
    return count


class Due(NamedTuple):
    """A delivery that is due, and the person it counts for: for a bot, its owner."""

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


class DeliveryRow(NamedTuple):
    """A claimed delivery."""

    id: str
    webhook_id: str
    type: str
    body: str
    attempts: int  # with this one


_QUEUE = LeaseQueue(table(Delivery), DeliveryRow, "attempts", [LEASE])


class _Claimed(NamedTuple):
    lease: Lease[DeliveryRow]
    delivery: DeliveryRow
    call: Call


def attempt(delivery_id: str, at: datetime) -> DeliveryState | None:
    """Try to send a delivery that is due.

    Returns its new state; None if it is not due, another process has it, or it is gone.
    """
    claimed = transact(lambda: _claim(delivery_id, at))
    if claimed is None:
        return None
    outcome = make_call(claimed.call, settings().open_webhooks)
    state = transact(lambda: _record(claimed, outcome, at))
    log.info(
        "webhook_attempt",
        webhook=claimed.delivery.webhook_id,
        delivery=delivery_id,
        attempt=claimed.call.attempt,
        status=outcome.status,
        state=state,
    )
    return state


def _claim(delivery_id: str, at: datetime) -> _Claimed | None:
    lease = _QUEUE.claim_row(delivery_id, at, tried_at=at)
    if lease is None:
        return None
    [delivery] = lease.rows
    webhook = db.session.get_one(Webhook, delivery.webhook_id)
    if webhook.disabled_at is not None:
        drop(Delivery.id == delivery_id)  # written while the webhook was being switched off
        return None
    secrets = [webhook.secret]
    until = webhook.old_secret_until
    if webhook.old_secret is not None and until is not None and until > at:
        secrets.append(webhook.old_secret)
    call = Call(delivery_id, webhook.url, delivery.body, tuple(secrets), delivery.attempts, at)
    return _Claimed(lease, delivery, call)


def _record(claimed: _Claimed, outcome: Outcome, at: datetime) -> DeliveryState | None:
    """Record the result of an attempt; None if its lease is lost or the webhook is gone."""
    lease, delivery, call = claimed
    webhook = locked(delivery.webhook_id)
    if webhook is None:
        return None
    again = None if outcome.arrived or delivery.type == TEST else next_try(call, outcome)
    if outcome.arrived:
        state = DeliveryState.sent
    else:
        state = DeliveryState.dead if again is None else DeliveryState.failed
    recorded = lease.record(
        delivery.id,
        state=state,
        status=outcome.status,
        error=outcome.error,
        next_try_at=again,
        sent_at=at if outcome.arrived else None,
    )
    if not recorded:
        log.warning("lease_lost", delivery=delivery.id)
        return None
    if outcome.arrived:
        note_success(webhook)
    elif webhook.disabled_at is None and (why := note_failure(webhook, outcome, at)):
        switch_off(webhook, why, at)
        data = {"webhook": webhook.id, "reason": why}
        record_events([Entry(webhook.person_id, DISABLED, None, data)], at)
        return DeliveryState.dead
    return state
