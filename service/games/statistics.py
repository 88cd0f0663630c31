"""Statistics of a finished game."""

from collections import defaultdict

from engine.contract import Json
from engine.languages import ENGLISH
from service.access.games import GameAccess
from service.core.errors import Problem
from service.db.models import Status
from service.games.loaded_game import load_game
from service.games.move_log import moves_of


def statistics(access: GameAccess, language: str = ENGLISH) -> Json:
    """The curve of the scores, and their causes."""
    loaded = load_game(access.game)
    if loaded.row.status != Status.finished:
        raise Problem("not_finished", "The figures of a game are told when it is over.")
    causes: dict[str, list[int]] = defaultdict(lambda: [0] * loaded.row.seats)
    curve, by_cause = [], []
    ways: list[dict[str, int]] = [defaultdict(int) for _ in loaded.seats]
    for move in moves_of(loaded.row.id, 0, loaded.row.moves):
        ways[move.seat][move.via] += 1
        for event in move.events:
            if event["type"] == "points":
                causes[event["for"]][event["seat"]] += event["points"]
        curve.append({"n": move.n, "scores": move.scores})
        by_cause.append({"n": move.n, "scores": {name: list(of) for name, of in causes.items()}})
    return {
        "game": loaded.row.id,
        "outcome": loaded.row.outcome,
        "curve": curve,
        "curve_by_cause": by_cause,
        "causes": dict(causes),
        "cause_words": {name: loaded.game.cause(name, language) for name in causes},
        "seats": [
            {"seat": seat.number, "name": seat.name, "moves": dict(ways[seat.number])}
            for seat in loaded.seats
        ],
    }
