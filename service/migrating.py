"""The database's tables, brought up to date by Alembic from `migrations/`."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

SCRIPTS = Path(__file__).parent.parent / "migrations"


def alembic_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Create or update all tables; nothing happens if they are new."""
    command.upgrade(alembic_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    command.downgrade(alembic_config(connection), revision)


def current_revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


@cache
def newest_revision() -> str | None:
    return ScriptDirectory.from_config(alembic_config()).get_current_head()


def is_newer(found: str | None) -> bool:
    """Whether a newer program than this one made the tables."""
    return found is not None and found not in known_revisions()


def is_behind(found: str | None) -> bool:
    """Whether the tables are older than this program needs.

    Newer ones will do: a migration must leave what the release before it needs, so that both can
    run while processes are replaced.
    """
    return found is None or (found != newest_revision() and found in known_revisions())


@cache
def known_revisions() -> frozenset[str]:
    """Every state of the tables that we can bring up to date."""
    scripts = ScriptDirectory.from_config(alembic_config())
    return frozenset(script.revision for script in scripts.walk_revisions())
