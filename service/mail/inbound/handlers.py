"""Handlers of the commands in replies, on the use cases of API and pages.

The address of a letter is a credential for the decision it asks for, and no more. All other
commands need a reply from the account's own address. To resign, a player confirms by a reply to a
second letter, which goes only to that address.
"""

from collections.abc import Sequence
from datetime import date

from engine.registry import game_type_by_key
from service.access.accounts import access_own_habits
from service.access.games import SeatAccess
from service.accounts.absences import announce_absence
from service.accounts.profile import change_settings
from service.core.errors import Problem
from service.core.formatting import date_words
from service.core.time_control import MOST_ABSENCE_DAYS
from service.games.chat import LONGEST_MESSAGE, say
from service.games.moves import LONGEST_NOTE, leave_wishes, write_note
from service.mail.inbound import command_types as commands
from service.mail.inbound.account_handlers import carry_out_account
from service.mail.inbound.move_handlers import confirm, decline, play, take_back
from service.mail.inbound.reply_texts import MAIL_CHOICES, RECEIPTS, NotDone
from service.mail.inbound.reply_writer import Done, Writer
from service.mail.inbound.seat_handlers import give_up_seat, own_row, take_seat_back
from service.mail.outgoing.unsubscribe import set_muted
from service.notify.preferences import OFF

SHOWN_WITHOUT_GAME = ("help", "games")


def carry_out(writer: Writer, command: commands.Command) -> Done:
    """Carry out one command of a reply; raises NotDone."""
    try:
        return _carry_out(writer, command)
    except Problem as refused:
        raise NotDone(refused.code) from refused


def _carry_out(writer: Writer, command: commands.Command) -> Done:
    if isinstance(command, commands.Play):
        return play(writer, command.steps)
    match command:
        case commands.Show(what):
            return _show(writer, what)
        case commands.Yes():
            return confirm(writer)
        case commands.No():
            return decline(writer)
    writer.must_be_known()
    if (done := carry_out_account(writer, command)) is not None:
        return done
    match command:
        case commands.Wish(text):
            return _wish(writer, text)
        case commands.ShowPlan():
            access = writer.access()
            return Done((_plan_words(writer, access, own_row(access).wishes),))
        case commands.DropPlan():
            leave_wishes(writer.access(), None)
            return Done((writer.say("You have no list any more for when your time runs out."),))
        case commands.Say(text):
            return _say(writer, text)
        case commands.Note(text):
            return _note(writer, text)
        case commands.Away(first, last):
            return _announce(writer, first, last)
        case commands.Back():
            return Done((take_seat_back(writer),))
        case commands.Undo():
            return take_back(writer)
        case commands.MailChoice(mode):
            return _choose_mails(writer, mode)
        case commands.Receipts(on):
            return _choose_receipts(writer, on)
        case commands.Resign(confirmed):
            return give_up_seat(writer, confirmed)
    raise AssertionError(f"unknown command: {command!r}")


def _show(writer: Writer, what: str) -> Done:
    if what not in SHOWN_WITHOUT_GAME:
        writer.must_name_game()
    return Done(show=(what,))


def _wish(writer: Writer, text: str) -> Done:
    access = writer.access()
    try:
        wishes = leave_wishes(access, text)
    except Problem as refused:
        if refused.code != "unreadable_move":
            raise
        game = game_type_by_key(access.game.game, access.game.rules)
        known = writer.say.all_wishes(game)
        raise NotDone("unreadable_wishes", text=text, wishes=known) from refused
    return Done((_plan_words(writer, access, wishes),))


def _plan_words(writer: Writer, access: SeatAccess, wishes: Sequence[str] | None) -> str:
    if not wishes:
        return writer.say("You have left no list for when your time runs out.")
    game = game_type_by_key(access.game.game, access.game.rules)
    return writer.say(
        "When your time runs out, the first of these that is possible is played: %(wishes)s.",
        wishes=writer.say.in_order(game.preference_labels(wishes, writer.say.language)),
    )


def _say(writer: Writer, text: str) -> Done:
    if len(text) > LONGEST_MESSAGE:
        raise NotDone("message_too_long", most=LONGEST_MESSAGE)
    say(writer.access(), text, writer.at)
    return Done((writer.say("Said to the table: “%(text)s”", text=text),))


def _note(writer: Writer, text: str) -> Done:
    access = writer.access()
    note = "\n".join(filter(None, (own_row(access).note, text)))
    if len(note) > LONGEST_NOTE:
        raise NotDone("note_too_long", most=LONGEST_NOTE)
    write_note(access, note)
    return Done((writer.say("Added to your note: “%(text)s”", text=text),))


def _choose_mails(writer: Writer, mode: str) -> Done:
    """Choose mails for all games; choosing any also ends the silence about the letter's game."""
    game_id = writer.asked.game_id
    if mode != OFF and game_id is not None:
        set_muted(writer.person.id, game_id, False)
    change_settings(access_own_habits(writer.caller), {"mail": {"turns": mode}})
    return Done((writer.say(MAIL_CHOICES[mode]),))


def _choose_receipts(writer: Writer, on: bool) -> Done:
    change_settings(access_own_habits(writer.caller), {"mail": {"receipts": on}})
    return Done((writer.say(RECEIPTS[on]),))


def _announce(writer: Writer, first: date, last: date) -> Done:
    try:
        announce_absence(writer.caller, first, last, writer.at)
    except Problem as refused:
        if refused.code != "invalid_request":
            raise
        raise NotDone("bad_absence", days=MOST_ABSENCE_DAYS) from refused
    sentence = writer.say(
        "You are away from %(first)s to %(last)s: the clocks of what you are asked from now on "
        "stand still on these days.",
        first=date_words(first, writer.say.language),
        last=date_words(last, writer.say.language),
    )
    return Done((sentence,))
