"""People: sign-in, sessions, the account, absences, and public profiles."""

from typing import Any

from flask import Response, jsonify

from engine.contract import Json
from service.access.accounts import (
    access_credential,
    access_own_account,
    access_own_habits,
    access_player,
)
from service.access.credentials import Caller, access_caller, access_session, access_visitor
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_READ
from service.accounts.absences import absences_to_come, announce_span, take_back
from service.accounts.calendar_feed import calendar_link, new_calendar_link
from service.accounts.deletion import delete_account
from service.accounts.export import export_person
from service.accounts.inputs import (
    AccountChangesSchema,
    NewAbsenceSchema,
    NewSessionSchema,
    SignInSchema,
)
from service.accounts.profile import change_settings, revoke
from service.accounts.public_profile import standing
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
from service.api.authentication import request_key
from service.api.blueprint import Blueprint
from service.api.decorators import (
    any_token,
    conditional,
    idempotent,
    if_match,
    problems,
    read_only,
    returns_secret,
    scope,
    session_only,
    transactional,
)
from service.api.errors import problem_response
from service.api.pagination import page
from service.api.preconditions import check_if_match
from service.api.schemas.common import PageQuery
from service.api.schemas.games import GamePageSchema
from service.api.schemas.people import (
    AbsenceSchema,
    AbsencesSchema,
    AccountSchema,
    CalendarSchema,
    DescribedTokenSchema,
    PlayerSchema,
    SessionsSchema,
    SignedInSchema,
    SignInAskedSchema,
)
from service.api.tokens import token_json
from service.core.client_address import client_address
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.etags import conditional_json, etag
from service.core.ids import new_secret
from service.db.models import Credential, CredentialKind, Person
from service.db.session import db
from service.games.queries import games_of, sessions_of
from service.mail.inbound.classify import read_mail

blp = Blueprint("people", __name__, description="Sign-in, accounts and players")


@blp.route("/sign-ins", methods=["POST"])
@blp.arguments(SignInSchema)
@blp.response(202, SignInAskedSchema)
@problems("too_many_sign_ins")
@transactional
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
@transactional
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
        "account": _account_of(session.row),
    }


def _account_of(credential: Credential) -> Json:
    return account_json(db.session.get_one(Person, credential.person_id))


def account_json(person: Person) -> Json:
    return {
        "id": person.id,
        "email": person.email,
        "kind": "bot" if person.is_bot else "person",
        "name": person.name,
        "language": person.language,
        "time_zone": person.time_zone,
        "sleep_from": person.sleep_from,
        "sleep_to": person.sleep_to,
        "mail": person.mail,
        "mail_stopped_since": person.unreachable_since,
        "created_at": person.created_at,
    }


@blp.route("/sessions", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, SessionsSchema)
@read_only
def list_sessions() -> Json:
    """List sessions"""
    caller = access_caller(request_key(), ACCOUNT_READ)
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
@transactional
def end_session(session_id: str) -> Any:
    """Revoke a session"""
    caller = access_caller(request_key(), ACCOUNT_WRITE)
    revoke(access_credential(caller, session_id, CredentialKind.session), now())
    return Response(status=204)


@blp.route("/token", methods=["GET"])
@any_token
@blp.response(200, DescribedTokenSchema)
@read_only
def describe_token() -> Json:
    """Describe the current token"""
    caller = access_caller(request_key())
    credential = db.session.get_one(Credential, caller.credential_id)
    account = account_json(access_own_account(caller))
    if ACCOUNT_READ not in caller.scopes:
        account["email"] = None
    return token_json(credential) | {"kind": credential.kind, "account": account}


@blp.route("/me", methods=["GET"])
@scope(ACCOUNT_READ)
@conditional
@blp.response(200, AccountSchema)
@read_only
def get_account() -> Response:
    """Get the account"""
    person = access_own_account(access_caller(request_key(), ACCOUNT_READ))
    return conditional_json(etag("me", person.id, person.version), lambda: account_json(person))


