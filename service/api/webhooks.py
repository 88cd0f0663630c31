"""Webhooks: delivery of a person's events to their programs."""

from typing import Any

from flask import Response, jsonify

from engine.contract import Json
from service.access.accounts import access_delivery, access_own_account, access_webhook
from service.access.credentials import Caller, access_caller
from service.access.scopes import GAMES_READ, WEBHOOKS_WRITE
from service.api.authentication import request_key
from service.api.blueprint import Blueprint
from service.api.decorators import (
    conditional,
    idempotent,
    if_match,
    problems,
    read_only,
    returns_secret,
    scope,
    transactional,
)
from service.api.links import ID, link
from service.api.pagination import page
from service.api.preconditions import check_if_match
from service.api.schemas.common import PageQuery
from service.api.schemas.webhooks import (
    DeliveryPageSchema,
    DeliverySchema,
    WebhookSchema,
    WebhooksSchema,
    WebhookWithSecretSchema,
)
from service.core.clock import now
from service.core.etags import conditional_json, etag
from service.db.models import Delivery, Person, Webhook
from service.notify.channels.deliveries import deliveries_of, resend, write_test
from service.notify.channels.inputs import NewWebhookSchema, WebhookChangesSchema
from service.notify.channels.webhooks import (
    change,
    check_url,
    register,
    remove,
    rotate_secret,
    to_change,
    webhooks_of,
)

blp = Blueprint("webhooks", __name__, description="Webhooks that receive your events")

WEBHOOK_LINKS = {
    "get": link("getWebhook", webhook_id=ID),
    "change": link("changeWebhook", webhook_id=ID),
    "test": link("testWebhook", webhook_id=ID),
    "rotate": link("rotateWebhookSecret", webhook_id=ID),
    "deliveries": link("listDeliveries", webhook_id=ID),
    "delete": link("deleteWebhook", webhook_id=ID),
}
DELIVERY_LINKS = {
    "resend": link("resendDelivery", webhook_id="$request.path.webhook_id", delivery_id=ID)
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


def _etag(webhook: Webhook) -> str:
    return etag("webhook", webhook.id, webhook.version)


def _caller() -> Caller:
    """The caller, who also needs the right to read games: webhooks report events of games."""
    access_caller(request_key(), WEBHOOKS_WRITE)
    return access_caller(request_key(), GAMES_READ)


def _own(webhook_id: str) -> Webhook:
    return access_webhook(_caller(), webhook_id)


def _own_to_change(webhook_id: str) -> tuple[Person, Webhook]:
    return to_change(_caller(), webhook_id)


def _answered(webhook: Webhook, **more: Any) -> Response:
    response = jsonify(webhook_json(webhook) | more)
    response.headers["ETag"] = _etag(webhook)
    return response


@blp.route("/webhooks", methods=["GET"])
@scope(WEBHOOKS_WRITE)
@blp.response(200, WebhooksSchema)
@read_only
def list_webhooks() -> Json:
    """List webhooks, oldest first"""
    caller = _caller()
    return {"items": [webhook_json(webhook) for webhook in webhooks_of(caller)]}


@blp.route("/webhooks", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@blp.arguments(NewWebhookSchema)
@returns_secret
@blp.response(201, WebhookWithSecretSchema, links=WEBHOOK_LINKS)
@problems("webhook_address", "too_many_webhooks")
@transactional
def create_webhook(body: Json) -> Response:
    """Register a webhook

    Every later event, or those of the given `types`, is sent there according to Standard
    Webhooks. The signing secret is returned only once."""
    person = access_own_account(_caller(), for_update=True)
    webhook = register(person, body["url"], body["types"], now())
    response = _answered(webhook, secret=webhook.secret)
    response.status_code = 201
    return response


@blp.route("/webhooks/<webhook_id>", methods=["GET"])
@scope(WEBHOOKS_WRITE)
@conditional
@blp.response(200, WebhookSchema)
@read_only
def get_webhook(webhook_id: str) -> Response:
    """Get a webhook"""
    webhook = _own(webhook_id)
    return conditional_json(_etag(webhook), lambda: webhook_json(webhook))


@blp.route("/webhooks/<webhook_id>", methods=["PATCH"])
@scope(WEBHOOKS_WRITE)
@blp.arguments(WebhookChangesSchema)
@if_match
@blp.response(200, WebhookSchema)
@problems("webhook_address")
@transactional
def change_webhook(body: Json, webhook_id: str) -> Response:
    """Update, disable or enable a webhook

    Events that occur while it is disabled are not sent later; `GET /v1/events` lists them."""
    if "url" in body:
        check_url(body["url"])
    person, webhook = _own_to_change(webhook_id)
    check_if_match(_etag(webhook))
    change(webhook, person, body, now())
    return _answered(webhook)


@blp.route("/webhooks/<webhook_id>", methods=["DELETE"])
@scope(WEBHOOKS_WRITE)
@blp.response(204)
@transactional
def delete_webhook(webhook_id: str) -> Response:
    """Delete a webhook and its deliveries"""
    _, webhook = _own_to_change(webhook_id)
    remove(webhook)
    return Response(status=204)


@blp.route("/webhooks/<webhook_id>/test", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@idempotent
@blp.response(201, DeliverySchema, links=DELIVERY_LINKS)
@problems("webhook_disabled", "too_many_deliveries")
@transactional
def test_webhook(webhook_id: str) -> Response:
    """Send a test delivery

    A delivery of type `webhook.test` is attempted once within seconds; its result is listed
    among the deliveries. One test runs at a time."""
    _, webhook = _own_to_change(webhook_id)
    response = jsonify(delivery_json(write_test(webhook, now())))
    response.status_code = 201
    return response


@blp.route("/webhooks/<webhook_id>/rotate-secret", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@returns_secret
@blp.response(200, WebhookWithSecretSchema)
@transactional
def rotate_webhook_secret(webhook_id: str) -> Response:
    """Rotate the signing secret

    The new secret is returned only once. The previous one continues to sign for 24 hours."""
    _, webhook = _own_to_change(webhook_id)
    rotate_secret(webhook, now())
    return _answered(webhook, secret=webhook.secret)


@blp.route("/webhooks/<webhook_id>/deliveries", methods=["GET"])
@scope(WEBHOOKS_WRITE)
@blp.arguments(PageQuery, location="query")
@blp.response(200, DeliveryPageSchema)
@read_only
def list_deliveries(query: Json, webhook_id: str) -> Response:
    """List deliveries, newest first

    Deliveries are kept for 30 days."""
    found, cursor = deliveries_of(_own(webhook_id), query.get("cursor"), query["limit"])
    return page([delivery_json(delivery) for delivery in found], cursor)


@blp.route("/webhooks/<webhook_id>/deliveries/<delivery_id>/resend", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@idempotent
@blp.response(200, DeliverySchema)
@problems("webhook_disabled", "too_many_deliveries")
@transactional
def resend_delivery(webhook_id: str, delivery_id: str) -> Json:
    """Resend a delivery

    Its id and body stay the same, whether it arrived before or not."""
    _, webhook = _own_to_change(webhook_id)
    delivery = access_delivery(webhook, delivery_id)
    resend(webhook, delivery, now())
    return delivery_json(delivery)
