"""Whether the disk of an SQLite database has room for the next write.

The check writes a probe file, because a transaction would wait for a lock on a busy database. The
file needs more room than the next few moves.
"""

import os
import tempfile
from pathlib import Path

from sqlalchemy.engine import make_url

PROBE_SIZE = 256 * 1024  # bytes; a move writes some 20 kB


def storage_problem(database_url: str) -> str | None:
    """The reason why the database's directory cannot be written; None if it can be.

    Databases of a server are not checked.
    """
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    try:
        with tempfile.TemporaryFile(dir=Path(str(url.database)).parent, buffering=0) as probe:
            written = probe.write(bytes(PROBE_SIZE))
    except OSError as error:
        return os.strerror(error.errno or 0)
    return None if written == PROBE_SIZE else "No space left on device"
