"""Revisions of the database's tables, brought up to date by Alembic from `migrations/`.

Alembic is imported only where tables are changed: every command and process asks for the revision,
and the import is a tenth of what a command takes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

if TYPE_CHECKING:
    from alembic.config import Config

SCRIPTS = Path(__file__).parents[2] / "migrations"
NEWEST = "0010"  # the last of the migrations; a test compares
VERSION_TABLE = "alembic_version"


def alembic_config(connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Create or update all tables."""
    from alembic import command

    command.upgrade(alembic_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    from alembic import command

    command.downgrade(alembic_config(connection), revision)


def current_revision(connection: Connection) -> str | None:
    """The revision of these tables; None if there are none."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608
    return found


def newest_revision() -> str:
    return NEWEST


def is_newer(found: str | None) -> bool:
    """Whether a newer program than this one made the tables."""
    return found is not None and found != NEWEST and found not in known_revisions()


def is_behind(found: str | None) -> bool:
    """Whether the tables are older than this program needs.

    Newer ones will do: a migration must leave what the release before it needs, so that both can
    run while processes are replaced.
    """
    return found is None or (found != newest_revision() and found in known_revisions())


@cache
def known_revisions() -> frozenset[str]:
    """All revisions that can be upgraded."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(alembic_config())
    return frozenset(script.revision for script in scripts.walk_revisions())
