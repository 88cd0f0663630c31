"""`laguna purge`: apply the retention periods now, as the worker does every hour."""

import argparse
from collections.abc import Sequence

from service.cli.command_app import opened_app
from service.cli.output import print_json
from service.core.clock import now
from service.ops import retention
from service.ops.retention import Due
from service.ops.status import counted


def purge(options: argparse.Namespace) -> int:
    with opened_app():
        at = now()
        due = retention.due(at)
        deleted = 0 if options.dry_run else retention.purge(at)
    if options.json:
        print_json({"due": [one._asdict() for one in due], "deleted": deleted})
    elif options.dry_run:
        _show(due)
        total = sum(one.rows for one in due)
        print(f"{counted(total, 'row')} would be deleted or emptied. Nothing was changed.")
    else:
        _show([one for one in due if one.rows])
        print(f"{counted(deleted, 'row')} deleted or emptied.")
    return 0


def _show(due: Sequence[Due]) -> None:
    for one in due:
        print(f"{one.what:<28} {one.rows:>9,}  older than {_age(one.days)}")


def _age(days: float) -> str:
    return counted(round(days), "day") if days >= 1 else f"{round(days * 24 * 60)} minutes"
