"""Mails to the server's own address: commands of people with and without an account.

Anybody can write any address behind `From:`. A command from the address of an account is carried
out at once if it changes nothing for others and answers go only to the account: a game against
bots, and lists. Everything else is asked back by a letter to the account, and done by a reply to
it. An address without an account gets one letter that asks for consent (`strangers`).
"""

from datetime import datetime, timedelta

from engine.contract import Json
from service.access.accounts import person_with
from service.access.credentials import Caller
from service.access.games import LETTER
from service.core.current_settings import settings
from service.core.email_address import is_acceptable, normal_address
from service.db.models import Incoming, IncomingState, Person
from service.db.session import count_rows
from service.mail.inbound.account_command_types import (
    AccountCommand,
    ChooseGame,
    DeleteAccount,
    JoinTable,
    ShowTables,
    StartGame,
    command_json,
)
from service.mail.inbound.account_commands import first_command
from service.mail.inbound.account_handlers import DELETE, deletion_question
from service.mail.inbound.classify import Reading
from service.mail.inbound.command_types import Command, Show
from service.mail.inbound.intake import IncomingRow
from service.mail.inbound.operator_mail import pass_on
from service.mail.inbound.own_address_texts import described, what_to_write
from service.mail.inbound.own_mail_head import is_unwanted
from service.mail.inbound.replies import Outcome
from service.mail.inbound.reply_texts import NotDone, Words
from service.mail.inbound.strangers import ASKED, answer_stranger
from service.mail.inbound.table_handlers import list_tables, start_game, which_game
from service.mail.outgoing.reply_address import OPERATOR, PLAY
from service.notify.letters import queue_letter
from service.notify.notification_rules import ANSWER

DAY = timedelta(days=1)
DONE, HELPED = "carried_out", "helped"  # reasons of mails that were answered
MOST_ASKED = MOST_HELPED = 3  # a day and person: they may be answers to a forged address


def process_own_mail(mail: IncomingRow, read: Reading, at: datetime) -> Outcome:
    """Process a mail to one of the server's own addresses, in this transaction."""
    if mail.purpose == OPERATOR:
        return pass_on(mail, read, at)
    raw = mail.raw or b""
    sender = normal_address(read.sender)
    if not mail.sender or not sender:
        return Outcome(IncomingState.dropped, "no_sender")
    if read.kind not in ("reply", "empty") or is_unwanted(raw):
        return Outcome(IncomingState.dropped, read.kind if read.kind != "reply" else "unwanted")
    if sender.endswith(f"@{settings().mail_domain}") and settings().smtp_url is not None:
        return Outcome(IncomingState.dropped, "own")
    command = first_command(read.text, read.subject)
    if isinstance(command, ChooseGame):
        command = StartGame(command.game)
    same_envelope = normal_address(mail.sender) == sender
    person = person_with(sender)
    if person is None:
        if not same_envelope or not is_acceptable(sender, settings().smtp_url is None):
            return Outcome(IncomingState.dropped, "unproved_sender")
        return answer_stranger(raw, read, sender, command, at)
    if person.suspended_at is not None:
        return Outcome(IncomingState.dropped, "suspended")
    return _Member(mail, person, at).answer(command, same_envelope)


class _Member:
    """A mail that says to come from the address of an account."""

    def __init__(self, mail: IncomingRow, person: Person, at: datetime) -> None:
        self.mail, self.person, self.at = mail, person, at
        self.say = Words(person.language)

    def answer(self, command: Command | None, same_envelope: bool) -> Outcome:
        if isinstance(command, Show) and command.what != "help":
            return self._carry_out(command)
        if not isinstance(command, AccountCommand) or isinstance(command, JoinTable):
            return self._help(unclear=command is None)
        harmless = isinstance(command, ShowTables) or (
            isinstance(command, StartGame) and not command.invitees
        )
        return self._carry_out(command) if harmless and same_envelope else self._ask(command)

    def _carry_out(self, command: Command) -> Outcome:
        if self._count(DONE) >= settings().limits.mail_commands_per_person_and_day:
            return Outcome(IncomingState.dropped, "too_many_commands")
        if isinstance(command, Show):
            self._write((), show=[command.what])
        elif isinstance(command, StartGame):
            try:
                started = start_game(self.person, self.say, command, self.at)
            except NotDone as refused:
                self._write((), refused=self.say.refusal(refused.code, refused.facts))
                return self._outcome(DONE, refused.code)
            asks: Json = {} if started.asks is None else {"command": started.asks}
            self._write(started.said, game_id=started.game_id, **asks)
        else:
            caller = Caller(self.person.id, self.person.name, "", LETTER, frozenset())
            lines, tables = list_tables(caller, self.say)
            self._write(lines, tables=tables)
        return self._outcome(DONE, type(command).__name__.lower())

    def _ask(self, command: AccountCommand) -> Outcome:
        """Ask at the account's address whether its owner sent the command."""
        if self._count(ASKED) >= MOST_ASKED:
            return Outcome(IncomingState.dropped, "asked_before")
        if isinstance(command, DeleteAccount):
            self._write((deletion_question(self.say),), confirm=DELETE)
        elif isinstance(command, StartGame) and command.game is None:
            self._write((which_game(self.say),), command=command_json(command))
        else:
            question = self.say(
                "Somebody wrote to us from your address and asks for this: %(what)s. If that was "
                "you, reply to this mail with 'yes'; without it nothing is done.",
                what=described(self.say, command),
            )
            self._write((question,), confirm="command", command=command_json(command))
        return self._outcome(ASKED, type(command).__name__.lower())

    def _help(self, unclear: bool) -> Outcome:
        if self._count(HELPED) >= MOST_HELPED:
            return Outcome(IncomingState.dropped, "helped_before")
        refused = None
        if unclear:
            refused = self.say("We did not find anything in your mail that we understand.")
        self._write(what_to_write(self.say), refused=refused)
        return self._outcome(HELPED, "help")

    def _outcome(self, reason: str, done: str) -> Outcome:
        """The result, with the account by which `_count` finds it: the envelope may be forged."""
        return Outcome(IncomingState.done, reason, f"{done} {self.person.id}")

    def _count(self, reason: str) -> int:
        """The mails about this account with this result within a day."""
        return count_rows(
            Incoming.owner == PLAY,
            Incoming.received_at > self.at - DAY,
            Incoming.reason == reason,
            Incoming.result.endswith(self.person.id),
        )

    def _write(
        self,
        said: tuple[str, ...],
        refused: str | None = None,
        show: list[str] | None = None,
        game_id: str | None = None,
        **facts: object,
    ) -> None:
        assert self.person.email is not None
        shown: Json = {"reply": self.mail.id, "said": list(said), "refused": refused}
        shown |= {"show": show or []} | facts
        queue_letter(
            ANSWER, self.person.email, shown, self.at, person_id=self.person.id, game_id=game_id
        )
