"""Unsubscribe page of mails, and one-click unsubscribe (RFC 8058)."""

from flask import Response, request

from engine.registry import game_type_by_key
from service.core.clock import now
from service.db.models import Game
from service.db.session import db, transact
from service.mail.outgoing.unsubscribe import all_off, all_on, is_quiet, off_by_letter, set_quiet
from service.notify.preferences import OFF, preferences
from service.web.forms import field
from service.web.signed_links import Shown, check_button, letter_shown, show_to, signed_link_pages

STOP = "off"  # purpose of the signature
ONE_CLICK = ("List-Unsubscribe", "One-Click")


@signed_link_pages.get("/mail/off/<sealed>")
def mail_off_page(sealed: str) -> Response:
    return _page(sealed)


@signed_link_pages.post("/mail/off/<sealed>")
def mail_off(sealed: str) -> Response:
    """Change the setting, by the button or by a mail program; repeating is harmless."""
    shown = letter_shown(STOP, sealed)
    name, value = ONE_CLICK
    if request.form.get(name, "").strip() == value:
        transact(lambda: off_by_letter(shown.letter, now()))
        return _page(sealed)
    check_button()
    what = field("what")
    if what not in ("game", "game_on", "all", "all_on"):
        return _page(sealed, status=422)
    before = transact(lambda: _do(shown, what))
    return _page(sealed, before=before)


def _do(shown: Shown, what: str) -> str | None:
    """The previous setting for turns, if it was changed."""
    letter, person = shown.letter, shown.person
    match what:
        case "game" | "game_on" if letter.game_id is not None:
            set_quiet(person.id, letter.game_id, what == "game")
        case "all":
            return all_off(person.id)
        case "all_on":
            all_on(person.id, field("turns"))
    return None


def _page(sealed: str, status: int = 200, before: str | None = None) -> Response:
    """The current settings; `before` is the previous one for undo."""
    shown = letter_shown(STOP, sealed)
    game_id = shown.letter.game_id
    return show_to(
        shown.person,
        "mail_off",
        status,
        sealed=sealed,
        table=None if game_id is None else _title(game_id),
        game_id=game_id,
        quiet=None if game_id is None else is_quiet(shown.person.id, game_id),
        off=preferences(shown.person.mail).turns == OFF,
        before=before if before != OFF else None,
    )


def _title(game_id: str) -> str:
    row = db.session.get_one(Game, game_id)
    return row.title or game_type_by_key(row.game, row.rules).meta.title
