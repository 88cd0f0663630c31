"""Webhooks of an account and their deliveries."""

from collections.abc import Callable

import marshmallow as ma
from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from service.access.accounts import access_delivery, access_own_account, access_webhook
from service.access.credentials import access_session
from service.core.clock import now
from service.core.errors import Problem
from service.db.models import Person, Webhook
from service.db.session import transact
from service.notify.channels.deliveries import deliveries_of, resend, write_test
from service.notify.channels.inputs import LONGEST_URL, NewWebhookSchema, WebhookChangesSchema
from service.notify.channels.webhooks import (
    change,
    register,
    remove,
    rotate_secret,
    to_change,
    webhooks_of,
)
from service.notify.event_log import EVENT_TYPES
from service.web import forms
from service.web.locale import say
from service.web.markdown import words
from service.web.rendering import attempt, pages, show, signed_in, to
from service.web.sessions import page_key

HERE = "/account/webhooks"
MOST_SHOWN = 20  # deliveries at once


@pages.get(HERE)
def webhooks() -> Response:
    return webhooks_page()


def webhooks_page(refusal: Problem | None = None, said: Json | None = None) -> Response:
    """The caller's webhooks; `said` holds the fields of a refused form."""
    return show(
        "webhooks",
        200 if refusal is None else refusal.status,
        webhooks=webhooks_of(signed_in()),
        said=said or {"url": "", "types": []},
        refusal=refusal,
        **_choices(),
    )


@pages.get("/account/webhooks/<webhook_id>")
def webhook(webhook_id: str) -> Response:
    return webhook_page(webhook_id)


def webhook_page(
    webhook_id: str,
    refusal: Problem | None = None,
    said: Json | None = None,
    secret: str | None = None,
) -> Response:
    """A webhook with its deliveries, and its secret if that is new."""
    found = access_webhook(signed_in(), webhook_id)
    deliveries, older = deliveries_of(found, request.args.get("cursor"), MOST_SHOWN)
    return show(
        "webhook",
        200 if refusal is None else refusal.status,
        webhook=found,
        deliveries=deliveries,
        older=older,
        said=said or {"url": found.url, "types": found.types},
        changing=said is not None,
        secret=secret,
        now=now(),
        refusal=refusal,
        **_choices(),
    )


def _choices() -> Json:
    events = {name: words(say(text)) for name, text in EVENT_TYPES.items()}
    return {"events": events, "longest_url": LONGEST_URL}


def _said() -> Json:
    return {
        "url": forms.field("url"),
        "types": [name for name in EVENT_TYPES if f"event.{name}" in request.form],
    }


def _read(schema: type[ma.Schema], said: Json) -> Json:
    """The validated form."""
    if not said["url"].startswith(("http://", "https://")):
        raise Problem("webhook_address", "The URL must begin with https://.")
    return forms.read(schema, said)


@pages.post(HERE)
def add_webhook() -> AnyResponse:
    """Register a webhook and show its secret once."""
    signed_in(HERE)
    said = _said()

    def add() -> AnyResponse:
        webhook_id, secret = transact(_registering(_read(NewWebhookSchema, said)))
        return webhook_page(webhook_id, secret=secret)

    return attempt(add, lambda refusal: webhooks_page(refusal, said))


def _registering(body: Json) -> Callable[[], tuple[str, str]]:
    def registered() -> tuple[str, str]:
        person = access_own_account(access_session(page_key()), for_update=True)
        new = register(person, body["url"], body["types"], now())
        return new.id, new.secret

    return registered


def _own(webhook_id: str) -> tuple[Person, Webhook]:
    return to_change(access_session(page_key()), webhook_id)


def _do(
    webhook_id: str, work: Callable[[Person, Webhook], object], anchor: str | None = None
) -> AnyResponse:
    """Run a use case for a webhook in one transaction, then show it."""
    signed_in(f"{HERE}/{webhook_id}")

    def done() -> AnyResponse:
        transact(lambda: work(*_own(webhook_id)))
        return to("web.webhook", webhook_id=webhook_id, _anchor=anchor)

    return attempt(done, lambda refusal: webhook_page(webhook_id, refusal))


@pages.post("/account/webhooks/<webhook_id>")
def change_webhook(webhook_id: str) -> AnyResponse:
    """Change the URL or the event types."""
    access_webhook(signed_in(f"{HERE}/{webhook_id}"), webhook_id)
    said = _said()

    def changed() -> AnyResponse:
        body = _read(WebhookChangesSchema, said)
        transact(lambda: _change(webhook_id, body))
        return to("web.webhook", webhook_id=webhook_id)

    return attempt(changed, lambda refusal: webhook_page(webhook_id, refusal, said))


def _change(webhook_id: str, changes: Json) -> None:
    person, own = _own(webhook_id)
    change(own, person, changes, now())


@pages.post("/account/webhooks/<webhook_id>/switch")
def switch_webhook(webhook_id: str) -> AnyResponse:
    """Disable or enable a webhook."""
    wanted = {"enabled": forms.field("to") == "on"}
    return _do(webhook_id, lambda person, own: change(own, person, wanted, now()))


@pages.post("/account/webhooks/<webhook_id>/test")
def test_webhook(webhook_id: str) -> AnyResponse:
    return _do(webhook_id, lambda _, own: write_test(own, now()), anchor="deliveries")


@pages.post("/account/webhooks/<webhook_id>/deliveries/<delivery_id>/resend")
def resend_delivery(webhook_id: str, delivery_id: str) -> AnyResponse:
    return _do(
        webhook_id,
        lambda _, own: resend(own, access_delivery(own, delivery_id), now()),
        anchor="deliveries",
    )


@pages.post("/account/webhooks/<webhook_id>/secret")
def rotate_webhook_secret(webhook_id: str) -> AnyResponse:
    """Rotate the secret and show the new one once."""
    signed_in(f"{HERE}/{webhook_id}")

    def rotated() -> str:
        _, own = _own(webhook_id)
        rotate_secret(own, now())
        return own.secret

    secret = transact(rotated)
    return webhook_page(webhook_id, secret=secret)


@pages.post("/account/webhooks/<webhook_id>/delete")
def delete_webhook(webhook_id: str) -> AnyResponse:
    signed_in(HERE)
    transact(lambda: remove(_own(webhook_id)[1]))
    return to("web.webhooks")
