"""The picture of the board in a letter."""

from collections.abc import Sequence

import structlog

from engine.contract import Event
from service.db.session import logged
from service.games.loaded_game import Sitting
from service.games.views import as_it_ended
from service.mail.outgoing.pictures import Picture, picture_of

log = structlog.get_logger()


def drawn(sitting: Sitting, changed: Sequence[Event], language: str) -> Picture | None:
    """The position as a spectator sees it. A letter without a picture says the same, so that one
    that cannot be drawn keeps no letter back."""
    view = as_it_ended(sitting, sitting.game.view(sitting.state, None))
    try:
        return picture_of(sitting.game.board_svg(view, sitting.names, changed, language))
    except Exception as error:
        log.error("picture_not_drawn", game=sitting.row.id, **logged(error))
        return None
