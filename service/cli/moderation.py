"""`laguna person`, `laguna game` and `laguna message`: moderation by the operator."""

import argparse
from dataclasses import asdict

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json, print_list, print_values
from service.core.clock import now
from service.db.session import transact
from service.ops import moderation
from service.ops.moderation import FoundPerson
from service.ops.status import counted


def find_person(options: argparse.Namespace) -> int:
    with opened_app():
        found = moderation.find_people(options.text, options.last)
    nothing = f"No name, address or id contains {options.text[:80]!r}."
    return print_list(found, _line, nothing, options.json)


def _line(person: FoundPerson) -> str:
    return (
        f"{person.id}  {person.kind:<6}  {person.state:<9}  "
        f"{person.created_at:%Y-%m-%d}  {person.email or '-'}  {person.name}"
    )


def show_person(options: argparse.Namespace) -> int:
    with opened_app():
        details = asdict(moderation.person_details(options.person))
    if options.json:
        print_json(details)
    else:
        print_values(details)
    return 0


def show_game(options: argparse.Namespace) -> int:
    with opened_app():
        details = asdict(moderation.game_details(options.game))
    if options.json:
        print_json(details)
        return 0
    seats = details.pop("seats")
    print_values(details)
    print("seats:")
    for seat in seats:
        print("  " + "  ".join(f"{key} {part}" for key, part in seat.items()))
    return 0


def suspend_person(options: argparse.Namespace) -> int:
    with opened_app():
        person = transact(lambda: moderation.suspend(options.person, now()).name)
    print(
        f"{person} and their bot accounts are suspended: no sign-in, no tokens, no mails. Bots "
        "have taken over their seats."
    )
    return 0


def unsuspend_person(options: argparse.Namespace) -> int:
    with opened_app():
        person = transact(lambda: moderation.unsuspend(options.person).name)
    print(f"{person} may sign in again and take their seats back.")
    return 0


def sign_out_person(options: argparse.Namespace) -> int:
    with opened_app():
        ended = transact(lambda: moderation.sign_out(options.person, options.tokens, now()))
    print(f"{counted(ended, 'credential' if options.tokens else 'session')} ended.")
    return 0


def delete_person(options: argparse.Namespace) -> int:
    with opened_app():
        person = moderation.person_details(options.person)
        _confirm(
            options,
            f"{person.name} ({person.email or person.kind}) has {person.running_games} running "
            f"games and {counted(person.bots, 'bot')}. Deleting the account cannot be undone.",
        )
        transact(lambda: moderation.delete_person(person.id, now()))
    print(f"The account {person.id} is deleted; bots have taken over its seats.")
    return 0


def cancel_game(options: argparse.Namespace) -> int:
    with opened_app():
        game = moderation.game_details(options.game)
        _confirm(
            options,
            f"Game {game.id} is {game.status} with {counted(game.moves, 'move')}. Ending it cannot "
            "be undone.",
        )
        print(transact(lambda: moderation.cancel_game(game.id, now())))
    return 0


def delete_message(options: argparse.Namespace) -> int:
    with opened_app():
        game = moderation.game_details(options.game)
        _confirm(options, f"The text of message {options.number} will be lost.")
        author = transact(lambda: moderation.delete_message(game.id, options.number))
    print(f"Message {options.number} of game {game.id}, written by {author}, is deleted.")
    return 0


def _confirm(options: argparse.Namespace, sentence: str) -> None:
    if not options.yes:
        raise CommandError(f"{sentence} Add --yes to do it.")
