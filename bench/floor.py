"""The service beside the least that could do the same: for `bench/service.py`.

Under `/floor` is a bare Flask application on the same database, by the same driver and with the
same settings of SQLite. It reads one row with a state of the same size, updates it with a check
of its version, inserts two rows, and commits; or it reads the row alone. It takes its turn to write
and reads without a transaction, as the service does. No account, no rules, no secrets.
"""

import os
from typing import Any

from flask import Flask, jsonify
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

from service.api import caching
from service.app import create_app
from service.config import from_environment
from service.database import WRITING, db, reading_options, turn_to_write
from service.observing import configure_logging

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

SELECT = select(ROW).where(ROW.c.id == bindparam("wanted"))
UPDATE = (
    update(ROW)
    .where(ROW.c.id == bindparam("wanted"), ROW.c.version == bindparam("seen"))
    .values(state=bindparam("new_state"), version=bindparam("seen") + 1)
)
INSERT = insert(LINE)


def floor_app(engine: Engine) -> Flask:
    app = Flask("floor")
    locked = SELECT.with_for_update()
    writing: dict[str, Any] = {WRITING: True}
    alone = reading_options(engine)

    @app.post("/moves/<row_id>")
    def move(row_id: str) -> Any:
        with turn_to_write(engine), engine.connect().execution_options(**writing) as connection:
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


def application() -> Any:
    """What gunicorn serves: the service, and the floor under it."""
    settings = from_environment()
    configure_logging(settings)
    app = create_app(settings)
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

    service = DispatcherMiddleware(app, {"/floor": floor_app(engine)})

    def fresh(environ: Any, start: Any) -> Any:
        """A request with `X-Fresh` finds nothing rendered before."""
        if "HTTP_X_FRESH" in environ:
            caching.forget()
        return service(environ, start)

    return fresh
