"""Moves that players took back

Revision: 0009, after 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "undone_move",
        sa.Column("game_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("decision", sa.String(length=40), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("via", sa.String(length=8), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_undone_move_game_id_game")),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_undone_move")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("undone_move")
