"""Account page: name, language, time zone and quiet hours."""

from zoneinfo import available_timezones

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from engine.languages import nearest_language
from service.access.accounts import access_own_account
from service.access.credentials import access_session
from service.accounts.absences import absences_to_come
from service.accounts.calendar_feed import calendar_link
from service.accounts.inputs import AccountChangesSchema
from service.accounts.profile import change_settings
from service.accounts.sign_in import ask_to_sign_in, count_sign_in
from service.core.client_address import client_address
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.session import transact
from service.notify.preferences import LONGEST_DELAY, REMINDER_WORDS, TURNS, preferences
from service.web import forms
from service.web.rendering import attempt, back_to, pages, show, signed_in
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
        200 if refusal is None else refusal.status,
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


@pages.post("/account")
def change_account() -> AnyResponse:
    signed_in("/account")
    after = request.form.get("next")

    def change() -> AnyResponse:
        said: Json = {"name": forms.field("name"), "time_zone": forms.field("time_zone")}
        if "language" in request.form:
            said["language"] = forms.field("language")
        if "sleep_from" in request.form:
            said |= {name: forms.field(name) or None for name in ("sleep_from", "sleep_to")}
        changes = forms.read(AccountChangesSchema, said)
        transact(
            lambda: change_settings(
                access_own_account(access_session(page_key()), for_update=True), changes
            )
        )
        return back_to(after)

    return attempt(change, lambda refusal: account_page(after, refusal))


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
