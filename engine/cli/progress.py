"""Progress bar for long commands; silent without a terminal."""

import sys
from typing import TextIO

WIDTH = 30


class Progress:
    """Counter up to `total` on one line of a terminal."""

    def __init__(self, total: int, what: str, stream: TextIO | None = None) -> None:
        self.total = total
        self.what = what
        self.stream = stream or sys.stderr
        self.done = 0
        self._shown = -1

    def advance(self) -> None:
        self.done += 1
        permille = self.done * 1000 // max(self.total, 1)
        if self.stream.isatty() and permille != self._shown:
            self._shown = permille
            filled = self.done * WIDTH // max(self.total, 1)
            bar = "#" * filled + "." * (WIDTH - filled)
            end = "\n" if self.done == self.total else ""
            self.stream.write(f"\r[{bar}] {self.done} of {self.total} {self.what}{end}")
            self.stream.flush()
