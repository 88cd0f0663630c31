"""Lock of a job among the threads and processes of one worker."""

import fcntl
import os
import shutil
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp

from worker.schedule import Job


class JobLock:
    """One thread of a process may run a job at a time, and `Job.processes` processes of a worker.

    A slow mail server then delays one process and not all of them one after the other. The locks
    are on files, because the kernel releases them when a process is killed; the lock of a
    `multiprocessing` primitive would stay.
    """

    def __init__(self) -> None:
        self.directory = mkdtemp(prefix="laguna-jobs-")
        weakref.finalize(self, shutil.rmtree, self.directory, ignore_errors=True)

    @contextmanager
    def acquire(self, job: Job) -> Iterator[bool]:
        """Whether the caller may run the job. Does not wait."""
        names = [f"{job.name}-{number}" for number in range(job.processes or 0)]
        with ExitStack() as held:
            yield self._lock(f"{job.name}-in-{os.getpid()}", held) and (
                job.processes is None or any(self._lock(name, held) for name in names)
            )

    def _lock(self, name: str, held: ExitStack) -> bool:
        descriptor = os.open(Path(self.directory, name), os.O_CREAT | os.O_WRONLY, 0o600)
        held.callback(os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
