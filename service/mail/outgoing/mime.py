"""MIME messages of letters: headers, text, HTML, inline picture of the board, calendar file."""

from collections.abc import Sequence
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime, parseaddr
from functools import cache
from typing import NamedTuple

from service.core.config import Settings
from service.core.signing import sign_id
from service.mail.outgoing.board_png import Picture
from service.mail.outgoing.queue import AnyLetter
from service.mail.outgoing.reply_address import BOUNCE, GOOD_FOR, OFF, REPLY, address
from service.notify.notification_rules import FOR_STRANGERS

REFUSE = "refuse"  # purpose of the signed links that refuse invitations
LONGEST_LINE = 990  # bytes of a line that is sent unencoded; SMTP allows 998
LONGEST_WORD = 75  # characters of an encoded word (RFC 2047)
PICTURE_FILE, CALENDAR_FILE = "board.png", "deadline.ics"

Headers = Sequence[tuple[str, str]]


class Enclosed(NamedTuple):
    """Attachments of a letter."""

    picture: Picture | None = None
    calendar: bytes | None = None  # an iCalendar file


NOTHING_ENCLOSED = Enclosed()


class _LetterPolicy(EmailPolicy):
    """SMTP policy that stores headers as they are sent: each ASCII header is one line.

    Some mail programs ignore a List-Unsubscribe that is folded or encoded. Words of other scripts
    are encoded (RFC 2047) by `Header`: the standard policy loses the space between two encoded
    words. International addresses stay UTF-8, for servers with SMTPUTF8. `max_line_length` thus
    limits the lines of encoded content only (RFC 2045: 76).
    """

    def header_store_parse(self, name: str, value: str) -> tuple[str, str]:
        if "\r" in value or "\n" in value:
            raise ValueError(f"line break in the header {name}")
        if name == "To":
            return name, value.encode().decode("ascii", "surrogateescape")
        return name, value if value.isascii() else _encoded(name, value)

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value  # only the generator reads these headers

    def header_max_count(self, name: str) -> None:
        """No limit: `headers_of` writes each header once."""


def _encoded(name: str, value: str) -> str:
    words, sender = parseaddr(value) if name == "From" else (value, "")
    encoded = Header(words, "utf-8", LONGEST_WORD, name).encode(linesep="\r\n")
    return f"{encoded}\r\n <{sender}>" if sender else encoded


_POLICY = _LetterPolicy(linesep="\r\n", max_line_length=76, refold_source="none")


def headers_of(letter: AnyLetter, settings: Settings, at: datetime) -> Headers:
    """The headers of a letter that is sent at this instant. Every attempt has the same Message-ID,
    so that mail programs recognize duplicates; its domain identifies our own mails."""
    domain = settings.mail_domain
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
    elif letter.kind in FOR_STRANGERS:
        headers += _unsubscribing(refusal_link(letter.id, settings, at), letter, settings, at)
    return [
        *headers,
        ("Auto-Submitted", "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("Content-Language", letter.facts.get("language", "en")),
    ]


def reply_address(letter: AnyLetter, settings: Settings, at: datetime) -> str | None:
    """The signed reply address of a letter that is sent at this instant; None for codes, which
    are not answered by mail."""
    if not settings.takes_replies or (
        letter.person_id is None and letter.kind not in FOR_STRANGERS
    ):
        return None
    return address(settings, REPLY, letter.id, at)


def refusal_link(letter_id: str, settings: Settings, at: datetime) -> str:
    """The page on which the recipient of an invitation refuses further ones."""
    signed = sign_id(settings, REFUSE, letter_id, at + GOOD_FOR)
    return f"{settings.public_url}/mail/no-invitations/{signed}"


def _unsubscribing(page: str, letter: AnyLetter, settings: Settings, at: datetime) -> Headers:
    """The headers for unsubscribing by one click (RFC 8058) and by mail."""
    ways = [f"<{page}>"]
    if settings.takes_replies:
        ways.append(f"<mailto:{address(settings, OFF, letter.id, at)}>")
    headers = [("List-Unsubscribe", ", ".join(ways))]
    if settings.secure:  # mail programs require https for one click
        headers.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    return headers


def envelope_sender(letter: AnyLetter, settings: Settings, at: datetime) -> str:
    """The address that bounces of a letter go to."""
    if settings.takes_replies:
        return address(settings, BOUNCE, letter.id, at)
    return sender_of(settings.mail_from)


@cache
def sender_of(mail_from: str) -> str:
    """The address in From."""
    return parseaddr(mail_from)[1]


def mail_of(
    letter: AnyLetter,
    settings: Settings,
    at: datetime,
    enclosed: Enclosed = NOTHING_ENCLOSED,
) -> bytes:
    """The complete mail of a letter, without the last line end."""
    message = _content(letter, enclosed)
    # The headers come last: a message that becomes a multipart keeps only those not about content.
    for name, value in headers_of(letter, settings, at):
        message[name] = value
    return message.as_bytes().removesuffix(b"\r\n")


def _content(letter: AnyLetter, enclosed: Enclosed) -> EmailMessage:
    """`alternative(text, related(html, picture))`; with a calendar file `mixed(.., calendar)`."""
    message = _text_part(letter.text or "")
    if letter.html is not None:
        html = _text_part(letter.html, "html")
        if enclosed.picture is not None:
            html.make_related(boundary=_boundary("related", letter))
            html.add_related(
                enclosed.picture.png,
                *("image", "png"),
                disposition="inline",
                filename=PICTURE_FILE,
                cid=f"<{content_id(enclosed.picture.digest)}>",
                params={"name": PICTURE_FILE},
            )
            html.set_param("type", "text/html")
        del html["MIME-Version"]
        message.make_alternative(boundary=_boundary("alternative", letter))
        message.attach(html)
    if enclosed.calendar is not None:
        message.make_mixed(boundary=_boundary("mixed", letter))
        message.add_attachment(
            enclosed.calendar,
            *("text", "calendar"),
            filename=CALENDAR_FILE,
            params={"charset": "utf-8", "name": CALENDAR_FILE},
        )
    return message


def _boundary(kind: str, letter: AnyLetter) -> str:
    return f"=_{kind}_{letter.id}"  # no quoted-printable or base64 contains "=_"


def _text_part(text: str, kind: str = "plain") -> EmailMessage:
    part = EmailMessage(policy=_POLICY)
    part.set_content(text, kind, cte="7bit" if _is_plain(text) else "quoted-printable")
    return part


def _is_plain(text: str) -> bool:
    return text.isascii() and all(len(line) < LONGEST_LINE for line in text.split("\n"))


def content_size(text: str, html: str, picture: Picture | None) -> int:
    """Bytes of the parts of a mail in the form in which they are sent."""
    parts = len(bytes(_text_part(text))) + len(bytes(_text_part(html, "html")))
    return parts + (0 if picture is None else len(picture.png) * 78 // 57)  # lines of base64


def content_id(digest: str) -> str:
    """The Content-ID under which the HTML of a mail shows its picture."""
    return f"{digest}@laguna"
