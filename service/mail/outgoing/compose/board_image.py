"""The picture of the board in a letter."""

from collections.abc import Sequence

import structlog

from engine.contract import Event
from service.db.session import error_fields
from service.games.loaded_game import LoadedGame
from service.games.views import as_it_ended
from service.mail.outgoing.board_png import Picture, picture_of

log = structlog.get_logger()


def drawn(loaded: LoadedGame, changed: Sequence[Event], language: str) -> Picture | None:
    """The position as a spectator sees it; None after a failure, because a letter says the same
    without its picture."""
    view = as_it_ended(loaded, loaded.game.view(loaded.state, None))
    try:
        return picture_of(loaded.game.board_svg(view, loaded.names, changed, language))
    except Exception as error:
        log.error("picture_not_drawn", game=loaded.row.id, **error_fields(error))
        return None
