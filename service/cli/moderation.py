"""`laguna person`, `laguna game` and `laguna message`: moderation by the operator."""

import argparse
from collections.abc import Callable
from datetime import datetime

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json
from service.core.clock import now
from service.db.session import transact
from service.ops import moderation
from service.ops.moderation import FoundPerson
from service.ops.status import counted


def find_person(options: argparse.Namespace) -> int:
    with opened_app():
        found = moderation.find_people(options.text, options.last)
    if options.json:
        print_json(found)
        return 0
    for person in found:
        print(_line(person))
    if not found:
        print(f"No name, address or id has {options.text[:80]!r} in it.")
    return 0


def _line(person: FoundPerson) -> str:
    return (
        f"{person.id}  {person.kind:<6}  {person.state:<9}  "
        f"{person.created_at:%Y-%m-%d}  {person.email or '-'}  {person.name}"
    )


def show_person(options: argparse.Namespace) -> int:
    with opened_app():
        details = moderation.person_details(options.person)
    _show(options, details._asdict())
    return 0


def show_game(options: argparse.Namespace) -> int:
    with opened_app():
        details = moderation.game_details(options.game)
    _show(options, details._asdict())
    return 0


def _show(options: argparse.Namespace, details: dict[str, object]) -> None:
    if options.json:
        print_json(details)
        return
    for name, value in details.items():
        if value is None or value == "":
            continue
        if isinstance(value, list):
            print(f"{name}:")
            for item in value:
                print("  " + "  ".join(f"{key} {part}" for key, part in item.items()))
        else:
            shown = f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else value
            print(f"{name.replace('_', ' ') + ':':<20} {shown}")


def suspend_person(options: argparse.Namespace) -> int:
    with opened_app():
        person = transact(lambda: moderation.suspend(options.person, now()).name)
    print(
        f"{person} is suspended, with their bots: no sign-in, no tokens, no mails. Our bots keep "
        "their seats."
    )
    return 0


def unsuspend_person(options: argparse.Namespace) -> int:
    with opened_app():
        person = transact(lambda: moderation.unsuspend(options.person).name)
    print(f"{person} may sign in again, and take back the seats that bots keep.")
    return 0


def sign_out_person(options: argparse.Namespace) -> int:
    with opened_app():
        ended = transact(lambda: moderation.sign_out(options.person, options.tokens, now()))
    print(f"{counted(ended, 'credential' if options.tokens else 'session')} ended.")
    return 0


def delete_person(options: argparse.Namespace) -> int:
    with opened_app():
        person = moderation.person_details(options.person)
        _must_be_sure(
            options,
            f"{person.name} ({person.email or person.kind}) has {person.running_games} running "
            f"games and {counted(person.bots, 'bot')}. Deleting the account cannot be undone.",
        )
        transact(lambda: moderation.delete_person(person.id, now()))
    print(f"The account {person.id} is deleted; bots play its running games.")
    return 0


def cancel_game(options: argparse.Namespace) -> int:
    with opened_app():
        game = moderation.game_details(options.game)
        _must_be_sure(
            options,
            f"Game {game.id} is {game.status} with {counted(game.moves, 'move')}. To end it cannot "
            "be undone.",
        )
        print(transact(lambda: moderation.cancel_game(game.id, now())))
    return 0


def delete_message(options: argparse.Namespace) -> int:
    with opened_app():
        game = moderation.game_details(options.game)
        _must_be_sure(options, f"The text of message {options.number} will be lost.")
        author = transact(_deleted(game.id, options.number))
    print(f"Message {options.number} of game {game.id}, written by {author}, is deleted.")
    return 0


def _deleted(game_id: str, number: int) -> Callable[[], str]:
    return lambda: moderation.delete_message(game_id, number)


def _must_be_sure(options: argparse.Namespace, sentence: str) -> None:
    if not options.yes:
        raise CommandError(f"{sentence} Add --yes to do it.")
