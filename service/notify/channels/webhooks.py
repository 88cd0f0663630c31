"""Webhooks of a person: register, change, rotate the secret, switch off after repeated failure.

`service.notify.channels.deliveries` sends events to them, as Standard Webhooks.
"""

import base64
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import ColumnElement, delete, func, select, update

from service.access.accounts import access_own_account, access_webhook, accounts_of_same_person
from service.access.credentials import Caller
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.http_client import Forbidden, checked_url
from service.core.ids import new_id
from service.db.models import Delivery, Person, Webhook
from service.db.models.events_webhooks import DeliveryState, DisabledWhy
from service.db.session import db
from service.notify.channels.webhook_request import Outcome
from service.notify.event_log import EVENT_TYPES

log = structlog.get_logger()

DISABLED = "webhook.disabled"
SECRET_PREFIX = "whsec_"  # noqa: S105 - not a secret
SECRET_BYTES = 32
OLD_SECRET_FOR = timedelta(hours=24)

MOST_FAILURES = 20
FAILING_FOR = timedelta(days=1)


def check_url(url: str) -> None:
    """Refuse a forbidden URL. The worker checks the resolved address before every delivery."""
    try:
        checked_url(url, settings().open_webhooks)
    except Forbidden as error:
        raise Problem(
            "webhook_address", str(error), errors=[{"pointer": "/url", "detail": str(error)}]
        ) from error


def register(person: Person, url: str, types: Sequence[str], at: datetime) -> Webhook:
    """Register a webhook for this person's events from now on; the person's row is locked."""
    count = db.session.execute(
        select(func.count())
        .select_from(Webhook)
        .where(Webhook.person_id.in_(accounts_of_same_person(person.id)))
    ).scalar_one()
    if count >= settings().limits.webhooks:
        raise Problem("too_many_webhooks", f"You and your bots have {count} webhooks; delete one.")
    check_url(url)
    webhook = Webhook(
        id=new_id(),
        person_id=person.id,
        url=url,
        types=_in_order(types),
        secret=_new_secret(),
        told=person.last_event,
        created_at=at,
    )
    db.session.add(webhook)
    db.session.flush()
    return webhook


def to_change(caller: Caller, webhook_id: str) -> tuple[Person, Webhook]:
    """The caller and a webhook of theirs, both locked, always in this order."""
    person = access_own_account(caller, for_update=True)
    webhook = locked(access_webhook(caller, webhook_id).id)
    if webhook is None:
        raise Problem("not_found", "This webhook was deleted just now.")
    return person, webhook


def locked(webhook_id: str) -> Webhook | None:
    """The webhook, locked and read anew; None if it is gone."""
    return db.session.scalars(
        select(Webhook)
        .where(Webhook.id == webhook_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()


def _in_order(types: Sequence[str]) -> list[str]:
    return [name for name in EVENT_TYPES if name in types]


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def change(webhook: Webhook, person: Person, changes: Mapping[str, Any], at: datetime) -> None:
    """Change the address or the filter, switch off or on again.

    Events of the time while it was off are not delivered; `GET /v1/events` has them.
    """
    if "types" in changes:
        webhook.types = _in_order(changes["types"])
    url: str | None = changes.get("url")
    if url is not None and url != webhook.url:
        check_url(url)
        webhook.url = url
        webhook.failures, webhook.failing_since = 0, None
    if changes.get("enabled") is True and webhook.disabled_at is not None:
        webhook.disabled_at = webhook.disabled_why = None
        webhook.failures, webhook.failing_since = 0, None
        webhook.told = person.last_event
    if changes.get("enabled") is False and webhook.disabled_at is None:
        switch_off(webhook, DisabledWhy.owner, at)
    else:
        webhook.version += 1


def switch_off(webhook: Webhook, why: DisabledWhy, at: datetime) -> None:
    """Switch a webhook off and give up its waiting deliveries."""
    webhook.disabled_at, webhook.disabled_why = at, why
    webhook.version += 1
    db.session.flush()  # the webhook's lock before those of its deliveries
    drop((Delivery.webhook_id == webhook.id) & Delivery.next_try_at.is_not(None))


def drop(which: ColumnElement[bool]) -> None:
    """Give up these deliveries."""
    db.session.execute(
        update(Delivery)
        .where(which)
        .values(state=DeliveryState.dead, next_try_at=None)
        .execution_options(synchronize_session=False)
    )


def remove(webhook: Webhook) -> None:
    """Delete a webhook with its deliveries."""
    db.session.execute(delete(Webhook).where(Webhook.id == webhook.id))


def rotate_secret(webhook: Webhook, at: datetime) -> None:
    """Make a new secret; the old one signs as well for a day."""
    webhook.old_secret, webhook.old_secret_until = webhook.secret, at + OLD_SECRET_FOR
    webhook.secret = _new_secret()
    webhook.version += 1


def webhooks_of(caller: Caller) -> Sequence[Webhook]:
    """The caller's webhooks, oldest first."""
    return db.session.scalars(
        select(Webhook)
        .where(Webhook.person_id == caller.person_id)
        .order_by(Webhook.created_at, Webhook.id)
    ).all()


def note_success(webhook: Webhook) -> None:
    if webhook.failing_since is not None:
        webhook.failures, webhook.failing_since = 0, None
        webhook.version += 1


def note_failure(webhook: Webhook, outcome: Outcome, at: datetime) -> DisabledWhy | None:
    """Count a failure; the reason to switch the webhook off, if there is one."""
    if webhook.failing_since is None:
        webhook.failing_since = at
        webhook.version += 1
    webhook.failures += 1
    if outcome.gone:
        return DisabledWhy.gone
    if webhook.failures >= MOST_FAILURES and at - webhook.failing_since > FAILING_FOR:
        return DisabledWhy.failures
    return None
