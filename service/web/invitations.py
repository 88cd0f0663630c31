"""Page of an invitation link, which grants sight of the table and a seat."""

from typing import Any

from flask import Response
from werkzeug.wrappers import Response as AnyResponse

from service.access.games import access_known_game, access_seats
from service.access.scopes import TABLES_SEEK
from service.core.clock import now
from service.core.errors import Problem
from service.db.session import transact
from service.games.invitations import game_of_link, game_of_used_link, sit_down, table_of_link
from service.games.views import summary_json
from service.web.home import game_title
from service.web.rendering import attempt, pages, show, signed_in, to
from service.web.sessions import page_key, visitor


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
    row = table_of_link(secret, game_id)
    caller = visitor()
    seats = access_seats(game_id)
    if caller is not None and any(seat.person_id == caller.person_id for seat in seats):
        return to("web.game", game_id=game_id)
    table = summary_json(row, seats, None)
    return _shown(secret, table, row.host, refusal)


def _accepted(secret: str) -> str:
    """The game that this visitor joined with the invitation: an old link still leads to it."""
    caller = visitor()
    if caller is None:
        raise _over()
    game_id = game_of_used_link(secret, caller)
    if game_id is None:
        raise _over()
    return game_id


def _shown(secret: str, table: Any, host: str, refusal: Problem | None) -> Response:
    status = 200 if refusal is None else refusal.status
    return show(
        "invitation",
        status,
        secret=secret,
        table=table,
        title=game_title(table),
        host=host,
        refusal=refusal,
    )


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
