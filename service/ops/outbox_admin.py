"""Outbox administration: list, show and retry letters and webhook deliveries."""

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
BATCH = 200
LETTER, WEBHOOK = "letter", "webhook"
CHANNELS = (LETTER, WEBHOOK)
NOT_FAILED = "It has not failed."
NOT_FOUND = "There is no letter or delivery with this id."


class Item(NamedTuple):
    """A letter or a webhook delivery."""

    id: str
    channel: str
    kind: str  # of the letter, or the type of the event
    to: str
    state: str
    attempts: int
    why: str | None  # error of the last attempt, or reason for skipping it
    created_at: datetime
    next_try_at: datetime | None
    sent_at: datetime | None


class Retried(NamedTuple):
    """The outcome of trying one item again."""

    id: str
    channel: str | None  # None: no such item
    outcome: str
    why: str | None = None  # reason for a refusal


AGAIN, SOON, REFUSED = "again", "soon", "refused"  # queued for now; already claimed or due


def items(states: Collection[str], channels: Collection[str], most: int) -> list[Item]:
    """Items in one of these states, newest first."""
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
    """One item and its contents; raises Problem if it does not exist."""
    letter = db.session.get(Letter, item_id)
    if letter is not None:
        return _of_letter(letter), _contents(letter)
    delivery = db.session.get(Delivery, item_id)
    if delivery is None:
        raise Problem("not_found", NOT_FOUND)
    webhook = db.session.get_one(Webhook, delivery.webhook_id)
    return _of_delivery(delivery, webhook.url), delivery.body


def _contents(letter: Letter) -> str:
    if letter.subject is None:
        return "(composed when it is sent)"
    return f"Subject: {letter.subject}\n\n{letter.text or ''}"


def _of_letter(letter: Letter) -> Item:
    return _item(LETTER, letter, letter.kind, letter.to, letter.error or letter.reason)


def _of_delivery(delivery: Delivery, url: str) -> Item:
    return _item(WEBHOOK, delivery, delivery.type, url, delivery.error)


def _item(channel: str, row: Letter | Delivery, kind: str, to: str, why: str | None) -> Item:
    state, attempts = str(row.state), row.attempts
    dates = row.created_at, row.next_try_at, row.sent_at
    return Item(row.id, channel, kind, to, state, attempts, why, *dates)


def retry(ids: Sequence[str]) -> list[Retried]:
    """Queue these for another attempt, each in its own transaction."""
    return [transact(lambda one=one: _retry(one, now())) for one in ids]  # type: ignore[misc]


def retry_all(state: str) -> list[Retried]:
    """Queue everything in this state for another attempt."""
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
            .limit(BATCH)
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
    return Retried(letter.id, LETTER, REFUSED, NOT_FAILED)


def _resend(delivery_id: str, at: datetime) -> str | None:
    """Queue a failed delivery; the reason if it is refused."""
    found = db.session.get(Delivery, delivery_id)
    webhook = None if found is None else locked(found.webhook_id)
    delivery = db.session.get(Delivery, delivery_id, populate_existing=True)
    if webhook is None or delivery is None:
        return NOT_FOUND
    if delivery.state not in (DeliveryState.failed, DeliveryState.dead):
        return NOT_FAILED
    try:
        resend(webhook, delivery, at)
    except Problem as refusal:  # the webhook is disabled
        return refusal.detail
    return None
