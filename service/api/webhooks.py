"""Webhooks: programs that are told what a person is told."""

from typing import Any

from flask import Response, jsonify

from engine.contract import Json
from service.access.accounts import access_delivery, access_own_account, access_webhook
from service.access.credentials import Caller, access_caller
from service.access.scopes import GAMES_READ, WEBHOOKS_WRITE
from service.api.etags import conditional_json, must_match, tag
from service.api.operations import Noun
from service.api.pages import page
from service.api.request_data import shown_key
from service.api.schemas.common import PageQuery
from service.api.schemas.webhooks import (
    DeliveryPageSchema,
    DeliverySchema,
    NewWebhookSchema,
    WebhookChangesSchema,
    WebhookSchema,
    WebhooksSchema,
    WebhookWithSecretSchema,
)
from service.core.clock import now
from service.db.models import Delivery, Person, Webhook
from service.notify.channels.deliveries import deliveries_of, resend, write_test
from service.notify.channels.webhooks import (
    change,
    check_url,
    register,
    remove,
    rotate_secret,
    to_change,
    webhooks_of,
)

webhooks = Noun("webhooks", __name__, description="Programs that are told what you are told")

_ON_IT = {"parameters": {"webhook_id": "$response.body#/id"}}
_ON_DELIVERY = {
    "parameters": {
        "webhook_id": "$request.path.webhook_id",
        "delivery_id": "$response.body#/id",
    }
}


def webhook_json(webhook: Webhook) -> Json:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "types": webhook.types,
        "enabled": webhook.disabled_at is None,
        "disabled_at": webhook.disabled_at,
        "disabled_why": webhook.disabled_why,
        "failing_since": webhook.failing_since,
        "old_secret_until": webhook.old_secret_until,
        "created_at": webhook.created_at,
    }


def delivery_json(delivery: Delivery) -> Json:
    return {
        "id": delivery.id,
        "type": delivery.type,
        "event": delivery.number,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "status": delivery.status,
        "error": delivery.error,
        "created_at": delivery.created_at,
        "tried_at": delivery.tried_at,
        "next_try_at": delivery.next_try_at,
        "sent_at": delivery.sent_at,
    }


def _tag(webhook: Webhook) -> str:
    return tag("webhook", webhook.id, webhook.version)


def _caller() -> Caller:
    """The caller, who may read games, too: a webhook is told what happens in them."""
    access_caller(shown_key(), WEBHOOKS_WRITE)
    return access_caller(shown_key(), GAMES_READ)


def _own(webhook_id: str) -> Webhook:
    return access_webhook(_caller(), webhook_id)


def _own_to_change(webhook_id: str) -> tuple[Person, Webhook]:
    return to_change(_caller(), webhook_id)


def _answered(webhook: Webhook, **more: Any) -> Response:
    response = jsonify(webhook_json(webhook) | more)
    response.headers["ETag"] = _tag(webhook)
    return response


@webhooks.operation("GET", "/webhooks", scope=WEBHOOKS_WRITE, answer=WebhooksSchema)
def list_webhooks() -> Json:
    """List your webhooks, oldest first"""
    caller = _caller()
    return {"items": [webhook_json(webhook) for webhook in webhooks_of(caller)]}


@webhooks.operation(
    "POST",
    "/webhooks",
    scope=WEBHOOKS_WRITE,
    secret=True,
    body=NewWebhookSchema,
    status=201,
    answer=WebhookWithSecretSchema,
    problems=["webhook_address", "too_many_webhooks"],
    links={
        "get": {"operationId": "getWebhook", **_ON_IT},
        "change": {"operationId": "changeWebhook", **_ON_IT},
        "test": {"operationId": "testWebhook", **_ON_IT},
        "rotate": {"operationId": "rotateWebhookSecret", **_ON_IT},
        "deliveries": {"operationId": "listDeliveries", **_ON_IT},
        "delete": {"operationId": "deleteWebhook", **_ON_IT},
    },
)
def create_webhook(body: Json) -> Response:
    """Register a webhook

    From now on every event you are told, or those of the `types` you name, is sent there as
    Standard Webhooks describes. The secret that signs them is told this once."""
    person = access_own_account(_caller(), for_update=True)
    webhook = register(person, body["url"], body["types"], now())
    response = _answered(webhook, secret=webhook.secret)
    response.status_code = 201
    return response


