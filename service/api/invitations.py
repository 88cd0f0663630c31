"""Invitations to tables, by mail or by a link to pass on."""

from flask import Response, jsonify

from engine.contract import Json
from service.access.scopes import GAMES_READ, TABLES_SEEK
from service.api.authentication import hosted_access, request_caller
from service.api.decorators import problems, returns_secret, scope
from service.api.schemas.games import InvitationSchema, InvitationsSchema
from service.api.tables import blp
from service.core.clock import now
from service.games.inputs import NewInvitationSchema
from service.games.invitations import invitations_for, invitations_of, invite, withdraw


@blp.route("/games/<game_id>/invitations", methods=["GET"])
@scope(TABLES_SEEK)
@blp.response(200, InvitationsSchema)
@problems("not_host")
def list_invitations(game_id: str) -> Json:
    """List the invitations to a table"""
    hosted_access(game_id)
    return {"items": invitations_of(game_id)}


@blp.route("/games/<game_id>/invitations", methods=["POST"])
@scope(TABLES_SEEK)
@blp.arguments(NewInvitationSchema)
@returns_secret
@blp.response(201, InvitationSchema)
@problems("not_host", "not_open", "already_invited", "too_many_invitations")
def create_invitation(body: Json, game_id: str) -> tuple[Response, int]:
    """Invite a player to a table

    With an address the service sends a mail; without one the response contains a link to pass
    on. People who opted out of invitations or received several within a day get no mail; the
    response is the same. A name or title that contains a web address is left out of the mail."""
    access = hosted_access(game_id)
    new = invite(access.caller, access.game, body["email"], now())
    link = {"link": new.link} if new.row.email is None else {}
    return jsonify(InvitationSchema().dump(new.row) | link), 201


@blp.route("/games/<game_id>/invitations/<invitation_id>", methods=["DELETE"])
@scope(TABLES_SEEK)
@blp.response(204)
@problems("not_host")
def withdraw_invitation(game_id: str, invitation_id: str) -> None:
    """Withdraw an invitation"""
    hosted_access(game_id)
    withdraw(game_id, invitation_id, now())


@blp.route("/invitations", methods=["GET"])
@scope(GAMES_READ)
@blp.response(200, InvitationsSchema)
def list_own_invitations() -> Json:
    """List the invitations you received"""
    return {"items": invitations_for(request_caller(), now())}
