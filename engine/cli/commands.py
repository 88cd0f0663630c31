"""The commands. Each takes the parsed options and returns the exit code."""

import argparse
import json
import secrets
import sys
from pathlib import Path

from engine.chance import SEED_BYTES, commitment, seed_from_text
from engine.cli.lengths import table
from engine.cli.parallel import check_games, play_games
from engine.cli.progress import Progress
from engine.cli.speed import play_checked_games, play_random_games, store_mid_game
from engine.cli.terminal import TerminalGame
from engine.contract import GameType
from engine.decisions import seat_names, seat_view
from engine.errors import BadSetup, RecordError
from engine.fuzz import Broken
from engine.options import all_options, check_seats, complete_options
from engine.perft import perft, position_after
from engine.playthrough import playthrough
from engine.policies import POLICIES, simulate
from engine.record import record_lines
from engine.registry import GAME_TYPES, game_type_by_key
from engine.verify import Followed, follow, split_lines, verify


def _game(options: argparse.Namespace) -> GameType:
    return GAME_TYPES[0] if options.game is None else game_type_by_key(options.game)


def _seats(options: argparse.Namespace, game: GameType) -> int:
    return max(game.meta.seats) if options.seats is None else int(options.seats)


def _options(options: argparse.Namespace, game: GameType) -> dict[str, str]:
    pairs = dict(pair.partition("=")[::2] for pair in options.option)
    return complete_options(game, pairs)


def _seed(options: argparse.Namespace) -> bytes:
    return secrets.token_bytes(SEED_BYTES) if options.seed is None else seed_from_text(options.seed)


def _read(file: str | Path) -> list[str]:
    return split_lines(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())


def list_games(options: argparse.Namespace) -> int:
    for game in GAME_TYPES:
        meta = game.meta
        print(
            f"{meta.key}: {meta.title}, {meta.seats[0]} to {meta.seats[-1]} seats. {meta.summary}"
        )
        for option in meta.options:
            print(f"  --option {option.key}=..  {option.title}: {option.note}".rstrip())
            for choice, meaning in option.choices.items():
                default = " (default)" if choice == option.default else ""
                print(f"    {choice}: {meaning}{default}")
    return 0


def play_in_terminal(options: argparse.Namespace) -> int:
    """Play a new game, or the game in a record; `--continue` takes the record if it exists."""
    names = [name.strip() for name in options.names.split(",") if name.strip()]
    file: Path | None = options.save or options.resume or options.go_on
    if options.save and options.save.is_file():
        raise BadSetup(f"{options.save} exists; go on with --resume, or name another file.")
    if options.resume and (options.seats or options.option or options.seed):
        raise BadSetup("A game that goes on keeps its seats, options and seed.")
    goes_on = file is not None and (options.resume or (options.go_on and file.is_file()))
    kept = _kept_game(file) if file and goes_on else None
    if kept and (options.resume or kept.outcome is None):
        return TerminalGame.resumed(kept, options.humans, names, file, options.language).run()
    game = _game(options)
    fresh = TerminalGame.started(
        game,
        _seats(options, game),
        _options(options, game),
        _seed(options),
        options.humans,
        names,
        file,
        options.language,
    )
    if kept and file:
        print(f"The last game is over; its record was renamed to {_put_aside(file, kept.seed)}.")
    return fresh.run()


def _kept_game(file: Path) -> Followed:
    try:
        return follow(_read(file))
    except RecordError as error:
        raise BadSetup(f"{file} cannot be continued: {error}.") from None


