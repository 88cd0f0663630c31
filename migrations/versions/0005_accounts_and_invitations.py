"""Suspended accounts, refused invitations, and sign-ins bound to the one who asked

Revision: 0005, after 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invitation_refusal",
        sa.Column("address_digest", sa.String(length=64), nullable=False),
        sa.Column("refused_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("address_digest", name=op.f("pk_invitation_refusal")),
    )
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.add_column(sa.Column("suspended_at", sa.DateTime(timezone=True), nullable=True))

    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.add_column(sa.Column("mailbox", sa.String(length=254), nullable=True))
        batch_op.add_column(sa.Column("mailed", sa.Boolean(), nullable=True))
    op.execute("UPDATE invitation SET mailbox = email, mailed = (email IS NOT NULL)")
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.alter_column("mailed", existing_type=sa.Boolean(), nullable=False)
        batch_op.create_index("ix_invitation_mailbox_created_at", ["mailbox", "created_at"])

    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.add_column(sa.Column("mailbox", sa.String(length=254), nullable=True))
        batch_op.add_column(sa.Column("requester", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("client", sa.String(length=64), nullable=True))
    op.execute("UPDATE sign_in SET mailbox = email")
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.alter_column("mailbox", existing_type=sa.String(length=254), nullable=False)
        batch_op.create_index("ix_sign_in_mailbox_created_at", ["mailbox", "created_at"])


def downgrade() -> None:
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.drop_index("ix_sign_in_mailbox_created_at")
        batch_op.drop_column("client")
        batch_op.drop_column("requester")
        batch_op.drop_column("mailbox")

    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_index("ix_invitation_mailbox_created_at")
        batch_op.drop_column("mailed")
        batch_op.drop_column("mailbox")

    # Not in a batch, which would copy and drop a table that others refer to.
    op.drop_column("person", "suspended_at")

    op.drop_table("invitation_refusal")
