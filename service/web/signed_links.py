"""Signed links in mails and calendars. The signature is the credential: these pages neither read
nor set cookies, and opening one changes nothing, because mail scanners open links too."""

from typing import Any, NamedTuple

from flask import Blueprint, Response, request

from engine.languages import nearest_language
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.signing import BadSignature, read_signed_id
from service.db.models import Letter, Person
from service.db.session import db
from service.web.locale import browser_language, speak
from service.web.rendering import keep_time, show

signed_link_pages = Blueprint("signed_links", __name__)


class Shown(NamedTuple):
    """The letter of a link, and its recipient."""

    letter: Letter
    person: Person

    @property
    def language(self) -> str:
        return nearest_language(self.person.language)


class NoLetter(Exception):
    """An invalid link; `expired` if it was valid once."""

    def __init__(self, expired: bool) -> None:
        super().__init__(expired)
        self.expired = expired


def letter_of_link(purpose: str, signed: str) -> Letter | None:
    """The letter that a link names, if it is still stored; raises NoLetter for an invalid link."""
    try:
        return db.session.get(Letter, read_signed_id(settings(), purpose, signed, now()))
    except BadSignature as broken:
        raise NoLetter(expired=broken.reason == "expired") from broken


def letter_shown(purpose: str, signed: str) -> Shown:
    """The letter of a link; raises NoLetter."""
    letter = letter_of_link(purpose, signed)
    person = None
    if letter is not None and letter.person_id is not None:
        person = db.session.get(Person, letter.person_id)
    if letter is None or person is None or person.deleted_at is not None:
        raise NoLetter(expired=True)
    return Shown(letter, person)


def show_to(person: Person, template: str, status: int = 200, **facts: Any) -> Response:
    """Render a page in a person's language and time zone."""
    speak(nearest_language(person.language))
    keep_time(person.time_zone)
    return show(template, status, **facts)


@signed_link_pages.app_errorhandler(NoLetter)
def _no_letter(broken: NoLetter) -> Response:
    """Page for an invalid link, in the browser's language because the recipient is unknown."""
    speak(browser_language())
    return show("link_broken", 410 if broken.expired else 404, broken=broken)


def check_button() -> None:
    """Refuse a form of another site. (The Origin header is no help: pages without referrer send
    none.)"""
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise Problem("csrf_failed", "Nothing was changed. Open the link in your mail once more.")


@signed_link_pages.after_request
def _keep_private(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers.setdefault("Cache-Control", "no-store")
    return response
