"""Answer links of mails: a page with one choice and a button, or with all choices."""

from flask import Response, request

from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.session import transact
from service.mail.outgoing.answer_links import (
    OPEN_STATES,
    DecisionState,
    Played,
    asked_by,
    play_choice,
)
from service.web.signed_links import Shown, check_button, letter_shown, show_to, signed_link_pages

ANSWER = "answer"  # purpose of the signature
MOST_DIGITS = 3


@signed_link_pages.get("/answer/<signed>")
def answer_page(signed: str) -> Response:
    """All choices of the mail."""
    return _ask(letter_shown(ANSWER, signed), signed)


@signed_link_pages.get("/answer/<signed>/<number>")
def choice_page(signed: str, number: str) -> Response:
    """One choice, and the button that plays it."""
    return _ask(letter_shown(ANSWER, signed), signed, number)


@signed_link_pages.post("/answer/<signed>")
def play_chosen(signed: str) -> Response:
    return _play(letter_shown(ANSWER, signed), signed, request.form.get("choice", ""))


@signed_link_pages.post("/answer/<signed>/<number>")
def play_one(signed: str, number: str) -> Response:
    return _play(letter_shown(ANSWER, signed), signed, number)


def _number(text: str) -> int:
    """The number of a choice; 0 if it is invalid."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else 0


def _ask(shown: Shown, signed: str, number: str | None = None, status: int = 200) -> Response:
    """The decision of the mail in its current state."""
    asked = asked_by(shown.letter, shown.language)
    one = None
    if number is not None and asked.state in OPEN_STATES:
        one = next((choice for choice in asked.choices if choice.number == _number(number)), None)
        status = status if one else 404
    return show_to(
        shown.person,
        "answer",
        404 if asked.state == DecisionState.nothing else status,
        asked=asked,
        one=one,
        no_such=number if number is not None and one is None else None,
        signed=signed,
        replies=settings().takes_replies,
        game_id=shown.letter.game_id,
    )


def _play(shown: Shown, signed: str, number: str) -> Response:
    check_button()
    letter, language = shown.letter, shown.language

    def play() -> Played:
        return play_choice(letter, _number(number), language, now())

    try:
        played = transact(play)
    except Problem as refusal:
        if refusal.status >= 500:
            raise
        return _ask(letter_shown(ANSWER, signed), signed, number, status=409)
    shown = letter_shown(ANSWER, signed)
    return show_to(
        shown.person,
        "answer_played",
        played=played,
        table=asked_by(shown.letter, language).table,
        game_id=shown.letter.game_id,
    )
