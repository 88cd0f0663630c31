"""Page of an invitation link, which grants sight of the table and a seat.

A new link is kept in a cookie of the host: the database stores only its digest.
"""

from datetime import timedelta

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from service.access.games import access_known_game, access_seats
from service.access.scopes import TABLES_SEEK
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.session import transact
from service.games.invitations import game_of_link, game_of_used_link, sit_down, table_of_link
from service.games.views import summary_json
from service.web.home import game_title
from service.web.rendering import attempt, pages, show, signed_in, to
from service.web.sessions import page_key, set_cookie, visitor

LINK_KEPT_FOR = timedelta(minutes=10)


def _over() -> Problem:
    return Problem(
        "invitation_invalid", "It may have been used or withdrawn. Ask the host for a new one."
    )


@pages.get("/invitations/<secret>")
def invitation(secret: str) -> AnyResponse:
    return _invitation(secret)


def _invitation(secret: str, refusal: Problem | None = None) -> AnyResponse:
    game_id = game_of_link(secret, now())
    if game_id is None:
        return to("web.game", game_id=_accepted(secret))
    row, inviter = table_of_link(secret, game_id)
    caller = visitor()
    seats = access_seats(game_id)
    if caller is not None and any(seat.person_id == caller.person_id for seat in seats):
        return to("web.game", game_id=game_id)
    table = summary_json(row, seats, None)
    return show(
        "invitation",
        secret=secret,
        table=table,
        title=game_title(table),
        host=inviter,
        refusal=refusal,
    )


def _accepted(secret: str) -> str:
    """The game that this visitor joined with the invitation: an old link still leads to it."""
    caller = visitor()
    if caller is None:
        raise _over()
    game_id = game_of_used_link(secret, caller)
    if game_id is None:
        raise _over()
    return game_id


@pages.post("/invitations/<secret>")
def accept_invitation(secret: str) -> AnyResponse:
    signed_in(f"/invitations/{secret}")

    def accept() -> AnyResponse:
        return to("web.game", game_id=transact(lambda: _seated(secret)))

    return attempt(accept, lambda refusal: _invitation(secret, refusal))


def _seated(secret: str) -> str:
    at = now()
    game_id = game_of_link(secret, at)
    if game_id is None:
        raise _over()
    access = access_known_game(page_key(), TABLES_SEEK, game_id, invitation=secret)
    sit_down(access, secret, at)
    return game_id


def _link_cookie() -> str:
    return f"{settings().session_cookie}-link"


def keep_link(response: AnyResponse, link: str) -> None:
    """Keep the link in the browser until it has been used."""
    secret = link.rpartition("/")[2]
    set_cookie(response, _link_cookie(), secret, int(LINK_KEPT_FOR.total_seconds()))


def kept_link(game_id: str) -> str | None:
    """The link that this browser created last, if it is still valid."""
    secret = request.cookies.get(_link_cookie())
    if not secret or game_of_link(secret, now()) != game_id:
        return None
    return f"{settings().public_url}/invitations/{secret}"
