"""Retention, audit and clocks: what the worker needs to look after a large database

Revision: 0003, after 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TO_NOTICE = {
    "sqlite_where": sa.text("last_event > noticed"),
    "postgresql_where": sa.text("last_event > noticed"),
}
ENDED = {
    "sqlite_where": sa.text("ended_at IS NOT NULL"),
    "postgresql_where": sa.text("ended_at IS NOT NULL"),
}


def upgrade() -> None:
    op.add_column("heartbeat", sa.Column("note", sa.String(length=200), nullable=True))

    # An index with last_event in its condition made every event write all indexes of the person.
    op.create_table(
        "pending_notice",
        sa.Column("person_id", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_pending_notice_person_id_person")
        ),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_pending_notice")),
    )
    op.execute(
        "INSERT INTO pending_notice (person_id) SELECT id FROM person WHERE last_event > noticed"
    )
    op.drop_index("ix_person_to_notice", table_name="person", **TO_NOTICE)

    op.create_table(
        "game_audit",
        sa.Column("game_id", sa.String(length=16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_game_audit_game_id_game")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_game_audit")),
    )
    op.execute("DELETE FROM bookmark WHERE name = 'audit'")

    op.create_index("ix_letter_created_at", "letter", ["created_at"])
    op.create_index("ix_delivery_created_at", "delivery", ["created_at"])
    op.create_index("ix_game_ended_at", "game", ["ended_at"], **ENDED)


def downgrade() -> None:
    op.drop_index("ix_game_ended_at", table_name="game", **ENDED)
    op.drop_index("ix_delivery_created_at", table_name="delivery")
    op.drop_index("ix_letter_created_at", table_name="letter")
    op.execute("DELETE FROM bookmark WHERE name IN ('audit', 'retention')")
    op.drop_table("game_audit")
    op.create_index("ix_person_to_notice", "person", ["id"], **TO_NOTICE)
    op.drop_table("pending_notice")
    op.execute("DELETE FROM heartbeat WHERE lane = 'clock'")
    with op.batch_alter_table("heartbeat") as batch_op:
        batch_op.drop_column("note")
