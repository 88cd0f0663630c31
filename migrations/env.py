"""Alembic's entry: migrations run on the connection that `service.db.migrations` hands over."""

from alembic import context

from service.db import models
from service.db.column_types import Instant, JsonText
from service.db.session import Base

assert models  # imported for its tables


def render_item(kind: str, item: object, _: object) -> str | bool:
    """Migrations name plain types: ours may change, what they did then does not."""
    if kind == "type" and isinstance(item, Instant):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(item, JsonText):
        return "sa.Text()"
    return False


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
    render_item=render_item,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
