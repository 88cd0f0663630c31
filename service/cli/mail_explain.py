"""`laguna mail explain`: how a mail is read, stage by stage. It changes and sends nothing."""

import argparse
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from engine.errors import BadSetup
from engine.registry import game_type_by_key
from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.core.clock import now
from service.core.current_settings import settings
from service.mail.inbound.classify import Reading, read_mail
from service.mail.inbound.command_parser import explain_commands
from service.mail.inbound.mime_parts import Unreadable, shown_parts, take_apart
from service.mail.inbound.taken_off import FOOTER, QUOTE, TEXT
from service.ops.letter_choices import Question, question_of, stored_mail

LONGEST_SHOWN = 12  # lines of a text that was taken off
STAGES = (TEXT, QUOTE, FOOTER)


def explain(options: argparse.Namespace) -> int:
    given = _given_question(options)
    with opened_app():
        raw, question = _mail(options.mail)
        reading, today = read_mail(raw, settings().mail_domain), now().date()
    _print_parse(raw)
    _print_classify(reading)
    for stage in STAGES:
        _print_stage(stage, reading)
    if reading.may_answer:
        print("\nown words")
        _print_indented(reading.text.split("\n"))
        _print_commands(reading, given or question, today)
    return 0


def _given_question(options: argparse.Namespace) -> Question | None:
    if options.game is None:
        if options.choice:
            raise CommandError("Name the game type of the choices with --game.")
        return None
    try:
        return Question(game_type_by_key(options.game), options.choice)
    except BadSetup as error:
        raise CommandError(str(error)) from error


def _mail(source: str) -> tuple[bytes, Question | None]:
    """The mail of a file, of standard input or of the database, and the question it answers."""
    if source == "-":
        raw = sys.stdin.buffer.read()
    elif (path := Path(source)).is_file():
        raw = path.read_bytes()
    else:
        return stored_mail(source)
    return raw, question_of(raw)


def _print_parse(raw: bytes) -> None:
    try:
        kinds = [shown.kind for shown in shown_parts(take_apart(raw))]
    except Unreadable as unreadable:
        print(f"parse: {len(raw):,} bytes, not read: {unreadable.reason}")
        return
    print(f"parse: {len(raw):,} bytes; parts that are shown: {', '.join(kinds) or 'none'}")


def _print_classify(reading: Reading) -> None:
    why = f" ({reading.reason})" if reading.reason else ""
    print(f"classify: {reading.kind}{why}, from {reading.sender or '-'}: {reading.subject or '-'}")


def _print_stage(stage: str, reading: Reading) -> None:
    taken = [record for record in reading.taken_off if record.stage == stage]
    if not taken:
        print(f"{stage}: nothing taken off")
    for record in taken:
        lines = record.text.split("\n")
        print(f"{stage}: {len(lines):,} lines taken off: {record.why}")
        _print_indented(lines[:LONGEST_SHOWN])
        if len(lines) > LONGEST_SHOWN:
            print("  ..")


def _print_indented(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"  {line}".rstrip())


def _print_commands(reading: Reading, question: Question | None, today: date) -> None:
    if question is None:
        print("\ncommands: not read; the mail answers no letter, name the game type with --game")
        return
    print("\ncommands")
    notes = explain_commands(
        reading.text,
        question.game_type,
        question.choices,
        today,
        labels=question.labels,
        quote=reading.quote,
    )
    _print_indented(f"{note.stage}: {note.text!r} ({note.why})" for note in notes)
