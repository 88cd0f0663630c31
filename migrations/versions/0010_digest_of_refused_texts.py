"""Digest of the text of refused replies

Revision: 0010, after 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("incoming", sa.Column("text_digest", sa.String(64), nullable=True))


def downgrade() -> None:
    op.drop_column("incoming", "text_digest")
