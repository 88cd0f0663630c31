"""Announcing absences on the account's page: whole days, by the clocks where somebody lives."""

from datetime import UTC, date, datetime, time, timedelta

from werkzeug.wrappers import Response as AnyResponse

from service.absences import announce, take_back
from service.access import access_session
from service.clock import now
from service.database import transact
from service.problems import Refused
from service.web import forms
from service.web.account import account_page
from service.web.pages import attempt, pages, signed_in, to, zone
from service.web.sessions import page_key


@pages.post("/account/absences")
def announce_absence() -> AnyResponse:
    signed_in("/account")

    def announced() -> AnyResponse:
        start = _midnight(_day("first"))
        end = _midnight(_day("last") + timedelta(days=1))
        transact(lambda: announce(access_session(page_key()), start, end, now()))
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
        day = date.fromisoformat(forms.field(name))
    except ValueError as error:
        raise Refused(
            "invalid_request", "Give the first and the last day of your absence."
        ) from error
    if not 2000 <= day.year <= 9000:
        raise Refused("invalid_request", "An absence can be announced a year ahead.")
    return day


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), zone()).astimezone(UTC)
