"""Invitations to tables, by mail or by a link to pass on."""

from flask import Response

from engine.contract import Json
from service.access.credentials import access_caller
from service.access.games import access_hosted
from service.access.scopes import GAMES_READ, TABLES_SEEK
from service.api.authentication import request_key
from service.api.decorators import problems, read_only, returns_secret, scope, transactional
from service.api.schemas.games import InvitationSchema, InvitationsSchema
from service.api.tables import blp
from service.core.clock import now
from service.db.models import Invitation
from service.games.inputs import NewInvitationSchema
from service.games.invitations import invitations_for, invitations_of, invite, withdraw


def _invitation_json(invitation: Invitation, link: str | None = None) -> Json:
    return {
        "id": invitation.id,
        "game": invitation.game_id,
        "email": invitation.email,
        "used": invitation.used_by is not None,
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
    } | ({} if link is None else {"link": link})


@blp.route("/games/<game_id>/invitations", methods=["GET"])
@scope(TABLES_SEEK)
@blp.response(200, InvitationsSchema)
@problems("not_host")
@read_only
def list_invitations(game_id: str) -> Json:
    """List the invitations to a table"""
    access_hosted(request_key(), TABLES_SEEK, game_id, for_update=False)
    return {"items": [_invitation_json(item) for item in invitations_of(game_id)]}


@blp.route("/games/<game_id>/invitations", methods=["POST"])
@scope(TABLES_SEEK)
@blp.arguments(NewInvitationSchema)
@returns_secret
@blp.response(201, InvitationSchema)
@problems("not_host", "not_open", "already_invited", "too_many_invitations")
@transactional
def create_invitation(body: Json, game_id: str) -> Json:
    """Invite a player to a table

    With an address the service sends a mail; without one the response contains a link to pass
    on. People who opted out of invitations or received several within a day get no mail; the
    response is the same. A name or title that contains a web address is left out of the mail."""
    access = access_hosted(request_key(), TABLES_SEEK, game_id)
    new = invite(access.caller, access.game, body["email"], now())
    return _invitation_json(new.row, new.link if new.row.email is None else None)


@blp.route("/games/<game_id>/invitations/<invitation_id>", methods=["DELETE"])
@scope(TABLES_SEEK)
@blp.response(204)
@problems("not_host")
@transactional
def withdraw_invitation(game_id: str, invitation_id: str) -> Response:
    """Withdraw an invitation"""
    access_hosted(request_key(), TABLES_SEEK, game_id)
    withdraw(game_id, invitation_id, now())
    return Response(status=204)


@blp.route("/invitations", methods=["GET"])
@scope(GAMES_READ)
@blp.response(200, InvitationsSchema)
@read_only
def list_own_invitations() -> Json:
    """List the invitations you received"""
    caller = access_caller(request_key(), GAMES_READ)
    return {"items": [_invitation_json(item) for item in invitations_for(caller, now())]}
