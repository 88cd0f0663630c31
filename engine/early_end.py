"""Early ends: outcomes that come from the players, not from the rules."""

from typing import Any

from engine.contract import GameType, Json, Outcome
from engine.toolkit.ranking import first, places

AGREED = "agreed"  # all who still play agreed to end the game as it stands
RESIGNED = "resigned"  # all other people resigned; the last one wins
ABANDONED = "abandoned"  # nobody plays on, and nobody wins
EARLY_ENDS = (AGREED, RESIGNED, ABANDONED)


def early_outcome(game: GameType, state: Any, reason: str, last: int | None = None) -> Outcome:
    """The outcome of a game that ends in this state; `last` is the seat that did not resign."""
    winners = () if reason == ABANDONED else first(early_ranking(game, state, last))
    return Outcome(tuple(game.scores(state)), winners, reason)


def early_ranking(game: GameType, state: Any, last: int | None = None) -> tuple[int, ...]:
    """The places as the game stands; the seat that did not resign comes first."""
    return places([(seat == last, -place) for seat, place in enumerate(game.ranking(state))])


def ended_view(view: Json, outcome: Json) -> Json:
    """The view of a game that ended early: with a result and without decisions."""
    return view | {"outcome": outcome, "pending": [], "decision": None}
