"""Absences on the account page: whole days in the person's time zone."""

from datetime import date

from werkzeug.wrappers import Response as AnyResponse

from service.access.credentials import access_session
from service.accounts.absences import announce_absence, take_back
from service.core.clock import now
from service.core.errors import Problem
from service.db.session import transact
from service.web import forms
from service.web.account import account_page
from service.web.rendering import attempt, pages, signed_in, to
from service.web.sessions import page_key


@pages.post("/account/absences")
def announce_days() -> AnyResponse:
    signed_in("/account")

    def announced() -> AnyResponse:
        first, last = _day("first"), _day("last")
        transact(lambda: announce_absence(access_session(page_key()), first, last, now()))
        return to("web.account", _anchor="absences")

    return attempt(announced, lambda refusal: account_page(None, refusal))


@pages.post("/account/absences/<absence_id>/withdraw")
def withdraw_absence(absence_id: str) -> AnyResponse:
    signed_in("/account")

    def withdrawn() -> AnyResponse:
        transact(lambda: take_back(access_session(page_key()), absence_id))
        return to("web.account", _anchor="absences")

    return attempt(withdrawn, lambda refusal: account_page(None, refusal))


def _day(name: str) -> date:
    try:
        return date.fromisoformat(forms.field(name))
    except ValueError as error:
        raise Problem(
            "invalid_request", "Give the first and the last day of your absence."
        ) from error
