"""`laguna mailbox`: the mails that were written. Without a mail server this is where they go."""

import argparse

from service.cli.opening import opened_app
from service.mailing import letters_written
from service.models import Letter
from service.people import settings


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
        f"To: {letter.to}\nSubject: {letter.subject}\n\n{letter.text.rstrip()}\n"
    )


def _state(letter: Letter, kept_here: bool) -> str:
    if letter.sent_at is not None:
        return "kept here, there is no mail server" if kept_here else "sent"
    if letter.next_try_at is None:
        return f"given up: {letter.error}"
    return "waiting" if letter.error is None else f"will be tried again: {letter.error}"
