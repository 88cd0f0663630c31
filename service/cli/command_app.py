"""The app for a command, with the settings of the environment."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from service.cli.errors import CommandError
from service.core import config
from service.core.telemetry import configure_logging
from service.db.database_app import database_app
from service.db.migrations import current_revision, is_behind, newest_revision
from service.db.session import db


@contextmanager
def app_with(settings: config.Settings) -> Iterator[Flask]:
    """The app in its context, with the boards of the games; connections are closed at its end."""
    from engine.cli.board_files import use_board_files
    from service.app import create_app

    use_board_files(os.environ)
    with _in_context(create_app(settings)) as app:
        yield app


@contextmanager
def _in_context(app: Flask) -> Iterator[Flask]:
    with app.app_context():
        try:
            yield app
        finally:
            db.session.remove()
            db.engine.dispose()


@contextmanager
def opened_database() -> Iterator[Flask]:
    """As `opened_app`, for commands that need only the database."""
    settings = config.from_environment()
    configure_logging(settings)
    with _in_context(database_app(settings)) as app:
        must_be_up_to_date()
        yield app


@contextmanager
def opened_app() -> Iterator[Flask]:
    """The app in its context; raises CommandError if the tables are too old."""
    settings = config.from_environment()
    configure_logging(settings)
    with app_with(settings) as app:
        must_be_up_to_date()
        yield app


def must_be_up_to_date() -> None:
    with db.engine.connect() as connection:
        found = current_revision(connection)
    if found is None:
        raise CommandError("The database has no tables yet; run `laguna db upgrade` first.")
    if is_behind(found):
        raise CommandError(
            f"The database has the tables of revision {found}, not {newest_revision()}; "
            "run `laguna db upgrade` first."
        )
