"""Sentences of answers to mails to the server's own address."""

from engine.languages import join_words
from engine.registry import GAME_TYPES
from service.core.current_settings import settings
from service.mail.inbound.account_command_types import (
    SetLanguage,
    SetName,
    SetTimeZone,
    StartGame,
    StopMails,
)
from service.mail.inbound.command_types import Command
from service.mail.inbound.reply_texts import Words


def closed_words(say: Words) -> str:
    if settings().sign_up == "invited":
        return say(
            "Thank you for writing! This server is for people whom a player invites, and this "
            "address has no invitation at the moment."
        )
    return say("Thank you for writing! This server takes no new players at the moment.")


def described(say: Words, command: Command) -> str:
    """What a command asks for, as a part of a sentence."""
    match command:
        case StartGame(game, bots, invitees):
            title = next((one.meta.title for one in GAME_TYPES if one.meta.key == game), "")
            if invitees:
                guests = join_words(invitees, say.language)
                return say("a game of %(game)s with %(guests)s", game=title, guests=guests)
            if bots is None:
                return say("a game of %(game)s against bots", game=title)
            if bots == 1:
                return say("a game of %(game)s against a bot", game=title)
            return say("a game of %(game)s against %(bots)d bots", game=title, bots=bots)
        case StopMails():
            return say("no more mails")
        case SetName(name):
            return say("the name %(name)s", name=name)
        case SetLanguage() | SetTimeZone():
            return say("a change of your language or time zone")
    return say("a change of your settings")


def what_to_write(say: Words) -> tuple[str, ...]:
    """What can be written to the server's own address."""
    title = GAME_TYPES[-1].meta.title
    return (
        say("Write one of these to this address, in the text or as the subject:"),
        say("'play %(game)s' for a game against bots, which begins at once", game=title),
        say("'play %(game)s with 2 bots' for as many bots as you like", game=title),
        say("'play %(game)s with anna@example.org' to invite people", game=title),
        say("'tables' for the tables that wait for players"),
        say("'games' for everything that waits for you"),
        say("'name Anna', 'language German' or 'I live in Lisbon' to change your account"),
        say("'stop' for no more mails, 'delete my account' to leave for good"),
    )
