"""Ranking in outcomes: everybody's place, by the game's own tie-break

Revision: 0002, after 0001
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from engine.errors import EngineError
from engine.registry import game_type_by_key

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BATCH = 500
AGREED = "agreed"

_GAME = sa.table(
    "game",
    *(sa.column(name) for name in ("id", "game", "rules", "state", "outcome")),
)


def upgrade() -> None:
    _change_outcomes(_with_ranking)


def downgrade() -> None:
    _change_outcomes(_without_ranking)


def _change_outcomes(changed: Callable[[sa.Row[Any], dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for rows in _batches(connection):
        for row in rows:
            outcome = json.loads(row.outcome)
            if isinstance(outcome, dict) and "scores" in outcome:
                text = json.dumps(changed(row, outcome), separators=(",", ":"))
                connection.execute(
                    sa.update(_GAME).where(_GAME.c.id == row.id).values(outcome=text)
                )


def _batches(connection: sa.Connection) -> Iterator[list[sa.Row[Any]]]:
    """Games with an outcome, in the order of ids."""
    after = ""
    while rows := list(
        connection.execute(
            sa.select(_GAME)
            .where(_GAME.c.outcome.is_not(None), _GAME.c.id > after)
            .order_by(_GAME.c.id)
            .limit(BATCH)
        )
    ):
        yield rows
        after = rows[-1].id


def _with_ranking(row: sa.Row[Any], outcome: dict[str, Any]) -> dict[str, Any]:
    ranking = _ranking(row, outcome)
    winners = outcome["winners"]
    if outcome["reason"] == AGREED:  # was decided by points alone
        winners = [seat for seat, place in enumerate(ranking) if place == 1]
    return {
        "scores": outcome["scores"],
        "winners": winners,
        "ranking": ranking,
        "reason": outcome["reason"],
    }


def _ranking(row: sa.Row[Any], outcome: dict[str, Any]) -> list[int]:
    """The places as the game ranks them; of a state that cannot be read, by win and points."""
    try:
        game = game_type_by_key(row.game, row.rules)
        return list(game.ranking(game.load(row.state)))
    except EngineError:
        keys = [(seat in outcome["winners"], score) for seat, score in enumerate(outcome["scores"])]
        return [1 + sum(other > key for other in keys) for key in keys]


def _without_ranking(row: sa.Row[Any], outcome: dict[str, Any]) -> dict[str, Any]:
    outcome = {name: value for name, value in outcome.items() if name != "ranking"}
    if outcome["reason"] == AGREED:
        best = max(outcome["scores"])
        winners = [seat for seat, score in enumerate(outcome["scores"]) if score == best]
        return {**outcome, "winners": winners}
    return outcome
