"""Mail preferences on the account page."""

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from service.access.accounts import access_own_account
from service.access.credentials import access_session
from service.accounts.inputs import AccountChangesSchema
from service.accounts.profile import change_settings
from service.core.time_control import REMINDERS
from service.db.session import transact
from service.web import forms
from service.web.account import account_page
from service.web.rendering import attempt, pages, signed_in, to
from service.web.sessions import page_key


@pages.post("/account/mails")
def choose_mails() -> AnyResponse:
    signed_in("/account")

    def chosen() -> AnyResponse:
        changes = forms.read(AccountChangesSchema, {"mail": _said()})
        transact(
            lambda: change_settings(
                access_own_account(access_session(page_key()), for_update=True), changes
            )
        )
        return to("web.account", _anchor="mails")

    return attempt(chosen, lambda refusal: account_page(None, refusal))


def _said() -> Json:
    return {
        "turns": forms.field("turns"),
        "delay_minutes": forms.number("delay_minutes"),
        "daily_hour": forms.number("daily_hour"),
        "reminders": [name for name in REMINDERS if f"reminder.{name}" in request.form],
        "news": "news" in request.form,
        "invitations": "invitations" in request.form,
        "check_sender": "check_sender" in request.form,
        "calendar": "calendar" in request.form,
    }
