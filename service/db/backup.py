"""Copies of a SQLite database: made while the house runs, checked, and put back when it does not.

A copy is one file, complete in itself. Neither making nor putting back ever writes over anything:
what was there before stays beside it.
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

PATIENCE = 10.0  # seconds for a writer to finish
WITH_IT = ("-wal", "-shm")  # what SQLite keeps beside a database that is open
# Where SQLite locks a database: whoever has it open has a lock on some of these bytes.
LOCK_BYTE, LOCK_BYTES = 0x4000_0000, 512


class BadCopy(Exception):
    """What cannot be done with a copy, in a sentence."""


class Copy(NamedTuple):
    """A copy that was looked at."""

    path: Path
    size: int
    revision: str

    @property
    def old(self) -> bool:
        """Whether its tables have to be brought up to date."""
        return self.revision != newest_revision()


def make_copy(database: Path, target: Path) -> Copy:
    """Copy a database, as it is at one instant, while others read and write it."""
    if not database.exists():
        raise BadCopy(f"There is no database at {database}.")
    if os.path.lexists(target):
        raise BadCopy(f"{target} exists; nothing is overwritten. Name another file.")
    with _beside(target) as unfinished:
        _copy(database, unfinished)
        made = inspect(unfinished)
        try:
            os.link(unfinished, target)  # unlike a renaming, this never replaces anything
        except FileExistsError:
            raise BadCopy(f"{target} exists now; nothing is overwritten.") from None
        _keep(target.parent)
    return made._replace(path=target)


def inspect(path: Path) -> Copy:
    """Check a copy from the first page to the last; raises BadCopy with what is wrong."""
    if not path.is_file():
        raise BadCopy(f"There is no file {path}.")
    try:
        with closing(_opened(path)) as copy:
            [[verdict], *_] = copy.execute("PRAGMA integrity_check(1)").fetchall()
            orphans = copy.execute("PRAGMA foreign_key_check").fetchmany(1)
            revision = _revision(copy)
    except sqlite3.DatabaseError as error:
        raise BadCopy(f"{path} is not a database that can be read: {error}.") from error
    if verdict != "ok" or orphans:
        reason = verdict if verdict != "ok" else f"rows of {orphans[0][0]} belong to nothing"
        raise BadCopy(f"{path} is damaged: {reason}.")
    if revision is None:
        raise BadCopy(f"{path} is a database, but not one of Laguna.")
    if revision not in known_revisions():
        raise BadCopy(
            f"{path} has tables of revision {revision}, which this program does not know; it was "
            "made by a newer one."
        )
    return Copy(path, path.stat().st_size, revision)


def put_back(copy: Path, database: Path, at: datetime) -> Path | None:
    """Put a copy in the place of a database that nobody uses; where the old one is now.

    Until the one step that exchanges them, the old one is where it was.
    """
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _beside(database) as unfinished:
        inspect(copy)
        _copy(copy, unfinished)
        inspect(unfinished)
        _give_to_owner_of(database if database.exists() else database.parent, unfinished)
        if not database.exists():
            os.link(unfinished, database)
            _keep(database.parent)
            return None
        old = database.with_name(f"{database.name}.before-{at:%Y%m%dT%H%M%SZ}")
        if os.path.lexists(old):
            raise BadCopy(f"{old} exists; wait a second.")
        _settle(database)
        with _kept_closed(database):
            for ending in WITH_IT:  # only where the old one is so damaged that it was not settled
                with contextlib.suppress(FileNotFoundError):
                    os.rename(f"{database}{ending}", f"{old}{ending}")
            os.link(database, old)
            os.replace(unfinished, database)
            _keep(database.parent)
    return old


def _opened(path: Path) -> sqlite3.Connection:
    """Open to read; a file in a mode that needs others beside it may need to write those."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=PATIENCE)


def _copy(source: Path, target: Path) -> None:
    """All pages in one step, so that no writer makes it begin again; then it is one file."""
    try:
        with closing(_opened(source)) as original, closing(_opened(target)) as copy:
            original.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.DatabaseError as error:
        raise BadCopy(f"{source} cannot be copied: {error}.") from error
    _keep(target)


def _revision(copy: sqlite3.Connection) -> str | None:
    try:
        row = copy.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        return None
    return None if row is None else str(row[0])


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A file that nobody else may read, in the same directory and gone afterwards."""
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise BadCopy(f"Nothing can be written to {target.parent}: {error.strerror}.") from error
    try:
        yield path
    finally:
        for ending in ("", "-journal", *WITH_IT):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{path}{ending}")


def _give_to_owner_of(place: Path, path: Path) -> None:
    """Whoever puts a copy back need not be who runs the service, but that must be able to read."""
    owner = place.stat()
    if owner.st_uid != path.stat().st_uid:
        try:
            os.chown(path, owner.st_uid, owner.st_gid)
        except PermissionError as error:
            raise BadCopy(f"{place} belongs to another user; do it as that one.") from error


def _settle(database: Path) -> None:
    """Bring everything into the one file, which is possible only if nobody else has it open."""
    try:
        with closing(_opened(database)) as alone:
            alone.execute("PRAGMA busy_timeout=1000")
            alone.execute("PRAGMA locking_mode=EXCLUSIVE")
            alone.execute("BEGIN EXCLUSIVE")
            alone.execute("COMMIT")
            alone.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise _in_use(database) from error
    except sqlite3.DatabaseError:
        pass  # damaged: that may be why a copy is put back


@contextmanager
def _kept_closed(database: Path) -> Iterator[None]:
    """Nobody has the database open, or opens it."""
    with database.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCK_BYTES, LOCK_BYTE)
        except OSError as error:
            raise _in_use(database) from error
        yield


def _in_use(database: Path) -> BadCopy:
    return BadCopy(f"{database} is in use; stop the service and its workers first.")


def _keep(path: Path) -> None:
    """Wait until it is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
