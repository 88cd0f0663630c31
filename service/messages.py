"""Letters as mails: headers, and the text in a form that every server takes."""

import binascii
from datetime import datetime
from email.header import Header
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime, parseaddr
from functools import cache
from typing import Any

from service.config import Settings

LONGEST_LINE = 990
LONGEST_WORD = 75  # that is encoded


class _Policy(EmailPolicy):
    """Long lines, so that headers with addresses are not broken up. Words of other scripts are
    encoded in pieces of the length that is allowed (RFC 2047), by the older of Python's two ways:
    the newer one makes a single piece of them, or folds them and loses spaces between."""

    def fold_binary(self, name: str, value: Any) -> bytes:
        if name in ("Subject", "From") and not self.utf8 and not value.isascii():
            words, address = (value, "") if name == "Subject" else parseaddr(value)
            encoded = Header(str(words), "utf-8", LONGEST_WORD, name).encode(linesep=self.linesep)
            end = f"{self.linesep} <{address}>" if address else ""
            return f"{name}: {encoded}{end}{self.linesep}".encode()
        return super().fold_binary(name, value)


POLICY = _Policy(linesep="\r\n", max_line_length=998)


class _AsTheyAre(HeaderRegistry):
    """Takes headers of plain ASCII as they are: to parse them would be most of what a mail costs.
    Line ends in them are refused all the same."""

    def __call__(self, name: str, value: Any) -> Any:
        return value if value.isascii() else super().__call__(name, value)

    @cache  # noqa: B019 - there is one of these, and a handful of names
    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name)


_QUICK = POLICY.clone(header_factory=_AsTheyAre())
_INTERNATIONAL = POLICY.clone(utf8=True)  # for the few servers and addresses that need it


def message_of(letter: Any, settings: Settings, at: datetime) -> EmailMessage:
    """A letter as the mail that is sent at this instant. Every attempt has the same Message-ID,
    by which whoever gets two of them knows that they are one."""
    policy = _INTERNATIONAL if not letter.to.isascii() else POLICY if letter.html else _QUICK
    message = EmailMessage(policy)
    domain = sender_of(settings.mail_from).rpartition("@")[2] or "localhost"
    message["From"] = settings.mail_from
    message["To"] = letter.to
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{letter.id}.letter@{domain}>"
    if letter.game_id is not None:  # programs show the mails of a game together
        root = f"<{letter.game_id}.game@{domain}>"
        message["In-Reply-To"] = root
        message["References"] = root
    if letter.person_id is not None:
        message["List-Id"] = f"Laguna <turns.{domain}>"
        message["List-Unsubscribe"] = f"<{settings.public_url}/account#mails>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    if letter.html or policy is not _QUICK:
        _set_parts(message, letter)
    else:
        _set_text(message, letter.text)
    return message


def bytes_of(message: EmailMessage) -> bytes:
    """The mail as it goes through the wire, without the last line end."""
    if message.policy is not _QUICK:
        return message.as_bytes().removesuffix(b"\r\n")
    head = b"".join(_QUICK.fold_binary(name, value) for name, value in message.raw_items())
    text = str(message.get_payload()).removesuffix("\n")
    return head + b"\r\n" + text.replace("\n", "\r\n").encode()


@cache
def sender_of(mail_from: str) -> str:
    """The address that mails come from."""
    return parseaddr(mail_from)[1]


def _set_parts(message: EmailMessage, letter: Any) -> None:
    message.set_content(letter.text, cte="7bit" if _is_plain(letter.text) else "quoted-printable")
    if letter.html:
        message.add_alternative(letter.html, subtype="html", cte="quoted-printable")


def _set_text(message: EmailMessage, text: str) -> None:
    """The same as `set_content` for a mail of nothing but text, without its many steps."""
    plain = _is_plain(text)
    message["MIME-Version"] = "1.0"
    message["Content-Type"] = 'text/plain; charset="utf-8"'
    message["Content-Transfer-Encoding"] = "7bit" if plain else "quoted-printable"
    if not plain:
        text = binascii.b2a_qp(text.encode(), istext=True).decode()
    message.set_payload(text)


def _is_plain(text: str) -> bool:
    return text.isascii() and all(len(line) < LONGEST_LINE for line in text.splitlines())
