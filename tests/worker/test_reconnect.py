"""Reconnection of a worker whose acknowledgements were lost."""

from types import SimpleNamespace
from typing import Any

import pytest
from celery.worker import state
from structlog.testing import capture_logs

from worker.reconnect import CHECKS, StuckConsumerReset, unacknowledged


class Request:
    """Something a worker works on."""


class Qos:
    """Of so many messages that may be taken at once, some are."""

    def __init__(self, taken: int, most: int = 2) -> None:
        self.prefetch_count, self.taken = most, taken

    def can_consume_max_estimate(self) -> int | None:
        return self.prefetch_count - self.taken if self.prefetch_count else None


def consumer_with(qos: Qos) -> Any:
    return SimpleNamespace(task_consumer=SimpleNamespace(channel=SimpleNamespace(qos=qos)))


def test_messages_that_are_worked_on_are_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    working = {Request(), Request()}
    monkeypatch.setattr(state, "reserved_requests", working)
    consumer = consumer_with(Qos(taken=2))
    step = StuckConsumerReset(consumer)
    for _ in range(3 * CHECKS):
        step.check(consumer)


def test_a_message_that_nobody_works_on_is_noticed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "reserved_requests", {Request()})
    qos = Qos(taken=2)
    consumer = consumer_with(qos)
    step = StuckConsumerReset(consumer)
    for _ in range(CHECKS - 1):
        step.check(consumer)
    qos.taken = 1
    step.check(consumer)
    qos.taken = 2
    for _ in range(CHECKS - 1):
        step.check(consumer)
    with capture_logs() as logs, pytest.raises(ConnectionError):
        step.check(consumer)
    assert [line["event"] for line in logs] == ["acknowledgements_lost"]


def test_without_a_limit_nothing_is_counted() -> None:
    assert unacknowledged(Qos(taken=5, most=0)) == 0
