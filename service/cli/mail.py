"""`laguna mail`: incoming mail, and mails set aside because they could not be processed."""

import argparse
from collections.abc import Callable, Sequence

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.cli.output import print_json, print_list, print_values
from service.db.models import IncomingState
from service.ops import incoming_admin
from service.ops.incoming_admin import Mail, Result
from service.ops.status import counted

WAITING = (IncomingState.pending, IncomingState.dead)


def list_mails(options: argparse.Namespace) -> int:
    states = options.state or WAITING
    with opened_app():
        found = incoming_admin.mails(states, options.last, for_operator=not options.state)
    nothing = f"No incoming mail is {' or '.join(states)}."
    return print_list(found, _line, nothing, options.json)


def _line(mail: Mail) -> str:
    why = mail.error or mail.reason
    tried = f"{counted(mail.attempts, 'attempt')}{': ' if why else ''}" if mail.attempts else ""
    ending = f"  ({tried}{why or ''})" if tried or why else ""
    return (
        f"{mail.id}  {mail.via:<4}  {mail.state:<7}  {mail.purpose or '-':<6}  "
        f"{mail.received_at:%Y-%m-%d %H:%M:%S} UTC  {mail.sender or '-'}{ending}"
    )


def show(options: argparse.Namespace) -> int:
    with opened_app():
        mail, text = incoming_admin.mail(options.id)
    if options.json:
        print_json({**mail._asdict(), "text": text})
        return 0
    print_values(mail._asdict())
    print(f"\n{text.rstrip() or '(its text is not stored)'}")
    return 0


def retry(options: argparse.Namespace) -> int:
    return _change(options, incoming_admin.retry, "will be processed again")


def drop(options: argparse.Namespace) -> int:
    return _change(options, incoming_admin.drop, "dropped")


def _change(
    options: argparse.Namespace, work: Callable[[Sequence[str]], list[Result]], done: str
) -> int:
    if bool(options.id) == options.all:
        raise CommandError("Name mails by their ids, or use --all for all that were set aside.")
    with opened_app():
        results = work(options.id or incoming_admin.set_aside_ids())
    refused = [result for result in results if result.outcome == incoming_admin.REFUSED]
    if options.json:
        print_json(results)
        return 1 if refused else 0
    for result in refused:
        print(f"{result.id}  {result.why}")
    print(f"{len(results) - len(refused):,} of {counted(len(results), 'mail')} {done}.")
    return 1 if refused else 0
