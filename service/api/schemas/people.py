"""Schemas of accounts, sessions, tokens, bots and public profiles."""

import marshmallow as ma
from marshmallow import fields, validate

from service.accounts.inputs import MailPreferencesSchema
from service.api.schemas.common import moment, words


class SignInAskedSchema(ma.Schema):
    """Accepted, whether or not the address has an account."""

    minutes = fields.Integer(required=True, metadata={"description": "Validity of the code"})
    request = words(
        "Send it with the code: a code works only for the client that requested it", required=True
    )


class AccountSchema(ma.Schema):
    """Your account."""

    id = fields.String(required=True)
    email = fields.String(required=True, allow_none=True)
    kind = fields.String(required=True, validate=validate.OneOf(["person", "bot"]))
    name = fields.String(required=True)
    language = fields.String(required=True)
    time_zone = fields.String(required=True)
    sleep_from = fields.String(required=True, allow_none=True)
    sleep_to = fields.String(required=True, allow_none=True)
    mail = fields.Nested(MailPreferencesSchema, required=True)
    mail_stopped_since = moment(
        "Mail is suspended after bounces or a complaint, except for sign-in codes. Sign in by "
        "mail or reply to a mail to resume it",
        required=True,
        allow_none=True,
    )
    created_at = moment("Start", required=True)


class CalendarSchema(ma.Schema):
    """Calendar feed with a secret URL."""

    url = words(
        "URL of a calendar (`text/calendar`) with all your deadlines and absences. It needs no "
        "token; keep it secret",
        required=True,
    )


class AbsenceSchema(ma.Schema):
    """An announced absence."""

    class Meta:
        include = {"from": moment("When it begins", required=True)}

    id = fields.String(required=True)
    to = moment("Expiry", required=True)


class AbsencesSchema(ma.Schema):
    """Current and future absences."""

    items = fields.List(fields.Nested(AbsenceSchema), required=True)


class SessionSchema(ma.Schema):
    """A session."""

    id = fields.String(required=True)
    device = fields.String(required=True)
    current = fields.Boolean(required=True)
    created_at = moment("When it was created", required=True)
    expires_at = moment("Expiry", required=True)
    last_used_at = moment("Last use, to within minutes", required=True, allow_none=True)


class SessionsSchema(ma.Schema):
    """Sessions of the account."""

    items = fields.List(fields.Nested(SessionSchema), required=True)


class SignedInSchema(ma.Schema):
    """A new session with its token."""

    token = words("Send it as `Authorization: Bearer`", required=True)
    expires_at = moment("Expiry", required=True)
    account = fields.Nested(AccountSchema, required=True)


class TokenSchema(ma.Schema):
    """A token, without its secret."""

    id = fields.String(required=True)
    person = words("Id of the account it acts for", required=True)
    name = fields.String(required=True)
    prefix = words("First characters of the secret", required=True)
    scopes = fields.List(fields.String(), required=True)
    created_at = moment("When it was created", required=True)
    expires_at = moment("Expiry; null: never", required=True, allow_none=True)
    last_used_at = moment("Last use, to within minutes", required=True, allow_none=True)
    revoked_at = moment("When it was revoked", required=True, allow_none=True)


class CreatedTokenSchema(TokenSchema):
    """A new token. The secret is returned only once."""

    secret = fields.String(required=True)


class TokensSchema(ma.Schema):
    """Your tokens."""

    items = fields.List(fields.Nested(TokenSchema), required=True)


class DescribedTokenSchema(TokenSchema):
    """The credential of the request and its account."""

    kind = fields.String(required=True, validate=validate.OneOf(["session", "token"]))
    account = fields.Nested(AccountSchema, required=True)


class BotSchema(ma.Schema):
    """A bot account."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    created_at = moment("Start", required=True)


class BotsSchema(ma.Schema):
    """Your bot accounts."""

    items = fields.List(fields.Nested(BotSchema), required=True)


class ResultsSchema(ma.Schema):
    """Results of a player."""

    games = fields.Integer(required=True)
    wins = fields.Integer(required=True)


class PlayerSchema(ma.Schema):
    """Public profile of a player."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(["person", "bot"]))
    owner = words("Owner of a bot account", required=True, allow_none=True)
    since = moment("When the account was created", required=True)
    running = fields.Integer(required=True, metadata={"description": "Number of running games"})
    finished = fields.Nested(ResultsSchema, required=True)
    on_time = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Share of decisions answered in time; null: none yet"},
    )
