"""Play on after a resignation

Revision: 0006, after 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("game", sa.Column("played_on_at", sa.DateTime(timezone=True), nullable=True))
    # A game that went on against bots after a resignation goes on.
    op.execute(
        "UPDATE game SET played_on_at = (SELECT max(seat.resigned_at) FROM seat"
        " WHERE seat.game_id = game.id) WHERE status = 'running' AND 2 > (SELECT count(*)"
        " FROM seat WHERE seat.game_id = game.id AND seat.person_id IS NOT NULL"
        " AND seat.resigned_at IS NULL)"
    )
    # A finished game waits for nobody's vote.
    op.execute(
        "UPDATE seat SET wants_to_end = false, wants_pause = false WHERE (wants_to_end OR"
        " wants_pause) AND game_id IN (SELECT id FROM game WHERE status = 'finished')"
    )


def downgrade() -> None:
    # The version before knows one reason of an early end; its audit would freeze others.
    game = sa.table("game", sa.column("outcome", sa.Text()))
    for reason in ("resigned", "abandoned"):
        known = sa.func.replace(game.c.outcome, f'"reason":"{reason}"', '"reason":"agreed"')
        op.execute(sa.update(game).where(game.c.outcome.is_not(None)).values(outcome=known))
    op.drop_column("game", "played_on_at")
