"""The service's commands with their options and help."""

import argparse
import gc
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from engine.cli.parser import Add, Command
from service.access.scopes import SCOPES

LISTED = 50


def add_commands(add: Add) -> None:
    """Add everything the service can be told to do to the command line of the engine."""
    _add_running(add)
    _add_database(add)
    _add_operating(add)
    _add_tokens(add)
    _add_moderation(add)
    command = add(
        "sign-in-link",
        _lazily("accounts", "print_sign_in_link"),
        "print a link that signs this address in, without mailing it",
    )
    command.add_argument("email", metavar="EMAIL", help="somebody new has an account afterwards")
    command = add("mailbox", _lazily("mailbox", "show"), "show the mails written, newest last")
    command.add_argument("--to", metavar="EMAIL", help="only those to this address")
    command.add_argument("--last", type=_positive, default=20, help="at most so many (20)")
    command = add(
        "openapi", _lazily("openapi_config", "openapi"), "write openapi.yaml from the app"
    )
    command.add_argument("--check", action="store_true", help="only compare; 1 if they differ")
    command.add_argument(
        "--file", type=Path, metavar="FILE", help="another file than the repository's"
    )
    add("config", _lazily("openapi_config", "config"), "show the settings in use, secrets masked")


def _add_running(add: Add) -> None:
    command = add("up", _lazily("processes", "up"), "start everything, with a demo, until Ctrl-C")
    command.add_argument("--no-demo", action="store_true", help="without the newcomer and the game")
    command = add(
        "prepare", _lazily("prepare", "prepare"), "create or update the tables, for `laguna up`"
    )
    command.add_argument("--demo", action="store_true", help="print a way in to a demo, as JSON")
    command = add(
        "serve", _lazily("processes", "serve"), "answer HTTP: the web half of `laguna up`"
    )
    command.add_argument(
        "--socket",
        type=int,
        metavar="FD",
        help="a listening socket by number (one of LAGUNA_HOST and LAGUNA_PORT)",
    )
    _add_leash(command)
    command = add(
        "work", _lazily("processes", "work"), "play for bots, send mails: the other half of it"
    )
    command.add_argument("--once", action="store_true", help="do everything that is due, then end")
    command.add_argument(
        "--queues",
        metavar="NAMES",
        help="only what comes in these, separated by commas (all of them): "
        "deadlines, mail, webhooks, bots, upkeep",
    )
    command.add_argument(
        "--concurrency",
        type=_positive,
        metavar="N",
        help="so many things at once (as many as these queues have kinds of work)",
    )
    _add_leash(command)
    command = add(
        "beat", _lazily("processes", "beat"), "tell workers when to look; without Redis they know"
    )
    _add_leash(command)

    command = add(
        "mail-in", _lazily("mail_in", "mail_in"), "take in the replies that people send by mail"
    )
    command.add_argument(
        "--check", action="store_true", help="only try what LAGUNA_MAIL_IN names; 1 if it fails"
    )
    _add_leash(command)


def _add_leash(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--until-stdin-ends",
        action="store_true",
        help="stop when standard input ends, as it does when whoever started this is gone",
    )


def _add_database(add: Add) -> None:
    group = _group(add, "db", "create, update and check the database's tables")
    _member(group, "upgrade", "database", "upgrade", "create the tables, or bring them up to date")
    _member(group, "check", "database", "check", "tell whether the tables are up to date; 1 if not")
    command = _member(
        group, "downgrade", "database", "downgrade", "take the tables back; data may be lost"
    )
    command.add_argument("revision", metavar="REV", help="such as 0001, -1, or base for none")
    command.add_argument(
        "--yes", action="store_true", help="do it; without this it only tells what would be lost"
    )
    command = _member(
        group, "copy", "db_copy", "copy", "copy everything into another, empty database"
    )
    command.add_argument(
        "--to",
        required=True,
        metavar="URL",
        help="as LAGUNA_DATABASE_URL; a password is better kept in PGPASSWORD or ~/.pgpass",
    )


