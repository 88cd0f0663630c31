"""`laguna backup` and `laguna restore`, for SQLite."""

import argparse
from pathlib import Path

from sqlalchemy import make_url

from service.cli.database import preparation_lock
from service.cli.errors import CommandError
from service.core import config
from service.core.clock import wall_clock
from service.core.config import Settings
from service.db.backup import Backup, BackupError, inspect, make_backup, restore_backup


def backup(options: argparse.Namespace) -> int:
    settings = config.from_environment(keep_secret=False)
    try:
        database = _file(settings, "pg_dump --format=custom --file=laguna.dump")
        made = make_backup(database, options.file)
    except BackupError as error:
        raise CommandError(str(error)) from error
    print(f"{made.path}: {_summary(made)}, checked.")
    _remind_of_key(settings, "Keep {} with it.")
    return 0


def restore(options: argparse.Namespace) -> int:
    settings = config.from_environment(keep_secret=False)
    database = _file(settings, "pg_restore --clean --dbname=..")
    try:
        found = inspect(options.file)
        if not options.yes:
            print(
                f"{options.file} is a valid backup ({_summary(found)}). Add --yes to replace "
                f"{database}, which is kept beside it."
            )
            return 0
        with preparation_lock(settings.data):
            old = restore_backup(options.file, database, wall_clock())
    except BackupError as error:
        raise CommandError(str(error)) from error
    print(f"{database} is restored from {options.file}.")
    if old is not None:
        print(f"The old database is kept as {old}.")
    if found.old:
        print("Its tables are older than this program: run `laguna db upgrade` before starting.")
    _remind_of_key(settings, "Mailed codes and links need the {} of that time.")
    return 0


def _file(settings: Settings, instead: str) -> Path:
    """The file of the database; raises CommandError if there is none."""
    if not settings.sqlite:
        raise CommandError(f"The database is PostgreSQL; use `{instead}`. See docs/operations.md.")
    name = make_url(settings.database_url).database
    if name in (None, "", ":memory:"):
        raise CommandError("The database is in memory; there is no file to copy.")
    return Path(str(name))


def _summary(backup: Backup) -> str:
    return f"{backup.size / 1024 / 1024:.1f} MB, tables of revision {backup.revision}"


def _remind_of_key(settings: Settings, sentence: str) -> None:
    path = settings.data / "secret.key"
    print(sentence.format(path if path.exists() else "LAGUNA_SECRET_KEY"))
