"""`laguna mailbox`: the mails that were written. Without a mail server this is where they go."""

import argparse

from service.cli.command_app import opened_app
from service.core.current_settings import settings
from service.db.models import Letter, LetterState
from service.mail.outgoing.dev_mailbox import letters_written


def show(options: argparse.Namespace) -> int:
    with opened_app():
        letters = letters_written(options.to, options.last)
        for letter in letters:
            print(_told(letter, settings().smtp_url is None))
    if not letters:
        print("No mail.")
    return 0


def _told(letter: Letter, kept_here: bool) -> str:
    return (
        f"-- {letter.created_at:%Y-%m-%d %H:%M:%S} UTC, {_state(letter, kept_here)}\n"
        f"To: {letter.to}\n{_said(letter)}\n"
    )


def _said(letter: Letter) -> str:
    if letter.text is None:
        return f"({letter.kind}: it is written when it is sent)"
    return f"Subject: {letter.subject}\n\n{letter.text.rstrip()}"


def _state(letter: Letter, kept_here: bool) -> str:
    if letter.state == LetterState.sent:
        return "kept here, there is no mail server" if kept_here else "sent"
    if letter.state == LetterState.dead:
        return f"given up: {letter.error}"
    return "waiting" if letter.error is None else f"will be tried again: {letter.error}"
