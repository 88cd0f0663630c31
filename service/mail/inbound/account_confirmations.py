"""Replies to letters that ask the owner of an account: whether a command is theirs, which table
they join, whether they delete the account."""

from datetime import datetime

from engine.contract import Json
from service.access.accounts import access_own_account, person_with
from service.access.credentials import Caller
from service.access.games import LETTER
from service.accounts.deletion import delete_account
from service.db.models import IncomingState, Letter, Person
from service.db.session import savepoint
from service.mail.inbound.account_command_types import ChooseGame, JoinTable
from service.mail.inbound.account_commands import read_answer, read_table_number
from service.mail.inbound.account_handlers import DELETE, confirm, perform
from service.mail.inbound.classify import Reading
from service.mail.inbound.command_types import Command, No, Yes
from service.mail.inbound.intake import PAGE, IncomingRow
from service.mail.inbound.replies import REFUSED, Outcome
from service.mail.inbound.reply_texts import NotDone, Words
from service.mail.inbound.reply_writer import Writer
from service.mail.inbound.stranger_letters import write_to_stranger
from service.notify.letters import queue_letter
from service.notify.notification_rules import ANSWER


def confirm_by_mail(
    mail: IncomingRow, letter: Letter, read: Reading, at: datetime
) -> Outcome | None:
    """Process a reply to a letter that asks the owner of an account; None if it asks nothing."""
    command = read_consent(read, letter)
    deletes = letter.facts.get("confirm") == DELETE and isinstance(command, Yes)
    confirms = "command" in letter.facts and isinstance(command, Yes | No | ChooseGame)
    joins = "tables" in letter.facts and isinstance(command, JoinTable)
    if not deletes and not confirms and not joins:
        return None
    person = None if letter.person_id is None else person_with(letter.to)
    own = mail.via == PAGE or read.sender == letter.to
    if person is None or person.id != letter.person_id or person.suspended_at or not own:
        return None
    if deletes:
        return _delete(letter, person, at)
    assert isinstance(command, Yes | No | ChooseGame | JoinTable)
    return _confirm(mail, Writer(person, letter, mail.received_at, at, own), command)


def read_consent(read: Reading, letter: Letter) -> Command | None:
    """The command of a reply: a table if the letter lists tables, `Yes`, `No` or another."""
    if read.kind != "reply":
        return None
    table = read_table_number(read.text) if letter.facts.get("tables") else None
    return table or read_answer(read.text)


def _confirm(
    mail: IncomingRow, writer: Writer, command: Yes | No | ChooseGame | JoinTable
) -> Outcome:
    """Carry out the command that a letter to an account asks about, or that names its table."""
    facts: Json = {"reply": mail.id, "said": [], "refused": None, "show": []}
    try:
        with savepoint():
            if isinstance(command, JoinTable):
                done = perform(writer, command)
            else:
                done = confirm(writer, command)
        facts |= {"said": list(done.said)} | ({"confirm": done.confirm} if done.confirm else {})
        outcome = Outcome(IncomingState.done, None, "confirmed")
    except NotDone as refused:
        facts["refused"] = writer.say.refusal(refused.code, refused.facts)
        outcome = Outcome(IncomingState.done, REFUSED, refused.code)
    queue_letter(ANSWER, writer.letter.to, facts, writer.at, person_id=writer.person.id)
    return outcome


def _delete(letter: Letter, person: Person, at: datetime) -> Outcome:
    """Delete the account of a letter whose reader confirmed it from their own address."""
    address, say = letter.to, Words(person.language)
    caller = Caller(person.id, person.name, "", LETTER, frozenset())
    delete_account(access_own_account(caller, for_update=True), at)
    title = say("Your account is deleted")
    lines = (
        say("Bots play your seats to the end, and your address is forgotten."),
        say("Thank you for playing with us."),
    )
    write_to_stranger(address, title, lines, say.language, at)
    return Outcome(IncomingState.done, None, "deleteaccount")
