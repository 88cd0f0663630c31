"""What a person says of themselves: first of all a name."""

from zoneinfo import available_timezones

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from service.access import access_own_account, access_session
from service.api.schemas.people import AccountChangesSchema
from service.clock import now
from service.database import transact
from service.people import change_settings
from service.problems import Refused
from service.web import forms
from service.web.pages import attempt, back_to, pages, show, signed_in
from service.web.sessions import local_path, page_key

ZONES = sorted(name for name in available_timezones() if "/" in name and "Etc/" not in name)


@pages.get("/account")
def account() -> Response:
    return _account(request.args.get("next"))


def _account(after: str | None, refusal: Refused | None = None) -> Response:
    person = access_own_account(signed_in())
    return show(
        "account",
        200 if refusal is None else refusal.status,
        person=person,
        welcome=after is not None,
        after=local_path(after),
        zones=["UTC", *ZONES],
        now=now(),
        refusal=refusal,
    )


@pages.post("/account")
def change_account() -> AnyResponse:
    signed_in("/account")
    after = request.form.get("next")

    def change() -> AnyResponse:
        said = {"name": forms.field("name"), "time_zone": forms.field("time_zone")}
        changes = forms.read(AccountChangesSchema, said)
        transact(
            lambda: change_settings(
                access_own_account(access_session(page_key()), for_update=True), changes
            )
        )
        return back_to(after)

    return attempt(change, lambda refusal: _account(after, refusal))
