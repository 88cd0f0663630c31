"""What every server of the tests can do: start, be killed, start again, be gone."""

import pwd
import shutil
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.servers.account import new_home
from tests.servers.guarded import Guarded, NotStarted
from tests.servers.ports import free_port
from tests.servers.tree import until

ATTEMPTS = 4


class Server(ABC):
    """A context: inside it the server runs, afterwards neither process nor file is left."""

    name: str
    url: str
    port: int
    home: Path
    account: pwd.struct_passwd | None = None

    def __init__(self) -> None:
        self._process: Guarded | None = None

    @abstractmethod
    def prepare(self) -> None:
        """Fill the new home."""

    @abstractmethod
    def settle(self, port: int) -> None:
        """This is the port from now on."""

    @abstractmethod
    def launch(self) -> Guarded: ...

    @abstractmethod
    def answers(self) -> bool:
        """Whether it serves; only our own server knows our password."""

    @abstractmethod
    def close(self) -> None:
        """End it, in whatever state it is, in the way that leaves nothing on the machine."""

    @property
    def process(self) -> Guarded:
        assert self._process, f"{self.name} was stopped or killed and not started again"
        return self._process

    @property
    def pid(self) -> int:
        return self.process.pid

    def start(self) -> None:
        """Start and wait until it serves: the same files, the same port."""
        assert self._process is None, f"{self.name} already runs"
        self._process = process = self.launch()
        until(lambda: not process.runs or self.answers(), f"{self.name} serves")
        if not process.runs:
            self.ended()
            raise process.failed()

    def kill(self) -> None:
        """SIGKILL to the server and all its children."""
        self.process.kill()
        self._process = None

    def ended(self) -> None:
        """Wait for the end of the process."""
        self.process.wait()
        self._process = None

    def __enter__(self) -> Self:
        self.home = new_home(self.name, self.account)
        try:
            self.prepare()
            self._start_on_a_free_port()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    def _start_on_a_free_port(self) -> None:
        """Somebody may take the port between our choice and our use of it: try another."""
        for attempt in range(1, ATTEMPTS + 1):
            self.settle(free_port())
            try:
                self.start()
            except NotStarted:
                if attempt == ATTEMPTS:
                    raise
            else:
                return

    def _remove(self) -> None:
        try:
            self.close()
        finally:
            shutil.rmtree(self.home)
