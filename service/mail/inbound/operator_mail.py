"""Mails to postmaster@ and abuse@: stored for the operator, and passed on if a setting names an
address. They are never answered automatically."""

from datetime import datetime, timedelta

from service.core.current_settings import settings
from service.core.email_address import normal_address
from service.core.storable_text import storable
from service.db.models import IncomingState
from service.mail.inbound.classify import OWN, Reading
from service.mail.inbound.intake import IncomingRow
from service.mail.inbound.replies import Outcome
from service.mail.outgoing.reply_address import NoSuchAddress, read_address
from service.mail.outgoing.templates import write_letter
from service.notify.notification_rules import OPERATOR_MAIL

LONGEST = 20_000  # characters of a mail that are passed on
GOOD_FOR = timedelta(days=7)
STORED, PASSED_ON = "stored", "passed_on"


def pass_on(mail: IncomingRow, read: Reading, at: datetime) -> Outcome:
    """Pass a mail on to the operator, unless it would come back to us."""
    address = normal_address(settings().operator_mail)
    if not address or read.kind == OWN or _is_ours(address, at):
        return Outcome(IncomingState.done, STORED)
    text = storable((mail.raw or b"").decode(errors="replace"), LONGEST)
    write_letter(
        OPERATOR_MAIL,
        address,
        at,
        until=at + GOOD_FOR,
        about=read.subject or mail.sender,
        number=mail.id,
        lines=text.splitlines(),
    )
    return Outcome(IncomingState.done, PASSED_ON)


def _is_ours(address: str, at: datetime) -> bool:
    try:
        read_address(settings(), address, at)
    except NoSuchAddress:
        return False
    return True
