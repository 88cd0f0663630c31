"""Unsubscribe pages, of mails and of invitations, with one-click unsubscribe (RFC 8058)."""

from flask import Response, request

from engine.registry import game_type_by_key
from service.access.accounts import person_with
from service.core.clock import now
from service.db.models import Game, Letter
from service.db.session import db, transact
from service.mail.outgoing.mime import REFUSE
from service.mail.outgoing.unsubscribe import all_off, all_on, is_muted, off_by_letter, set_muted
from service.notify.invitation_refusals import refuse_invitations, why_unwanted
from service.notify.notification_rules import FOR_STRANGERS
from service.notify.preferences import OFF, preferences
from service.web.forms import field
from service.web.locale import browser_language, speak
from service.web.rendering import show
from service.web.signed_links import (
    NoLetter,
    Shown,
    check_button,
    letter_of_link,
    letter_shown,
    show_to,
    signed_link_pages,
)

STOP = "off"  # purpose of the signature


@signed_link_pages.get("/mail/off/<signed>")
def mail_off_page(signed: str) -> Response:
    return _page(signed)


@signed_link_pages.post("/mail/off/<signed>")
def mail_off(signed: str) -> Response:
    """Change the setting, by the button or by a mail program; repeating is harmless."""
    shown = letter_shown(STOP, signed)
    if _one_click():
        transact(lambda: off_by_letter(shown.letter, now()))
        return _page(signed)
    check_button()
    what = field("what")
    if what not in ("game", "game_on", "all", "all_on"):
        return _page(signed, status=422)
    before = transact(lambda: _do(shown, what))
    return _page(signed, before=before)


def _one_click() -> bool:
    """Whether a mail program sent the form (RFC 8058)."""
    return request.form.get("List-Unsubscribe", "").strip() == "One-Click"


def _do(shown: Shown, what: str) -> str | None:
    """The previous setting for turns, if it was changed."""
    letter, person = shown.letter, shown.person
    match what:
        case "game" | "game_on" if letter.game_id is not None:
            set_muted(person.id, letter.game_id, what == "game")
        case "all":
            return all_off(person.id)
        case "all_on":
            all_on(person.id, field("turns"))
    return None


def _page(signed: str, status: int = 200, before: str | None = None) -> Response:
    """The current settings; `before` is the previous one for undo."""
    shown = letter_shown(STOP, signed)
    game_id = shown.letter.game_id
    return show_to(
        shown.person,
        "mail_off",
        status,
        signed=signed,
        table=None if game_id is None else _title(game_id),
        game_id=game_id,
        quiet=None if game_id is None else is_muted(shown.person.id, game_id),
        off=preferences(shown.person.mail).turns == OFF,
        before=before if before != OFF else None,
    )


def _title(game_id: str) -> str:
    row = db.session.get_one(Game, game_id)
    return row.title or game_type_by_key(row.game, row.rules).meta.title


@signed_link_pages.get("/mail/no-invitations/<signed>")
def no_invitations_page(signed: str) -> Response:
    return _refusal_page(signed)


@signed_link_pages.post("/mail/no-invitations/<signed>")
def no_invitations(signed: str) -> Response:
    """Opt out, by the button or by a mail program; repeating is harmless."""
    letter = _invitation_letter(signed)
    if not _one_click():
        check_button()
    address = letter.to
    transact(lambda: refuse_invitations(address, now()))
    return _refusal_page(signed)


def _invitation_letter(signed: str) -> Letter:
    letter = letter_of_link(REFUSE, signed)
    if letter is None or letter.kind not in FOR_STRANGERS:
        raise NoLetter(expired=True)
    return letter


def _refusal_page(signed: str) -> Response:
    letter = _invitation_letter(signed)
    speak(letter.facts.get("language") or browser_language())
    person = person_with(letter.to)
    refused = why_unwanted(letter.to, person) is not None
    return show(
        "no_invitations",
        signed=signed,
        address=letter.to,
        refused=refused,
        known=person is not None,
    )
