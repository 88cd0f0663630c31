"""Headers of mails to the server's own address: lists, spam and forged senders; name and language
of the writer."""

import re

from service.mail.inbound.charsets import decoded_header
from service.mail.inbound.mime_parts import head_of
from service.mail.inbound.plain_text import one_line

LONGEST_NAME = 80
LONGEST_PERSONAL = 600  # characters of a mail without a command that is answered
# Headers of lists and campaigns; mails of people have none of them.
_OF_LISTS = (
    *("List-Id", "List-Unsubscribe", "List-Post", "List-Help", "Mailing-List", "X-Mailing-List"),
    *("Feedback-ID", "X-Campaign", "X-CampaignID", "X-Mailgun-Sid", "X-SG-EID", "X-MC-User"),
    "X-Loop",
)
_SPAM = ("X-Spam-Flag", "X-Spam-Status", "X-Spam")
_LINK = re.compile(r"https?://|www\.", re.IGNORECASE)
_FORGED = re.compile(r"\bdmarc\s*=\s*fail\b", re.IGNORECASE)


def is_unwanted(raw: bytes) -> bool:
    """Whether a list sent a mail, a filter calls it spam, or the server that received it found its
    sender forged (DMARC)."""
    head = head_of(raw)
    results = " ".join(str(value) for value in head.get_all("Authentication-Results", []))
    return (
        any(name in head for name in _OF_LISTS)
        or any(str(head.get(name, "")).lower().startswith("yes") for name in _SPAM)
        or _FORGED.search(results) is not None
    )


def looks_personal(raw: bytes, text: str) -> bool:
    """Whether a person may have written a mail in which no command was found: it is short, has no
    link, and is addressed to us alone."""
    head = head_of(raw)
    recipients = str(head.get("To", "")).count("@") + str(head.get("Cc", "")).count("@")
    short = 0 < len(text) <= LONGEST_PERSONAL
    return short and _LINK.search(text) is None and recipients == 1


def writer_name(raw: bytes) -> str:
    """The name before the address in From."""
    value = str(head_of(raw).get("From", ""))
    name = value.partition("<")[0] if "<" in value else ""
    return one_line(decoded_header(name).replace('"', " "))[:LONGEST_NAME]


def content_language(raw: bytes) -> str:
    """The language that a mail program names; "" if it names none."""
    return str(head_of(raw).get("Content-Language", ""))[:20]
