"""Letters to addresses without an account that wrote to us, within limits.

Such a letter is answered within a day, or it is deleted with everything that is known of its
recipient (`service.ops.retention`).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import func, select

from engine.contract import Json
from service.core.current_settings import settings
from service.core.email_address import mailbox_of
from service.db.models import Letter
from service.db.session import count_rows, db
from service.mail.outgoing.templates import write_letter
from service.notify.notification_rules import CONFIRMATION

log = structlog.get_logger()

GOOD_FOR = timedelta(days=1)
LOCK = 0x6C616701  # key of an advisory lock of PostgreSQL: any number that is ours alone


def mailed_enough(address: str, at: datetime) -> bool:
    """Whether this mailbox, with all its `+tags`, or all strangers together got as many letters
    within a day as are allowed."""
    limits = settings().limits
    _one_at_a_time()
    local, _, domain = mailbox_of(address).rpartition("@")
    same = (Letter.to == f"{local}@{domain}") | (
        Letter.to.startswith(f"{local}+", autoescape=True)
        & Letter.to.endswith(f"@{domain}", autoescape=True)
    )
    lately = (Letter.kind == CONFIRMATION, Letter.created_at > at - GOOD_FOR)
    if count_rows(*lately, same) >= limits.confirmation_mails_per_address_and_day:
        return True
    if count_rows(*lately) >= limits.confirmation_mails_per_day:
        log.warning("too_many_confirmations")
        return True
    return False


def _one_at_a_time() -> None:
    """Let other workers wait until this transaction ends, so that they count its letter. On SQLite
    there is one writer in any case."""
    if db.session.get_bind().dialect.name == "postgresql":
        db.session.execute(select(func.pg_advisory_xact_lock(LOCK)))


def write_to_stranger(
    address: str,
    title: str,
    lines: Sequence[str],
    language: str,
    at: datetime,
    facts: Json | None = None,
) -> Letter:
    """Queue a letter of plain sentences; `facts` are stored with it for the reply."""
    letter = write_letter(
        CONFIRMATION,
        address,
        at,
        until=at + GOOD_FOR,
        language=language,
        title=title,
        lines=list(lines),
        replies=facts is not None and settings().takes_replies,
    )
    letter.facts = letter.facts | (facts or {})
    return letter