def _put_aside(file: Path, seed: bytes) -> Path:
    """Rename a finished record to an unused name."""
    stem = f"{file.stem}-{commitment(seed)[:8]}"
    names = (file.with_stem(stem + suffix) for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    free = next(name for name in names if not name.exists())
    return file.rename(free)


def write_record(options: argparse.Namespace) -> int:
    game = _game(options)
    seats, chosen, seed = _seats(options, game), _options(options, game), _seed(options)
    simulated = simulate(game, seats, chosen, seed, options.policy)
    for line in record_lines(game, seats, chosen, seed, *simulated, with_legal=options.legal):
        print(line)
    return 0


def replay(options: argparse.Namespace) -> int:
    followed = follow(_read(options.file))
    game = followed.game
    names = seat_names(followed.seats)
    lines = followed.lines if options.at is None else followed.lines[: options.at]
    for event in followed.opening.events:
        print(game.sentence(event, names, options.language))
    for number, line in enumerate(lines, start=1):
        print(f"{number}. {line.decision}: {game.format(line.move)} ({line.via})")
        for event in line.events:
            print(f"   {game.sentence(event, names, options.language)}")
    state = lines[-1].state if lines else followed.opening.start
    print()
    print(game.board_text(seat_view(game, state, None), names, options.language), end="")
    return 0


def verify_record(options: argparse.Namespace) -> int:
    followed = verify(_read(options.file))
    assert followed.outcome is not None
    scores = ", ".join(str(score) for score in followed.outcome.scores)
    winners = " and ".join(str(seat) for seat in followed.outcome.winners)
    won = f"seat {winners} won" if winners else "nobody won"
    title, moves = followed.game.meta.title, len(followed.lines)
    print(
        f"verified: {title}, {followed.seats} seats, {moves} moves; "
        "every move and score follows from the seed.\n"
        f"Compare with what was published at the start: {commitment(followed.seed)}\n"
        f"Scores {scores}; {won} ({followed.outcome.reason})."
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
    """Fuzz every setting that the options allow; stop at the first fault."""
    seed = options.seed or secrets.token_hex(SEED_BYTES)
    settings = _settings(options)
    print(f"Seed {seed}; {options.games} games for each of {len(settings)} settings.", flush=True)
    for game, seats, chosen in settings:
        progress = Progress(options.games, f"{game.meta.key}, {seats} seats, {chosen}")
        texts = [seed] if options.games == 1 else [f"{seed} {n}" for n in range(options.games)]
        reasons: dict[str, int] = {}
        points: list[int] = []
        try:
            for tally in check_games(game, seats, chosen, texts, options.jobs):
                reasons[tally.reason] = reasons.get(tally.reason, 0) + 1
                points += tally.scores
                progress.advance()
        except Broken as broken:
            print(f"\nBROKEN: {broken}", file=sys.stderr)
            return 1
        average = sum(points) / max(len(points), 1)
        print(
            f"{game.meta.key} {seats} seats {json.dumps(chosen)}: {options.games} games sound, "
            f"ends {json.dumps(reasons)}, points on average {average:.1f}",
            flush=True,
        )
    return 0


def _settings(options: argparse.Namespace) -> list[tuple[GameType, int, dict[str, str]]]:
    """Every game type, seat count and variant that the options allow."""
    return [
        (game, seats, chosen)
        for game in (GAME_TYPES if options.game is None else [game_type_by_key(options.game)])
        for seats in (game.meta.seats if options.seats is None else [options.seats])
        for chosen in ([_options(options, game)] if options.option else all_options(game))
    ]


def tell_lengths(options: argparse.Namespace) -> int:
    """Print the length and the scores of many games, by policy."""
    if not options.games:
        raise BadSetup("At least one game has to be played.")
    policies = list(POLICIES) if options.policy is None else [options.policy]
    seeds = [f"{options.seed} {n}" for n in range(options.games)]
    for game, seats, chosen in _settings(options):
        check_seats(game, seats)
        for policy in policies:
            setting = f"{game.meta.key}, {seats} seats, {json.dumps(chosen)}, {policy}"
            progress = Progress(options.games, setting)
            games = []
            for one in play_games(game, seats, chosen, policy, seeds, options.jobs):
                games.append(one)
                progress.advance()
            print(f"{setting}: {options.games} games")
            print("\n".join(table(games)), flush=True)
    return 0


def bench(options: argparse.Namespace) -> int:
    report = {}
    for game in GAME_TYPES if options.game is None else [game_type_by_key(options.game)]:
        for seats in game.meta.seats:
            for chosen in all_options(game):
                setting = " ".join([game.meta.key, str(seats), *chosen.values()])
                play_random_games(game, seats, chosen, options.games)
                stored = store_mid_game(game, seats, chosen)
                report[setting] = {
                    "moves_per_second": round(
                        play_random_games(game, seats, chosen, options.games).per_second
                    ),
                    "moves_per_second_with_checks": round(
                        play_checked_games(game, seats, chosen, options.games).per_second
                    ),
                    "state_bytes": stored.bytes,
                    "dump_and_load_microseconds": round(stored.microseconds, 1),
                }
    json.dump(report, sys.stdout, indent=2)
    print()
    return 0
