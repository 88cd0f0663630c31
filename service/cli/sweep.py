"""`laguna sweep`: run the worker's deadline job now, and print its results."""

import argparse
from collections.abc import Iterator

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json
from service.core.clock import now
from service.db.server_clock import MOST_DIFFERENCE, clock_difference
from service.games.deadlines import Taken, Waiting, attempt_each, overdue, resume_paused
from service.games.moves import PlayedMoves
from service.mail.inbound.unread import has_unread_reply
from service.notify.reminders import remind
from service.ops.status import counted

BATCH = 100


def sweep(options: argparse.Namespace) -> int:
    answered, failed = [], []
    with opened_app():
        _check_clock()
        for waiting, result in _answered():
            if isinstance(result, Exception):
                failed.append({**waiting._asdict(), "error": type(result).__name__})
            else:
                answered.append(_facts(waiting, result))
        pauses = resume_paused(now())
        reminders = 0
        while some := remind(now(), BATCH):
            reminders += some
    if options.json:
        print_json(
            {"answered": answered, "failed": failed, "pauses": pauses, "reminders": reminders}
        )
    else:
        for one in answered:
            print("{game_id} {decision} answered ({via})".format(**one))
        for one in failed:
            print("{game_id} {decision} failed: {error}; see the log".format(**one))
        print(
            f"{counted(len(answered), 'decision')} answered, {counted(pauses, 'pause')} ended, "
            f"{counted(reminders, 'reminder')} written."
        )
    return 1 if failed else 0


def _check_clock() -> None:
    """Raise CommandError if this machine's clock is wrong: it decides what is overdue."""
    difference = clock_difference()
    if abs(difference) > MOST_DIFFERENCE:
        raise CommandError(
            f"This machine's clock differs from the database's by {abs(difference)}; "
            "correct it first. Nothing was changed."
        )


def _answered() -> Iterator[tuple[Waiting, PlayedMoves | Exception]]:
    """Answer overdue decisions; each with its result or error."""
    tried: set[Waiting] = set()
    while left := [one for one in overdue(now(), BATCH + len(tried)) if one not in tried]:
        for waiting, came in attempt_each(left, has_unread_reply):
            tried.add(waiting)
            if came is not None and not isinstance(came, Taken):
                yield waiting, came


def _facts(waiting: Waiting, result: PlayedMoves) -> dict[str, object]:
    """The result without the move: it may be secret, and the operator may be a player."""
    return {**waiting._asdict(), "seat": result.seat, "via": result.lines[0].via}
