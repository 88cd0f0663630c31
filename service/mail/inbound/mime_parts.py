"""Stage `parse`: MIME parts of a mail, parsed within limits, and the text of each.

The parser is Python's `email` with a policy of our own: `Compat32` does not parse addresses, where
nested brackets take time without bound, and headers are cut. Files in base64 are removed before the
mail is parsed; what remains has to be short, and mails that are expensive to parse are refused.
Attached files and mails inside of mails are not read.
"""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import Compat32
from typing import Any, NamedTuple

from service.mail.inbound.charsets import decoded

MOST_BYTES = 10_000_000
MOST_BYTES_OF_TEXT = 1_000_000  # of a mail without the files in it
SMALLEST_FILE = 4_000  # bytes; smaller files do not matter
LONGEST_PART_HEAD = 8_000
MOST_PARTS = 50
DEEPEST = 10
LONGEST_HEADER = 2000
LONGEST_HEAD = 64_000  # bytes, of a mail that is too large to be parsed
# The parser compares every line with all boundaries around it.
MOST_COMPARISONS = 400_000
MOST_DASHED_LINES = 1000
BROKEN_AFTER = 50  # characters at least of a line that a program has broken

_BODY = re.compile(rb"\r?\n\r?\n")
_BASE64 = re.compile(rb"^content-transfer-encoding:\s*base64", re.IGNORECASE | re.MULTILINE)
_FILE = re.compile(
    rb"^content-type:\s*(?!text/|multipart/|message/)[a-z]+/"
    rb"|^content-disposition:\s*attachment",
    re.IGNORECASE | re.MULTILINE,
)
_BASE64_SIGNS = bytes(range(ord("a"), ord("z") + 1)) + bytes(range(ord("A"), ord("Z") + 1))
_BASE64_SIGNS += b"0123456789+/=\r\n \t"
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
    if len(raw) > MOST_BYTES:
        raise Unreadable("too_large")
    _check_nesting(raw)
    raw = without_files(raw)
    if len(raw) > MOST_BYTES_OF_TEXT:
        raise Unreadable("too_large")
    if (_nesting(raw) + 1) * raw.count(b"\n") > MOST_COMPARISONS:
        raise Unreadable("too_deep")
    message = message_from_bytes(raw, policy=_POLICY)
    _check_parts(message)
    return message


def head_of(raw: bytes) -> Message:
    """The headers alone, of a mail that could not be parsed."""
    head = raw[:LONGEST_HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    # The first Content-Type counts; with this one there are no parts.
    return message_from_bytes(b"Content-Type: text/plain\n" + head + b"\n\n", policy=_POLICY)


def without_files(raw: bytes) -> bytes:
    """The mail with the contents of large files removed, which are in base64 and no text."""
    if len(raw) < SMALLEST_FILE:
        return raw
    return b"\n--".join(_without_file(part) for part in raw.split(b"\n--"))


def _without_file(part: bytes) -> bytes:
    """A part with its headers, perhaps without its contents."""
    end = _BODY.search(part, 0, LONGEST_PART_HEAD)
    if len(part) < SMALLEST_FILE or end is None:
        return part
    head = part[: end.end()]
    is_file = _BASE64.search(head) and _FILE.search(head)
    return head if is_file and not part[end.end() :].translate(None, _BASE64_SIGNS) else part


def _check_nesting(raw: bytes) -> None:
    if _nesting(raw) > 4 * MOST_PARTS:
        raise Unreadable("too_deep")
    if raw.count(b"\n--") > MOST_DASHED_LINES:
        raise Unreadable("too_many_parts")


def _nesting(raw: bytes) -> int:
    return len(_NESTING.findall(raw))


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


class Shown(NamedTuple):
    """A part that a mail program shows as the mail itself. Of parts with the same `choice`, which
    are alternatives, a program shows one kind."""

    part: Message
    choice: int | None

    @property
    def kind(self) -> str:
        return type_of(self.part)


def shown_parts(message: Message) -> Iterator[Shown]:
    """The parts that a mail program shows, in order."""
    waiting: list[tuple[Message, int | None]] = [(message, None)]
    while waiting:
        part, choice = waiting.pop()
        kind = type_of(part)
        if kind in _SEALED:
            raise Unreadable("encrypted")
        if _is_attached(part) or kind.startswith("message/"):
            continue
        if not part.is_multipart():
            yield Shown(part, choice)
            continue
        if kind == "multipart/alternative" and choice is None:
            choice = id(part)
        # The second part of a signed mail is the signature.
        inner = children(part)[:1] if kind == "multipart/signed" else children(part)
        waiting.extend((child, choice) for child in reversed(inner))


def text_of(part: Message) -> str:
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