@blp.route("/me", methods=["PATCH"])
@scope(ACCOUNT_WRITE)
@blp.arguments(AccountChangesSchema)
@if_match
@blp.response(200, AccountSchema)
@transactional
def change_account(body: Json) -> Response:
    """Update the account"""
    caller = access_caller(request_key(), ACCOUNT_WRITE)
    person = access_own_account(caller, for_update=True)
    check_if_match(etag("me", person.id, person.version))
    change_settings(person, body)
    response = jsonify(account_json(person))
    response.headers["ETag"] = etag("me", person.id, person.version)
    return response


@blp.route("/me/export", methods=["GET"])
@session_only
@blp.response(200, {"type": "object"})
@read_only
def export_account() -> Response:
    """Export all personal data

    The account, sessions and tokens without their secrets, games with your seats, moves,
    notes and preferences lists, messages, events, webhooks with their deliveries, and mails.
    Requires a signed-in session, because the export contains your secret information in
    running games."""
    caller = access_session(request_key())
    response = jsonify(export_person(access_own_account(caller), lambda raw: read_mail(raw).text))
    response.headers["Content-Disposition"] = 'attachment; filename="laguna-export.json"'
    return response


@blp.route("/me", methods=["DELETE"])
@session_only
@blp.response(204)
@transactional
def delete_my_account() -> Response:
    """Delete the account

    Requires a signed-in session. Bots play your running games to the end; records keep a
    neutral name. This is irreversible."""
    caller = access_session(request_key())
    delete_account(access_own_account(caller, for_update=True), now())
    return Response(status=204)


@blp.route("/me/calendar", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, CalendarSchema)
@read_only
def get_calendar() -> Json:
    """Get the URL of the calendar feed"""
    caller = access_caller(request_key(), ACCOUNT_READ)
    return {"url": calendar_link(settings(), access_own_account(caller))}


@blp.route("/me/calendar", methods=["POST"])
@scope(ACCOUNT_WRITE)
@returns_secret
@blp.response(201, CalendarSchema)
@transactional
def replace_calendar() -> Json:
    """Replace the URL of the calendar feed

    The previous URL becomes invalid at once."""
    caller = access_caller(request_key(), ACCOUNT_WRITE)
    return {"url": new_calendar_link(settings(), access_own_habits(caller))}


@blp.route("/absences", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, AbsencesSchema)
@read_only
def list_absences() -> Json:
    """List current and future absences"""
    found = absences_to_come(access_caller(request_key(), ACCOUNT_READ), now())
    return {"items": [absence.as_json() for absence in found]}


@blp.route("/absences", methods=["POST"])
@scope(ACCOUNT_WRITE)
@blp.arguments(NewAbsenceSchema)
@idempotent
@blp.response(201, AbsenceSchema)
@problems("too_many_absences")
@transactional
def announce_absence(body: Json) -> Json:
    """Announce an absence

    Your clocks stop during the absence, in each game for as many days as its time control
    allows. Decisions that are already open keep their deadlines; the absence applies to later
    ones."""
    caller = access_caller(request_key(), ACCOUNT_WRITE)
    return announce_span(caller, body["from"], body["to"], now()).as_json()


@blp.route("/absences/<absence_id>", methods=["DELETE"])
@scope(ACCOUNT_WRITE)
@blp.response(204)
@transactional
def take_absence_back(absence_id: str) -> Response:
    """Cancel an absence

    Decisions that were opened meanwhile keep their deadlines."""
    take_back(access_caller(request_key(), ACCOUNT_WRITE), absence_id)
    return Response(status=204)


@blp.route("/people/<person_id>", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.response(200, PlayerSchema)
@read_only
def get_player(person_id: str) -> Json:
    """Get a player's public profile"""
    access_visitor(request_key(), GAMES_READ)
    return standing(access_player(person_id))


@blp.route("/people/<person_id>/games", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(PageQuery, location="query")
@blp.response(200, GamePageSchema)
@read_only
def list_player_games(query: Json, person_id: str) -> Response:
    """List a player's public games, newest first"""
    caller: Caller | None = access_visitor(request_key(), GAMES_READ)
    player = access_player(person_id)
    return page(*games_of(player.id, caller, query.get("cursor"), query["limit"], public=True))
