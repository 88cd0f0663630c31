"""`laguna backup` and `laguna restore`: copies of a database that is a file."""

import argparse
from pathlib import Path

from sqlalchemy import make_url

from service.cli.database import starting_alone
from service.cli.errors import CommandError
from service.core import config
from service.core.clock import wall_clock
from service.core.config import Settings
from service.db.backup import BadCopy, Copy, inspect, make_copy, put_back


def backup(options: argparse.Namespace) -> int:
    settings = config.from_environment(keep_secret=False)
    try:
        made = make_copy(
            _file(settings, "pg_dump --format=custom --file=laguna.dump"), options.file
        )
    except BadCopy as error:
        raise CommandError(str(error)) from error
    print(f"{made.path}: {_told(made)}, checked.")
    _remind_of_key(settings, "Keep {} with it.")
    return 0


def restore(options: argparse.Namespace) -> int:
    settings = config.from_environment(keep_secret=False)
    database = _file(settings, "pg_restore --clean --dbname=..")
    try:
        found = inspect(options.file)
        if not options.yes:
            print(
                f"{options.file} is good ({_told(found)}). Add --yes to put it in the place of "
                f"{database}, which is kept beside it."
            )
            return 0
        with starting_alone(settings.data):
            old = put_back(options.file, database, wall_clock())
    except BadCopy as error:
        raise CommandError(str(error)) from error
    print(f"{database} is now what {options.file} was.")
    if old is not None:
        print(f"What was there before is kept as {old}.")
    if found.old:
        print("Its tables are older than this program: run `laguna db upgrade` before you start.")
    _remind_of_key(settings, "Codes and links that were mailed need the {} of that time.")
    return 0


def _file(settings: Settings, instead: str) -> Path:
    """The file the database is in; raises CannotDo if it is in none."""
    if not settings.sqlite:
        raise CommandError(
            "The database is PostgreSQL, which brings its own means for this: "
            f"`{instead}`. See docs/operations.md."
        )
    name = make_url(settings.database_url).database
    if name in (None, "", ":memory:"):
        raise CommandError("The database is kept in memory; there is no file to copy.")
    return Path(str(name))


def _told(copy: Copy) -> str:
    return f"{copy.size / 1024 / 1024:.1f} MB, tables of revision {copy.revision}"


def _remind_of_key(settings: Settings, sentence: str) -> None:
    path = settings.data / "secret.key"
    print(sentence.format(path if path.exists() else "LAGUNA_SECRET_KEY"))
