"""The service's commands with their options and help."""

import argparse
import gc
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.cli.parser import Add, Command
from service.access.scopes import SCOPES

LISTED = 50
OUTBOX_ID = "id, from `laguna outbox list`"
MAIL_ID = "id, from `laguna mail list`"


def add_commands(add: Add) -> None:
    """Add the commands of the service to those of the engine."""
    _add_processes(add)
    _add_database(add)
    _add_operation(add)
    _add_outbox(add)
    _add_mail(add)
    _add_accounts(add)
    _add_moderation(add)
    _add(add, "config", "openapi_config.config", "show the settings in use, with secrets masked")
    openapi = _add(add, "openapi", "openapi_config.openapi", "write openapi.yaml from the app")
    _flag(openapi, "--check", "only compare; exit code 1 if they differ")
    _option(openapi, "--file", "FILE", "another file than the repository's", type=Path)


def _add_processes(add: Add) -> None:
    up = _add(add, "up", "processes.up", "start web server and workers, with a demo game")
    _flag(up, "--no-demo", "without the demo account and its game")
    prepare = _add(
        add, "prepare", "prepare.prepare", "create or update the tables; `laguna up` calls it"
    )
    _flag(prepare, "--demo", "create the demo, and print its link and token as JSON")
    serve = _add(add, "serve", "processes.serve", "run the web server (API and pages)")
    socket = "number of a listening socket (a new one on LAGUNA_HOST and LAGUNA_PORT)"
    _option(serve, "--socket", "FD", socket, type=int)
    work = _add(
        add,
        "work",
        "processes.work",
        "run the background worker (bots, deadlines, mail, webhooks)",
    )
    _flag(work, "--once", "do everything that is due, then exit")
    queues = "queues to consume (all): deadlines, mail, webhooks, bots, upkeep"
    _option(work, "--queues", "NAMES", f"{queues}; separated by commas")
    processes = "number of processes (as many as the queues have jobs)"
    _option(work, "--concurrency", "N", processes, type=_positive)
    beat = _add(add, "beat", "processes.beat", "start jobs at their intervals (only with Redis)")
    mail_in = _add(
        add, "mail-in", "mail_in.mail_in", "receive mail from the sources of LAGUNA_MAIL_IN"
    )
    _flag(mail_in, "--check", "only test the sources; exit code 1 if one fails")
    for command in (serve, work, beat, mail_in):
        _flag(command, "--until-stdin-ends", "stop when standard input ends, for a supervisor")


def _add_database(add: Add) -> None:
    group = _group(add, "db", "create, update, check and copy the database")
    _member(group, "upgrade", "database.upgrade", "create the tables, or update them")
    _member(group, "check", "database.check", "check whether tables are up to date; 1 if not")
    downgrade = _member(
        group, "downgrade", "database.downgrade", "return to older tables; data may be lost"
    )
    downgrade.add_argument("revision", metavar="REV", help="such as 0001, -1, or base for none")
    _flag(downgrade, "--yes", "do it; without this option it lists the data that would be lost")
    copy = _member(group, "copy", "db_copy.copy", "copy all data into another, empty database")
    url = "URL as in LAGUNA_DATABASE_URL; keep the password in PGPASSWORD or ~/.pgpass"
    _option(copy, "--to", "URL", url, required=True)
    backup = _add(add, "backup", "backup.backup", "copy the SQLite database while it is in use")
    backup.add_argument("file", type=Path, metavar="FILE", help="a new file")
    restore = _add(add, "restore", "backup.restore", "replace the SQLite database by a backup")
    restore.add_argument("file", type=Path, metavar="FILE", help="a file of `laguna backup`")
    _flag(restore, "--yes", "do it; without this option it only checks the backup")


