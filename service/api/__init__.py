"""The REST API: a module a resource, with schemas, errors and limits."""

from flask import Flask

from service.api import (
    account,
    agreements,
    bots,
    chat,
    events,
    games,
    invitations,
    play,
    players,
    records,
    sessions,
    tables,
    tokens,
    webhooks,
)
from service.api.errors import register_errors
from service.api.rate_limits import register_limits
from service.core.config import Settings

PREFIX = "/v1"
RESOURCES = (
    *(sessions, account, players, tokens, bots, games, tables, invitations),
    *(play, agreements, chat, records, events, webhooks),
)
BLUEPRINTS = tuple(dict.fromkeys(resource.blp for resource in RESOURCES))


def register_api(app: Flask, settings: Settings) -> None:
    """Everything under /v1. `service.api.openapi` makes its document when it is needed."""
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint, url_prefix=PREFIX)
    register_errors(app)
    register_limits(app, settings)
