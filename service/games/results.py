"""Results: scores, places and winners of a game, as it ended or as it stands.

The engine ranks the seats, with the tie-break of the game type. The stored outcome of a game is
such a result as JSON; the API, the pages, the mails and the audit all read it here.
"""

from dataclasses import dataclass

from engine.contract import GameType, Json
from engine.early_end import EARLY_ENDS, RESIGNED, early_outcome, early_ranking
from service.games.loaded_game import LoadedGame


@dataclass(frozen=True)
class GameResult:
    """The result of a game, by seat; one without a reason is of a game that is not over."""

    scores: tuple[int, ...]
    ranking: tuple[int, ...]  # everybody's place, from 1; tied seats share one
    winners: tuple[int, ...]
    reason: str | None

    @property
    def seats_by_place(self) -> list[int]:
        return sorted(range(len(self.ranking)), key=lambda seat: self.ranking[seat])

    def as_json(self) -> Json:
        """The outcome as it is stored and as clients see it."""
        return {
            "scores": list(self.scores),
            "winners": list(self.winners),
            "ranking": list(self.ranking),
            "reason": self.reason,
        }


def stored_result(outcome: Json) -> GameResult:
    """The result that the row of a finished game stores."""
    scores, ranking, winners = (tuple(outcome[name]) for name in ("scores", "ranking", "winners"))
    return GameResult(scores, ranking, winners, outcome["reason"])


def result_of(loaded: LoadedGame) -> GameResult:
    """The result of a game, or everybody's score and place as it stands."""
    if loaded.row.outcome is not None:
        return stored_result(loaded.row.outcome)
    game, state = loaded.game, loaded.state
    return GameResult(tuple(game.scores(state)), tuple(game.ranking(state)), (), None)


def result_by_rules(game: GameType, state: object) -> GameResult | None:
    """The result of a game that is over by its rules in this state; else None."""
    outcome = game.outcome(state)
    if outcome is None:
        return None
    ranking = tuple(game.ranking(state))
    return GameResult(outcome.scores, ranking, outcome.winners, outcome.reason)


def early_result(game: GameType, state: object, reason: str, last: int | None) -> GameResult:
    """The result of a game that the players end in this state; `last` did not resign."""
    ended = early_outcome(game, state, reason, last)
    ranking = tuple(early_ranking(game, state, last))
    return GameResult(ended.scores, ranking, ended.winners, reason)


def ended_early(outcome: object) -> bool:
    """Whether a stored outcome is one that the players brought about, and not the rules."""
    return isinstance(outcome, dict) and outcome.get("reason") in EARLY_ENDS


def last_seat(outcome: Json) -> int | None:
    """The seat of a stored outcome that won because all others resigned."""
    won = outcome["reason"] == RESIGNED and outcome["winners"]
    return outcome["winners"][0] if won else None


def early_result_again(game: GameType, state: object, outcome: Json) -> GameResult:
    """The result that a stored early end should have in this state."""
    return early_result(game, state, outcome["reason"], last_seat(outcome))
