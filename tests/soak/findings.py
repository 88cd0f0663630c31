"""What a soak run saw: counts, kills, losses and violations, collected from many threads."""

import threading
from collections import Counter
from typing import Any

from tests.soak.connections import Kill, Loss, Verdict, judge

SHOWN_VIOLATIONS = 20


class Findings:
    """Thread-safe record of one run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.violations: list[str] = []
        self.kills: list[Kill] = []
        self.losses: list[Loss] = []

    def count(self, what: str, by: int = 1) -> None:
        with self._lock:
            self.counts[what] += by

    def violation(self, what: str) -> None:
        with self._lock:
            self.violations.append(what)

    def killed(self, kill: Kill) -> None:
        with self._lock:
            self.kills.append(kill)

    def lost(self, loss: Loss) -> None:
        with self._lock:
            self.losses.append(loss)

    def judge_losses(self) -> None:
        """A connection may break only because the process that held it was killed."""
        for loss in self.losses:
            verdict = judge(loss, self.kills)
            self.count(verdict.value)
            if verdict is Verdict.UNEXCUSED:
                past = [kill for kill in self.kills if kill.at <= loss.at]
                last = f"{loss.at - past[-1].at:.1f} s after {past[-1].role}" if past else "no kill"
                self.violation(f"connection lost: {loss.what} ({last})")

    def summary(self) -> dict[str, Any]:
        with self._lock:
            return {
                "counts": dict(sorted(self.counts.items())),
                "kills": dict(Counter(kill.role for kill in self.kills)),
                "violations": len(self.violations),
                "first_violations": self.violations[:SHOWN_VIOLATIONS],
            }
