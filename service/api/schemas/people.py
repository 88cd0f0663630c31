"""Schemas of accounts, sessions, tokens, bots and public profiles."""

from marshmallow import fields, validate

from service.accounts.inputs import MailPreferencesSchema
from service.api.schemas.common import ResponseSchema, list_of, moment, number, words


class SignInAskedSchema(ResponseSchema):
    """Accepted, whether or not the address has an account."""

    minutes = number("Validity of the code")
    request = words("Send it with the code: a code works only for the client that requested it")


class AccountSchema(ResponseSchema):
    """Your account."""

    id = fields.String()
    email = fields.String(allow_none=True)
    kind = fields.String(validate=validate.OneOf(["person", "bot"]))
    name = fields.String()
    language = fields.String()
    time_zone = fields.String()
    sleep_from = fields.String(allow_none=True)
    sleep_to = fields.String(allow_none=True)
    mail = fields.Nested(MailPreferencesSchema)
    mail_stopped_since = moment(
        "Mail is suspended after bounces or a complaint, except for sign-in codes. Sign in by "
        "mail or reply to a mail to resume it",
        allow_none=True,
        attribute="unreachable_since",
    )
    created_at = moment("Start")


class CalendarSchema(ResponseSchema):
    """Calendar feed with a secret URL."""

    url = words(
        "URL of a calendar (`text/calendar`) with all your deadlines and absences. It needs no "
        "token; keep it secret"
    )


class AbsenceSchema(ResponseSchema):
    """An announced absence."""

    class Meta:
        include = {"from": moment("When it begins")}

    id = fields.String()
    to = moment("Expiry")


AbsencesSchema = list_of(AbsenceSchema, "Absences", "Current and future absences.")


class SessionSchema(ResponseSchema):
    """A session."""

    id = fields.String()
    device = fields.String()
    current = fields.Boolean()
    created_at = moment("When it was created")
    expires_at = moment("Expiry")
    last_used_at = moment("Last use, to within minutes", allow_none=True)


SessionsSchema = list_of(SessionSchema, "Sessions", "Sessions of the account.")


class SignedInSchema(ResponseSchema):
    """A new session with its token."""

    token = words("Send it as `Authorization: Bearer`")
    expires_at = moment("Expiry")
    account = fields.Nested(AccountSchema)


class Scopes(fields.List[str]):
    """Scopes of a credential, which its row keeps as one text."""

    def _serialize(self, value: object, *_: object, **__: object) -> list[str]:
        return str(value).split()


class TokenSchema(ResponseSchema):
    """A token, without its secret."""

    id = fields.String()
    person = words("Id of the account it acts for", attribute="person_id")
    name = fields.String()
    prefix = words("First characters of the secret")
    scopes = Scopes(fields.String())
    created_at = moment("When it was created")
    expires_at = moment("Expiry; null: never", allow_none=True)
    last_used_at = moment("Last use, to within minutes", allow_none=True)
    revoked_at = moment("When it was revoked", allow_none=True)


class CreatedTokenSchema(TokenSchema):
    """A new token. The secret is returned only once."""

    secret = fields.String()


TokensSchema = list_of(TokenSchema, "Tokens", "Your tokens.")


class DescribedTokenSchema(TokenSchema):
    """The credential of the request and its account."""

    kind = fields.String(validate=validate.OneOf(["session", "token"]))
    account = fields.Nested(AccountSchema)


class BotSchema(ResponseSchema):
    """A bot account."""

    id = fields.String()
    name = fields.String()
    created_at = moment("Start")


BotsSchema = list_of(BotSchema, "Bots", "Your bot accounts.")


class ResultsSchema(ResponseSchema):
    """Results of a player."""

    games = fields.Integer()
    wins = fields.Integer()


class PlayerSchema(ResponseSchema):
    """Public profile of a player."""

    id = fields.String()
    name = fields.String()
    kind = fields.String(validate=validate.OneOf(["person", "bot"]))
    owner = words("Owner of a bot account", allow_none=True)
    since = moment("When the account was created")
    running = number("Number of running games")
    finished = fields.Nested(ResultsSchema)
    on_time = fields.Float(
        allow_none=True,
        metadata={"description": "Share of decisions answered in time; null: none yet"},
    )
