"""The picture of the board in a letter."""

from collections.abc import Sequence

import structlog

from engine.contract import Event
from service.database import logged
from service.looking import as_it_ended
from service.pictures import Picture, picture_of
from service.sitting import Sitting

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
