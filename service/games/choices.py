"""The moves a seat may choose from, as people are offered them: the best first."""

from engine.contract import GameType, Json


def best_first(game: GameType, view: Json) -> list[Json]:
    """The moves offered in a seat's view, with what each gains its player now, the best first."""
    moves, seat = view["decision"]["moves"], view["you"]["seat"]
    return [moves[number] | {"gain": _gain(moves[number], seat)} for number in game.ranked(view)]


def _gain(move: Json, seat: int) -> int:
    """The points of a move and of those it forces, except what `best` already counts."""
    forced = [] if "best" in move else [item for one in move["forced"] for item in one["points"]]
    return sum(item["points"] for item in [*move["points"], *forced] if item["seat"] == seat)
