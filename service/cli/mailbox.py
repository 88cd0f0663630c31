"""`laguna mailbox`: outgoing mails. Without a mail server they are delivered here."""

import argparse

from service.cli.command_app import opened_app
from service.core.current_settings import settings
from service.db.models import Letter, LetterState
from service.mail.outgoing.dev_mailbox import letters_written


def show(options: argparse.Namespace) -> int:
    with opened_app():
        letters = letters_written(options.to, options.last)
        for letter in letters:
            print(_text(letter, settings().smtp_url is None))
    if not letters:
        print("No mail.")
    return 0


def _text(letter: Letter, kept_here: bool) -> str:
    return (
        f"-- {letter.created_at:%Y-%m-%d %H:%M:%S} UTC, {_state(letter, kept_here)}\n"
        f"To: {letter.to}\n{_contents(letter)}\n"
    )


def _contents(letter: Letter) -> str:
    if letter.text is None:
        return f"({letter.kind}: composed when it is sent)"
    return f"Subject: {letter.subject}\n\n{letter.text.rstrip()}"


def _state(letter: Letter, kept_here: bool) -> str:
    if letter.state == LetterState.sent:
        return "stored, there is no mail server" if kept_here else "sent"
    if letter.state == LetterState.dead:
        return f"given up: {letter.error}"
    return "waiting" if letter.error is None else f"will be retried: {letter.error}"
