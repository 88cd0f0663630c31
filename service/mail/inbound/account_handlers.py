"""Handlers of commands about the writer's account, in replies to letters of ours.

A letter with a stored command (`command` of its facts) asks whether its reader sent it: `yes` in
reply carries it out, once.
"""

from datetime import timedelta

from marshmallow import ValidationError
from sqlalchemy import select

from engine.languages import LANGUAGES, nearest_language
from service.access.accounts import access_own_account
from service.accounts.inputs import AccountChangesSchema
from service.accounts.profile import change_settings
from service.core.time_control import MOST_SLEEP
from service.db.models import Letter
from service.db.session import db
from service.mail.inbound.account_command_types import (
    AccountCommand,
    ChooseGame,
    DeleteAccount,
    JoinTable,
    SetLanguage,
    SetName,
    SetQuietHours,
    SetTimeZone,
    ShowTables,
    StartGame,
    StopMails,
    command_from,
)
from service.mail.inbound.command_types import Command, No, Yes
from service.mail.inbound.places import zones_of
from service.mail.inbound.reply_texts import MAIL_CHOICES, NotDone, Words
from service.mail.inbound.reply_writer import Done, Writer
from service.mail.inbound.table_handlers import join_listed, list_tables, start_game
from service.mail.outgoing.unsubscribe import all_off
from service.notify.letters import queue_letter
from service.notify.notification_rules import ANSWER
from service.notify.preferences import OFF

DELETE = "delete_account"  # confirmed by a reply to a second letter


def carry_out_account(writer: Writer, command: Command) -> Done | None:
    """Carry out a command about tables or the account; None if it is another command. Raises
    NotDone."""
    if not isinstance(command, AccountCommand):
        return None
    if isinstance(command, ChooseGame):
        raise NotDone("not_understood", line=command.game)
    if command == StartGame(None) and writer.letter.game_id is not None:
        raise NotDone("not_understood", line="play")
    return perform(writer, command)


def perform(writer: Writer, command: AccountCommand) -> Done:
    """Carry out a command of a writer who proved to receive the mails of the account."""
    match command:
        case StartGame():
            started = start_game(writer.person, writer.say, command, writer.at)
            if started.asks is not None:
                _queue(writer, (started.said[0],), command=started.asks)
                return Done((writer.say("The question comes in a mail of its own."),))
            return Done(started.said)
        case ShowTables():
            lines, listed = list_tables(writer.caller, writer.say)
            _queue(writer, lines, tables=listed)
            return Done((writer.say("The open tables come in a mail of their own."),))
        case JoinTable(number):
            tables = writer.letter.facts.get("tables")
            return Done(join_listed(writer.person, writer.say, tables, number, writer.at))
        case StopMails():
            all_off(writer.person.id)
            return Done((writer.say(MAIL_CHOICES[OFF]),))
        case DeleteAccount():
            return Done((deletion_question(writer.say),), confirm=DELETE)
    return Done((_set(writer, command),))


def deletion_question(say: Words) -> str:
    return say(
        "Do you really want to delete your account? Bots play your seats to the end, and nobody "
        "can undo it. If so, reply to this mail with 'yes'."
    )


def _queue(writer: Writer, said: tuple[str, ...], **facts: object) -> None:
    """Queue a letter to which a number or a name can be replied."""
    assert writer.person.email is not None
    shown = {"reply": "", "said": list(said), "refused": None, "show": []}
    queue_letter(ANSWER, writer.person.email, shown | facts, writer.at, person_id=writer.person.id)


def confirm(writer: Writer, answer: Yes | No | ChooseGame) -> Done:
    """Carry out the stored command of a letter, unless that was done by another reply, or complete
    it by the game type that the letter asked for; raises NotDone."""
    letter = lock_letter(writer.letter.id)
    if letter.facts.get("done"):
        return Done((writer.say("That is done already."),))
    if isinstance(answer, No):
        return Done((writer.say("Nothing was done."),))
    command = command_from(letter.facts["command"])
    if isinstance(command, StartGame) and isinstance(answer, ChooseGame):
        command = StartGame(answer.game, command.bots, command.invitees)
    letter.facts = letter.facts | {"done": True}
    return perform(writer, command)


def lock_letter(letter_id: str) -> Letter:
    """A letter, locked, so that of two replies at once one carries out what it asks."""
    return db.session.scalars(
        select(Letter)
        .where(Letter.id == letter_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()


def _set(writer: Writer, command: AccountCommand) -> str:
    """Change a setting; the sentence about it."""
    say = writer.say
    match command:
        case SetName(name):
            _change(writer, NotDone("bad_name", text=name), name=name)
            return say("Your name is %(name)s now.", name=name)
        case SetLanguage(language):
            _change(writer, NotDone("failed"), language=language)
            named = LANGUAGES[nearest_language(language)]
            say = Words(language)
            return say("Our mails to you are in %(language)s now.", language=named)
        case SetTimeZone(place):
            zone = _zone(place)
            _change(writer, NotDone("unknown_place", text=place), time_zone=zone)
            return say("Your time zone is %(zone)s now.", zone=zone)
        case SetQuietHours(begins, ends):
            hours = MOST_SLEEP // timedelta(hours=1)
            refusal = NotDone("bad_quiet_hours", hours=hours)
            _change(writer, refusal, sleep_from=begins, sleep_to=ends)
            if begins is None:
                return say("You have no quiet hours now.")
            return say(
                "From %(begins)s to %(ends)s in your time zone no deadline ends for you.",
                begins=begins,
                ends=ends,
            )
    raise AssertionError(f"not a setting: {command!r}")


def _zone(place: str) -> str:
    zones = zones_of(place)
    if not zones:
        raise NotDone("unknown_place", text=place)
    if len(zones) > 1:
        raise NotDone("several_zones", text=place, zone=zones[0], zones=", ".join(zones))
    return zones[0]


def _change(writer: Writer, refusal: NotDone, **changes: object) -> None:
    """Change settings that the schema of the API accepts."""
    try:
        checked = AccountChangesSchema().load(changes)
    except ValidationError as error:
        raise refusal from error
    change_settings(access_own_account(writer.caller, for_update=True), checked)
