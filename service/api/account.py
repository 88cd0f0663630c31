"""The caller's account: settings, export, deletion, calendar feed and absences."""

from flask import Response, jsonify

from engine.contract import Json
from service.access.accounts import access_own_account, access_own_habits
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.accounts.absences import absences_to_come, announce_span, take_back
from service.accounts.calendar_feed import calendar_link, new_calendar_link
from service.accounts.deletion import delete_account
from service.accounts.export import export_person
from service.accounts.inputs import AccountChangesSchema, NewAbsenceSchema
from service.accounts.profile import change_settings
from service.api.authentication import request_caller
from service.api.decorators import (
    any_token,
    conditional,
    idempotent,
    if_match,
    problems,
    returns_secret,
    scope,
    session_only,
)
from service.api.preconditions import check_if_match
from service.api.schemas.people import (
    AbsenceSchema,
    AbsencesSchema,
    AccountSchema,
    CalendarSchema,
    DescribedTokenSchema,
    TokenSchema,
)
from service.api.sessions import blp
from service.core.clock import now
from service.core.current_settings import settings
from service.core.etags import conditional_json, etag
from service.db.models import Credential, Person
from service.db.session import db
from service.mail.inbound.classify import read_mail

_ACCOUNT, _TOKEN = AccountSchema(), TokenSchema()


@blp.route("/token", methods=["GET"])
@any_token
@blp.response(200, DescribedTokenSchema)
def describe_token() -> Response:
    """Describe the current token"""
    caller = request_caller()
    credential = db.session.get_one(Credential, caller.credential_id)
    account = _account_json(access_own_account(caller))
    if ACCOUNT_READ not in caller.scopes:
        account["email"] = None
    return jsonify(_TOKEN.dump(credential) | {"kind": credential.kind, "account": account})


@blp.route("/me", methods=["GET"])
@scope(ACCOUNT_READ)
@conditional
@blp.response(200, AccountSchema)
def get_account() -> Response:
    """Get the account"""
    person = access_own_account(request_caller())
    return conditional_json(_etag(person), lambda: _account_json(person))


def _account_json(person: Person) -> Json:
    account: Json = _ACCOUNT.dump(person)
    return account


def _etag(person: Person) -> str:
    return etag("me", person.id, person.version)


@blp.route("/me", methods=["PATCH"])
@scope(ACCOUNT_WRITE)
@blp.arguments(AccountChangesSchema)
@if_match
@blp.response(200, AccountSchema)
def change_account(body: Json) -> Response:
    """Update the account"""
    person = access_own_account(request_caller(), for_update=True)
    check_if_match(_etag(person))
    change_settings(person, body)
    response = jsonify(_account_json(person))
    response.headers["ETag"] = _etag(person)
    return response


@blp.route("/me/export", methods=["GET"])
@session_only
@blp.response(200, {"type": "object"})
def export_account() -> Response:
    """Export all personal data

    The account, sessions and tokens without their secrets, games with your seats, moves,
    notes and preferences lists, messages, events, webhooks with their deliveries, and mails.
    Requires a signed-in session, because the export contains your secret information in
    running games."""
    person = access_own_account(request_caller())
    response = jsonify(export_person(person, lambda raw: read_mail(raw).text))
    response.headers["Content-Disposition"] = 'attachment; filename="laguna-export.json"'
    return response


@blp.route("/me", methods=["DELETE"])
@session_only
@blp.response(204)
def delete_my_account() -> None:
    """Delete the account

    Requires a signed-in session. Bots play your running games to the end; records keep a
    neutral name. This is irreversible."""
    delete_account(access_own_account(request_caller(), for_update=True), now())


@blp.route("/me/calendar", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, CalendarSchema)
def get_calendar() -> Json:
    """Get the URL of the calendar feed"""
    return {"url": calendar_link(settings(), access_own_account(request_caller()))}


@blp.route("/me/calendar", methods=["POST"])
@scope(ACCOUNT_WRITE)
@returns_secret
@blp.response(201, CalendarSchema)
def replace_calendar() -> Json:
    """Replace the URL of the calendar feed

    The previous URL becomes invalid at once."""
    return {"url": new_calendar_link(settings(), access_own_habits(request_caller()))}


@blp.route("/absences", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, AbsencesSchema)
def list_absences() -> Json:
    """List current and future absences"""
    return {"items": [found.as_json() for found in absences_to_come(request_caller(), now())]}


@blp.route("/absences", methods=["POST"])
@scope(ACCOUNT_WRITE)
@blp.arguments(NewAbsenceSchema)
@idempotent
@blp.response(201, AbsenceSchema)
@problems("too_many_absences")
def announce_absence(body: Json) -> Json:
    """Announce an absence

    Your clocks stop during the absence, in each game for as many days as its time control
    allows. Decisions that are already open keep their deadlines; the absence applies to later
    ones."""
    return announce_span(request_caller(), body["from"], body["to"], now()).as_json()


@blp.route("/absences/<absence_id>", methods=["DELETE"])
@scope(ACCOUNT_WRITE)
@blp.response(204)
def take_absence_back(absence_id: str) -> None:
    """Cancel an absence

    Decisions that were opened meanwhile keep their deadlines."""
    take_back(request_caller(), absence_id)
