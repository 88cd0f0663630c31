"""Argument parser: commands, options, help texts, exit codes and error output."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from engine.errors import EngineError, RecordError
from engine.languages import ENGLISH, LANGUAGES
from engine.policies import POLICIES

Command = Callable[[argparse.Namespace], int]
# Adds a command: its name, its function, and a line of help.
Add = Callable[[str, Command, str], argparse.ArgumentParser]
Further = Callable[[Add], None]


def main(arguments: Sequence[str] | None = None, further: Further | None = None) -> int:
    """Run one command. The exit code is 0 for success, 1 for a failed check, 2 for bad input.

    `further` adds the commands of a program that builds on the engine.
    """
    parser = build_parser(further)
    options = parser.parse_args(arguments)
    command: Command = options.command
    try:
        return command(options)
    except RecordError as error:
        print(f"verification failed: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except (EngineError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


class _Version(argparse.Action):
    """Prints the installed version; imports the package metadata only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"{parser.prog} {version('laguna')}")
        parser.exit()


def build_parser(further: Further | None = None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="laguna",
        description="Board games of the Venetian lagoon: play, record and check them.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    subcommands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, run: Command, summary: str) -> argparse.ArgumentParser:
        command = subcommands.add_parser(name, help=summary, description=summary)
        command.set_defaults(command=run)
        return command

    add("games", _lazily("list_games"), "list game types with their seats and options")
    command = add(
        "play", _lazily("play_in_terminal"), "play in the terminal, against bots or with others"
    )
    _add_setting(command, seed_default=None, game_optional=True)
    command.add_argument(
        "--humans", type=_count, default=1, help="number of people at the keyboard (1)"
    )
    command.add_argument("--names", default="", help="names of the seats, separated by commas")
    _add_language(command)
    place = command.add_mutually_exclusive_group()
    place.add_argument("--save", type=Path, metavar="FILE", help="save the game to this new file")
    place.add_argument(
        "--resume", type=Path, metavar="FILE", help="resume the game saved in this file"
    )
    place.add_argument(
        "--continue",
        type=Path,
        dest="go_on",
        metavar="FILE",
        help="resume the game saved in this file, or start one if there is none",
    )
    command = add("record", _lazily("write_record"), "simulate a game and print its record")
    _add_setting(command)
    _add_policy(command, "random")
    command.add_argument("--legal", action="store_true", help="add the legal moves to every line")
    command = add("replay", _lazily("replay"), "print a recorded game move by move")
    command.add_argument("file", help="the record, or - for standard input")
    command.add_argument("--at", type=_count, help="stop after this many moves")
    _add_language(command)
    command = add(
        "verify", _lazily("verify_record"), "verify the record of a finished game byte by byte"
    )
    command.add_argument("file", help="the record, or - for standard input")
    command = add(
        "perft", _lazily("count_ways"), "count the sequences of moves from a position (perft)"
    )
    _add_setting(command)
    command.add_argument("--depth", type=_count, default=3, help="depth in moves (3)")
    command.add_argument(
        "--after", type=_count, default=0, help="random moves before the count (0)"
    )
    command = add(
        "playthrough",
        _lazily("tell_playthrough"),
        "print a simulated game with every decision and its legal moves",
    )
    _add_setting(command)
    _add_policy(command, "greedy")
    command = add(
        "fuzz", _lazily("fuzz"), "play random games and check the contract of each game type"
    )
    _add_setting(command, seed_default=None, game_optional=True, all_settings=True)
    _add_many_games(command, 200)
    command = add(
        "lengths", _lazily("tell_lengths"), "simulate many games and print their length and scores"
    )
    _add_setting(command, game_optional=True, all_settings=True)
    command.add_argument("--policy", choices=POLICIES, help="the policy that chooses moves (all)")
    _add_many_games(command, 100)
    command = add(
        "bench", _lazily("bench"), "measure moves per second and the cost of a stored state"
    )
    command.add_argument("game", nargs="?", help="key of the game type (all)")
    command.add_argument("--games", type=_count, default=100, help="games per setting (100)")
    if further is not None:
        further(add)
    return parser


def _lazily(name: str) -> Command:
    """A function of `engine.cli.commands`, imported when it is called: it imports every game type.

    It also reads the board files, so that commands of other programs need no game type.
    """

    def command(options: argparse.Namespace) -> int:
        import_module("engine.cli.board_files").use_board_files(os.environ)
        function: Command = getattr(import_module("engine.cli.commands"), name)
        return function(options)

    return command


def _add_setting(
    command: argparse.ArgumentParser,
    seed_default: str | None = "1",
    game_optional: bool = False,
    all_settings: bool = False,
) -> None:
    every = " (all)" if all_settings else ""
    command.add_argument(
        "game", nargs="?" if game_optional else None, help=f"key of the game type{every}"
    )
    command.add_argument("--seats", type=_count, help=f"number of seats{every or ' (the largest)'}")
    command.add_argument(
        "--seed",
        default=seed_default,
        help=f"64 hexadecimal digits, or any number or word ({seed_default or 'random'})",
    )
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=f"an option of the game type; may be repeated{every}",
    )


def _add_many_games(command: argparse.ArgumentParser, games: int) -> None:
    command.add_argument("--games", type=_count, default=games, help=f"games per setting ({games})")
    jobs = os.cpu_count() or 1
    command.add_argument("--jobs", type=_count, default=jobs, help=f"parallel processes ({jobs})")


def _add_policy(command: argparse.ArgumentParser, default: str) -> None:
    command.add_argument(
        "--policy",
        choices=POLICIES,
        default=default,
        help=f"the policy that chooses moves ({default})",
    )


def _add_language(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--language", choices=LANGUAGES, default=ENGLISH, help="language of the game's texts (en)"
    )


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a whole number of at least 0")
    return int(text)


def run(further: Further | None = None) -> int:
    """`main` for the shell: a closed pipe (`| head`) is not an error."""
    try:
        code = main(further=further)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
