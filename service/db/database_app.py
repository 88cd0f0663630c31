"""The database for an application: the whole service, or a command that only reads.

Flask-SQLAlchemy needs an application. Importing all of the service takes a second of CPU time,
which `laguna status` and health checks need not spend.
"""

from collections.abc import Callable
from datetime import datetime

from flask import Flask

from service.core.clock import CLOCK, wall_clock
from service.core.config import Settings
from service.db.server_clock import DATABASE_CLOCK, read_database_clock
from service.db.session import db
from service.db.sqlite import prepare_engine
from service.db.time_limits import POOL_SECONDS, connect_arguments, limit_connections


def connect_database(
    app: Flask,
    settings: Settings,
    clock: Callable[[], datetime] = wall_clock,
    database_clock: Callable[[], datetime] | None = None,
) -> None:
    """Give the application its settings, its database and its clocks. It opens no connection.

    A given clock is also the database's, unless that one is given as well.
    """
    if database_clock is None:
        database_clock = read_database_clock if clock is wall_clock else clock
    app.config.update(
        LAGUNA=settings,
        SQLALCHEMY_DATABASE_URI=driver_url(settings.database_url),
        SQLALCHEMY_ENGINE_OPTIONS=_engine_options(settings),
        **{CLOCK: clock, DATABASE_CLOCK: database_clock},
    )
    db.init_app(app)
    with app.app_context():
        prepare_engine(db.engine)
        if not settings.sqlite:
            limit_connections(db.engine, settings.database_timeout)


def database_app(settings: Settings) -> Flask:
    """An application with a database and nothing else."""
    app = Flask("service", static_folder=None)
    connect_database(app, settings)
    return app


def driver_url(url: str) -> str:
    """PostgreSQL is always reached by psycopg 3."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


def _engine_options(settings: Settings) -> dict[str, object]:
    options: dict[str, object] = {"hide_parameters": True}
    if settings.sqlite:
        return options | {"connect_args": {"check_same_thread": False}}
    return options | {
        "connect_args": connect_arguments(settings.database_timeout),
        "pool_pre_ping": True,
        "pool_size": settings.web_threads,
        "max_overflow": 8,
        "pool_timeout": POOL_SECONDS,
    }
