"""The REST API: a module per noun, and what they share."""

from flask import Flask

from service.api import invitations  # noqa: F401 - adds its operations to those of tables
from service.api.errors import LagunaApi, ProblemSchema, register_errors
from service.api.events import events
from service.api.games import games, tables
from service.api.people import people
from service.api.play import play
from service.api.rate_limits import register_limits
from service.api.records import looks
from service.api.tokens import bots, tokens
from service.api.webhooks import webhooks
from service.core.config import Settings

NOUNS = (people, tokens, bots, games, tables, play, looks, events, webhooks)
PREFIX = "/v1"
EXTENSION = "laguna_api"

DESCRIPTION = """\
Play board games slowly: a few minutes a day, over weeks.

**Begin.** `POST /v1/sign-ins` with your address, then `POST /v1/sessions` with the mailed code, or
make a token on the command line: `laguna token create --email .. --name .. --scopes ..`. Send it
as `Authorization: Bearer lag_..`.

**Play.** `GET /v1/decisions` lists what waits for you, `GET /v1/games/{game_id}` shows the game
with your decision and every legal move, `POST /v1/games/{game_id}/moves` answers. A client needs no
rules: whatever is offered may be sent back as it is.

**Follow.** `GET /v1/events?after=N&wait=25` brings what happened since; the same as a stream, the
same to a webhook.

Errors are RFC 9457 problems with a stable `code`; nothing was changed. Ids are opaque. Instants are
UTC. Fields may be added; ignore what you do not know.
"""


def register_api(app: Flask, settings: Settings) -> LagunaApi:
    """Everything under /v1, and the contract it makes up."""
    app.config.update(API_TITLE="Laguna", API_VERSION="1", OPENAPI_VERSION="3.1.0")
    api = LagunaApi(
        app,
        spec_kwargs={
            "info": {
                "description": DESCRIPTION,
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": "/", "description": "This server"}],
        },
    )
    api.spec.components.security_scheme(
        "token",
        {"type": "http", "scheme": "bearer", "description": "A token `lag_..`, see /v1/tokens"},
    )
    api.spec.components.security_scheme(
        "session",
        {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.session_cookie,
            "description": "For scripts of our own pages: the cookie of who signed in there. To "
            "change something they also send the token of their page as `X-Form-Token`.",
        },
    )
    api.spec.components.schema("Problem", schema=ProblemSchema)
    for noun in NOUNS:
        api.register_blueprint(noun, url_prefix=PREFIX)
    register_errors(app)
    register_limits(app, settings)
    app.extensions[EXTENSION] = api
    return api
