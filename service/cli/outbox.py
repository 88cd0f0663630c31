"""`laguna outbox`: letters and webhook deliveries that are pending, failed or given up."""

import argparse
from collections import Counter

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json, print_list, print_values
from service.ops import outbox_admin
from service.ops.outbox_admin import Item, Retried
from service.ops.status import counted

NAMES = {outbox_admin.LETTER: "letter", outbox_admin.WEBHOOK: "webhook delivery"}


def list_items(options: argparse.Namespace) -> int:
    states = options.state or outbox_admin.UNSENT
    with opened_app():
        found = outbox_admin.items(states, options.channel or outbox_admin.CHANNELS, options.last)
    names = [NAMES[channel] for channel in options.channel or outbox_admin.CHANNELS]
    nothing = f"No {' or '.join(names)} is {' or '.join(states)}."
    return print_list(found, _line, nothing, options.json)


def _line(item: Item) -> str:
    line = f"{item.id}  {item.channel:<7}  {item.state:<7}  {item.kind}  {item.to}"
    if item.attempts:
        line += f"  ({counted(item.attempts, 'attempt')}{': ' + item.why if item.why else ''})"
    elif item.why:
        line += f"  ({item.why})"
    return line


def show(options: argparse.Namespace) -> int:
    with opened_app():
        item, contents = outbox_admin.item(options.id)
    if options.json:
        print_json({**item._asdict(), "contents": contents})
        return 0
    print_values(item._asdict())
    print(f"\n{contents.rstrip()}")
    return 0


def retry(options: argparse.Namespace) -> int:
    wanted = [bool(options.id), options.all_dead, options.all_failed]
    if not any(wanted) or (wanted[0] and any(wanted[1:])):
        raise CommandError("Use either ids, or --all-dead and --all-failed.")
    with opened_app():
        done = outbox_admin.retry(options.id)
        for chosen, state in ((options.all_dead, "dead"), (options.all_failed, "failed")):
            done += outbox_admin.retry_all(state) if chosen else []
    if options.json:
        print_json(done)
    else:
        _print(done)
    return 1 if any(one.outcome == outbox_admin.REFUSED for one in done) else 0


def _print(done: list[Retried]) -> None:
    for one in done:
        if one.outcome == outbox_admin.REFUSED:
            print(f"{one.id}  {one.channel or '-':<7}  not retried: {one.why}")
    times = Counter(one.outcome for one in done)
    soon = f", {times[outbox_admin.SOON]:,} already due" if times[outbox_admin.SOON] else ""
    print(f"{times[outbox_admin.AGAIN]:,} of {len(done):,} queued for a retry{soon}.")