def _add_operation(add: Add) -> None:
    status = _add(
        add, "status", "status.show", "show games, queues and jobs; 1 if there are warnings"
    )
    queues = "only check that the jobs of these queues run (also mail-in), for a health check"
    _option(status, "--queues", "NAMES", queues)
    sweep = _add(add, "sweep", "sweep.sweep", "answer overdue decisions now, and list them")
    purge = _add(add, "purge", "purge.purge", "delete rows older than their retention period")
    _flag(purge, "--dry-run", "only list them")
    audit = _add(
        add,
        "audit",
        "audit.audit",
        "replay games and compare with the stored state; 1 if they differ, which freezes them",
    )
    audit.add_argument("game", nargs="*", metavar="GAME", help="only these games (all running)")
    _flag(audit, "--all", "finished games, too")
    _flag(audit, "--values", "show stored and correct values, which may be secret to players")
    repair = "store the result of replaying its moves, then unfreeze it"
    _option(audit, "--repair", "GAME", repair, action="append", default=[])
    thaw = "unfreeze a game that no longer differs"
    _option(audit, "--thaw", "GAME", thaw, action="append", default=[])
    for command in (status, sweep, purge, audit):
        _add_json(command)


def _add_outbox(add: Add) -> None:
    """`laguna outbox` without a command is `laguna outbox list`."""
    outbox = _add(
        add, "outbox", "outbox.list_items", "list, show and retry letters and webhook deliveries"
    )
    outbox.set_defaults(state=None, channel=None, last=LISTED, json=False)
    group = outbox.add_subparsers(title="commands", metavar="COMMAND")
    listed = _member(group, "list", "outbox.list_items", "list them, newest first")
    _add_states(listed, ("pending", "sent", "skipped", "failed", "dead"), "pending, failed, dead")
    listed.add_argument(
        "--channel", action="append", choices=("letter", "webhook"), help="only this one (both)"
    )
    _add_last(listed)
    show = _member(group, "show", "outbox.show", "show one with its contents")
    show.add_argument("id", metavar="ID", help=OUTBOX_ID)
    retry = _member(group, "retry", "outbox.retry", "try again at once")
    retry.add_argument("id", nargs="*", metavar="ID", help=OUTBOX_ID)
    _flag(retry, "--all-dead", "all that were given up")
    _flag(retry, "--all-failed", "all that wait after a failed attempt")
    for command in (listed, show, retry):
        _add_json(command)


def _add_mail(add: Add) -> None:
    group = _group(add, "mail", "list and show incoming mail; retry or drop mails set aside")
    listed = _member(group, "list", "mail.list_mails", "list mails, newest first")
    _add_states(listed, ("pending", "done", "dropped", "dead"), "pending, and dead: set aside")
    _add_last(listed)
    show = _member(group, "show", "mail.show", "show one mail with its text")
    show.add_argument("id", metavar="ID", help=MAIL_ID)
    _add_explain(group)
    retry = _member(group, "retry", "mail.retry", "process mails again that were set aside")
    drop = _member(group, "drop", "mail.drop", "drop mails that were set aside")
    for command in (retry, drop):
        command.add_argument("id", nargs="*", metavar="ID", help=MAIL_ID)
        _flag(command, "--all", "all mails that were set aside")
    for command in (listed, show, retry, drop):
        _add_json(command)
    mailbox = _add(add, "mailbox", "mailbox.show", "show outgoing mails, newest last")
    _option(mailbox, "--to", "EMAIL", "only mails to this address")
    _option(mailbox, "--last", "N", "at most N (20)", type=_positive, default=20)


def _add_explain(group: "Group[argparse.ArgumentParser]") -> None:
    explain = _member(
        group, "explain", "mail_explain.explain", "show how a mail is read; changes nothing"
    )
    explain.add_argument("mail", metavar="MAIL", help="a file, - for standard input, or an id")
    game = "key of the game type (that of the letter that the mail answers)"
    _option(explain, "--game", "TYPE", game)
    choice = "a numbered choice, in order; may be repeated (those of the letter)"
    _option(explain, "--choice", "MOVE", choice, action="append", default=[])


def _add_accounts(add: Add) -> None:
    group = _group(add, "token", "create, list and revoke API tokens")
    create = _member(
        group, "create", "accounts.create_token", "create a token and print its secret, once"
    )
    create.add_argument("--email", required=True, help="address of its account")
    create.add_argument("--name", required=True, help="its purpose")
    scopes = f"scopes, separated by commas: {', '.join(SCOPES)}; or all"
    create.add_argument("--scopes", required=True, help=scopes)
    _option(create, "--days", "N", "days until it expires (never)", type=_positive)
    _flag(create, "--create", "create the account if it does not exist")
    listed = _member(group, "list", "accounts.list_tokens", "list the tokens of an account")
    listed.add_argument("--email", required=True, help="address of the account")
    revoke = _member(group, "revoke", "accounts.revoke_token", "revoke a token")
    revoke.add_argument("id", metavar="ID", help="id, from `laguna token list`")
    link = _add(
        add, "sign-in-link", "accounts.print_sign_in_link", "print a sign-in link, without a mail"
    )
    link.add_argument("email", metavar="EMAIL", help="a new account is created on first use")


