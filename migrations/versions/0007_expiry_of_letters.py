"""Expiry of letters

Revision: 0007, after 0006
"""

from datetime import timedelta

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_CODE_LIFETIME = timedelta(minutes=15)
_LETTER = sa.table(
    "letter",
    sa.column("id", sa.String()),
    sa.column("kind", sa.String()),
    sa.column("created_at", sa.DateTime(timezone=True)),
    sa.column("next_try_at", sa.DateTime(timezone=True)),
    sa.column("expires_at", sa.DateTime(timezone=True)),
)


def upgrade() -> None:
    op.add_column("letter", sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
    # Sign-in codes that still wait to be sent; the release before computed their expiry.
    waiting = sa.select(_LETTER.c.id, _LETTER.c.created_at).where(
        _LETTER.c.kind == "sign_in", _LETTER.c.next_try_at.is_not(None)
    )
    connection = op.get_bind()
    for letter in connection.execute(waiting).all():
        expiry = letter.created_at + _CODE_LIFETIME
        connection.execute(
            sa.update(_LETTER).where(_LETTER.c.id == letter.id).values(expires_at=expiry)
        )


def downgrade() -> None:
    op.drop_column("letter", "expires_at")
