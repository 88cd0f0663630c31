"""Backup of a SQLite database: made while the service runs, checked, restored when it does not.

A backup is one complete file. No existing file is overwritten: restoring keeps the old database
beside the new one.
"""

import contextlib
import fcntl
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from service.db.migrations import known_revisions, newest_revision

LOCK_SECONDS = 10.0  # to wait for a writer
SIDE_FILES = ("-wal", "-shm")  # of a database that is open
# Every process that has a database open holds a lock on some of these bytes of it, see
# https://www.sqlite.org/fileformat.html#the_lock_byte_page
LOCK_BYTE, LOCK_BYTES = 0x4000_0000, 512


class BackupError(Exception):
    """A backup that cannot be made or restored; the text is a sentence."""


class Backup(NamedTuple):
    """A backup that was checked."""

    path: Path
    size: int
    revision: str

    @property
    def old(self) -> bool:
        """Whether its tables have to be updated."""
        return self.revision != newest_revision()


def make_backup(database: Path, target: Path) -> Backup:
    """Copy the database at one instant, while others read and write it."""
    if not database.exists():
        raise BackupError(f"There is no database at {database}.")
    if os.path.lexists(target):
        raise BackupError(f"{target} exists; nothing is overwritten. Name another file.")
    with _temporary_file(target) as unfinished:
        _copy(database, unfinished)
        made = inspect(unfinished)
        try:
            os.link(unfinished, target)  # unlike `rename`, this never replaces a file
        except FileExistsError:
            raise BackupError(f"{target} exists now; nothing is overwritten.") from None
        _sync(target.parent)
    return made._replace(path=target)


def inspect(path: Path) -> Backup:
    """Check all pages and references of a backup; raises BackupError."""
    if not path.is_file():
        raise BackupError(f"There is no file {path}.")
    try:
        with closing(_opened(path)) as copy:
            [[verdict], *_] = copy.execute("PRAGMA integrity_check(1)").fetchall()
            orphans = copy.execute("PRAGMA foreign_key_check").fetchmany(1)
            revision = _revision(copy)
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{path} is not a readable database: {error}.") from error
    if verdict != "ok" or orphans:
        reason = verdict if verdict != "ok" else f"rows of {orphans[0][0]} refer to missing rows"
        raise BackupError(f"{path} is damaged: {reason}.")
    if revision is None:
        raise BackupError(f"{path} is not a database of Laguna.")
    if revision not in known_revisions():
        raise BackupError(
            f"{path} has tables of revision {revision}, which this program does not know; a newer "
            "one made them."
        )
    return Backup(path, path.stat().st_size, revision)


def restore_backup(backup: Path, database: Path, at: datetime) -> Path | None:
    """Replace the database, which must not be in use; the path of the old one.

    The replacement itself is one atomic step.
    """
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _temporary_file(database) as unfinished:
        inspect(backup)
        _copy(backup, unfinished)
        inspect(unfinished)
        _give_to_owner_of(database if database.exists() else database.parent, unfinished)
        if not database.exists():
            os.link(unfinished, database)
            _sync(database.parent)
            return None
        old = database.with_name(f"{database.name}.before-{at:%Y%m%dT%H%M%SZ}")
        if os.path.lexists(old):
            raise BackupError(f"{old} exists; wait a second.")
        _merge_side_files(database)
        with _locked(database):
            for ending in SIDE_FILES:  # which are left only if the old one is damaged
                with contextlib.suppress(FileNotFoundError):
                    os.rename(f"{database}{ending}", f"{old}{ending}")
            os.link(database, old)
            os.replace(unfinished, database)
            _sync(database.parent)
    return old


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to an existing database; even reading may need to write its side files."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=LOCK_SECONDS)


def _copy(source: Path, target: Path) -> None:
    try:
        with closing(_opened(source)) as original:
            original.execute("VACUUM INTO ?", (str(target),))
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{source} cannot be copied: {error}.") from error
    _sync(target)


def _revision(copy: sqlite3.Connection) -> str | None:
    try:
        row = copy.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        return None
    return None if row is None else str(row[0])


@contextmanager
def _temporary_file(target: Path) -> Iterator[Path]:
    """An empty file in the same directory, readable by its owner only and deleted afterwards."""
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise BackupError(
            f"Nothing can be written to {target.parent}: {error.strerror}."
        ) from error
    try:
        yield path
    finally:
        for ending in ("", "-journal", *SIDE_FILES):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{path}{ending}")


def _give_to_owner_of(place: Path, path: Path) -> None:
    """Give the file to the user who runs the service, who need not be the caller."""
    owner = place.stat()
    if owner.st_uid != path.stat().st_uid:
        try:
            os.chown(path, owner.st_uid, owner.st_gid)
        except PermissionError as error:
            raise BackupError(
                f"{place} belongs to another user; run the command as that user."
            ) from error


def _merge_side_files(database: Path) -> None:
    """Write everything into the database file; fails if another process has it open."""
    try:
        with closing(_opened(database)) as connection:
            connection.execute("PRAGMA busy_timeout=1000")
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise _in_use(database) from error
    except sqlite3.DatabaseError:
        pass  # damaged: that may be the reason for restoring


@contextmanager
def _locked(database: Path) -> Iterator[None]:
    """Lock against other processes; raises BackupError if one has the database open."""
    with database.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCK_BYTES, LOCK_BYTE)
        except OSError as error:
            raise _in_use(database) from error
        yield


def _in_use(database: Path) -> BackupError:
    return BackupError(f"{database} is in use; stop the service and its workers first.")


def _sync(path: Path) -> None:
    """Flush a file or directory to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
