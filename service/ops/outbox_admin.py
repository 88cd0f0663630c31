"""The outbox for the operator: letters and webhook deliveries, listed, shown and tried again."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select

from service.core.clock import now
from service.core.errors import Problem
from service.db.models import Delivery, Letter, LetterState, Webhook
from service.db.models.events_webhooks import DeliveryState
from service.db.session import db, transact
from service.mail.outgoing import sender
from service.notify.channels.deliveries import resend
from service.notify.channels.webhooks import locked

UNSENT = (LetterState.pending, LetterState.failed, LetterState.dead)
AT_ONCE = 200
LETTER, WEBHOOK = "letter", "webhook"
CHANNELS = (LETTER, WEBHOOK)
NOTHING_TO_TRY = "It has not failed, so there is nothing to try again."
NOT_FOUND = "There is no letter or delivery with this id."


class Item(NamedTuple):
    """Something on its way to somebody, or not any more."""

    id: str
    channel: str
    kind: str  # of the letter, or the type of the event
    to: str
    state: str
    attempts: int
    why: str | None  # it failed, or was skipped
    created_at: datetime
    next_try_at: datetime | None
    sent_at: datetime | None


class Retried(NamedTuple):
    """The outcome of trying one item again."""

    id: str
    channel: str | None  # None: there is no such item
    outcome: str
    why: str | None = None  # it is refused


AGAIN, SOON, REFUSED = "again", "soon", "refused"  # at once; being tried, or due; not at all


def items(states: Collection[str], channels: Collection[str], most: int) -> list[Item]:
    """The newest that are in one of these states, newest first."""
    found: list[Item] = []
    if LETTER in channels:
        letters = db.session.scalars(
            select(Letter)
            .where(Letter.state.in_(states))
            .order_by(Letter.created_at.desc(), Letter.id.desc())
            .limit(most)
        )
        found += [_of_letter(letter) for letter in letters]
    if WEBHOOK in channels:
        deliveries = db.session.execute(
            select(Delivery, Webhook.url)
            .join(Webhook, Webhook.id == Delivery.webhook_id)
            .where(Delivery.state.in_(states))
            .order_by(Delivery.created_at.desc(), Delivery.id.desc())
            .limit(most)
        )
        found += [_of_delivery(delivery, url) for delivery, url in deliveries]
    found.sort(key=lambda item: (item.created_at, item.id), reverse=True)
    return found[:most]


def item(item_id: str) -> tuple[Item, str]:
    """One of them, and what it says; raises Problem if there is none."""
    letter = db.session.get(Letter, item_id)
    if letter is not None:
        return _of_letter(letter), _said(letter)
    delivery = db.session.get(Delivery, item_id)
    if delivery is None:
        raise Problem("not_found", NOT_FOUND)
    webhook = db.session.get_one(Webhook, delivery.webhook_id)
    return _of_delivery(delivery, webhook.url), delivery.body


def _said(letter: Letter) -> str:
    if letter.subject is None:
        return "(it is written when it is sent)"
    return f"Subject: {letter.subject}\n\n{letter.text or ''}"


def _of_letter(letter: Letter) -> Item:
    return Item(
        letter.id,
        LETTER,
        letter.kind,
        letter.to,
        str(letter.state),
        letter.attempts,
        letter.error or letter.reason,
        letter.created_at,
        letter.next_try_at,
        letter.sent_at,
    )


def _of_delivery(delivery: Delivery, url: str) -> Item:
    return Item(
        delivery.id,
        WEBHOOK,
        delivery.type,
        url,
        str(delivery.state),
        delivery.attempts,
        delivery.error,
        delivery.created_at,
        delivery.next_try_at,
        delivery.sent_at,
    )


def retry(ids: Sequence[str]) -> list[Retried]:
    """Try these again at once, each in a transaction of its own."""
    return [transact(lambda one=one: _retry(one, now())) for one in ids]  # type: ignore[misc]


def retry_all(state: str) -> list[Retried]:
    """Try everything in this state again at once."""
    done: list[Retried] = []
    for model in (Letter, Delivery):
        after = ""
        while ids := _ids(model, state, after):
            done += retry(ids)
            after = ids[-1]
    return done


def _ids(model: Any, state: str, after: str) -> list[str]:
    return list(
        db.session.scalars(
            select(model.id)
            .where(model.state == state, model.id > after)
            .order_by(model.id)
            .limit(AT_ONCE)
        )
    )


def _retry(item_id: str, at: datetime) -> Retried:
    letter = db.session.get(Letter, item_id)
    if letter is not None:
        return _send_again(letter, at)
    if db.session.get(Delivery, item_id) is None:
        return Retried(item_id, None, REFUSED, NOT_FOUND)
    why = _resend(item_id, at)
    return Retried(item_id, WEBHOOK, AGAIN if why is None else REFUSED, why)


def _send_again(letter: Letter, at: datetime) -> Retried:
    if sender.retry([letter.id], at):
        return Retried(letter.id, LETTER, AGAIN)
    if letter.state == LetterState.failed:
        return Retried(letter.id, LETTER, SOON)
    return Retried(letter.id, LETTER, REFUSED, NOTHING_TO_TRY)


def _resend(delivery_id: str, at: datetime) -> str | None:
    """Send a delivery again that failed; why it is not."""
    found = db.session.get(Delivery, delivery_id)
    webhook = None if found is None else locked(found.webhook_id)
    delivery = db.session.get(Delivery, delivery_id, populate_existing=True)
    if webhook is None or delivery is None:
        return NOT_FOUND
    if delivery.state not in (DeliveryState.failed, DeliveryState.dead):
        return NOTHING_TO_TRY
    try:
        resend(webhook, delivery, at)
    except Problem as refusal:  # it is switched off
        return refusal.detail
    return None
