"""The commands, their options and their help."""

import argparse
import json
import os
import secrets
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.chance import SEED_BYTES, seed_from_text
from engine.cli.progress import Progress
from engine.cli.speed import play_random_games, play_through_the_door, store_mid_game
from engine.cli.terminal import TerminalGame
from engine.contract import AnyGame
from engine.door import complete_options
from engine.errors import EngineError, RecordError
from engine.fuzz import Broken, check_game
from engine.offers import seat_names, seat_view
from engine.perft import perft, position_after
from engine.playthrough import playthrough
from engine.policies import POLICIES, simulate
from engine.record import everything, full_record, visible_events
from engine.registry import GAMES, game_by_key
from engine.verify import follow, verify

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 if all is well, 1 if a check failed, 2 for bad input."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    command: Command = options.command
    try:
        return command(options)
    except RecordError as error:
        print(f"refused: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except (EngineError, OSError, UnicodeDecodeError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="laguna",
        description="Board games of the Venetian lagoon: play, record and check them.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, run: Command, summary: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(command=run)
        return command

    add("games", list_games, "list the games with their seats and options")
    command = add("play", play_in_terminal, "play in the terminal, against bots or together")
    _add_setting(command, seed_default=None)
    command.add_argument("--humans", type=_count, default=1, help="people at the keyboard (1)")
    command.add_argument("--names", default="", help="names of the seats, separated by commas")
    command.add_argument("--save", type=Path, help="keep the record of the game in this file")
    command.add_argument("--resume", type=Path, help="go on with the game in this record")
    command = add("record", write_record, "let a policy play a game and print its record")
    _add_setting(command)
    _add_policy(command, "random")
    command.add_argument("--legal", action="store_true", help="add the legal moves to every line")
    command = add("replay", replay, "tell a recorded game move by move")
    command.add_argument("file", help="the record, or - for standard input")
    command.add_argument("--at", type=_count, help="stop after this many moves")
    command = add("verify", verify_record, "check a finished game's record to the byte")
    command.add_argument("file", help="the record, or - for standard input")
    command = add("perft", count_ways, "count the ways on from a position")
    _add_setting(command)
    command.add_argument("--depth", type=_count, default=3, help="moves to look ahead (3)")
    command.add_argument("--after", type=_count, default=0, help="random moves made first (0)")
    command = add("playthrough", tell_playthrough, "print a game with every decision and all moves")
    _add_setting(command)
    _add_policy(command, "greedy")
    command = add("fuzz", fuzz, "play random games and check every promise of the engine")
    _add_setting(command, seed_default=None, all_settings=True)
    command.add_argument("--games", type=_count, default=200, help="games per setting (200)")
    command = add("bench", bench, "measure moves a second and the cost of a stored state")
    command.add_argument("game", nargs="?", help="only this game")
    command.add_argument("--games", type=_count, default=100, help="games per setting (100)")
    return parser


def _add_setting(
    command: argparse.ArgumentParser, seed_default: str | None = "1", all_settings: bool = False
) -> None:
    every = " (all)" if all_settings else ""
    command.add_argument(
        "game", nargs="?" if all_settings or seed_default is None else None, help=f"its key{every}"
    )
    command.add_argument("--seats", type=_count, help=f"number of seats{every or ' (the most)'}")
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
        help=f"an option of the game; may be repeated{every}",
    )


def _add_policy(command: argparse.ArgumentParser, default: str) -> None:
    command.add_argument(
        "--policy", choices=POLICIES, default=default, help=f"who chooses the moves ({default})"
    )


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a whole number from 0 up")
    return int(text)


def _game(options: argparse.Namespace) -> AnyGame:
    return GAMES[0] if options.game is None else game_by_key(options.game)


def _seats(options: argparse.Namespace, game: AnyGame) -> int:
    return max(game.meta.seats) if options.seats is None else int(options.seats)


def _options(options: argparse.Namespace, game: AnyGame) -> dict[str, str]:
    pairs = dict(pair.partition("=")[::2] for pair in options.option)
    return complete_options(game, pairs)


def _seed(options: argparse.Namespace) -> bytes:
    return secrets.token_bytes(SEED_BYTES) if options.seed is None else seed_from_text(options.seed)


def _read(file: str) -> list[str]:
    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    return text.splitlines()


def list_games(options: argparse.Namespace) -> int:
    for game in GAMES:
        meta = game.meta
        print(
            f"{meta.key}: {meta.title}, {meta.seats[0]} to {meta.seats[-1]} seats. {meta.summary}"
        )
        for option in meta.options:
            print(f"  --option {option.key}=..  {option.title}:")
            for choice, meaning in option.choices.items():
                default = " (default)" if choice == option.default else ""
                print(f"    {choice}: {meaning}{default}")
    return 0


