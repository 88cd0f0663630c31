"""New invitation link, kept in a cookie of the host: the database stores only its digest."""

from datetime import timedelta

from flask import request
from werkzeug.wrappers import Response

from service.core.clock import now
from service.core.current_settings import settings
from service.games.invitations import game_of_link
from service.web.sessions import set_cookie

KEPT_FOR = timedelta(minutes=10)


def _cookie_name() -> str:
    return f"{settings().session_cookie}-link"


def keep_link(response: Response, link: str) -> None:
    """Keep the link in the browser until it has been used."""
    secret = link.rpartition("/")[2]
    set_cookie(response, _cookie_name(), secret, int(KEPT_FOR.total_seconds()))


def kept_link(game_id: str) -> str | None:
    """The link that this browser created last, if it is still valid."""
    secret = request.cookies.get(_cookie_name())
    if not secret or game_of_link(secret, now()) != game_id:
        return None
    return f"{settings().public_url}/invitations/{secret}"
