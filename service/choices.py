"""The moves a seat may choose from, as people are offered them: the best first."""

from engine.contract import AnyGame, Json


def best_first(game: AnyGame, view: Json) -> list[Json]:
    """The moves offered in a seat's view, with what each gains its player now, the best first."""
    moves, seat = view["decision"]["moves"], view["you"]["seat"]
    return [moves[number] | {"gain": _gain(moves[number], seat)} for number in game.ranked(view)]


def _gain(move: Json, seat: int) -> int:
    return sum(item["points"] for item in move["points"] if item["seat"] == seat)
