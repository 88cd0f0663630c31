"""Telling the worker that there is something to do, so that it need not find out by itself.

Whoever makes work says `wake(..)`. Within a transaction that is only noted: it is passed on once
the transaction is committed, and forgotten if it is not. It is a hint and nothing more. Without
anybody to pass it on to (`set_waker`) the worker finds everything by looking, a little later.
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
    """Pass on by this; it must neither wait nor fail."""
    app.extensions[EXTENSION] = waker


def add_listener(app: Flask, listener: Waker) -> None:
    """Call this too, in the thread that made the work; it must neither wait nor fail."""
    app.extensions.setdefault(LISTENERS, []).append(listener)


def wake(*queues: str) -> None:
    """There is something to do in these queues of the worker."""
    wanted = _wanted.get()
    if wanted is None:
        _pass_on(queues)
    else:
        wanted.update(queues)


@contextmanager
def after_commit() -> Iterator[None]:
    """Pass on afterwards what was noted within, unless it ended with an error."""
    wanted: set[str] = set()
    outer = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(outer)
    if wanted:
        _pass_on(wanted)


def _pass_on(queues: Collection[str]) -> None:
    waker: Waker | None = current_app.extensions.get(EXTENSION)
    if waker is not None:
        waker(queues)
    for listener in current_app.extensions.get(LISTENERS, ()):
        listener(queues)
