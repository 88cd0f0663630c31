"""Letters as mails: headers, and the parts in a form that every server takes.

A mail is put together here and not by `email.message`, whose many steps would be most of what a
mail costs; tests read it back with that.
"""

import base64
import binascii
from collections.abc import Sequence
from datetime import datetime
from email.header import Header
from email.utils import format_datetime, parseaddr
from functools import cache
from typing import Any, NamedTuple

from service.core.config import Settings
from service.core.signing import sign_id
from service.mail.outgoing.board_png import Picture
from service.mail.outgoing.reply_address import BOUNCE, GOOD_FOR, OFF, REPLY, address
from service.notify.rules import INVITATION

REFUSE = "refuse"  # what the signed links that refuse invitations are for
LONGEST_LINE = 990
LONGEST_WORD = 75  # that is encoded
END = "\r\n"

Headers = Sequence[tuple[str, str]]


class Enclosed(NamedTuple):
    """What goes with a letter."""

    picture: Picture | None = None
    calendar: bytes | None = None  # an iCalendar file


NOTHING_ENCLOSED = Enclosed()


def headers_of(letter: Any, settings: Settings, at: datetime) -> Headers:
    """The headers of a letter that is sent at this instant. Every attempt has the same Message-ID,
    by which whoever gets two of them knows that they are one."""
    domain = settings.mail_domain  # by which our mails are known when they come back
    headers = [
        ("From", settings.mail_from),
        ("To", letter.to),
        ("Subject", letter.subject),
        ("Date", format_datetime(at)),
        ("Message-ID", f"<{letter.id}.letter@{domain}>"),
    ]
    if (reply_to := reply_address(letter, settings, at)) is not None:
        headers.append(("Reply-To", reply_to))
    if letter.game_id is not None:  # programs show the mails of a game together
        root = f"<{letter.game_id}.game@{domain}>"
        headers += [("In-Reply-To", root), ("References", root)]
    if letter.person_id is not None:
        headers.append(("List-Id", f"Laguna <turns.{domain}>"))
        page = f"{settings.public_url}/mail/off/{sign_id(settings, OFF, letter.id, at + GOOD_FOR)}"
        headers += _unsubscribing(page, letter, settings, at)
    elif letter.kind == INVITATION:
        headers += _unsubscribing(refusal_link(letter.id, settings, at), letter, settings, at)
    return [
        *headers,
        ("Auto-Submitted", "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("Content-Language", letter.facts.get("language", "en")),
    ]


def reply_address(letter: Any, settings: Settings, at: datetime) -> str | None:
    """Where a reply goes to a letter that is sent at this instant; None if it has no such address:
    codes and invitations are answered by their links."""
    if not settings.takes_replies or letter.person_id is None:
        return None
    return address(settings, REPLY, letter.id, at)


def refusal_link(letter_id: str, settings: Settings, at: datetime) -> str:
    """The page on which the recipient of an invitation refuses further ones."""
    signed = sign_id(settings, REFUSE, letter_id, at + GOOD_FOR)
    return f"{settings.public_url}/mail/no-invitations/{signed}"


def _unsubscribing(page: str, letter: Any, settings: Settings, at: datetime) -> Headers:
    """How to get no more mails by one click (RFC 8058), and by a mail."""
    ways = [f"<{page}>"]
    if settings.takes_replies:
        ways.append(f"<mailto:{address(settings, OFF, letter.id, at)}>")
    headers = [("List-Unsubscribe", ", ".join(ways))]
    if settings.secure:  # mail programs click only by https
        headers.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    return headers


def envelope_sender(letter: Any, settings: Settings, at: datetime) -> str:
    """Where a mail comes back to that cannot be delivered."""
    if settings.takes_replies:
        return address(settings, BOUNCE, letter.id, at)
    return sender_of(settings.mail_from)


@cache
def sender_of(mail_from: str) -> str:
    """The address that mails come from."""
    return parseaddr(mail_from)[1]


def mail_of(
    letter: Any, settings: Settings, at: datetime, enclosed: Enclosed = NOTHING_ENCLOSED
) -> bytes:
    """A letter as it goes through the wire, without the last line end."""
    head = [_header(name, value) for name, value in headers_of(letter, settings, at)]
    head.append("MIME-Version: 1.0")
    content = _content(letter, enclosed)
    return "".join((END.join(head), END, content.removesuffix(END))).encode()


def _header(name: str, value: str) -> str:
    """A header in one line: what is folded, or encoded as a whole, some mail programs ignore. Only
    words of other scripts are encoded, in pieces of the length that is allowed (RFC 2047);
    addresses of other scripts go as they are, to servers that take them."""
    if "\r" in value or "\n" in value:
        raise ValueError(f"a line end in {name}")
    if value.isascii() or name == "To":
        return f"{name}: {value}"
    words, sender = parseaddr(value) if name == "From" else (value, "")
    encoded = Header(words, "utf-8", LONGEST_WORD, name).encode(linesep=END)
    return f"{name}: {encoded}" + (f"{END} <{sender}>" if sender else "")


def _content(letter: Any, enclosed: Enclosed) -> str:
    """The parts of a mail: the same as text and as HTML with its picture, and a file."""
    content = _text_part("plain", letter.text)
    if letter.html:
        html = _text_part("html", letter.html)
        if enclosed.picture is not None:
            html = _multipart("related", letter.id, (html, _picture_part(enclosed.picture)))
        content = _multipart("alternative", letter.id, (content, html))
    if enclosed.calendar is not None:
        content = _multipart("mixed", letter.id, (content, _calendar_part(enclosed.calendar)))
    return content


def content_size(text: str, html: str, picture: Picture | None) -> int:
    """How many bytes of a mail its parts are, in the form in which they are sent."""
    drawn = 0 if picture is None else len(picture.png) * 78 // 57  # as lines of base64
    return len(_text_part("plain", text)) + len(_text_part("html", html)) + drawn


def _multipart(kind: str, letter_id: str, parts: Sequence[str]) -> str:
    boundary = f"=_{kind}_{letter_id}"  # no text that is encoded can have "=_" in it
    first = ' type="text/html";' if kind == "related" else ""
    # The line end before a boundary is part of it, not of what it ends.
    inner = "".join(f"--{boundary}{END}{part}{END}" for part in parts)
    return (
        f'Content-Type: multipart/{kind};{first} boundary="{boundary}"{END}{END}'
        f"{inner}--{boundary}--{END}"
    )


def _text_part(kind: str, text: str) -> str:
    plain = _is_plain(text)
    if not plain:
        text = binascii.b2a_qp(text.encode(), istext=True).decode()
    encoding = "7bit" if plain else "quoted-printable"
    return (
        f'Content-Type: text/{kind}; charset="utf-8"{END}'
        f"Content-Transfer-Encoding: {encoding}{END}{END}"
        f"{_lines(text)}"
    )


def content_id(digest: str) -> str:
    """The name by which the HTML of a mail shows the picture that comes with it."""
    return f"{digest}@laguna"


def _picture_part(picture: Picture) -> str:
    return (
        f'Content-Type: image/png; name="board.png"{END}'
        f"Content-Transfer-Encoding: base64{END}"
        f"Content-ID: <{content_id(picture.digest)}>{END}"
        f'Content-Disposition: inline; filename="board.png"{END}{END}'
        f"{_lines(base64.encodebytes(picture.png).decode())}"
    )


def _calendar_part(calendar: bytes) -> str:
    return (
        f'Content-Type: text/calendar; charset="utf-8"; name="deadline.ics"{END}'
        f"Content-Transfer-Encoding: base64{END}"
        f'Content-Disposition: attachment; filename="deadline.ics"{END}{END}'
        f"{_lines(base64.encodebytes(calendar).decode())}"
    )


def _lines(text: str) -> str:
    """With the line ends that mails have, also after the last line."""
    return text.removesuffix("\n").replace("\n", END) + END


def _is_plain(text: str) -> bool:
    return text.isascii() and all(len(line) < LONGEST_LINE for line in text.split("\n"))
