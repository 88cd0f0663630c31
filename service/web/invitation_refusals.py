"""Opt-out of invitation mails: the linked page, and one-click unsubscribe (RFC 8058)."""

from flask import Response, request

from service.access.accounts import person_with
from service.core.clock import now
from service.db.models import Letter
from service.db.session import transact
from service.mail.outgoing.mime import REFUSE
from service.notify.invitation_refusals import refuse_invitations, why_unwanted
from service.notify.rules import INVITATION
from service.web.locale import browser_language, speak
from service.web.rendering import show
from service.web.signed_links import NoLetter, check_button, letter_of_link, signed_link_pages
from service.web.unsubscribe import ONE_CLICK


@signed_link_pages.get("/mail/no-invitations/<sealed>")
def no_invitations_page(sealed: str) -> Response:
    return _page(sealed)


@signed_link_pages.post("/mail/no-invitations/<sealed>")
def no_invitations(sealed: str) -> Response:
    """Opt out, by the button or by a mail program; repeating is harmless."""
    letter = _invitation_letter(sealed)
    name, value = ONE_CLICK
    if request.form.get(name, "").strip() != value:
        check_button()
    address = letter.to
    transact(lambda: refuse_invitations(address, now()))
    return _page(sealed)


def _invitation_letter(sealed: str) -> Letter:
    letter = letter_of_link(REFUSE, sealed)
    if letter is None or letter.kind != INVITATION:
        raise NoLetter(expired=True)
    return letter


def _page(sealed: str) -> Response:
    letter = _invitation_letter(sealed)
    speak(letter.facts.get("language") or browser_language())
    person = person_with(letter.to)
    refused = why_unwanted(letter.to, person) is not None
    return show(
        "no_invitations",
        sealed=sealed,
        address=letter.to,
        refused=refused,
        known=person is not None,
    )
