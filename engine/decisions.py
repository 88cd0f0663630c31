"""Decisions for clients: the view of a seat with its legal moves and their previews."""

from collections.abc import Sequence
from typing import Any

from engine.contract import Forced, GameType, Json, Preview
from engine.languages import ENGLISH


def seat_names(seats: int) -> list[str]:
    """Placeholder names of the seats."""
    return [f"Seat {seat}" for seat in range(seats)]


def seat_view(
    game: GameType,
    state: Any,
    seat: int | None,
    names: Sequence[str] | None = None,
    language: str = ENGLISH,
) -> Json:
    """The view of a seat with its decision: all that a client needs."""
    seats = len(game.scores(state))
    if seat is not None and (type(seat) is not int or not 0 <= seat < seats):
        raise ValueError(f"there is no seat {seat}")
    view = game.view(state, seat)
    decision = decision_view(game, state, seat, names or seat_names(seats), language)
    return {"game": game.meta.key, "rules": game.meta.rules, **view, "decision": decision}


def decision_view(
    game: GameType,
    state: Any,
    seat: int | None,
    names: Sequence[str],
    language: str = ENGLISH,
) -> Json | None:
    """The decision of this seat with its moves; None if it has none.

    `revising` means that the seat has answered and may still change its answer.
    """
    if seat is None:
        return None
    owes = seat in game.pending(state)
    if not owes and seat not in game.revisable(state):
        return None
    moves = game.legal_moves(state, seat)
    return {
        "id": game.decision(state, seat),
        "revising": not owes,
        "moves": [_priced(game, state, seat, move, names, language) for move in moves],
    }


def offered_premoves(
    game: GameType, state: Any, seat: int, names: Sequence[str], language: str = ENGLISH
) -> list[Json]:
    """Every move of the seat that carries a premove."""
    if seat not in game.pending(state) and seat not in game.revisable(state):
        return []
    moves = game.legal_moves(state, seat)
    plans = [plan for move in moves for plan in game.premoves(state, seat, move)]
    previews = [game.preview(state, seat, plan) for plan in plans]
    return [
        {
            "move": game.move_to_json(plan),
            "text": game.format(plan),
            "label": game.label(state, seat, plan, preview, names, language),
        }
        for plan, preview in zip(plans, previews, strict=True)
    ]


def best_premoves(
    game: GameType, state: Any, seat: int, names: Sequence[str], language: str = ENGLISH
) -> list[Json]:
    """For every move of the seat the premove that plays its best follow-up, if it has one."""
    found: list[Json] = []
    for move in game.legal_moves(state, seat):
        best = game.preview(state, seat, move).follow_up
        for plan in game.premoves(state, seat, move) if best is not None else ():
            preview = game.preview(state, seat, plan)
            if preview.follow_up == best:
                label = game.label(state, seat, plan, preview, names, language)
                carried = {"carries": game.format(move), "text": game.format(plan), "label": label}
                found.append(carried)
    return found


def _priced(
    game: GameType, state: Any, seat: int, move: Any, names: Sequence[str], language: str
) -> Json:
    preview = game.preview(state, seat, move)._replace(forced=game.forced(state, seat, move))
    figures = _figures(game, preview)
    _name_causes(game, figures["points"], language)
    return {
        "move": game.move_to_json(move),
        "text": game.format(move),
        "label": game.label(state, seat, move, preview, names, language),
        "path": [
            {"spot": spot, "words": words} for spot, words in game.path(state, seat, move, language)
        ],
        **figures,
        # A seat with forced moves has no further choice.
        "again": preview.again and (not preview.forced or preview.follow_up is not None),
        "forced": [_forced(game, seat, forced, names, language) for forced in preview.forced],
    }


def _forced(game: GameType, seat: int, forced: Forced, names: Sequence[str], language: str) -> Json:
    """A forced move, with its own points."""
    state, move = forced
    preview = game.preview(state, seat, move)
    points = _figures(game, preview)["points"]
    _name_causes(game, points, language)
    return {
        "move": game.move_to_json(move),
        "text": game.format(move),
        "label": game.label(state, seat, move, preview, names, language),
        "points": points,
    }


def _name_causes(game: GameType, points: list[Json], language: str) -> None:
    for item in points:
        item["words"] = game.cause(item["for"], language)


def _figures(game: GameType, preview: Preview) -> Json:
    figures: Json = {
        "points": [
            {"seat": item.seat, "points": item.points, "for": item.cause}
            | ({"area": item.area} if item.area else {})
            for item in preview.points
        ],
        "again": preview.again,
    }
    if preview.follow_up is not None:
        figures["best"] = game.move_to_json(preview.follow_up)
    return figures


def bot_view(game: GameType, state: Any, seat: int, moves: Sequence[Any]) -> Json:
    """The view of a seat for its bot: these moves with their previews, without texts, which are
    half of the work."""
    offered = [
        {"move": game.move_to_json(move), **_figures(game, game.preview(state, seat, move))}
        for move in moves
    ]
    return {**game.view(state, seat), "decision": {"moves": offered}}
