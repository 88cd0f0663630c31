"""Incoming mail that was set aside, its size and owner; begun letters; the mail server's back-off

Revision: 0004, after 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_OWNER = 'UPDATE incoming SET owner = (SELECT letter."to" FROM letter WHERE letter.id = incoming.letter_id)'
_SIZE = "UPDATE incoming SET size = coalesce(length(raw), 0)"


def upgrade() -> None:
    op.create_table(
        "mail_server_outage",
        sa.Column("name", sa.String(length=254), nullable=False),
        sa.Column("away_since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("error", sa.String(length=300), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_mail_server_outage")),
    )
    with op.batch_alter_table("letter", schema=None) as batch_op:
        batch_op.add_column(sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True))
    with op.batch_alter_table("incoming", schema=None) as batch_op:
        batch_op.alter_column("letter_id", existing_type=sa.String(length=16), nullable=True)
        batch_op.add_column(
            sa.Column("owner", sa.String(length=254), server_default="", nullable=False)
        )
        batch_op.add_column(sa.Column("size", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("error", sa.String(length=200), nullable=True))
        batch_op.drop_index("ix_incoming_sender_received_at")
        batch_op.create_index(
            "ix_incoming_owner_received_at", ["owner", "received_at"], unique=False
        )
    op.execute(_OWNER)
    op.execute(_SIZE)


def downgrade() -> None:
    op.execute("DELETE FROM incoming WHERE letter_id IS NULL")
    with op.batch_alter_table("incoming", schema=None) as batch_op:
        batch_op.drop_index("ix_incoming_owner_received_at")
        batch_op.create_index(
            "ix_incoming_sender_received_at", ["sender", "received_at"], unique=False
        )
        batch_op.drop_column("error")
        batch_op.drop_column("size")
        batch_op.drop_column("owner")
        batch_op.alter_column("letter_id", existing_type=sa.String(length=16), nullable=False)
    # Not in a batch, which would copy and drop a table that others refer to.
    op.drop_column("letter", "begun_at")
    op.drop_table("mail_server_outage")