def _add_operating(add: Add) -> None:
    command = add(
        "status",
        _lazily("status", "show"),
        "tell what is open, overdue and on its way; 1 if somebody should look",
    )
    command.add_argument(
        "--queues",
        metavar="NAMES",
        help="only whether somebody does the work of these, for a health check; mail-in counts "
        "as one of them",
    )
    _add_json(command)
    command = add("sweep", _lazily("sweep", "sweep"), "answer what is overdue now, and tell what")
    _add_json(command)
    _add_outbox(add)
    _add_mail(add)
    _add_purge(add)
    command = add(
        "audit",
        _lazily("audit", "audit"),
        "play games again and compare with what is stored; 1 if they differ, which freezes them",
    )
    command.add_argument("game", nargs="*", metavar="GAME", help="only these (all that run)")
    command.add_argument("--all", action="store_true", help="those that are over, too")
    command.add_argument(
        "--values",
        action="store_true",
        help="show what is stored and what would be right; it may be secret to players",
    )
    command.add_argument(
        "--repair",
        action="append",
        default=[],
        metavar="GAME",
        help="write anew what follows from its moves, then let it go on",
    )
    command.add_argument(
        "--thaw",
        action="append",
        default=[],
        metavar="GAME",
        help="let it go on; it must be as its moves say",
    )
    _add_json(command)
    command = add(
        "backup", _lazily("backup", "backup"), "copy the SQLite database while it is in use"
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a new file; none is overwritten")
    command = add(
        "restore", _lazily("backup", "restore"), "put a copy in the place of the SQLite database"
    )
    command.add_argument("file", type=Path, metavar="FILE", help="what `laguna backup` wrote")
    command.add_argument(
        "--yes", action="store_true", help="do it; without this the copy is only checked"
    )


def _add_purge(add: Add) -> None:
    command = add(
        "purge", _lazily("purge", "purge"), "delete rows that are older than they are to be kept"
    )
    command.add_argument("--dry-run", action="store_true", help="only list what would be deleted")
    _add_json(command)


def _add_outbox(add: Add) -> None:
    command = add(
        "outbox",
        _lazily("outbox", "list_items"),
        "list, show and try again letters and webhook deliveries; by itself it lists",
    )
    command.set_defaults(state=None, channel=None, last=LISTED, json=False)
    group = command.add_subparsers(title="commands", metavar="COMMAND")
    command = _member(group, "list", "outbox", "list_items", "list them, newest first")
    command.add_argument(
        "--state",
        action="append",
        choices=("pending", "sent", "skipped", "failed", "dead"),
        help="only those, may be given again (pending, failed and dead)",
    )
    command.add_argument(
        "--channel", action="append", choices=("letter", "webhook"), help="only these (both)"
    )
    command.add_argument(
        "--last", type=_positive, default=LISTED, help=f"at most so many ({LISTED})"
    )
    _add_json(command)
    command = _member(group, "show", "outbox", "show", "show one, with what it says")
    command.add_argument("id", metavar="ID", help="as `laguna outbox list` shows it")
    _add_json(command)
    command = _member(group, "retry", "outbox", "retry", "try again at once what failed")
    command.add_argument("id", nargs="*", metavar="ID", help="as `laguna outbox list` shows it")
    command.add_argument("--all-dead", action="store_true", help="everything that was given up")
    command.add_argument(
        "--all-failed", action="store_true", help="everything that waits after a failure"
    )
    _add_json(command)


def _add_mail(add: Add) -> None:
    group = _group(add, "mail", "list incoming mail; process again or drop what was set aside")
    command = _member(group, "list", "mail", "list_mails", "list it, newest first")
    command.add_argument(
        "--state",
        action="append",
        choices=("pending", "done", "dropped", "dead"),
        help="only this, may be given again (pending and dead, which is what was set aside)",
    )
    command.add_argument(
        "--last", type=_positive, default=LISTED, help=f"at most so many ({LISTED})"
    )
    _add_json(command)
    command = _member(group, "show", "mail", "show", "show one mail, with its text")
    command.add_argument("id", metavar="ID", help="as `laguna mail list` shows it")
    _add_json(command)
    for name, summary in (
        ("retry", "process mails again that were set aside"),
        ("drop", "drop mails that were set aside"),
    ):
        command = _member(group, name, "mail", name, summary)
        command.add_argument("id", nargs="*", metavar="ID", help="as `laguna mail list` shows it")
        command.add_argument("--all", action="store_true", help="everything that was set aside")
        _add_json(command)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON for a program")


def _add_tokens(add: Add) -> None:
    group = _group(add, "token", "make, list and revoke tokens for programs")
    command = _member(
        group, "create", "accounts", "create_token", "make a token and print its secret, this once"
    )
    command.add_argument("--email", required=True, help="whom it acts for")
    command.add_argument("--name", required=True, help="what it is for")
    command.add_argument(
        "--scopes",
        required=True,
        help=f"what it may do, separated by commas: {', '.join(SCOPES)}; or all",
    )
    command.add_argument("--days", type=_positive, help="how long it is good (until revoked)")
    command.add_argument(
        "--create", action="store_true", help="make the account if the address is new"
    )
    command = _member(group, "list", "accounts", "list_tokens", "list somebody's tokens")
    command.add_argument("--email", required=True, help="whose")
    command = _member(group, "revoke", "accounts", "revoke_token", "end a token")
    command.add_argument("id", metavar="ID", help="as `laguna token list` shows it")


def _add_moderation(add: Add) -> None:
    group = _group(add, "person", "find, show, suspend, sign out and delete people")
    command = _member(group, "find", "moderation", "find_person", "find people, newest first")
    command.add_argument("text", metavar="TEXT", help="an id, or a part of a name or address")
    command.add_argument(
        "--last", type=_positive, default=LISTED, help=f"at most so many ({LISTED})"
    )
    _add_json(command)
    for name, function, summary in (
        ("show", "show_person", "show an account, without what it does in its games"),
        ("suspend", "suspend_person", "shut a person out with their bots; bots keep their seats"),
        ("unsuspend", "unsuspend_person", "let a suspended person in again"),
        ("sign-out", "sign_out_person", "end all sessions of a person"),
        ("delete", "delete_person", "delete an account for good"),
    ):
        command = _member(group, name, "moderation", function, summary)
        command.add_argument("person", metavar="PERSON", help="an id or an address")
        if name == "show":
            _add_json(command)
        if name == "sign-out":
            command.add_argument("--tokens", action="store_true", help="end their tokens, too")
        if name == "delete":
            _add_yes(command)
    group = _group(add, "game", "show and cancel games")
    command = _member(group, "show", "moderation", "show_game", "show a game, without its secrets")
    command.add_argument("game", metavar="GAME", help="its id")
    _add_json(command)
    command = _member(
        group, "cancel", "moderation", "cancel_game", "close a table, or end a game unwon"
    )
    command.add_argument("game", metavar="GAME", help="its id")
    _add_yes(command)
    group = _group(add, "message", "delete messages of a table")
    command = _member(group, "delete", "moderation", "delete_message", "delete what a message says")
    command.add_argument("game", metavar="GAME", help="the id of its game")
    command.add_argument("number", type=_positive, metavar="N", help="its number in the game")
    _add_yes(command)


def _add_yes(command: argparse.ArgumentParser) -> None:
    command.add_argument("--yes", action="store_true", help="do it; otherwise only say what it is")


Group = argparse._SubParsersAction


def _group(add: Add, name: str, summary: str) -> "Group[argparse.ArgumentParser]":
    command = add(name, _nothing, summary)
    return command.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _member(
    group: "Group[argparse.ArgumentParser]", name: str, module: str, function: str, summary: str
) -> argparse.ArgumentParser:
    command = group.add_parser(name, help=summary, description=summary)
    command.set_defaults(command=_lazily(module, function))
    return command


def _nothing(_: argparse.Namespace) -> int:
    raise AssertionError("argparse asks for one of the group's commands")


def _lazily(module: str, function: str) -> Command:
    """A command of `service.cli`, imported when it is called."""

    def command(options: argparse.Namespace) -> int:
        from service.cli.errors import report_errors

        return report_errors(lambda: getattr(_imported(f"service.cli.{module}"), function)(options))

    return command


def _imported(name: str) -> ModuleType:
    """A module, imported without garbage collection.

    What an import makes is kept, so that looking for garbage among it is in vain: it took a fifth
    of the time of `laguna status`. Frozen objects are left out of later collections as well.
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