@webhooks.operation(
    "GET", "/webhooks/<webhook_id>", scope=WEBHOOKS_WRITE, answer=WebhookSchema, conditional=True
)
def get_webhook(webhook_id: str) -> Response:
    """See a webhook"""
    webhook = _own(webhook_id)
    return conditional_json(_tag(webhook), lambda: webhook_json(webhook))


@webhooks.operation(
    "PATCH",
    "/webhooks/<webhook_id>",
    scope=WEBHOOKS_WRITE,
    body=WebhookChangesSchema,
    answer=WebhookSchema,
    problems=["webhook_address"],
    if_match=True,
)
def change_webhook(body: Json, webhook_id: str) -> Response:
    """Change a webhook, switch it off or on again

    What happened while it was off is not sent later; `GET /v1/events` has it."""
    if "url" in body:
        check_url(body["url"])
    person, webhook = _own_to_change(webhook_id)
    must_match(_tag(webhook))
    change(webhook, person, body, now())
    return _answered(webhook)


@webhooks.operation("DELETE", "/webhooks/<webhook_id>", scope=WEBHOOKS_WRITE, status=204)
def delete_webhook(webhook_id: str) -> Response:
    """Delete a webhook with its deliveries"""
    _, webhook = _own_to_change(webhook_id)
    remove(webhook)
    return Response(status=204)


@webhooks.operation(
    "POST",
    "/webhooks/<webhook_id>/test",
    scope=WEBHOOKS_WRITE,
    status=201,
    answer=DeliverySchema,
    problems=["webhook_disabled", "too_many_deliveries"],
    links={"resend": {"operationId": "resendDelivery", **_ON_DELIVERY}},
)
def test_webhook(webhook_id: str) -> Response:
    """Send a test

    A delivery of the type `webhook.test` goes out within seconds and is tried once; see how it went
    among the deliveries. One test is under way at a time."""
    _, webhook = _own_to_change(webhook_id)
    response = jsonify(delivery_json(write_test(webhook, now())))
    response.status_code = 201
    return response


@webhooks.operation(
    "POST",
    "/webhooks/<webhook_id>/rotate-secret",
    scope=WEBHOOKS_WRITE,
    secret=True,
    answer=WebhookWithSecretSchema,
)
def rotate_webhook_secret(webhook_id: str) -> Response:
    """Replace the secret

    The new one is told this once. The one before signs along for 24 hours."""
    _, webhook = _own_to_change(webhook_id)
    rotate_secret(webhook, now())
    return _answered(webhook, secret=webhook.secret)


@webhooks.operation(
    "GET",
    "/webhooks/<webhook_id>/deliveries",
    scope=WEBHOOKS_WRITE,
    query=PageQuery,
    answer=DeliveryPageSchema,
)
def list_deliveries(query: Json, webhook_id: str) -> Response:
    """List what was sent or waits to be, newest first

    Deliveries are kept for 30 days."""
    found, cursor = deliveries_of(_own(webhook_id), query.get("cursor"), query["limit"])
    return page([delivery_json(delivery) for delivery in found], cursor)


@webhooks.operation(
    "POST",
    "/webhooks/<webhook_id>/deliveries/<delivery_id>/resend",
    scope=WEBHOOKS_WRITE,
    answer=DeliverySchema,
    problems=["webhook_disabled", "too_many_deliveries"],
)
def resend_delivery(webhook_id: str, delivery_id: str) -> Json:
    """Send a delivery again

    With the same id and body, whether it arrived before or not."""
    _, webhook = _own_to_change(webhook_id)
    delivery = access_delivery(webhook, delivery_id)
    resend(webhook, delivery, now())
    return delivery_json(delivery)
