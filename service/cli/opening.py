"""The app for a command: with the settings of the environment and a database that is ready."""

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from service import config
from service.app import create_app
from service.cli.errors import CannotDo
from service.database import db
from service.migrating import current_revision, is_behind, newest_revision
from service.observing import configure_logging


@contextmanager
def app_with(settings: config.Settings) -> Iterator[Flask]:
    """The app in its context; its connections end with it."""
    app = create_app(settings)
    with app.app_context():
        try:
            yield app
        finally:
            db.session.remove()
            db.engine.dispose()


@contextmanager
def opened_app() -> Iterator[Flask]:
    """The app, in its context; raises CannotDo if the tables are too old."""
    settings = config.from_environment()
    configure_logging(settings)
    with app_with(settings) as app:
        must_be_up_to_date()
        yield app


def must_be_up_to_date() -> None:
    with db.engine.connect() as connection:
        found = current_revision(connection)
    if found is None:
        raise CannotDo("The database has no tables yet; run `laguna db upgrade` first.")
    if is_behind(found):
        raise CannotDo(
            f"The database has the tables of revision {found}, this program those of "
            f"{newest_revision()}; run `laguna db upgrade` first."
        )
