"""ETags of a game, or of a form of it, for one viewer.

They reveal nothing that other seats keep secret: the version counts changes that everybody can
see, the seat's own version those that only the seat can.
"""

from engine.languages import ENGLISH
from service.access.games import GameAccess, Glance
from service.core.etags import etag


def game_etag(access: GameAccess, *more: object) -> str:
    """The ETag of a game for the viewer with this access."""
    return glance_etag(Glance(access.game.version, access.seat, access.seat_version), *more)


def glance_etag(glance: Glance, *more: object) -> str:
    """The same from the few columns that an unchanged game costs."""
    viewer = "w" if glance.seat is None else f"s{glance.seat}.{glance.seat_version}"
    return etag(f"v{glance.version}", viewer, *more)


def view_parts(language: str, at: int | None = None) -> tuple[str, ...]:
    """Parts for a language other than the default, and for an earlier position."""
    return (*(() if language == ENGLISH else (language,)), *(() if at is None else (f"at{at}",)))
