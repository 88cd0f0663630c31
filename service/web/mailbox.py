"""Development mailbox: without a mail server people read and answer their mails here."""

import base64
import re

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import ID
from service.db.models import Letter, Picture
from service.db.session import db
from service.mail.inbound.dev_mailbox_reply import reply_by_page
from service.mail.inbound.quote_patterns import FIRST_SIGN, MARKER
from service.mail.outgoing.dev_mailbox import letter_to, letters_to
from service.mail.outgoing.mime import content_id, headers_of
from service.web import forms
from service.web.rendering import attempt, pages, show, signed_in, to

AWAY = "away"  # kind of the letter about a takeover
MOST_SHOWN = 20
LONGEST_BEGINNING = 160
# Height of the frame of an HTML mail by the length of its text.
HIGHEST_FRAME, LINE_HEIGHT, LINE_LENGTH, MARGINS = 640, 30, 70, 60

_MISSING_PICTURE = re.compile(r' src="cid:[^"]*"')


@pages.get("/mailbox")
def mailbox() -> Response:
    return _mailbox(_named("answer"), waiting="waiting" in request.args)


def _named(parameter: str) -> str | None:
    """The mail that the URL names, if it is an id."""
    named = request.args.get(parameter, "")
    return named if ID.fullmatch(named) else None


def _mailbox(
    answer: str | None = None,
    waiting: bool = False,
    replied: str | None = None,
    refusal: Problem | None = None,
    typed: str = "",
) -> Response:
    """The caller's mails. `answer` is the id of the response to their reply, `replied` of the
    mail whose reply was refused; both are shown however old they are."""
    _must_be_here()
    caller, before = signed_in("/mailbox"), _named("before")
    letters, more = letters_to(caller, MOST_SHOWN, before)
    shown = answer or replied
    if shown is not None:
        others = [letter for letter in letters if letter.id != shown]
        letters = [letter_to(caller, shown), *others]
    return show(
        "mailbox",
        mails=[_mail(letter) for letter in letters],
        older=letters[-1].id if more else None,
        first=before is None,
        answer=answer,
        waiting=waiting,
        replied=replied,
        refusal=refusal,
        typed=typed,
    )


def _must_be_here() -> None:
    if settings().smtp_url is not None:
        raise Problem("not_found", "Your mails are sent to your own mailbox.")


def _mail(letter: Letter) -> Json:
    """A mail as it would arrive."""
    assert letter.sent_at is not None
    headers = headers_of(letter, settings(), letter.sent_at)
    return {
        "id": letter.id,
        "game": letter.game_id,
        "subject": letter.subject,
        "at": letter.sent_at,
        "headers": headers,
        "beginning": _beginning(letter.text or ""),
        "height": _height(letter),
        "text": letter.text,
        "html": letter.html is not None,
        "answerable": "Reply-To" in dict(headers),
        "asks": letter.decision is not None,
        "away": letter.kind == AWAY,
    }


def _beginning(text: str) -> str:
    """First paragraph of a mail, to tell mails with the same subject apart; without the line to
    reply above, which begins another one."""
    body = text.removeprefix(FIRST_SIGN).partition(f"\n{MARKER}")[0]
    if body.startswith(MARKER):
        body = body.partition("\n")[2]
    first = " ".join(body.strip().split("\n\n", 1)[0].split())
    return first if len(first) <= LONGEST_BEGINNING else f"{first[:LONGEST_BEGINNING].rstrip()}.."


def _height(letter: Letter) -> int:
    """Approximate height of a mail's frame, at most one page."""
    if letter.picture is not None:
        return HIGHEST_FRAME
    lines = sum(1 + len(line) // LINE_LENGTH for line in (letter.text or "").splitlines())
    return min(HIGHEST_FRAME, MARGINS + LINE_HEIGHT * lines)


# A mail in a frame: its own style and pictures, no scripts; links open outside.
FRAME_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'; "
    "sandbox allow-popups allow-popups-to-escape-sandbox"
)


@pages.get("/mailbox/<letter_id>/mail.html")
def mail_with_layout(letter_id: str) -> Response:
    """The HTML part of a mail with its pictures."""
    _must_be_here()
    letter = letter_to(signed_in("/mailbox"), letter_id)
    if letter.html is None:
        raise Problem("not_found", "This mail is text only.")
    html = letter.html.replace("<head>", '<head><base target="_blank">', 1)
    if letter.picture is not None and (kept := db.session.get(Picture, letter.picture)) is not None:
        shown = base64.b64encode(kept.png).decode()
        html = html.replace(f"cid:{content_id(kept.digest)}", f"data:image/png;base64,{shown}")
    html = _MISSING_PICTURE.sub("", html)  # its alternative text is shown
    response = Response(html, mimetype="text/html")
    response.headers["Content-Security-Policy"] = FRAME_POLICY
    return response


@pages.post("/mailbox/<letter_id>/reply")
def reply_to(letter_id: str) -> AnyResponse:
    """Reply to a mail, and show the response to it."""
    _must_be_here()
    letter = letter_to(signed_in("/mailbox"), letter_id)
    text = forms.text("text")

    def replied() -> AnyResponse:
        answer = reply_by_page(letter, text)
        if answer is None:
            return to("web.mailbox", waiting=1)
        return to("web.mailbox", answer=answer, _anchor=f"letter-{answer}")

    return attempt(
        replied, lambda refusal: _mailbox(replied=letter_id, refusal=refusal, typed=text)
    )
