"""Webhook calls: the slow receivers of one person delay nobody else's deliveries."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from service.db.session import transact
from service.notify.channels.deliveries import Due
from service.notify.event_log import Entry, record_events
from tests.support.receiver import Receiver
from tests.support.site import Caller, Site
from tests.support.together import at_once
from tests.worker.support import Ticking, never
from worker.job_run import RUN_SECONDS, RunLimit
from worker.jobs import runner_for
from worker.schedule import job_named
from worker.webhook_calls import LINGER_SECONDS, SLOTS_PER_PERSON, WebhookCalls

LIMIT = 10.0  # seconds until a test gives up; a call may take longer
EVENTS = 6


class Tarpit(Receiver):
    """A receiver that answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.release = threading.Event()
        self.full = threading.Semaphore(0)
        self.on_request = self._hold

    def _hold(self) -> None:
        self.full.release()
        self.release.wait(3 * LIMIT)

    def wait_until_full(self) -> None:
        for _ in range(SLOTS_PER_PERSON):
            assert self.full.acquire(timeout=LIMIT), "nobody called"


class Prompt(Receiver):
    """A receiver that answers at once."""

    def __init__(self) -> None:
        super().__init__()
        self.called = threading.Semaphore(0)
        self.on_request = self.called.release


@contextmanager
def receivers() -> Iterator[tuple[Tarpit, Prompt]]:
    with Tarpit() as tarpit, Prompt() as prompt:
        try:
            yield tarpit, prompt
        finally:
            tarpit.release.set()


def happens(site: Site, person: Caller, count: int = 1) -> None:
    own = person.id()
    entries = [Entry(own, "game.moved", None, {}) for _ in range(count)]
    with site.app.app_context():
        transact(lambda: record_events(entries, site.clock()))


def registers(site: Site, person: Caller, receiver: Receiver) -> None:
    object.__setattr__(site.settings, "open_webhooks", True)
    made = person.post("/v1/webhooks", {"url": receiver.url()})
    assert made.status_code == 201, made.json


def calls(site: Site, stop: RunLimit) -> int:
    with site.app.app_context():
        return WebhookCalls(stop, stop.clock).run()


def test_slow_receivers_of_one_person_delay_nobody_else(any_site: Site) -> None:
    mallory, bob = any_site.people("Mallory", "Bob")
    with receivers() as (tarpit, prompt), ThreadPoolExecutor(1) as worker:
        for _ in range(3):
            registers(any_site, mallory, tarpit)
        registers(any_site, bob, prompt)
        happens(any_site, mallory, EVENTS)
        run = worker.submit(calls, any_site, RunLimit(never, Ticking()))
        tarpit.wait_until_full()
        for _ in range(3):  # what happens while the calls are under way
            happens(any_site, bob)
            assert prompt.called.acquire(timeout=LIMIT), "bob waits for mallory"
        assert len(tarpit.received) == SLOTS_PER_PERSON
        tarpit.release.set()
        assert run.result(LIMIT) > 0
    assert len(tarpit.received) == len(set(tarpit.ids)) == 3 * EVENTS
    assert len(prompt.received) == len(set(prompt.ids)) == 3


def test_a_run_that_waits_for_its_last_calls_still_serves_others(site: Site) -> None:
    mallory, bob = site.people("Mallory", "Bob")
    clock = Ticking()
    with receivers() as (tarpit, prompt), ThreadPoolExecutor(1) as worker:
        registers(site, mallory, tarpit)
        registers(site, bob, prompt)
        happens(site, mallory, EVENTS)
        run = worker.submit(calls, site, RunLimit(never, clock))
        tarpit.wait_until_full()
        clock.at = RUN_SECONDS + 1
        happens(site, bob)
        assert prompt.called.acquire(timeout=LIMIT), "bob waits for mallory"
        tarpit.release.set()
        run.result(LIMIT)
        assert len(tarpit.received) == SLOTS_PER_PERSON, "the rest is left to the next run"
        calls(site, RunLimit(never, Ticking()))
    assert len(tarpit.received) == len(set(tarpit.ids)) == EVENTS


def test_a_worker_that_ends_starts_no_further_call(site: Site) -> None:
    mallory, ending = site.person("Mallory"), threading.Event()
    with receivers() as (tarpit, _), ThreadPoolExecutor(1) as worker:
        registers(site, mallory, tarpit)
        happens(site, mallory, EVENTS)
        run = worker.submit(calls, site, RunLimit(ending.is_set, Ticking()))
        tarpit.wait_until_full()
        ending.set()
        tarpit.release.set()
        run.result(LIMIT)
    assert len(tarpit.received) == SLOTS_PER_PERSON


def test_a_run_serves_others_for_a_while_after_it_should_end(site: Site) -> None:
    clock, ending = Ticking(), False
    with site.app.app_context():
        webhook_calls = WebhookCalls(RunLimit(lambda: ending, clock), clock)
    webhook_calls.running = {Future(): Due("delivery", "mallory")}
    assert webhook_calls.may_start()
    clock.at = RUN_SECONDS + 1
    assert webhook_calls.may_start()
    assert webhook_calls.excluded == {"mallory"}
    ending = True
    assert not webhook_calls.may_start(), "the whole worker ends"
    ending = False
    assert webhook_calls.may_start()
    clock.at += LINGER_SECONDS
    assert not webhook_calls.may_start()
    clock.at -= LINGER_SECONDS
    webhook_calls.running.clear()
    assert not webhook_calls.may_start(), "nothing is waited for"


def test_two_workers_call_each_webhook_once(any_site: Site) -> None:
    people = any_site.people("Anna", "Ben", "Carla")
    with Prompt() as prompt:
        for person in people:
            registers(any_site, person, prompt)
            happens(any_site, person, EVENTS)
        job = job_named("webhooks")
        workers = [runner_for(any_site.app, never) for _ in range(2)]
        done = at_once([lambda worker=worker: worker.run(job) for worker in workers])  # type: ignore[misc]
        assert all(not worker.failures for worker in workers)
        for worker in workers:
            worker.run(job)
    assert sum(done) > 0
    assert len(prompt.received) == len(set(prompt.ids)) == len(people) * EVENTS
