"""Stage `classify`: signs of mails that no person wrote, in headers and in text.

A mail of a person that is taken for an automatic one gets no answer, so every sign alone must be
certain. A subject alone is not, nor is `X-Auto-Response-Suppress`, which Outlook gives to mails of
people; both together are. Notes of absence without any header are known by several signs together:
a person writes "I am away until Friday" on top of our mail, a program writes about the office,
about colleagues and about mail, below a subject of its own and without a quote.
"""

from email.message import Message

from service.mail.inbound.machine_patterns import (
    ABSENCE,
    AUTOMATIC_HEADER,
    AUTOMATIC_PRECEDENCE,
    AUTOMATIC_SUBJECT,
    NO_REPLY,
    NOT_AUTOMATIC_HEADERS,
    NOTE_ABOUT_MAIL,
    OFFICE_TALK,
    REPLY_PREFIX,
    SAYS_AUTOMATIC,
    SUPPRESSED,
)
from service.mail.inbound.mime_parts import word_in
from service.mail.inbound.plain_text import folded

LONGEST_NOTE = 3000
CERTAIN = 3  # signs of a note of absence
_NO = ("", "no", "none", "false", "0", "off")


def automatic_by_headers(message: Message, subject: str, sender: str) -> str:
    """The reason why a mail is automatic by its headers; "" if it is not."""
    if word_in(message, "Auto-Submitted") not in ("", "no"):
        return "auto_submitted"
    if "".join(message.get("Return-Path", "-").split()) == "<>":
        return "null_sender"
    if word_in(message, "Precedence") in AUTOMATIC_PRECEDENCE:
        return "precedence"
    for name in sorted({name.lower() for name, _ in message.items()}):
        if name in NOT_AUTOMATIC_HEADERS or not AUTOMATIC_HEADER.fullmatch(name):
            continue
        if word_in(message, name) not in _NO:
            return "list" if name.startswith(("list-", "x-list", "x-mail")) else "auto_reply"
    if SUPPRESSED in message and AUTOMATIC_SUBJECT.match(folded(subject)):
        return "vacation"
    return "no_reply" if NO_REPLY.match(sender.partition("@")[0]) else ""


def automatic_by_text(subject: str, text: str, has_quote: bool) -> str:
    """The reason why a mail without headers of a program is automatic; "" if a person may have
    written it. `text` is all that is not quoted."""
    spoken = folded(text[:LONGEST_NOTE])
    if spoken and NOTE_ABOUT_MAIL.fullmatch(spoken):
        return "note_about_mail"
    return "vacation" if _vacation_signs(folded(subject), spoken, has_quote) >= CERTAIN else ""


def _vacation_signs(subject: str, spoken: str, has_quote: bool) -> int:
    """The number of signs that a text is an automatic note of absence; 0 without words of one."""
    talk = sum(pattern.search(spoken) is not None for pattern in OFFICE_TALK)
    says_automatic = SAYS_AUTOMATIC.search(spoken) is not None
    if not (ABSENCE.search(spoken) or says_automatic):
        return 0
    by_subject = 2 if AUTOMATIC_SUBJECT.match(subject) else 0
    new_subject = subject != "" and not REPLY_PREFIX.match(subject) and not by_subject
    quote = -2 if has_quote else 1
    return 1 + talk + by_subject + new_subject + quote + 2 * says_automatic
