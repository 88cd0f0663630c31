"""The parts of a mail: taken apart within limits, and those among them that are its text.

Python's email package takes mails apart, with a policy of ours: its newer one parses heads by the
full grammar of addresses, which nested brackets bring to its knees; the older one does not, and
here it sees no header beyond a sensible length. What would cost too much is refused before
parsing. Attached files, whatever they hold, are never read; nor are mails inside of mails.
"""

import re
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import Compat32
from typing import Any

from service.mail.inbound.charsets import decoded
from service.mail.inbound.html_text import TooLarge, text_of_html
from service.mail.inbound.plain_text import plain

MOST_BYTES = 200_000
MOST_PARTS = 50
DEEPEST = 10
LONGEST_HEADER = 2000
LONGEST_HEAD = 64_000  # of a mail that is too large to be read, as far as it is looked at
# Every line is compared with the boundaries around it.
MOST_COMPARISONS = 400_000
MOST_DASHED_LINES = 1000
BROKEN_AFTER = 50  # signs at least, where a program breaks lines that are too long

_NO_REST = (">", "|", "#", "-", "_")  # of a line that was broken: a quote or a signature
_NESTING = re.compile(rb"boundary[\s*0-9]{0,20}=|message/", re.IGNORECASE)
_ENCODINGS = ("", "7bit", "8bit", "binary", "quoted-printable", "base64")
_SEALED = (
    "multipart/encrypted",
    "application/pkcs7-mime",
    "application/x-pkcs7-mime",
    "application/pgp-encrypted",
)


class Unreadable(Exception):
    """`reason` is one of too_large, too_deep, too_many_parts, encrypted, no_text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Policy(Compat32):
    """Headers as short text, whatever is in them."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST_HEADER]

    def header_fetch_parse(self, name: str, value: str) -> Any:
        if not value.isascii():
            value = decoded(value.encode("utf-8", "surrogateescape"), "")
        return " ".join(value.split())


_POLICY = _Policy()


def take_apart(raw: bytes) -> Message:
    """The mail in its parts; raises Unreadable beyond the limits."""
    _check_size(raw)
    message = message_from_bytes(raw, policy=_POLICY)
    _check_parts(message)
    return message


def head_of(raw: bytes) -> Message:
    """The head alone, of a mail that could not be taken apart."""
    head = raw[:LONGEST_HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    # The first Content-Type counts, and with this one nothing is looked for below.
    return message_from_bytes(b"Content-Type: text/plain\n" + head + b"\n\n", policy=_POLICY)


def _check_size(raw: bytes) -> None:
    if len(raw) > MOST_BYTES:
        raise Unreadable("too_large")
    nesting = len(_NESTING.findall(raw))
    if (nesting + 1) * raw.count(b"\n") > MOST_COMPARISONS or nesting > 4 * MOST_PARTS:
        raise Unreadable("too_deep")
    if raw.count(b"\n--") > MOST_DASHED_LINES:
        raise Unreadable("too_many_parts")


def _check_parts(message: Message) -> None:
    """Whether all parts, those inside of attached mails too, are within the limits."""
    waiting = [(message, 0)]
    count = 0
    while waiting:
        part, depth = waiting.pop()
        count += 1
        if count > MOST_PARTS:
            raise Unreadable("too_many_parts")
        if depth > DEEPEST:
            raise Unreadable("too_deep")
        waiting.extend((inner, depth + 1) for inner in reversed(children(part)))


def children(part: Message) -> list[Message]:
    """Its parts. (Of a text, `get_payload` would look up the charset in a way of its own.)"""
    payload = part.get_payload() if part.is_multipart() else ()
    return [inner for inner in payload if isinstance(inner, Message)]


def word_in(message: Message, name: str) -> str:
    value: str = message.get(name, "")
    return value.partition(";")[0].partition("(")[0].strip().lower()


def type_of(part: Message) -> str:
    value: str = part.get("Content-Type", "")
    named = value.partition(";")[0].strip().lower()
    return named if named.count("/") == 1 else "text/plain"


def _is_attached(part: Message) -> bool:
    """Whether it is a file; a name makes it one, whatever else it says."""
    if word_in(part, "Content-Disposition") == "attachment":
        return True
    return part.get_param("name") is not None or (
        part.get_param("filename", header="Content-Disposition") is not None
    )


def text_of(shown: Iterable[Message]) -> str:
    """The text to be read: of the plain parts, or if they are empty of the pages."""
    parts = [(type_of(part), _text(part)) for part in shown]
    texts = [text for kind, text in parts if kind == "text/plain"]
    pages = [text for kind, text in parts if kind == "text/html"]
    if not texts and not pages:
        raise Unreadable("no_text")
    if any(plain(text) for text in texts):
        return "\n\n".join(texts)
    try:
        return "\n\n".join(map(text_of_html, pages))
    except TooLarge:
        raise Unreadable("too_large") from None


def shown_parts(message: Message) -> Iterator[Message]:
    """The parts that a mail program shows as the mail itself, in order."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        kind = type_of(part)
        if kind in _SEALED:
            raise Unreadable("encrypted")
        if _is_attached(part) or kind.startswith("message/"):
            continue
        if not part.is_multipart():
            yield part
        elif kind == "multipart/signed":  # the other part is the signature
            waiting.extend(children(part)[:1])
        else:
            waiting.extend(reversed(children(part)))


def _text(part: Message) -> str:
    """The text of a part; "" if its encoding is none that is used for text."""
    encoding = word_in(part, "Content-Transfer-Encoding")
    if part.is_multipart() or encoding not in _ENCODINGS:
        return ""
    data = part.get_payload(decode=True)
    charset = part.get_param("charset", "")
    name = charset[2] if isinstance(charset, tuple) else charset
    text = decoded(data, str(name)) if isinstance(data, bytes) else ""
    flowed = str(part.get_param("format", "")).lower() == "flowed"
    if flowed and type_of(part) == "text/plain":
        return _unflowed(text, delete=str(part.get_param("delsp", "")).lower() == "yes")
    return text


def _unflowed(text: str, delete: bool) -> str:
    """The text with its own lines as they were written, where a program broke those that were too
    long behind a blank (RFC 3676), which it may have added. Quotes stay as they are, and so do
    shorter lines, whatever they end with."""
    lines: list[str] = []
    goes_on = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if goes_on and line and not line.startswith(_NO_REST):
            lines[-1] = (lines[-1][:-1] if delete else lines[-1]) + line.removeprefix(" ")
        else:
            lines.append(line)
        goes_on = len(line) >= BROKEN_AFTER and line.endswith(" ") and line[0] != ">"
    return "\n".join(lines)
