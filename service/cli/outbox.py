"""`laguna outbox`: letters and webhook deliveries that wait, failed or were given up."""

import argparse
from collections import Counter
from datetime import datetime

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json
from service.ops import outbox_admin
from service.ops.outbox_admin import Item, Retried
from service.ops.status import counted

NAMES = {outbox_admin.LETTER: "letter", outbox_admin.WEBHOOK: "webhook delivery"}


def list_items(options: argparse.Namespace) -> int:
    states = options.state or outbox_admin.UNSENT
    with opened_app():
        found = outbox_admin.items(states, options.channel or outbox_admin.CHANNELS, options.last)
    if options.json:
        print_json(found)
        return 0
    for item in found:
        print(_told(item))
    names = [NAMES[channel] for channel in options.channel or outbox_admin.CHANNELS]
    if not found:
        print(f"No {' or '.join(names)} is {' or '.join(states)}.")
    return 0


def _told(item: Item) -> str:
    told = f"{item.id}  {item.channel:<7}  {item.state:<7}  {item.kind}  {item.to}"
    if item.attempts:
        told += f"  ({counted(item.attempts, 'attempt')}{': ' + item.why if item.why else ''})"
    elif item.why:
        told += f"  ({item.why})"
    return told


def show(options: argparse.Namespace) -> int:
    with opened_app():
        item, said = outbox_admin.item(options.id)
    if options.json:
        print_json({**item._asdict(), "says": said})
        return 0
    for name, value in item._asdict().items():
        if value is not None:
            told = f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else value
            print(f"{name + ':':<13} {told}")
    print(f"\n{said.rstrip()}")
    return 0


def retry(options: argparse.Namespace) -> int:
    wanted = [bool(options.id), options.all_dead, options.all_failed]
    if not any(wanted):
        raise CommandError("Name letters and deliveries by id, or say --all-dead or --all-failed.")
    if sum(wanted[1:]) and wanted[0]:
        raise CommandError(
            "Name letters and deliveries by id, or say --all-dead or --all-failed; not both."
        )
    with opened_app():
        done = outbox_admin.retry(options.id)
        for chosen, state in ((options.all_dead, "dead"), (options.all_failed, "failed")):
            done += outbox_admin.retry_all(state) if chosen else []
    if options.json:
        print_json(done)
    else:
        _tell(done)
    return 1 if any(one.outcome == outbox_admin.REFUSED for one in done) else 0


def _tell(done: list[Retried]) -> None:
    for one in done:
        if one.outcome == outbox_admin.REFUSED:
            print(f"{one.id}  {one.channel or '-':<7}  not tried again: {one.why}")
    times = Counter(one.outcome for one in done)
    soon = (
        f", {times[outbox_admin.SOON]:,} within minutes anyway" if times[outbox_admin.SOON] else ""
    )
    print(f"{times[outbox_admin.AGAIN]:,} of {len(done):,} will be tried again at once{soon}.")
