"""Application factory: settings in, a WSGI application out. It opens no connection."""

import os
from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from flask import Flask, Request, Response
from flask.sessions import SessionInterface
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.middleware.proxy_fix import ProxyFix

from engine.cli.board_files import use_board_files
from service.access.credentials import note_uses, uses_to_note
from service.api import register_api
from service.api.mail_hook import register_hooks
from service.api.openapi import openapi_document, openapi_yaml
from service.core import config
from service.core.clock import wall_clock
from service.core.compression import register_compression
from service.core.errors import Problem
from service.core.json_provider import OrjsonProvider
from service.core.security_headers import register_protection
from service.core.telemetry import register_observing
from service.db.database_app import connect_database
from service.db.session import transact
from service.ops.health import register_health
from service.web import register_web
from service.web.reference import Documents

log = structlog.get_logger()


class NoSession(SessionInterface):
    """Disabled cookie session of Flask: sessions are rows of the database."""

    def open_session(self, app: Flask, request: Request) -> None:
        return None

    def is_null_session(self, obj: object) -> bool:
        return True


class Service(Flask):
    """Flask without the features that the service does not use."""

    session_interface = NoSession()

    def ensure_sync(self, func: Callable[..., object]) -> Callable[..., object]:
        return func  # all views are plain functions


def create_app(
    settings: config.Settings | None = None,
    clock: Callable[[], datetime] = wall_clock,
    database_clock: Callable[[], datetime] | None = None,
) -> Flask:
    """The service with these settings, or with those of the environment."""
    if settings is None:
        settings = config.from_environment()
        use_board_files(os.environ)
    app = Service("service", static_folder=None, template_folder="web/templates")
    app.json = OrjsonProvider(app)
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=settings.max_body,
        TRUSTED_HOSTS=list(settings.trusted_hosts) or None,
    )
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=0
        )
    connect_database(app, settings, clock, database_clock)
    register_observing(app, settings)
    register_protection(app, settings)
    register_compression(app)
    register_api(app, settings)
    register_hooks(app, settings)
    register_health(app, settings)
    register_web(app, Documents(partial(openapi_document, settings), openapi_yaml))
    app.after_request(_note_uses)
    return app


def _note_uses(response: Response) -> Response:
    """Record the last use of tokens, at most every few minutes (`service.access.credentials`)."""
    uses = uses_to_note()
    if uses:
        try:
            transact(lambda: note_uses(uses))
        except (SQLAlchemyError, Problem) as error:  # the request itself has succeeded
            log.warning("use_not_noted", error=type(error).__name__)
    return response