def _add_moderation(add: Add) -> None:
    group = _group(add, "person", "find, show, suspend, sign out and delete people")
    find = _member(group, "find", "moderation.find_person", "find people, newest first")
    find.add_argument("text", metavar="TEXT", help="id, or part of a name or address")
    _add_last(find)
    _add_json(find)
    people = {
        name: _member(group, name, f"moderation.{name.replace('-', '_')}_person", summary)
        for name, summary in (
            ("show", "show an account, without the contents of its games"),
            ("suspend", "suspend a person and their bot accounts; bots take over their seats"),
            ("unsuspend", "end a suspension"),
            ("sign-out", "end all sessions of a person"),
            ("delete", "delete an account for good"),
        )
    }
    for command in people.values():
        command.add_argument("person", metavar="PERSON", help="id or address")
    _add_json(people["show"])
    _flag(people["sign-out"], "--tokens", "revoke their tokens, too")
    group = _group(add, "game", "show and cancel games")
    show = _member(group, "show", "moderation.show_game", "show a game, without secrets")
    cancel = _member(
        group, "cancel", "moderation.cancel_game", "close a table, or end a game without a winner"
    )
    group = _group(add, "message", "delete chat messages")
    delete = _member(group, "delete", "moderation.delete_message", "delete the text of a message")
    for command in (show, cancel, delete):
        command.add_argument("game", metavar="GAME", help="id of the game")
    _add_json(show)
    delete.add_argument("number", type=_positive, metavar="N", help="number of the message")
    for command in (people["delete"], cancel, delete):
        _flag(command, "--yes", "do it; without this option nothing is changed")


Group = argparse._SubParsersAction


def _add(add: Add, name: str, function: str, summary: str) -> argparse.ArgumentParser:
    return add(name, _lazily(function), summary)


def _group(add: Add, name: str, summary: str) -> "Group[argparse.ArgumentParser]":
    command = add(name, _lazily(""), summary)
    return command.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _member(
    group: "Group[argparse.ArgumentParser]", name: str, function: str, summary: str
) -> argparse.ArgumentParser:
    command = group.add_parser(name, help=summary, description=summary)
    command.set_defaults(command=_lazily(function))
    return command


def _flag(command: argparse.ArgumentParser, name: str, text: str) -> None:
    command.add_argument(name, action="store_true", help=text)


def _option(
    command: argparse.ArgumentParser, name: str, metavar: str, text: str, **keywords: Any
) -> None:
    command.add_argument(name, metavar=metavar, help=text, **keywords)


def _add_json(command: argparse.ArgumentParser) -> None:
    _flag(command, "--json", "print JSON")


def _add_last(command: argparse.ArgumentParser) -> None:
    _option(command, "--last", "N", f"at most N ({LISTED})", type=_positive, default=LISTED)


def _add_states(command: argparse.ArgumentParser, states: tuple[str, ...], default: str) -> None:
    text = f"only this state, may be repeated ({default})"
    command.add_argument("--state", action="append", choices=states, help=text)


def _lazily(function: str) -> Command:
    """A function of `service.cli`, as `module.function`, imported when it is called."""

    def command(options: argparse.Namespace) -> int:
        from service.cli.errors import report_errors

        module, _, name = function.partition(".")
        return report_errors(lambda: getattr(_imported(f"service.cli.{module}"), name)(options))

    return command


def _imported(name: str) -> ModuleType:
    """A module, imported without garbage collection.

    Imported objects are kept, and searching them for garbage took a fifth of the time of `laguna
    status`. Frozen objects are excluded from later collections, too.
    """
    if name in sys.modules:  # nothing new to freeze
        return sys.modules[name]
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 6):
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a whole number from 1 to 99999")
    return int(text)
