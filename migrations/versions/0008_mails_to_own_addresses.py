"""Mails to the server's own addresses

Revision: 0008, after 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_INDEX = "ix_incoming_own_address_fingerprint"


def upgrade() -> None:
    of_own_addresses = sa.text("letter_id IS NULL AND purpose <> ''")
    op.create_index(
        _INDEX,
        "incoming",
        ["purpose", "fingerprint"],
        unique=True,
        sqlite_where=of_own_addresses,
        postgresql_where=of_own_addresses,
    )


def downgrade() -> None:
    op.drop_index(_INDEX, table_name="incoming")
