"""Mails to the server's own address from addresses without an account.

Such an address gets a letter that asks for consent, within limits; the reply to it makes the
account (`offers`).
"""

from datetime import datetime

from engine.contract import Json
from engine.languages import nearest_language
from service.accounts.sign_in import may_sign_up
from service.db.models import IncomingState, Letter
from service.db.session import count_rows
from service.mail.inbound.account_command_types import (
    ShowTables,
    StartGame,
    StopMails,
    command_json,
)
from service.mail.inbound.account_commands import language_of
from service.mail.inbound.classify import Reading
from service.mail.inbound.command_types import Command
from service.mail.inbound.own_address_texts import closed_words, described
from service.mail.inbound.own_mail_head import content_language, looks_personal, writer_name
from service.mail.inbound.replies import Outcome
from service.mail.inbound.reply_texts import Words
from service.mail.inbound.stranger_letters import mailed_enough, write_to_stranger
from service.mail.inbound.table_handlers import list_tables, which_game
from service.notify.invitation_refusals import is_refused, refuse_invitations
from service.notify.notification_rules import FOR_STRANGERS

ASKED = "asked"  # reason of mails that were answered with a question


def answer_stranger(
    raw: bytes, read: Reading, address: str, command: Command | None, at: datetime
) -> Outcome:
    """Answer a mail from an address without an account, or drop it, in this transaction."""
    return _Stranger(raw, read, address, at).answer(command)


class _Stranger:
    """A mail from an address without an account."""

    def __init__(self, raw: bytes, read: Reading, address: str, at: datetime) -> None:
        self.raw, self.read, self.address, self.at = raw, read, address, at
        guessed = language_of(f"{read.text}\n{read.subject}") or content_language(raw)
        self.say = Words(nearest_language(guessed))

    def answer(self, command: Command | None) -> Outcome:
        if isinstance(command, StopMails):
            return self._stop()
        if is_refused(self.address):
            return Outcome(IncomingState.dropped, "refused")
        if command is None and not looks_personal(self.raw, self.read.text):
            return Outcome(IncomingState.dropped, "no_command")
        if mailed_enough(self.address, self.at):
            return Outcome(IncomingState.dropped, "mailed_enough")
        if not may_sign_up(self.address, None, self.at):
            self._write(self.say("No new players at the moment"), (closed_words(self.say),))
            return Outcome(IncomingState.done, "sign_up")
        if isinstance(command, ShowTables):
            self._offer_tables()
        else:
            self._offer(command if isinstance(command, StartGame) else None)
        return Outcome(IncomingState.done, ASKED)

    def _stop(self) -> Outcome:
        """Refuse further letters if there was one. Otherwise there is nothing to stop, and a forged
        mail would keep invitations from an address for good."""
        written_to = count_rows(Letter.to == self.address, Letter.kind.in_(FOR_STRANGERS))
        if not written_to:
            return Outcome(IncomingState.dropped, "not_written_to")
        refuse_invitations(self.address, self.at)
        return Outcome(IncomingState.done, "off")

    def _offer_tables(self) -> None:
        """List the open tables, and ask for consent to an account with a seat at one of them."""
        say = self.say
        lines, tables = list_tables(None, say)
        if tables:
            lines = (*lines, say("Reply 'join 1', and your account is made."))
        facts: Json = {"name": writer_name(self.raw), "tables": tables}
        facts["command"] = command_json(StartGame(None))
        self._write(say("The open tables"), (*lines, *self._notes()), facts)

    def _offer(self, command: StartGame | None) -> None:
        """Ask for consent to an account, with the game that was asked for."""
        say, known = self.say, command is not None and command.game is not None
        facts: Json = {"name": writer_name(self.raw)}
        if command is None or not known:
            wanted = command or StartGame(None)
            lines: tuple[str, ...] = (
                say("Welcome to Laguna: board games by mail, a few minutes a day."),
                which_game(say),
            )
            title = say("Which game would you like to play?")
        else:
            wanted = command
            title = say("Reply 'yes', and your game begins")
            what = described(say, command)
            lines = (say("You would like to play at Laguna: %(what)s.", what=what),)
        facts["command"] = command_json(wanted)
        self._write(title, (*lines, *self._notes()), facts)

    def _notes(self) -> tuple[str, str]:
        note = self.say(
            "With your reply you get an account for this address; nothing else is needed. If you "
            "do not reply within a day, we forget your address."
        )
        return note, self.say("Reply 'stop', and we never write to this address again.")

    def _write(self, title: str, lines: tuple[str, ...], facts: Json | None = None) -> None:
        write_to_stranger(self.address, title, lines, self.say.language, self.at, facts)
