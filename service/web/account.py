"""Account page: name, language, time zone, quiet hours, mail preferences, absences, calendar."""

from datetime import date
from zoneinfo import available_timezones

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from engine.languages import nearest_language
from service.access.accounts import access_own_account, access_own_habits
from service.access.credentials import access_session
from service.accounts.absences import absences_to_come, announce_absence, take_back
from service.accounts.calendar_feed import calendar_link, new_calendar_link
from service.accounts.inputs import AccountChangesSchema
from service.accounts.profile import change_settings
from service.accounts.sign_in import ask_to_sign_in, count_sign_in
from service.core.client_address import client_address
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.time_control import REMINDERS
from service.db.session import transact
from service.notify.preferences import LONGEST_DELAY, REMINDER_WORDS, TURNS, preferences
from service.web import forms
from service.web.rendering import FormPage, attempt, back_to, pages, show, signed_in
from service.web.sessions import local_path, page_key
from service.web.sign_in import code_form, requester

ZONES = sorted(name for name in available_timezones() if "/" in name and "Etc/" not in name)


@pages.get("/account")
def account() -> Response:
    return account_page(request.args.get("next"))


def account_page(after: str | None, refusal: Problem | None = None) -> Response:
    """The account, with the refusal of a form if there was one."""
    caller = signed_in()
    person = access_own_account(caller)
    return show(
        "account",
        person=person,
        welcome=after is not None,
        after=local_path(after),
        zones=["UTC", *ZONES],
        spoken=nearest_language(person.language),
        absences=absences_to_come(caller, now()),
        mail=preferences(person.mail),
        turns=TURNS,
        reminders=REMINDER_WORDS,
        most_delay=LONGEST_DELAY,
        calendar=calendar_link(settings(), person),
        now=now(),
        refusal=refusal,
    )


ACCOUNT = FormPage("/account", lambda refusal, **_: account_page(None, refusal))


@pages.post("/account")
def change_account() -> AnyResponse:
    signed_in("/account")
    after = request.form.get("next")

    def change() -> AnyResponse:
        given: Json = {"name": forms.field("name"), "time_zone": forms.field("time_zone")}
        if "language" in request.form:
            given["language"] = forms.field("language")
        if "sleep_from" in request.form:
            given |= {name: forms.field(name) or None for name in ("sleep_from", "sleep_to")}
        transact(lambda: _change(given))
        return back_to(after)

    return attempt(change, lambda refusal: account_page(after, refusal))


def _change(given: Json) -> None:
    changes = forms.read(AccountChangesSchema, given)
    change_settings(access_own_account(access_session(page_key()), for_update=True), changes)


@pages.post("/account/mail-again")
def prove_address_again() -> AnyResponse:
    """Mail a code to an address whose mail was suspended: using it proves the address again."""
    person = access_own_account(signed_in("/account"))

    def send() -> AnyResponse:
        assert person.email is not None
        address = person.email
        count_sign_in(client_address())
        transact(lambda: ask_to_sign_in(address, now(), requester(), "/account"))
        return code_form(address, "/account")

    return attempt(send, lambda refusal: account_page(None, refusal))


@ACCOUNT.form("/account/mails", anchor="#mails")
def choose_mails() -> None:
    mail = {
        "turns": forms.field("turns"),
        "delay_minutes": forms.number("delay_minutes"),
        "daily_hour": forms.number("daily_hour"),
        "reminders": [name for name in REMINDERS if f"reminder.{name}" in request.form],
        "news": "news" in request.form,
        "invitations": "invitations" in request.form,
        "check_sender": "check_sender" in request.form,
        "calendar": "calendar" in request.form,
        "receipts": "receipts" in request.form,
    }
    _change({"mail": mail})


@ACCOUNT.form("/account/absences", anchor="#absences")
def announce_days() -> None:
    first, last = _day("first"), _day("last")
    announce_absence(access_session(page_key()), first, last, now())


def _day(name: str) -> date:
    """A whole day in the person's time zone."""
    try:
        return date.fromisoformat(forms.field(name))
    except ValueError as error:
        raise Problem(
            "invalid_request", "Give the first and the last day of your absence."
        ) from error


@ACCOUNT.form("/account/absences/<absence_id>/withdraw", anchor="#absences")
def withdraw_absence(absence_id: str) -> None:
    take_back(access_session(page_key()), absence_id)


@ACCOUNT.form("/account/calendar", anchor="#calendar")
def change_calendar_link() -> None:
    new_calendar_link(settings(), access_own_habits(access_session(page_key())))
