"""`laguna audit`: replay games and compare; repair or unfreeze those that differ."""

import argparse

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json
from service.core.clock import now
from service.games.audit import Audit, audit_game, games_to_audit
from service.games.repair import repair, thaw
from service.games.replay_check import CannotMend
from service.ops.status import counted


def audit(options: argparse.Namespace) -> int:
    repairing = options.repair or options.thaw
    if options.all and options.game:
        raise CommandError("Name games or use --all, not both.")
    if repairing and (options.all or options.game):
        raise CommandError("--repair and --thaw take the only games of the command.")
    try:
        with opened_app():
            return _repair(options) if repairing else _audit(options)
    except CannotMend as error:
        raise CommandError(str(error)) from error


def _audit(options: argparse.Namespace) -> int:
    games = options.game or games_to_audit(finished=options.all)
    audits, wrong = [], 0
    for game_id in games:
        found = audit_game(game_id, now())
        wrong += not found.clean
        audits.append(found)
        if not options.json:
            _print(found, options)
    if options.json:
        print_json([_facts(found, options.values) for found in audits])
    else:
        print(f"{counted(len(audits), 'game')} audited, {wrong} with differences.")
    return 1 if wrong else 0


def _print(found: Audit, options: argparse.Namespace) -> None:
    if found.unknown is not None:
        print(f"{found.game_id} cannot be audited: {found.unknown}")
    elif found.differences:
        print(f"{found.game_id} differs from its log" + (", frozen now" if found.frozen else ""))
        for difference in found.differences:
            print(f"  {difference.place}")
            if options.values:
                print(f"    stored: {difference.stored}\n    right:  {difference.right}")
    elif options.game:
        print(f"{found.game_id} agrees with its log")


def _facts(found: Audit, values: bool) -> dict[str, object]:
    return {
        "game": found.game_id,
        "clean": found.clean,
        "frozen_now": found.frozen,
        "not_audited": found.unknown,
        "differences": [
            difference._asdict() if values else {"where": difference.where, "what": difference.what}
            for difference in found.differences
        ],
    }


def _repair(options: argparse.Namespace) -> int:
    done: list[dict[str, object]] = []
    for game_id in options.repair:
        differences = repair(game_id, now())
        places = [difference.place for difference in differences]
        done.append({"game": game_id, "repaired": places})
        if not options.json:
            result = f"repaired ({'; '.join(places)})" if places else "not damaged"
            print(f"{game_id} is {result} and not frozen.")
    for game_id in options.thaw:
        thaw(game_id, now())
        done.append({"game": game_id, "repaired": []})
        if not options.json:
            print(f"{game_id} is no longer frozen.")
    if options.json:
        print_json(done)
    return 0
