"""Webhooks: delivery of a person's events to their programs."""

from flask import Response, jsonify

from engine.contract import Json
from service.access.accounts import access_delivery, access_own_account, access_webhook
from service.access.credentials import Caller, access_caller
from service.access.scopes import GAMES_READ, WEBHOOKS_WRITE
from service.api.authentication import request_caller, request_key
from service.api.blueprint import Blueprint
from service.api.decorators import (
    conditional,
    idempotent,
    if_match,
    problems,
    returns_secret,
    scope,
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
_WEBHOOK, _DELIVERIES = WebhookSchema(), DeliverySchema(many=True)
DELIVERY_LINKS = {
    "resend": link("resendDelivery", webhook_id="$request.path.webhook_id", delivery_id=ID)
}


def _etag(webhook: Webhook) -> str:
    return etag("webhook", webhook.id, webhook.version)


def _caller() -> Caller:
    """The caller, who also needs the right to read games: webhooks report events of games."""
    request_caller()
    return access_caller(request_key(), GAMES_READ)


def _own(webhook_id: str) -> Webhook:
    return access_webhook(_caller(), webhook_id)


def _own_to_change(webhook_id: str) -> tuple[Person, Webhook]:
    return to_change(_caller(), webhook_id)


def _answered(webhook: Webhook, **more: object) -> Response:
    response = jsonify(_WEBHOOK.dump(webhook) | more)
    response.headers["ETag"] = _etag(webhook)
    return response


@blp.route("/webhooks", methods=["GET"])
@scope(WEBHOOKS_WRITE)
@blp.response(200, WebhooksSchema)
def list_webhooks() -> Json:
    """List webhooks, oldest first"""
    return {"items": webhooks_of(_caller())}


@blp.route("/webhooks", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@blp.arguments(NewWebhookSchema)
@returns_secret
@blp.response(201, WebhookWithSecretSchema, links=WEBHOOK_LINKS)
@problems("webhook_address", "too_many_webhooks")
def create_webhook(body: Json) -> tuple[Response, int]:
    """Register a webhook

    Every later event, or those of the given `types`, is sent there according to Standard
    Webhooks. The signing secret is returned only once."""
    person = access_own_account(_caller(), for_update=True)
    webhook = register(person, body["url"], body["types"], now())
    return _answered(webhook, secret=webhook.secret), 201


@blp.route("/webhooks/<webhook_id>", methods=["GET"])
@scope(WEBHOOKS_WRITE)
@conditional
@blp.response(200, WebhookSchema)
def get_webhook(webhook_id: str) -> Response:
    """Get a webhook"""
    webhook = _own(webhook_id)
    return conditional_json(_etag(webhook), lambda: _WEBHOOK.dump(webhook))


@blp.route("/webhooks/<webhook_id>", methods=["PATCH"])
@scope(WEBHOOKS_WRITE)
@blp.arguments(WebhookChangesSchema)
@if_match
@blp.response(200, WebhookSchema)
@problems("webhook_address")
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
def delete_webhook(webhook_id: str) -> None:
    """Delete a webhook and its deliveries"""
    remove(_own_to_change(webhook_id)[1])


@blp.route("/webhooks/<webhook_id>/test", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@idempotent
@blp.response(201, DeliverySchema, links=DELIVERY_LINKS)
@problems("webhook_disabled", "too_many_deliveries")
def test_webhook(webhook_id: str) -> Delivery:
    """Send a test delivery

    A delivery of type `webhook.test` is attempted once within seconds; its result is listed
    among the deliveries. One test runs at a time."""
    _, webhook = _own_to_change(webhook_id)
    return write_test(webhook, now())


@blp.route("/webhooks/<webhook_id>/rotate-secret", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@returns_secret
@blp.response(200, WebhookWithSecretSchema)
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
def list_deliveries(query: Json, webhook_id: str) -> Response:
    """List deliveries, newest first

    Deliveries are kept for 30 days."""
    found, cursor = deliveries_of(_own(webhook_id), query.get("cursor"), query["limit"])
    return page(_DELIVERIES.dump(found), cursor)


@blp.route("/webhooks/<webhook_id>/deliveries/<delivery_id>/resend", methods=["POST"])
@scope(WEBHOOKS_WRITE)
@idempotent
@blp.response(200, DeliverySchema)
@problems("webhook_disabled", "too_many_deliveries")
def resend_delivery(webhook_id: str, delivery_id: str) -> Delivery:
    """Resend a delivery

    Its id and body stay the same, whether it arrived before or not."""
    _, webhook = _own_to_change(webhook_id)
    delivery = access_delivery(webhook, delivery_id)
    resend(webhook, delivery, now())
    return delivery
