"""Replies to letters that ask for consent: invitations and the confirmation of a stranger's mail.

The signed address proves that the writer has the letter; the reply must come from the address to
which the letter went. Consent creates the account if there is none.
"""

from datetime import datetime, timedelta

from engine.registry import game_type_by_key
from service.access.accounts import person_with
from service.accounts.sign_in import may_sign_up
from service.accounts.sign_up import account_by_mail
from service.core.errors import Problem
from service.db.models import IncomingState, Letter, Person
from service.db.session import count_rows, savepoint
from service.games.invitations import InvitationToMail, invitation_to_mail, withdraw
from service.mail.inbound.account_command_types import (
    ChooseGame,
    JoinTable,
    StartGame,
    StopMails,
    command_from,
    command_json,
)
from service.mail.inbound.account_commands import language_of
from service.mail.inbound.account_confirmations import confirm_by_mail, read_consent
from service.mail.inbound.account_handlers import lock_letter
from service.mail.inbound.classify import Reading
from service.mail.inbound.command_types import Command, No, Yes
from service.mail.inbound.intake import PAGE, IncomingRow
from service.mail.inbound.own_address_texts import closed_words
from service.mail.inbound.own_mail_head import writer_name
from service.mail.inbound.replies import REFUSED, Outcome
from service.mail.inbound.reply_texts import NotDone, Words
from service.mail.inbound.stranger_letters import write_to_stranger
from service.mail.inbound.table_handlers import (
    join_listed,
    start_game,
    take_seat,
    which_game,
)
from service.notify.invitation_refusals import refuse_invitations
from service.notify.letters import queue_letter
from service.notify.notification_rules import (
    ANSWER,
    CONFIRMATION,
    FOR_STRANGERS,
    INVITATION,
)

MOST_LETTERS = 6  # to one address within a day, refusals and confirmations
DAY = timedelta(days=1)
REPEATED = ("command", "name", "tables")  # facts of a letter that the next one needs as well


def answer_offer(mail: IncomingRow, letter: Letter, read: Reading, at: datetime) -> Outcome | None:
    """Process a reply to a letter that asks for consent; None if the letter asks for none."""
    if letter.kind in FOR_STRANGERS:
        letter = lock_letter(letter.id)  # of two replies at once, one sees the result of the other
    stranger = letter.kind == CONFIRMATION and letter.person_id is None
    if letter.kind == INVITATION or stranger:
        return _Offer(mail, letter, read, at).answer()
    return confirm_by_mail(mail, letter, read, at)


