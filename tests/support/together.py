"""Concurrent calls."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]], delays: Sequence[float] = ()) -> list[T]:
    """Make all calls at the same moment, or each a few milliseconds after it, in threads of their
    own; what each says."""
    start = threading.Barrier(len(calls))

    def made(number: int) -> T:
        start.wait(10)
        if delays:
            time.sleep(delays[number])
        return calls[number]()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(made, range(len(calls))))
