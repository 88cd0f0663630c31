"""The moves a seat may choose from, as people are offered them: the best first."""

from engine.contract import Json


def best_first(decision: Json, seat: int) -> list[Json]:
    """The legal moves of a decision with what each gains its player now, the best first."""
    moves = [
        move | {"gain": sum(item["points"] for item in move["points"] if item["seat"] == seat)}
        for move in decision["moves"]
    ]
    return sorted(moves, key=lambda move: -int(move["gain"]))
