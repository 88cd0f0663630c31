"""Sign-in by mail, and sessions."""

from flask import Response

from engine.contract import Json
from service.access.accounts import access_credential
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.accounts.inputs import NewSessionSchema, SignInSchema
from service.accounts.profile import revoke
from service.accounts.sign_in import (
    SIGN_IN_FOR,
    Requester,
    UsedCode,
    ask_to_sign_in,
    count_sign_in,
    sign_in,
    use_code,
    use_link,
)
from service.api.authentication import request_caller
from service.api.blueprint import Blueprint
from service.api.decorators import problems, scope
from service.api.errors import problem_response
from service.api.schemas.people import SessionsSchema, SignedInSchema, SignInAskedSchema
from service.core.client_address import client_address
from service.core.clock import now
from service.core.errors import Problem
from service.core.ids import new_secret
from service.db.models import CredentialKind, Person
from service.db.session import db
from service.games.queries import sessions_of

blp = Blueprint("people", __name__, description="Sign-in, accounts and players")


@blp.route("/sign-ins", methods=["POST"])
@blp.arguments(SignInSchema)
@blp.response(202, SignInAskedSchema)
@problems("too_many_sign_ins")
def ask_for_code(body: Json) -> Json:
    """Request a sign-in code and link by mail

    The response is the same whether or not the address has an account. Where sign-up is open,
    an address without an account gets one at its first sign-in. After several mails within an
    hour no further mail is sent while the newest link is valid."""
    count_sign_in(client_address())
    shown = new_secret("req_")
    requester = Requester(shown, client_address())
    ask_to_sign_in(body["email"], now(), requester, invitation=body.get("invitation"))
    return {"minutes": int(SIGN_IN_FOR.total_seconds() // 60), "request": shown}


@blp.route("/sessions", methods=["POST"])
@blp.arguments(NewSessionSchema)
@blp.response(201, SignedInSchema)
@problems("wrong_code", "dead_code", "suspended")
def create_session(body: Json) -> Json | Response:
    """Create a session from a mailed code or link

    The token has all scopes and is valid for 90 days. A code works only for the client that
    requested it: send the `request` value of that response. After five wrong attempts request
    a new code. All other codes and links mailed to the address become invalid."""
    at = now()
    found, dead = (
        UsedCode(use_link(body["link"], at))
        if "link" in body
        else use_code(
            body["email"], body["code"], Requester(body.get("request"), client_address()), at
        )
    )
    if found is None:  # returned, not raised: the failed attempt must be committed
        return problem_response(
            Problem(
                "dead_code", "The code was locked after five wrong attempts. Request a new one."
            )
            if dead
            else Problem(
                "wrong_code", "The code or link is wrong, used or expired. Request a new one."
            )
        )
    session = sign_in(found.email, body.get("name"), body["device"], at, body.get("time_zone"))
    return {
        "token": session.secret,
        "expires_at": session.row.expires_at,
        "account": db.session.get_one(Person, session.row.person_id),
    }


@blp.route("/sessions", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, SessionsSchema)
def list_sessions() -> Json:
    """List sessions"""
    caller = request_caller()
    return {
        "items": [
            {
                "id": session.id,
                "device": session.name,
                "current": session.id == caller.credential_id,
                "created_at": session.created_at,
                "expires_at": session.expires_at,
                "last_used_at": session.last_used_at,
            }
            for session in sessions_of(caller, now())
        ]
    }


@blp.route("/sessions/<session_id>", methods=["DELETE"])
@scope(ACCOUNT_WRITE)
@blp.response(204)
def end_session(session_id: str) -> None:
    """Revoke a session"""
    revoke(access_credential(request_caller(), session_id, CredentialKind.session), now())
