"""Rules of a game type in short, with its board."""

from functools import cache

from flask import Response
from markupsafe import Markup

from engine.contract import GameType
from engine.errors import BadSetup
from engine.play import begin
from engine.registry import game_type_by_key
from service.core.errors import Problem
from service.web.locale import page_language, say
from service.web.rendering import pages, show

PLAYERS = ("Anna", "Bruno", "Carla", "Dino", "Elisa", "Franco")  # of the picture


@pages.get("/rules/<key>")
def rules(key: str) -> Response:
    game, language = _game(key), page_language()
    return show(
        "rules",
        meta=game.about(language),
        guide=game.guide(language),
        # Drawn by the game type, without text of people.
        board=Markup(_board(game.meta.key, language)),  # noqa: S704
    )


@pages.get("/rules/<key>/board.svg")
def rules_board(key: str) -> Response:
    """The same board as SVG file."""
    drawing = _board(_game(key).meta.key, page_language())
    return Response(drawing, content_type="image/svg+xml; charset=utf-8")


@pages.get("/rules/<key>/inks.css")
def inks(key: str) -> Response:
    """Seat colours of the game type, for plots."""
    seats = _game(key).meta.inks
    by_day, by_night = (
        "".join(f"--seat-{seat}:{ink[light]};" for seat, ink in enumerate(seats))
        for light in range(2)
    )
    night = f"@media (prefers-color-scheme:dark){{:root{{{by_night}}}}}"
    return Response(f":root{{{by_day}}}{night}", content_type="text/css; charset=utf-8")


def _game(key: str) -> GameType:
    try:
        return game_type_by_key(key)
    except BadSetup:
        raise Problem("not_found", say("There is no such game here.")) from None


@cache
def _board(key: str, language: str) -> str:
    """Initial position of a game, as the first seat sees it."""
    game = game_type_by_key(key)
    seats = max(game.meta.seats)
    start = begin(game, seats, {}, bytes(32)).state
    return game.board_svg(game.view(start, 0), PLAYERS[:seats], (), language)
