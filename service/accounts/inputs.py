"""Validation of input about accounts, sign-ins and tokens, for the API and for forms."""

from datetime import timedelta
from typing import Any

import marshmallow as ma
from marshmallow import ValidationError, fields, validate, validates_schema

from engine.languages import LANGUAGES
from service.access.scopes import SCOPES
from service.core.fields import Flag, Line, MailAddress, Name, Whole
from service.core.time_control import MOST_ABSENCE_DAYS, MOST_SLEEP, REMINDERS, is_time_zone
from service.notify.preferences import LONGEST_DELAY, TURNS

TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


class SignInSchema(ma.Schema):
    """Address that receives a sign-in code."""

    email = MailAddress(required=True)
    invitation = fields.String(
        validate=validate.Length(1, 200),
        metadata={
            "description": "Secret of an invitation link, `inv_..`. Where sign-up is by "
            "invitation, it allows an address without an account"
        },
    )


class NewSessionSchema(ma.Schema):
    """Proof of an address: `email` with `code`, or `link`."""

    email = MailAddress()
    code = fields.String(validate=validate.Regexp(r"^ ?([0-9] ?){8}$"))
    request = fields.String(
        validate=validate.Length(1, 200),
        metadata={
            "description": "`request` of the response to `POST /v1/sign-ins`. Without it the code "
            "works only from the network address that requested it"
        },
    )
    link = fields.String(validate=validate.Length(10, 200))
    name = Name(1, 40, metadata={"description": "Name of a new account"})
    time_zone = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "Time zone of a new account, such as Europe/Rome; default UTC. In "
            "browsers `Intl.DateTimeFormat().resolvedOptions().timeZone`"
        },
    )
    device = Line(1, 80, load_default="API")

    @validates_schema
    def has_one_proof(self, data: dict[str, Any], **_: Any) -> None:
        by_code = "email" in data and "code" in data and "link" not in data
        by_link = "link" in data and "email" not in data and "code" not in data
        if not by_code and not by_link:
            raise ValidationError("Give email and code, or link.")
        if "request" in data and not by_code:
            raise ValidationError("It goes with a code.", "request")
        _check_time_zone(data)


class MailPreferencesSchema(ma.Schema):
    """Mail preferences."""

    turns = fields.String(
        validate=validate.OneOf(list(TURNS)),
        metadata={
            "description": "Mails about your turns: one for each; several in one mail after "
            "`delay_minutes`; one mail a day at `daily_hour`; only urgent ones (reminders and "
            "takeovers); or none. Sign-in codes are always sent"
        },
    )
    delay_minutes = Whole(
        0, LONGEST_DELAY, metadata={"description": "Time that `batched` waits for more turns"}
    )
    daily_hour = Whole(0, 23, metadata={"description": "Hour of the daily mail, local time"})
    reminders = fields.List(
        fields.String(validate=validate.OneOf(REMINDERS)),
        validate=validate.Length(max=len(REMINDERS)),
        metadata={
            "description": "Remind when half or a fifth of the time is left, or two hours. Default "
            "`fifth`; empty list: never"
        },
    )
    news = Flag(
        metadata={
            "description": "Mails about games that started or ended, cancelled tables, rematches, "
            "and chat messages that mention you (@name)"
        }
    )
    invitations = Flag(
        metadata={"description": "Invitations by mail; without them invitations are still listed"}
    )
    check_sender = Flag(
        metadata={
            "description": "Accept replies to mails only from the address of the account; "
            "otherwise anybody who has one of your mails can reply to it"
        }
    )
    calendar = Flag(metadata={"description": "Attach the deadline of a turn as a calendar file"})
    receipts = Flag(
        metadata={
            "description": "Answer replies that were carried out and leave nothing to decide; "
            "other replies are always answered"
        }
    )


class AccountChangesSchema(ma.Schema):
    """Fields to change; others stay."""

    name = Name(1, 40)
    language = fields.String(validate=validate.OneOf(list(LANGUAGES)))
    time_zone = fields.String(validate=validate.Length(1, 64))
    sleep_from = fields.String(allow_none=True, validate=validate.Regexp(TIME_OF_DAY))
    sleep_to = fields.String(allow_none=True, validate=validate.Regexp(TIME_OF_DAY))
    mail = fields.Nested(MailPreferencesSchema)

    @validates_schema
    def has_valid_times(self, data: dict[str, Any], **_: Any) -> None:
        _check_time_zone(data)
        if ("sleep_from" in data) != ("sleep_to" in data) or (
            (data.get("sleep_from") is None) != (data.get("sleep_to") is None)
        ):
            raise ValidationError("Give both or neither, null to sleep never.", "sleep_from")
        if data.get("sleep_from") is not None and _night(data) > MOST_SLEEP:
            hours = round(MOST_SLEEP.total_seconds() / 3600)
            raise ValidationError(f"Deadlines wait for {hours} hours of sleep at most.", "sleep_to")


class NewAbsenceSchema(ma.Schema):
    """An absence to announce: two timestamps with UTC offset."""

    class Meta:
        include = {  # noqa: RUF012 - a keyword of Python
            "from": fields.AwareDateTime(
                required=True,
                format="iso",
                metadata={"description": "Start; time in the past does not count"},
            )
        }

    to = fields.AwareDateTime(
        required=True,
        format="iso",
        metadata={"description": f"End, at most {MOST_ABSENCE_DAYS} days after the start"},
    )


class NewTokenSchema(ma.Schema):
    """A token for a program."""

    name = Line(1, 80, required=True)
    scopes = fields.List(
        fields.String(validate=validate.OneOf(list(SCOPES))),
        required=True,
        validate=validate.Length(1, len(SCOPES)),
    )
    days = Whole(
        1,
        3650,
        load_default=None,
        allow_none=True,
        metadata={"description": "Validity in days; null: until revoked"},
    )


class NewBotSchema(ma.Schema):
    """A bot account to create."""

    name = Name(1, 40, required=True)


def _check_time_zone(data: dict[str, Any]) -> None:
    if "time_zone" in data and not is_time_zone(data["time_zone"]):
        raise ValidationError("Not a time zone such as Europe/Rome.", "time_zone")


def _night(data: dict[str, Any]) -> timedelta:
    """The length of the quiet hours."""
    begins, ends = (
        timedelta(hours=int(data[name][:2]), minutes=int(data[name][3:]))
        for name in ("sleep_from", "sleep_to")
    )
    return (ends - begins) % timedelta(days=1)
