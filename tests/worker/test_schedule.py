"""What is sent when, and with which settings: messages may be lost, doubled and late."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from structlog.testing import capture_logs

from service.core.config import Settings
from tests.servers import redis
from tests.servers.redis import RedisServer
from tests.support.site import Site, settings_for
from tests.worker.support import never
from worker.app import KILL_SECONDS, broker_url, create_celery
from worker.job_run import RUN_SECONDS
from worker.jobs import register_tasks, runner_for
from worker.schedule import (
    BOTS,
    DEADLINES,
    JOBS,
    LEAST_LIFE,
    MOST_WAITING,
    QUEUES,
    jobs_of,
    message_options,
    post,
)
from worker.scheduler import Beat


def settings(redis_url: str | None = None) -> Settings:
    return settings_for(Path("unused"), "sqlite://", redis_url=redis_url)


@contextmanager
def used(celery: Celery) -> Iterator[Celery]:
    yield celery
    celery.close()


def beat(celery: Celery) -> Any:
    return Beat(celery)


def waiting(url: str) -> dict[str, int]:
    with redis.connection(url) as client:
        return {queue: client.llen(queue) for queue in QUEUES}


def test_intervals() -> None:
    def table(url: str | None) -> dict[str, float]:
        schedule = create_celery(settings(url)).conf.beat_schedule
        return {name: entry["schedule"] for name, entry in schedule.items()}

    alone = {
        "deadlines": 20,
        "reminders": 60,
        "incoming": 5,
        "notices": 5,
        "letters": 5,
        "webhooks": 2,
        "bots": 1,
        "pauses": 60,
        "metrics": 30,
        "audit": 60,
        "purge": 3600,
    }
    assert table(None) == alone
    assert table("redis://localhost") == alone | {"bots": 5}, "the web wakes them"


def test_every_message_is_for_a_queue_of_ours_and_too_old_some_day() -> None:
    for entry in create_celery(settings()).conf.beat_schedule.values():
        assert entry["options"]["queue"] in QUEUES
        assert entry["options"]["expires"] >= max(entry["schedule"], LEAST_LIFE)
    assert message_options(JOBS[0])["expires"] == LEAST_LIFE


def test_bots_and_deadlines_have_queues_of_their_own() -> None:
    assert {job.name for job in jobs_of([BOTS])} == {"bots"}
    assert "bots" not in {job.name for job in jobs_of([DEADLINES])}


def test_settings_without_which_tasks_get_lost_or_hang() -> None:
    conf = create_celery(settings("redis://localhost")).conf
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
    assert conf.worker_proc_alive_timeout >= 30
    assert conf.broker_connection_max_retries is None
    assert conf.accept_content == ["json"]
    assert conf.result_backend is None
    options = conf.broker_transport_options
    assert 0 < options["socket_timeout"] <= 5
    assert 0 < options["socket_connect_timeout"] <= 5


def test_a_task_may_not_take_for_ever_nor_be_given_out_again_meanwhile(site: Site) -> None:
    celery = create_celery(settings("redis://localhost"))
    register_tasks(celery, runner_for(site.app, never))
    for job in JOBS:
        task = celery.tasks[job.task]
        assert RUN_SECONDS < task.soft_time_limit == job.limit
        assert task.time_limit == job.limit + KILL_SECONDS
        assert task.acks_late
        assert task.reject_on_worker_lost
        assert celery.conf.broker_transport_options["visibility_timeout"] > task.time_limit


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (None, "memory://localhost/"),
        ("redis://:pw@host:1/2", "redis://:pw@host:1/2"),
        ("rediss://host/1", "rediss://host/1?ssl_cert_reqs=required"),
        ("rediss://host/1?a=b", "rediss://host/1?a=b&ssl_cert_reqs=required"),
        ("rediss://host?ssl_cert_reqs=none", "rediss://host?ssl_cert_reqs=none"),
        ("unix:///run/redis.sock?db=3", "redis+socket:///run/redis.sock?virtual_host=3"),
        ("unix://:p%2Fw@/r.sock", "redis+socket://:p%2Fw@/r.sock?virtual_host=0"),
    ],
)
def test_the_address_of_redis_in_the_words_of_celery(given: str | None, wanted: str) -> None:
    assert broker_url(settings(given)) == wanted


def test_when_beat_begins_everything_is_due_once(fresh_redis: str) -> None:
    with used(create_celery(settings(fresh_redis))) as celery:
        scheduler = beat(celery)
        for _ in JOBS:  # one message a tick; what is short may be due again after that
            assert not scheduler.tick()
        by_queue = {queue: len(jobs_of([queue])) for queue in QUEUES}
        assert waiting(fresh_redis) == by_queue
        scheduler.close()


def test_beat_sleeps_until_something_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that stands still between sleeps, on which waiting without sleep never ends."""
    sent: list[str] = []
    with used(create_celery(settings())) as celery:
        present = begin = datetime(2026, 1, 1, tzinfo=UTC)
        monkeypatch.setattr(celery, "now", lambda: present)
        scheduler = beat(celery)
        monkeypatch.setattr(scheduler, "apply_entry", lambda entry, **_: sent.append(entry.name))
        ticks = 0
        while present < begin + timedelta(minutes=1) and ticks < 1000:
            present += timedelta(seconds=max(0.0, scheduler.tick()))
            ticks += 1
        scheduler.close()
    assert present >= begin + timedelta(minutes=1)
    assert 58 <= sent.count("bots") <= 61
    assert sent.count("deadlines") in (3, 4)


def test_a_queue_that_nobody_reads_does_not_grow_for_ever(fresh_redis: str) -> None:
    with used(create_celery(settings(fresh_redis))) as celery:
        for _ in range(MOST_WAITING + 5):
            post(celery, JOBS[0].task, message_options(JOBS[0]))
        assert waiting(fresh_redis)[JOBS[0].queue] == MOST_WAITING


def test_beat_says_once_that_redis_is_away_and_goes_on(own_redis: RedisServer) -> None:
    with used(create_celery(settings(own_redis.url))) as celery:
        scheduler = beat(celery)
        entries = list(scheduler.schedule.values())
        own_redis.kill()
        with capture_logs() as logs:
            for entry in entries:
                scheduler.apply_entry(entry)
            own_redis.start()
            for entry in entries:
                scheduler.apply_entry(entry)
        assert [line["event"] for line in logs] == ["broker_away", "broker_back"]
        assert sum(waiting(own_redis.url).values()) == len(entries)
        scheduler.close()
