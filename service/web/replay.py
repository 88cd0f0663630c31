"""Replay of a game: every move with its board, statistics, result, and proof of the shuffles.

Running games can be replayed too, as far as the viewer's seat may know them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from flask import Response, request
from markupsafe import Markup

from engine.contract import Json
from service.access.games import GameAccess, access_game
from service.access.scopes import GAMES_READ
from service.core.formatting import length_words
from service.db.models import Status
from service.games import boards, views
from service.games.loaded_game import LoadedGame, load_game
from service.games.move_log import state_after
from service.games.results import GameResult, ended_early, result_of
from service.games.statistics import statistics
from service.web.home import game_title
from service.web.locale import page_language
from service.web.rendering import pages, show
from service.web.sessions import page_key

MOST_DIGITS = 9


class Place(NamedTuple):
    """Place of a seat; players who share a win are all first."""

    place: int
    seat: int
    name: str
    score: int
    won: bool
    own: bool


class Moment(NamedTuple):
    """Scores after a move."""

    n: int
    scores: Sequence[int]


@pages.get("/games/<game_id>/replay")
def replay(game_id: str) -> Response:
    access = access_game(page_key(), GAMES_READ, game_id)
    loaded = load_game(access.game)
    shown = views.game_json(access)
    if not loaded.begun or loaded.frozen:
        return show("replay_none", game=shown, title=game_title(shown))
    language, last = page_language(), loaded.row.moves
    asked = request.args.get("at", str(last))
    at = _move_number(asked, last)
    lines, _ = views.log_json(access, 0, max(1, last), language)
    moments = _moments(loaded, lines)
    n = last if at is None else at
    return show(
        "replay",
        200 if at is not None else 404,
        game=shown,
        title=game_title(shown),
        names=loaded.names,
        at=n,
        missing=asked[:20] if at is None else None,
        last=last,
        # Drawn by the game type, which escapes text of people.
        board=Markup(boards.board_svg(access, language, n)),  # noqa: S704
        lines=lines,
        moments=moments,
        end=_end(access, loaded, lines, moments) if shown["outcome"] else None,
        facts=_facts(shown, loaded, n),
    )


def _move_number(asked: str, last: int) -> int | None:
    """Number of a move of the game; 0 is before the first."""
    if not (asked.isascii() and asked.isdigit() and len(asked) <= MOST_DIGITS):
        return None
    return int(asked) if int(asked) <= last else None


def _moments(loaded: LoadedGame, lines: Sequence[Json]) -> list[Moment]:
    """Scores before the first move, and after each move that changed them."""
    found = [Moment(0, list(loaded.game.scores(state_after(loaded, 0))))]
    for line in lines:
        if line["scores"] != found[-1].scores:
            found.append(Moment(line["n"], line["scores"]))
    return found


def _facts(shown: Json, loaded: LoadedGame, at: int) -> Json:
    """Initial data of the page's scripts, which request everything else from the API."""
    return {
        "game": shown["id"],
        "names": loaded.names,
        "at": at,
        "moves": loaded.row.moves,
        "finished": loaded.row.status == Status.finished,
        "commitment": shown["commitment"],
        "seed": shown["seed"],
    }


def _end(
    access: GameAccess, loaded: LoadedGame, lines: Sequence[Json], moments: Sequence[Moment]
) -> Json:
    """Result of the game: places, reason, and points by cause."""
    row, figures = loaded.row, statistics(access, page_language())
    early, result = ended_early(row.outcome), result_of(loaded)
    assert row.started_at is not None
    assert row.ended_at is not None
    return {
        "ranking": _ranking(loaded.names, result, access.seat),
        "reason": result.reason,
        "gone": [seat.name for seat in loaded.seats if seat.resigned_at is not None],
        "why": None if early or not lines else lines[-1]["sentences"][-1],
        "start": moments[0].scores,
        "causes": sorted(
            ((figures["cause_words"][name], points) for name, points in figures["causes"].items()),
            key=lambda cause: -sum(cause[1]),
        ),
        "lasted": length_words(row.ended_at - row.started_at, page_language()),
    }


def _ranking(names: Sequence[str], result: GameResult, own: int | None) -> list[Place]:
    """Seats, best first."""
    return [
        Place(
            result.ranking[seat],
            seat,
            names[seat],
            result.scores[seat],
            seat in result.winners,
            seat == own,
        )
        for seat in result.seats_by_place
    ]
