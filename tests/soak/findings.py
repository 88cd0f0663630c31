"""What a soak run saw: counts, kills and violations, collected from many threads."""

import threading
import time
from collections import Counter
from typing import Any

SHOWN_VIOLATIONS = 20
KILL_WINDOW = 60.0  # seconds after a kill in which a lost connection is its consequence


class Findings:
    """Thread-safe record of one run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.violations: list[str] = []
        self.kills: list[tuple[float, str]] = []
        self.lost: list[tuple[float, str]] = []  # requests without an answer

    def count(self, what: str, by: int = 1) -> None:
        with self._lock:
            self.counts[what] += by

    def violation(self, what: str) -> None:
        with self._lock:
            self.violations.append(what)

    def killed(self, what: str) -> None:
        with self._lock:
            self.kills.append((time.monotonic(), what))

    def lost_connection(self, what: str) -> None:
        with self._lock:
            self.lost.append((time.monotonic(), what))

    def judge_lost_connections(self) -> None:
        """A connection may break only because a process was killed."""
        for at, what in self.lost:
            if not any(0 <= at - kill < KILL_WINDOW for kill, _ in self.kills):
                self.violation(f"connection lost without a kill: {what}")

    def summary(self) -> dict[str, Any]:
        with self._lock:
            return {
                "counts": dict(sorted(self.counts.items())),
                "kills": dict(Counter(what for _, what in self.kills)),
                "lost_connections": len(self.lost),
                "violations": len(self.violations),
                "first_violations": self.violations[:SHOWN_VIOLATIONS],
            }
