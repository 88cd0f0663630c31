"""Webhooks of an account and their deliveries."""

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
from service.web.rendering import FormPage, attempt, pages, show, signed_in, to
from service.web.sessions import page_key

HERE = "/account/webhooks"
MOST_SHOWN = 20  # deliveries at once


@pages.get(HERE)
def webhooks() -> Response:
    return webhooks_page()


def webhooks_page(refusal: Problem | None = None, filled: Json | None = None) -> Response:
    """The caller's webhooks; `filled` holds the fields of a refused form."""
    return show(
        "webhooks",
        webhooks=webhooks_of(signed_in()),
        filled=filled or {"url": "", "types": []},
        refusal=refusal,
        **_choices(),
    )


@pages.get("/account/webhooks/<webhook_id>")
def webhook(webhook_id: str) -> Response:
    return webhook_page(webhook_id)


def webhook_page(
    webhook_id: str,
    refusal: Problem | None = None,
    filled: Json | None = None,
    secret: str | None = None,
) -> Response:
    """A webhook with its deliveries, and its secret if that is new."""
    found = access_webhook(signed_in(), webhook_id)
    deliveries, older = deliveries_of(found, request.args.get("cursor"), MOST_SHOWN)
    return show(
        "webhook",
        webhook=found,
        deliveries=deliveries,
        older=older,
        filled=filled or {"url": found.url, "types": found.types},
        changing=filled is not None,
        secret=secret,
        now=now(),
        refusal=refusal,
        **_choices(),
    )


WEBHOOK = FormPage(
    HERE + "/{webhook_id}", lambda refusal, webhook_id, **_: webhook_page(webhook_id, refusal)
)


def _choices() -> Json:
    events = {name: words(say(text)) for name, text in EVENT_TYPES.items()}
    return {"events": events, "longest_url": LONGEST_URL}


def _filled() -> Json:
    return {
        "url": forms.field("url"),
        "types": [name for name in EVENT_TYPES if f"event.{name}" in request.form],
    }


def _read(schema: type[ma.Schema], filled: Json) -> Json:
    """The validated form."""
    if not filled["url"].startswith(("http://", "https://")):
        raise Problem("webhook_address", "The URL must begin with https://.")
    return forms.read(schema, filled)


@pages.post(HERE)
def add_webhook() -> AnyResponse:
    """Register a webhook and show its secret once."""
    signed_in(HERE)
    filled = _filled()

    def add() -> AnyResponse:
        body = _read(NewWebhookSchema, filled)
        webhook_id, secret = transact(lambda: _register(body))
        return webhook_page(webhook_id, secret=secret)

    return attempt(add, lambda refusal: webhooks_page(refusal, filled))


def _register(body: Json) -> tuple[str, str]:
    person = access_own_account(access_session(page_key()), for_update=True)
    new = register(person, body["url"], body["types"], now())
    return new.id, new.secret


def _own(webhook_id: str) -> tuple[Person, Webhook]:
    return to_change(access_session(page_key()), webhook_id)


@pages.post("/account/webhooks/<webhook_id>")
def change_webhook(webhook_id: str) -> AnyResponse:
    """Change the URL or the event types."""
    access_webhook(signed_in(f"{HERE}/{webhook_id}"), webhook_id)
    filled = _filled()

    def changed() -> AnyResponse:
        body = _read(WebhookChangesSchema, filled)
        transact(lambda: _change(webhook_id, body))
        return to("web.webhook", webhook_id=webhook_id)

    return attempt(changed, lambda refusal: webhook_page(webhook_id, refusal, filled))


def _change(webhook_id: str, changes: Json) -> None:
    person, own = _own(webhook_id)
    change(own, person, changes, now())


@WEBHOOK.form("/account/webhooks/<webhook_id>/switch")
def switch_webhook(webhook_id: str) -> None:
    """Disable or enable a webhook."""
    _change(webhook_id, {"enabled": forms.field("to") == "on"})


@WEBHOOK.form("/account/webhooks/<webhook_id>/test", anchor="#deliveries")
def test_webhook(webhook_id: str) -> None:
    write_test(_own(webhook_id)[1], now())


@WEBHOOK.form(
    "/account/webhooks/<webhook_id>/deliveries/<delivery_id>/resend", anchor="#deliveries"
)
def resend_delivery(webhook_id: str, delivery_id: str) -> None:
    _, own = _own(webhook_id)
    resend(own, access_delivery(own, delivery_id), now())


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
