"""MIME parts of a mail, parsed within limits, and the text among them.

The parser is Python's `email` with a policy of our own: `Compat32` does not parse addresses, where
nested brackets take time without bound, and headers are cut. Mails that are expensive to parse are
refused before. Attached files and mails inside of mails are not read.
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
LONGEST_HEAD = 64_000  # bytes, of a mail that is too large to be parsed
# The parser compares every line with all boundaries around it.
MOST_COMPARISONS = 400_000
MOST_DASHED_LINES = 1000
BROKEN_AFTER = 50  # characters at least of a line that a program has broken

_NO_REST = (">", "|", "#", "-", "_")  # beginning of a quote or signature, not the rest of a line
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
    """Headers as short text."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST_HEADER]

    def header_fetch_parse(self, name: str, value: str) -> Any:
        if not value.isascii():
            value = decoded(value.encode("utf-8", "surrogateescape"), "")
        return " ".join(value.split())


_POLICY = _Policy()


def take_apart(raw: bytes) -> Message:
    """The parsed mail; raises Unreadable beyond the limits."""
    _check_size(raw)
    message = message_from_bytes(raw, policy=_POLICY)
    _check_parts(message)
    return message


def head_of(raw: bytes) -> Message:
    """The headers alone, of a mail that could not be parsed."""
    head = raw[:LONGEST_HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    # The first Content-Type counts; with this one there are no parts.
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
    """Check the limits for all parts, also those inside of attached mails."""
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
    """The parts of a part. (For text, `get_payload` would look up the charset on its own.)"""
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
    """Whether a part is an attached file; one with a name always is."""
    if word_in(part, "Content-Disposition") == "attachment":
        return True
    return part.get_param("name") is not None or (
        part.get_param("filename", header="Content-Disposition") is not None
    )


def text_of(shown: Iterable[Message]) -> str:
    """The text of the plain parts, or of the HTML parts if those are empty."""
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
    """The text of a part; "" if its encoding is not one of text."""
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
    """The text with its long lines joined again, which a program broke after a blank (RFC 3676),
    its own one if `delete`. Quotes and shorter lines stay as they are."""
    lines: list[str] = []
    goes_on = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if goes_on and line and not line.startswith(_NO_REST):
            lines[-1] = (lines[-1][:-1] if delete else lines[-1]) + line.removeprefix(" ")
        else:
            lines.append(line)
        goes_on = len(line) >= BROKEN_AFTER and line.endswith(" ") and line[0] != ">"
    return "\n".join(lines)
