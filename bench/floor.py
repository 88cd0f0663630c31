"""The service beside the least that could do the same: for `bench/service.py`.

Two bare Flask applications on the same database, by the same driver and with the same settings of
SQLite. They read one row with a state of the same size, update it with a check of its version,
insert two rows, and commit; or they read the row alone. No account, no rules, no secrets.

Under `/floor` this is done as it is usually written with Flask-SQLAlchemy. Under `/lowest` every
means of the service is used for it too: statements built once, a turn to write, reads without a
transaction.
"""

import os
import socket
from typing import Any, ClassVar

from flask import Flask, jsonify
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
    Column,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    event,
    insert,
    select,
    update,
)
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from service.app import create_app
from service.core import etags
from service.core.config import Settings, from_environment
from service.db.session import db, reading_options
from service.db.sqlite import WRITING, prepare_engine
from service.ops.asgi import Bridge
from service.ops.server import serve_forever

METADATA = MetaData()
ROW = Table(
    "bench_row",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("state", Text, nullable=False),
)
LINE = Table(
    "bench_line",
    METADATA,
    Column("row_id", String(16), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("kind", Integer, primary_key=True),
    Column("data", Text, nullable=False),
)
LINE_DATA = '{"type":"keep","card":"quartz-3"}' * 8

db_of_floor = SQLAlchemy(metadata=METADATA)


class Row(db_of_floor.Model):  # type: ignore[name-defined, misc]
    __table__ = ROW
    __mapper_args__: ClassVar = {"version_id_col": ROW.c.version}


class Line(db_of_floor.Model):  # type: ignore[name-defined, misc]
    __table__ = LINE


SELECT = select(ROW).where(ROW.c.id == bindparam("wanted"))
UPDATE = (
    update(ROW)
    .where(ROW.c.id == bindparam("wanted"), ROW.c.version == bindparam("seen"))
    .values(state=bindparam("new_state"), version=bindparam("seen") + 1)
)
INSERT = insert(LINE)


def floor_app(engine: Engine) -> Flask:
    """As it is usually written."""
    app = Flask("floor")
    app.config["SQLALCHEMY_DATABASE_URI"] = engine.url
    db_of_floor.init_app(app)
    with app.app_context():
        prepare_engine(db_of_floor.engine)
    session = db_of_floor.session

    @app.post("/moves/<row_id>")
    def move(row_id: str) -> Any:
        session.connection(execution_options={WRITING: True})
        row = session.get_one(Row, row_id, with_for_update=True)
        version = row.version
        row.state = row.state[1:] + row.state[:1]
        session.add_all(
            Line(row_id=row_id, version=version, kind=kind, data=LINE_DATA) for kind in (0, 1)
        )
        session.commit()
        return jsonify({"version": version + 1})

    @app.get("/rows/<row_id>")
    def read(row_id: str) -> Any:
        row = session.get_one(Row, row_id)
        return jsonify({"id": row.id, "version": row.version, "state": row.state})

    return app


def lowest_app(engine: Engine) -> Flask:
    """With every means of the service."""
    app = Flask("lowest")
    locked = SELECT.with_for_update()
    writing: dict[str, Any] = {WRITING: True}
    alone = reading_options(engine)

    @app.post("/moves/<row_id>")
    def move(row_id: str) -> Any:
        with engine.connect().execution_options(**writing) as connection:
            row = connection.execute(locked, {"wanted": row_id}).one()
            # The state must really change: an equal value would not be written.
            state = row.state[1:] + row.state[:1]
            changed = connection.execute(
                UPDATE, {"wanted": row_id, "seen": row.version, "new_state": state}
            )
            assert changed.rowcount == 1
            connection.execute(
                INSERT,
                [
                    {"row_id": row_id, "version": row.version, "kind": kind, "data": LINE_DATA}
                    for kind in (0, 1)
                ],
            )
            connection.commit()
        return jsonify({"version": row.version + 1})

    @app.get("/rows/<row_id>")
    def read(row_id: str) -> Any:
        with engine.connect().execution_options(**alone) as connection:
            row = connection.execute(SELECT, {"wanted": row_id}).one()
        return jsonify({"id": row.id, "version": row.version, "state": row.state})

    return app


def count_statements(engine: Engine) -> None:
    """Tell in a header how many statements an answer took."""

    @event.listens_for(engine, "before_cursor_execute")
    def _count(connection: Any, *_: Any) -> None:
        STATEMENTS.append(1)


STATEMENTS: list[int] = []


def serve(port: int) -> None:
    """Serve the service, and the floor under it, by the web server of the service."""
    listening = socket.create_server(("127.0.0.1", port), backlog=128)
    serve_forever(from_environment(), listening.detach(), bridge)


def bridge(settings: Settings) -> Bridge:
    app = create_app(settings)
    return Bridge(app, settings, application(app))


def application(app: Flask) -> Any:
    """The service, and the floor under it."""
    with app.app_context():
        engine = db.engine
    if os.environ.get("BENCH_COUNT"):
        count_statements(engine)

        @app.before_request
        def _reset() -> None:
            STATEMENTS.clear()

        @app.after_request
        def _tell(response: Any) -> Any:
            response.headers["X-Statements"] = str(len(STATEMENTS))
            return response

    service = DispatcherMiddleware(
        app, {"/floor": floor_app(engine), "/lowest": lowest_app(engine)}
    )

    def fresh(environ: Any, start: Any) -> Any:
        """A request with `X-Fresh` finds nothing rendered before."""
        if "HTTP_X_FRESH" in environ:
            etags.clear_cache()
        return service(environ, start)

    return fresh
