"""`laguna sweep`: what the worker does about deadlines, now and where one can watch it."""

import argparse
from collections.abc import Iterator

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json
from service.core.clock import now
from service.db.server_clock import MOST_DIFFERENCE, clock_difference
from service.games import deadlines as chores
from service.games.deadlines import Taken, Waiting
from service.games.moves import PlayedMoves
from service.mail.inbound.unread import has_unread_reply
from service.notify.reminders import remind
from service.ops.status import counted

AT_ONCE = 100


def sweep(options: argparse.Namespace) -> int:
    answered, failed = [], []
    with opened_app():
        _must_agree_on_time()
        for waiting, result in _answered():
            if isinstance(result, Exception):
                failed.append({**waiting._asdict(), "error": type(result).__name__})
            else:
                answered.append(_facts(waiting, result))
        pauses = chores.resume_paused(now())
        reminders = 0
        while some := remind(now(), AT_ONCE):
            reminders += some
    if options.json:
        told = {"answered": answered, "failed": failed, "pauses": pauses, "reminders": reminders}
        print_json(told)
    else:
        for one in answered:
            print("{game_id} {decision} answered ({via})".format(**one))
        for one in failed:
            print("{game_id} {decision} failed: {error}; the log says more".format(**one))
        print(
            f"{counted(len(answered), 'decision')} answered, {counted(pauses, 'pause')} ended, "
            f"{counted(reminders, 'reminder')} written."
        )
    return 1 if failed else 0


def _must_agree_on_time() -> None:
    """Raise CannotDo if this machine's clock is wrong: decisions would be answered too early."""
    difference = clock_difference()
    if abs(difference) > MOST_DIFFERENCE:
        raise CommandError(
            f"This machine's clock differs from the database's by {abs(difference)}; "
            "set it right first. Nothing was changed."
        )


def _answered() -> Iterator[tuple[Waiting, PlayedMoves | Exception]]:
    """Answer what is overdue, one after the other; what was answered, and what could not be."""
    tried: set[Waiting] = set()
    while left := [one for one in chores.overdue(now(), AT_ONCE + len(tried)) if one not in tried]:
        for waiting, came in chores.attempt_each(left, has_unread_reply):
            tried.add(waiting)
            if came is not None and not isinstance(came, Taken):
                yield waiting, came


def _facts(waiting: Waiting, result: PlayedMoves) -> dict[str, object]:
    """What was done, without the move: it may be secret, and who runs the house may play, too."""
    return {**waiting._asdict(), "seat": result.seat, "via": result.lines[0].via}
