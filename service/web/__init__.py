"""Pages for people, made on the server; they need no script.

A module per page. Their forms call the functions that the API calls, through the same `access_*`,
with the session's cookie instead of a token.
"""

from flask import Flask

from service.web import (  # noqa: F401 - each adds its pages when it is read
    absences,
    account,
    answer_links,
    calendar,
    files,
    game,
    game_forms,
    home,
    invitation_refusals,
    invitations,
    language,
    mail_preferences,
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
    """Everything outside the API that a browser can show."""
    register_pages(app)
    app.register_blueprint(signed_link_pages)
    register_reference(app, documents)
