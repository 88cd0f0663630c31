"""Signals to the worker that there is work in a queue.

`wake` within a transaction sends its signal after the commit, and none after a rollback. It is a
hint: without a sender (`set_waker`) the worker finds the work by polling, a little later.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from flask import Flask, current_app

Waker = Callable[[Collection[str]], None]

EXTENSION = "laguna_waker"
LISTENERS = "laguna_listeners"
_wanted: ContextVar[set[str] | None] = ContextVar("wanted", default=None)


def set_waker(app: Flask, waker: Waker) -> None:
    """Send signals by this function, which must neither block nor fail."""
    app.extensions[EXTENSION] = waker


def add_listener(app: Flask, listener: Waker) -> None:
    """Call this function, too, in the thread of `wake`; it must neither block nor fail."""
    app.extensions.setdefault(LISTENERS, []).append(listener)


def wake(*queues: str) -> None:
    """Signal work in these queues."""
    wanted = _wanted.get()
    if wanted is None:
        _send(queues)
    else:
        wanted.update(queues)


@contextmanager
def after_commit() -> Iterator[None]:
    """Send the signals of this context at its end, unless it ended with an error."""
    wanted: set[str] = set()
    outer = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(outer)
    if wanted:
        _send(wanted)


def _send(queues: Collection[str]) -> None:
    waker: Waker | None = current_app.extensions.get(EXTENSION)
    if waker is not None:
        waker(queues)
    for listener in current_app.extensions.get(LISTENERS, ()):
        listener(queues)