def play_in_terminal(options: argparse.Namespace) -> int:
    names = [name.strip() for name in options.names.split(",") if name.strip()]
    if options.resume is not None:
        game = TerminalGame.resumed(
            follow(_read(options.resume)), options.humans, names, options.save or options.resume
        )
    else:
        which = _game(options)
        game = TerminalGame.started(
            which,
            _seats(options, which),
            _options(options, which),
            _seed(options),
            options.humans,
            names,
            options.save,
        )
    return game.run()


def write_record(options: argparse.Namespace) -> int:
    game = _game(options)
    seats, chosen, seed = _seats(options, game), _options(options, game), _seed(options)
    simulated = simulate(game, seats, chosen, seed, options.policy)
    for line in full_record(game, seats, chosen, seed, *simulated, with_legal=options.legal):
        print(line)
    return 0


def replay(options: argparse.Namespace) -> int:
    followed = follow(_read(options.file))
    game = followed.game
    names = seat_names(followed.seats)
    lines = followed.lines if options.at is None else followed.lines[: options.at]
    for number, line in enumerate(lines, start=1):
        print(f"{number}. {line.decision}: {game.format(line.move)} ({line.via})")
        for event in visible_events(line.events, everything):
            print(f"   {game.sentence(event, names)}")
    state = lines[-1].state if lines else followed.opening.start
    print()
    print(game.board_text(seat_view(game, state, None), names), end="")
    return 0


def verify_record(options: argparse.Namespace) -> int:
    followed = verify(_read(options.file))
    assert followed.outcome is not None
    scores = ", ".join(str(score) for score in followed.outcome.scores)
    winners = " and ".join(str(seat) for seat in followed.outcome.winners)
    title, moves = followed.game.meta.title, len(followed.lines)
    print(
        f"verified: {title}, {followed.seats} seats, {moves} moves; "
        "the seed fits its commitment, every move and score follows.\n"
        f"Scores {scores}; seat {winners} won ({followed.outcome.reason})."
    )
    return 0


def count_ways(options: argparse.Namespace) -> int:
    game = _game(options)
    seed = _seed(options)
    chosen = _options(options, game)
    state = position_after(game, _seats(options, game), chosen, seed, options.after)
    for depth in range(1, options.depth + 1):
        print(f"{depth} {perft(game, state, seed, depth)}", flush=True)
    return 0


def tell_playthrough(options: argparse.Namespace) -> int:
    game = _game(options)
    for line in playthrough(
        game, _seats(options, game), _options(options, game), _seed(options), options.policy
    ):
        print(line)
    return 0


def fuzz(options: argparse.Namespace) -> int:
    """Every game, seat count and variant unless narrowed down; stops at the first fault."""
    seed = options.seed or secrets.token_hex(SEED_BYTES)
    settings = [
        (game, seats, chosen)
        for game in (GAMES if options.game is None else [game_by_key(options.game)])
        for seats in (game.meta.seats if options.seats is None else [options.seats])
        for chosen in ([_options(options, game)] if options.option else all_options(game))
    ]
    print(f"Seed {seed}; {options.games} games for each of {len(settings)} settings.")
    for game, seats, chosen in settings:
        progress = Progress(options.games, f"{game.meta.key}, {seats} seats, {chosen}")
        reasons: dict[str, int] = {}
        points: list[int] = []
        for number in range(options.games):
            try:
                text = seed if options.games == 1 else f"{seed} {number}"
                tally = check_game(game, seats, chosen, seed_from_text(text))
            except Broken as broken:
                print(f"\nBROKEN: {broken}", file=sys.stderr)
                return 1
            reasons[tally.reason] = reasons.get(tally.reason, 0) + 1
            points += tally.scores
            progress.advance()
        average = sum(points) / max(len(points), 1)
        print(
            f"{game.meta.key} {seats} seats {json.dumps(chosen)}: {options.games} games sound, "
            f"ends {json.dumps(reasons)}, points on average {average:.1f}"
        )
    return 0


def all_options(game: AnyGame) -> list[dict[str, str]]:
    """Every combination of options."""
    combinations: list[dict[str, str]] = [{}]
    for option in game.meta.options:
        combinations = [
            {**chosen, option.key: choice} for chosen in combinations for choice in option.choices
        ]
    return combinations


def bench(options: argparse.Namespace) -> int:
    report = {}
    for game in GAMES if options.game is None else [game_by_key(options.game)]:
        for seats in game.meta.seats:
            for chosen in all_options(game):
                setting = " ".join([game.meta.key, str(seats), *chosen.values()])
                play_random_games(game, seats, chosen, options.games)
                stored = store_mid_game(game, seats, chosen)
                report[setting] = {
                    "moves_per_second": round(
                        play_random_games(game, seats, chosen, options.games).per_second
                    ),
                    "moves_per_second_through_the_door": round(
                        play_through_the_door(game, seats, chosen, options.games).per_second
                    ),
                    "state_bytes": stored.bytes,
                    "dump_and_load_microseconds": round(stored.microseconds, 1),
                }
    json.dump(report, sys.stdout, indent=2)
    print()
    return 0


def run() -> int:
    """`main` for the shell: a reader that stops early (`| head`) is no error."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
