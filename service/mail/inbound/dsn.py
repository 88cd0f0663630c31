"""Mails of mail servers: that something could not be delivered (RFC 3464, and older forms that
are only text), or that somebody complained about it (RFC 5965)."""

import re
from email.message import Message
from typing import NamedTuple

from service.mail.inbound.plain_text import one_line

LONGEST_DIAGNOSTIC = 300
# Refusals for good that are about the mail or the moment, not about the address: a full mailbox,
# a mail that is too long, a filter.
NOT_THE_ADDRESS = ("5.2.2", "5.2.3", "5.3.", "5.4.", "5.6.", "5.7.")
SERVERS = ("mailer-daemon", "postmaster")
_STATUS = re.compile(r"(?<![0-9.])[245]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.])")
_CODE = re.compile(r"(?<![0-9.])([45])[0-9]{2}(?![0-9.])")
_ADDRESS = re.compile(r"[^\s<>@:;,()\"']{1,64}@[^\s<>@:;,()\"']{1,255}")
_FAILED = re.compile(
    r"undeliver|delivery (?:status|fail)|failure notice|returned mail|mail delivery|unzustellbar"
    r"|nicht zugestellt|no se pudo entregar|no entregado|non remis",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(
    r"qmail-send|could ?n[o']t be delivered|could not be delivered|undeliverable"
    r"|delivery has failed|konnte nicht zugestellt|no se pudo entregar|permanent error"
    r"|was not delivered|unable to deliver|wasn't delivered|not able to deliver",
    re.IGNORECASE,
)


class Report(NamedTuple):
    """What a server says of a mail of ours."""

    recipient: str = ""
    status: str = ""  # as "5.1.1", "" if it gives none
    action: str = ""  # failed or delayed; "complaint" if somebody complained
    diagnostic: str = ""
    hard: bool = False  # nothing will ever be delivered to that address


def read_delivery_status(part: Message) -> Report | None:
    """The first failed recipient of a `message/delivery-status`, else the first at all."""
    blocks = part.get_payload() if part.is_multipart() else ()
    reports = [_recipient(block) for block in blocks if isinstance(block, Message)]
    told = [report for report in reports if report is not None]
    failed = [report for report in told if report.action == "failed"]
    return next(iter(failed or told), None)


def _recipient(block: Message) -> Report | None:
    action = one_line(str(block.get("Action", ""))).lower()
    recipient = _address(str(block.get("Final-Recipient") or block.get("Original-Recipient") or ""))
    if not action and not recipient:
        return None
    diagnostic = one_line(str(block.get("Diagnostic-Code", "")))[:LONGEST_DIAGNOSTIC]
    status = _status(str(block.get("Status", "")), diagnostic)
    return Report(recipient, status, action, diagnostic, action == "failed" and is_hard(status))


def read_complaint(part: Message) -> Report:
    """Of a `message/feedback-report`."""
    inner = part.get_payload() if part.is_multipart() else ()
    fields = next((block for block in inner if isinstance(block, Message)), part)
    recipient = _address(str(fields.get("Original-Rcpt-To") or fields.get("Removal-Recipient", "")))
    kind = one_line(str(fields.get("Feedback-Type", "")))[:LONGEST_DIAGNOSTIC]
    return Report(recipient, "", "complaint", kind)


def read_old_bounce(sender: str, subject: str, text: str) -> Report | None:
    """A bounce that is only text, as those of qmail; None if this is none. The sender must be a
    mail server and both subject and text must say so: people quote such texts too."""
    if sender.partition("@")[0] not in SERVERS or not _FAILED.search(subject):
        return None
    text = text[:4000]
    if not _SAYS_SO.search(text):
        return None
    about = [found for found in _ADDRESS.findall(text) if not found.startswith(SERVERS)]
    status = _status("", text)
    lines = [line for line in text.splitlines() if _STATUS.search(line) or _CODE.search(line)]
    diagnostic = one_line(lines[0])[:LONGEST_DIAGNOSTIC] if lines else ""
    recipient = _address(about[0]) if about else ""
    return Report(recipient, status, "failed", diagnostic, is_hard(status))


def is_hard(status: str) -> bool:
    return status.startswith("5.") and not status.startswith(NOT_THE_ADDRESS)


def _status(field: str, diagnostic: str) -> str:
    """The status; servers put `5.0.0` where they know better in their own words."""
    given = _STATUS.search(field)
    told = _STATUS.search(diagnostic)
    if given is not None and (told is None or not given.group().endswith(".0.0")):
        return given.group()
    if told is not None:
        return told.group()
    code = _CODE.search(diagnostic)
    return f"{code.group(1)}.0.0" if code else ""


def _address(text: str) -> str:
    found = _ADDRESS.search(text.rpartition(";")[2])
    return found.group().lower().rstrip(".") if found else ""
