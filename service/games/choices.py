"""The moves a seat may choose from, as people are offered them: the best first."""

from engine.contract import GameType, Json
from service.games.loaded_game import LoadedGame


def best_first(game: GameType, view: Json) -> list[Json]:
    """The moves offered in a seat's view, with what each gains its player now, the best first."""
    moves, seat = view["decision"]["moves"], view["you"]["seat"]
    return [moves[number] | {"gain": _gain(moves[number], seat)} for number in game.ranked(view)]


def _gain(move: Json, seat: int) -> int:
    """The points of a move and of those it forces, except what `best` already counts."""
    forced = [] if "best" in move else [item for one in move["forced"] for item in one["points"]]
    return sum(item["points"] for item in [*move["points"], *forced] if item["seat"] == seat)


def label_of(loaded: LoadedGame, state: object, seat: int, move: object, language: str) -> str:
    """A move of a seat in a state, in the words in which it was offered."""
    game = loaded.game
    forced = game.forced(state, seat, move) if move in game.legal_moves(state, seat) else ()
    preview = game.preview(state, seat, move)._replace(forced=forced)
    return game.label(state, seat, move, preview, loaded.names, language)
