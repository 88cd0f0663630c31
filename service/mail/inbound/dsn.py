"""Reports of mail servers: delivery failures (RFC 3464, and older ones that are only text) and
complaints (RFC 5965)."""

import re
from email.message import Message
from typing import NamedTuple

from service.mail.inbound.mime_parts import children
from service.mail.inbound.plain_text import one_line

LONGEST_DIAGNOSTIC = 300
# Permanent failures that are not about the address: a full mailbox, a long mail, a filter.
NOT_THE_ADDRESS = ("5.2.2", "5.2.3", "5.3.", "5.4.", "5.6.", "5.7.")
SERVERS = ("mailer-daemon", "postmaster")
_STATUS = re.compile(r"(?<![0-9.])[245]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.])")
_CODE = re.compile(r"(?<![0-9.])([45])[0-9]{2}(?![0-9.])")
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
    """Report about a mail of ours."""

    status: str  # such as "5.1.1"; "" if there is none
    action: str  # failed, delayed or complaint
    diagnostic: str
    hard: bool  # the address does not exist


def read_delivery_status(part: Message) -> Report | None:
    """The first failed recipient of a `message/delivery-status`, else the first at all."""
    reports = [_recipient(block) for block in children(part) if "Action" in block]
    failed = [report for report in reports if report.action == "failed"]
    return next(iter(failed or reports), None)


def _recipient(block: Message) -> Report:
    action = one_line(str(block["Action"])).lower()
    diagnostic = one_line(str(block.get("Diagnostic-Code", "")))[:LONGEST_DIAGNOSTIC]
    status = _status(str(block.get("Status", "")), diagnostic)
    return Report(status, action, diagnostic, action == "failed" and is_hard(status))


def read_complaint(part: Message) -> Report:
    """The report of a `message/feedback-report`."""
    fields = next(iter(children(part)), part)
    kind = one_line(str(fields.get("Feedback-Type", "")))[:LONGEST_DIAGNOSTIC]
    return Report("", "complaint", kind, hard=False)


def read_old_bounce(sender: str, subject: str, text: str) -> Report | None:
    """The report of a bounce that is only text, such as those of qmail; None for other mails.
    Sender, subject and text must all indicate a bounce: people quote such texts too."""
    if sender.partition("@")[0] not in SERVERS or not _FAILED.search(subject):
        return None
    text = text[:4000]
    if not _SAYS_SO.search(text):
        return None
    status = _status("", text)
    lines = [line for line in text.splitlines() if _STATUS.search(line) or _CODE.search(line)]
    diagnostic = one_line(lines[0])[:LONGEST_DIAGNOSTIC] if lines else ""
    return Report(status, "failed", diagnostic, is_hard(status))


def is_hard(status: str) -> bool:
    return status.startswith("5.") and not status.startswith(NOT_THE_ADDRESS)


def _status(field: str, diagnostic: str) -> str:
    """The status; where the field has only `5.0.0`, the text of the server may be more exact."""
    given, worded = _STATUS.search(field), _STATUS.search(diagnostic)
    if given is not None and (worded is None or not given.group().endswith(".0.0")):
        return given.group()
    if worded is not None:
        return worded.group()
    code = _CODE.search(diagnostic)
    return f"{code.group(1)}.0.0" if code else ""
