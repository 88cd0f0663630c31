"""People: signing in, the account, tokens, bots, and what others see of them."""

import marshmallow as ma
from marshmallow import fields, validate

from service.accounts.inputs import MailPreferencesSchema
from service.api.schemas.common import moment, words


class SignInAskedSchema(ma.Schema):
    """A mail is on its way, whether the address is known or not."""

    minutes = fields.Integer(required=True, metadata={"description": "How long the code is good"})
    request = words(
        "Send it with the code: a code works for the one who asked for it only", required=True
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
        "Mails came back, or you complained of them: since then only codes to sign in are sent. "
        "Sign in by mail, or answer one, to have them again",
        required=True,
        allow_none=True,
    )
    created_at = moment("Since when", required=True)


class CalendarSchema(ma.Schema):
    """Your calendar, by an address that only you know."""

    url = words(
        "Of a calendar (`text/calendar`) with all your deadlines and absences. It needs no token; "
        "keep it to yourself",
        required=True,
    )


class AbsenceSchema(ma.Schema):
    """An absence you announced."""

    class Meta:
        include = {"from": moment("When it begins", required=True)}

    id = fields.String(required=True)
    to = moment("When it ends", required=True)


class AbsencesSchema(ma.Schema):
    """Your absences that are not over."""

    items = fields.List(fields.Nested(AbsenceSchema), required=True)


class SessionSchema(ma.Schema):
    """A place where you are signed in."""

    id = fields.String(required=True)
    device = fields.String(required=True)
    current = fields.Boolean(required=True)
    created_at = moment("When you signed in", required=True)
    expires_at = moment("When it ends", required=True)
    last_used_at = moment("Seen last, to within minutes", required=True, allow_none=True)


class SessionsSchema(ma.Schema):
    """Where you are signed in."""

    items = fields.List(fields.Nested(SessionSchema), required=True)


class SignedInSchema(ma.Schema):
    """You are signed in."""

    token = words("Send it as `Authorization: Bearer`", required=True)
    expires_at = moment("When it ends", required=True)
    account = fields.Nested(AccountSchema, required=True)


class TokenSchema(ma.Schema):
    """A token, without its secret."""

    id = fields.String(required=True)
    person = words("Whom it acts for", required=True)
    name = fields.String(required=True)
    prefix = words("How it begins", required=True)
    scopes = fields.List(fields.String(), required=True)
    created_at = moment("When it was made", required=True)
    expires_at = moment("When it ends; null: never", required=True, allow_none=True)
    last_used_at = moment("Seen last, to within minutes", required=True, allow_none=True)
    revoked_at = moment("When it was revoked", required=True, allow_none=True)


class CreatedTokenSchema(TokenSchema):
    """A new token. The secret is told this once."""

    secret = fields.String(required=True)


class TokensSchema(ma.Schema):
    """Your tokens."""

    items = fields.List(fields.Nested(TokenSchema), required=True)


class DescribedTokenSchema(TokenSchema):
    """What you sent as a token, and whom it acts for."""

    kind = fields.String(required=True, validate=validate.OneOf(["session", "token"]))
    account = fields.Nested(AccountSchema, required=True)


class BotSchema(ma.Schema):
    """An account for a program that plays; you answer for it."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    created_at = moment("Since when", required=True)


class BotsSchema(ma.Schema):
    """Your bot accounts."""

    items = fields.List(fields.Nested(BotSchema), required=True)


class ResultsSchema(ma.Schema):
    """How the games of a player ended."""

    games = fields.Integer(required=True)
    wins = fields.Integer(required=True)


class PlayerSchema(ma.Schema):
    """What everybody may know of a player."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(["person", "bot"]))
    owner = words("Who answers for a bot", required=True, allow_none=True)
    since = moment("When they came", required=True)
    running = fields.Integer(required=True, metadata={"description": "Games going on"})
    finished = fields.Nested(ResultsSchema, required=True)
    on_time = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Share of decisions answered in time; null: none yet"},
    )
