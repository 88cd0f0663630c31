"""ETags of a game, or of a form of it, for one viewer.

They reveal nothing that other seats keep secret: the version counts changes that everybody can
see, the seat's own version those that only the seat can.
"""

from engine.languages import ENGLISH
from service.access.games import GameAccess, GameVersion
from service.core.etags import etag


def game_etag(access: GameAccess, *more: object) -> str:
    """The ETag of a game for the viewer with this access."""
    return version_etag(GameVersion(access.game.version, access.seat, access.seat_version), *more)


def version_etag(version: GameVersion, *more: object) -> str:
    """The same from the version alone."""
    viewer = "w" if version.seat is None else f"s{version.seat}.{version.seat_version}"
    return etag(f"v{version.version}", viewer, *more)


def view_parts(language: str, at: int | None = None) -> tuple[str, ...]:
    """Parts for a language other than the default, and for an earlier position."""
    return (*(() if language == ENGLISH else (language,)), *(() if at is None else (f"at{at}",)))
