"""Server-rendered pages; they work without scripts.

A module a page. Forms call the same use cases as the API, through the same `access_*` functions,
with the session cookie instead of a token.
"""

from flask import Flask

from service.web import (  # noqa: F401 - each adds its pages when it is read
    account,
    answer_links,
    calendar,
    files,
    game,
    game_forms,
    home,
    invitations,
    language,
    mailbox,
    replay,
    rules,
    sign_in,
    tokens,
    unsubscribe,
    webhooks,
)
from service.web.reference import Documents, register_reference
from service.web.rendering import register_pages
from service.web.signed_links import signed_link_pages


def register_web(app: Flask, documents: Documents) -> None:
    """All pages, and the reference with the given OpenAPI documents."""
    register_pages(app)
    app.register_blueprint(signed_link_pages)
    register_reference(app, documents)