class _Offer:
    """A reply to an invitation or to the confirmation of a stranger's mail."""

    def __init__(self, mail: IncomingRow, letter: Letter, read: Reading, at: datetime) -> None:
        self.mail, self.letter, self.read, self.at = mail, letter, read, at
        self.person = person_with(letter.to)
        stored = str(letter.facts.get("language") or "en")
        # Of an invitation, the language is that of the inviter; the guest may write another one.
        guessed = language_of(read.text) if letter.kind == INVITATION else None
        self.say = Words(guessed or stored if self.person is None else self.person.language)

    def answer(self) -> Outcome:
        if self.person is not None and self.person.suspended_at is not None:
            return Outcome(IncomingState.dropped, "suspended")
        if self.mail.via != PAGE and self.read.sender != self.letter.to:
            return self._refuse(
                self.say("The reply came from another address than the one we wrote to."), "sender"
            )
        command = read_consent(self.read, self.letter)
        if isinstance(command, StopMails):
            self._decline()
            refuse_invitations(self.letter.to, self.at)
            return Outcome(IncomingState.done, "off")
        if isinstance(command, No):
            return self._declined()
        try:
            with savepoint():
                return self._accepted(command)
        except NotDone as refused:
            return self._refuse(self.say.refusal(refused.code, refused.facts), refused.code)

    def _accepted(self, command: Command | None) -> Outcome:
        if self.letter.kind == INVITATION:
            if not isinstance(command, Yes):
                raise NotDone("offer_unclear")
            return self._take_seat()
        if isinstance(command, JoinTable) and "tables" in self.letter.facts:
            return self._join(command.number)
        wanted = command_from(self.letter.facts["command"])
        assert isinstance(wanted, StartGame)
        if isinstance(command, ChooseGame):
            wanted = StartGame(command.game, wanted.bots, wanted.invitees)
        elif isinstance(command, StartGame):
            wanted = command
        elif not isinstance(command, Yes):
            raise NotDone("offer_unclear")
        return self._start(wanted)

    def _take_seat(self) -> Outcome:
        """Take the seat of the invitation."""
        invited = self._invitation()
        if invited is None or invited.obsolete in ("gone", "withdrawn"):
            raise NotDone("invitation_over")
        if invited.obsolete == "accepted":
            taken = self.person is not None and invited.invitation.used_by == self.person.id
            raise NotDone("already_seated" if taken else "invitation_over")
        if invited.obsolete is not None:
            raise NotDone(invited.obsolete)
        person = self._account()
        said = take_seat(person, self.say, invited.game.id, self.at)
        self._answer(person, said, invited.game.id)
        return Outcome(IncomingState.done, None, "accepted")

    def _join(self, number: int) -> Outcome:
        """Create the account and take a seat at a table of the list, once."""
        person = self._account()
        tables = self.letter.facts["tables"]
        said = join_listed(person, self.say, tables, number, self.at)
        letter = lock_letter(self.letter.id)
        letter.person_id = person.id
        letter.facts = letter.facts | {"done": True}
        self._answer(person, said, tables[number - 1])
        return Outcome(IncomingState.done, None, "jointable")

    def _start(self, command: StartGame) -> Outcome:
        """Create the account and start the game that was asked for, once."""
        person = self._account()
        started = start_game(person, self.say, command, self.at)
        letter = lock_letter(self.letter.id)
        letter.person_id = person.id
        letter.facts = letter.facts | {"command": command_json(command), "done": True}
        facts = {} if started.asks is None else {"command": started.asks}
        self._answer(person, started.said, started.game_id, **facts)
        return Outcome(IncomingState.done, None, "startgame")

    def _account(self) -> Person:
        if self.person is None and not may_sign_up(self.letter.to, None, self.at):
            raise NotDone("sign_up")
        name = str(self.letter.facts.get("name") or writer_name(self.mail.raw or b""))
        try:
            return account_by_mail(self.letter.to, name, self.say.language, self.at)
        except Problem as refused:
            raise NotDone(refused.code) from refused

    def _answer(
        self, person: Person, said: tuple[str, ...], game_id: str | None, **facts: object
    ) -> None:
        if self.person is None:
            welcome = self.say(
                "Welcome, %(name)s! This is your account now; 'name Anna' changes the name and "
                "'I live in Lisbon' the time zone, in reply to any mail of ours.",
                name=person.name,
            )
            said = (*said, welcome)
        shown = {"reply": self.mail.id, "said": list(said), "refused": None, "show": []}
        queue_letter(
            ANSWER, self.letter.to, shown | facts, self.at, person_id=person.id, game_id=game_id
        )

    def _invitation(self) -> InvitationToMail | None:
        return invitation_to_mail(self.letter.facts[INVITATION], self.at)

    def _decline(self) -> InvitationToMail | None:
        """Withdraw the invitation of the letter, if it is one that waits."""
        invited = self._invitation() if self.letter.kind == INVITATION else None
        if invited is None or invited.obsolete is not None:
            return None
        withdraw(invited.game.id, invited.invitation.id, self.at)
        return invited

    def _declined(self) -> Outcome:
        invited = self._decline()
        if invited is not None and not self._refused_enough():
            game = game_type_by_key(invited.game.game, invited.game.rules).meta.title
            title = self.say("The invitation is declined")
            line = self.say("The table for %(game)s does not wait for you any more.", game=game)
            write_to_stranger(self.letter.to, title, (line,), self.say.language, self.at)
        return Outcome(IncomingState.done, None, "declined")

    def _refuse(self, sentence: str, code: str) -> Outcome:
        """Say why nothing was done, a few times a day: a program may answer each."""
        if self._refused_enough():
            return Outcome(IncomingState.done, "refused_before", code)
        if code == "sign_up":
            sentence = closed_words(self.say)
        elif code == "offer_unclear":
            sentence = self._how_to_answer()
        title = self.say("Nothing was done yet")
        facts = {
            name: fact
            for name, fact in self.letter.facts.items()
            if name in ("command", "name", "tables")
        }
        write_to_stranger(
            self.letter.to, title, (sentence,), self.say.language, self.at, facts or None
        )
        return Outcome(IncomingState.done, REFUSED, code)

    def _how_to_answer(self) -> str:
        if self.letter.kind == INVITATION:
            return self.say(
                "We did not understand your reply. Reply to the invitation with 'yes' to take a "
                "seat, with 'no' to decline, or with 'stop' for no more mails of this kind."
            )
        if self.letter.facts["command"]["game"] is None:
            return which_game(self.say)
        return self.say(
            "We did not understand your reply. Reply 'yes', and your game begins, or 'stop', and "
            "we never write to this address again."
        )

    def _refused_enough(self) -> bool:
        """Whether this address got as many such letters as are allowed; each of them has a reply
        address of its own, so that they are not counted by letter."""
        lately = (Letter.kind == CONFIRMATION, Letter.created_at > self.at - DAY)
        return count_rows(*lately, Letter.to == self.letter.to) >= MOST_LETTERS
