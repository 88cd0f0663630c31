"""The mailbox: where there is no mail server, everybody's mails are read and answered here."""

from typing import Any

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from service.access import access_turn
from service.clock import now
from service.database import transact
from service.mailbox import letter_to, letters_to
from service.messages import message_of
from service.models import Letter
from service.people import settings
from service.problems import Refused
from service.replies import Done, can_be_answered, question_of, reply
from service.scopes import GAMES_PLAY
from service.web import forms
from service.web.pages import attempt, pages, show, signed_in
from service.web.sessions import page_key

MOST_SHOWN = 20


@pages.get("/mailbox")
def mailbox() -> Response:
    return _mailbox()


def _mailbox(
    answered: str | None = None,
    done: Done | None = None,
    refusal: Refused | None = None,
    said: str = "",
) -> Response:
    """The caller's mails; `answered` is the id of the one that `done` or `refusal` is about, which
    is shown however old it is."""
    _must_be_here()
    caller, before = signed_in("/mailbox"), request.args.get("before")
    letters, more = letters_to(caller, MOST_SHOWN, before)
    if answered is not None and answered not in [letter.id for letter in letters]:
        letters.insert(0, letter_to(caller, answered))
    return show(
        "mailbox",
        200 if refusal is None else refusal.status,
        mails=[_mail(letter) for letter in letters],
        older=letters[-1].id if more else None,
        first=before is None,
        answered=answered,
        done=done,
        refusal=refusal,
        said=said,
    )


def _must_be_here() -> None:
    if settings().smtp_url is not None:
        raise Refused("not_found", "Your mails are sent to your own mailbox.")


def _mail(letter: Letter) -> dict[str, Any]:
    """A mail as it would arrive."""
    assert letter.sent_at is not None
    message = message_of(letter, settings(), letter.sent_at)
    hidden = ("content-", "mime-")
    return {
        "id": letter.id,
        "game": letter.game_id,
        "subject": letter.subject,
        "at": letter.sent_at,
        "headers": [
            (name, value) for name, value in message.items() if not name.lower().startswith(hidden)
        ],
        "text": letter.text,
        "html": letter.html,
        "answerable": can_be_answered(letter),
        "question": question_of(letter),
    }


@pages.post("/mailbox/<letter_id>/reply")
def reply_to(letter_id: str) -> AnyResponse:
    """Reply to a mail. What cannot be read is asked back with the choices."""
    _must_be_here()
    letter = letter_to(signed_in("/mailbox"), letter_id)
    if letter.game_id is None:
        raise Refused("not_found", "This mail is about no game.")
    game_id, text = letter.game_id, forms.text("text")

    def played() -> AnyResponse:
        done = transact(
            lambda: reply(access_turn(page_key(), GAMES_PLAY, game_id), letter, text, now())
        )
        return _mailbox(letter_id, done)

    return attempt(played, lambda refusal: _mailbox(letter_id, refusal=refusal, said=text))
