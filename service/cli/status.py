"""`laguna status`: how the house stands, and whether somebody should look at it."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from service.cli.command_app import opened_database
from service.cli.output import duration, print_json
from service.cli.processes import queues_named
from service.core.clock import now
from service.core.current_settings import settings
from service.db import heartbeats
from service.db.heartbeats import MAIL_IN, JobHeartbeat
from service.db.server_clock import database_now
from service.ops.status import Outbox, ServiceStatus, service_status, silence, warnings_in

PATIENCE = 2.0  # seconds for Redis

Queues = Mapping[str, int] | None  # None: there is no Redis, or it does not answer


def show(options: argparse.Namespace) -> int:
    from worker.schedule import QUEUES

    if options.queues is not None:
        return _show_rounds(_job_names(options.queues.split(",")), options.json)
    jobs = _job_names(QUEUES)
    with opened_database():
        if settings().mail_in:
            jobs.append(MAIL_IN)
        seen = service_status(now())
        url = settings().redis_url
        queues, trouble = (None, None) if url is None else _queues(url, QUEUES)
    found = [*warnings_in(seen, jobs), *([trouble] if trouble else [])]
    if options.json:
        print_json({"status": seen, "queues": queues, "worries": found})
        return 1 if found else 0
    for name, said in _told(seen, queues, url is not None):
        print(f"{name:<12} {said}")
    return _show_worries(found)


def _job_names(queues: Sequence[str]) -> list[str]:
    """The rounds that somebody should do who looks after these queues, or takes mails in."""
    from worker.schedule import jobs_of

    others = [name for name in queues if name.strip() != MAIL_IN]
    jobs = [job.name for job in jobs_of(queues_named(",".join(others)))] if others else []
    return jobs if len(others) == len(queues) else [*jobs, MAIL_IN]


def _show_rounds(jobs: list[str], as_json: bool) -> int:
    """Only whether somebody does the rounds of these jobs; quick enough for a health check."""
    with opened_database():
        at = database_now()
        job_heartbeats = [
            job_heartbeat
            for job_heartbeat in heartbeats.job_heartbeats(at)
            if job_heartbeat.name in jobs
        ]
        wrong_clock = heartbeats.wrong_clock(at)
    found = list(silence(job_heartbeats, jobs))
    if found and wrong_clock is not None:  # which is why
        found.insert(0, wrong_clock)
    if as_json:
        print_json({"rounds": job_heartbeats, "worries": found})
        return 1 if found else 0
    for job_heartbeat in job_heartbeats:
        print(_round(job_heartbeat, at))
    return _show_worries(found)


def _show_worries(found: list[str]) -> int:
    for worry in found:
        print(f"! {worry}")
    return 1 if found else 0


def _queues(url: str, names: tuple[str, ...]) -> tuple[Queues, str | None]:
    """How many messages wait in each queue, or why that is not known."""
    from redis import Redis  # most installations of the embedded mode have none
    from redis.exceptions import RedisError

    client = Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
    try:
        with client.pipeline(transaction=False) as asked:
            for name in names:
                asked.llen(name)
            return dict(zip(names, asked.execute())), None
    except (RedisError, OSError) as error:
        return None, f"Redis does not answer ({type(error).__name__}); workers are not woken."
    finally:
        client.close()


def _told(seen: ServiceStatus, queues: Queues, redis: bool) -> Iterator[tuple[str, str]]:
    halted = f"{seen.paused} paused, {len(seen.frozen)} frozen"
    yield (
        "games",
        ", ".join(
            f"{count:,} {state}" + (f" ({halted})" if state == "running" else "")
            for state, count in seen.games.items()
        ),
    )
    decisions = seen.decisions
    waiting = f"{decisions.of_people:,} of people, {decisions.of_bots:,} of bots"
    since = decisions.overdue_since
    late = f"{decisions.overdue:,} overdue" + (
        f", the longest for {duration(seen.at - since)}" if since else ""
    )
    yield "decisions", f"{decisions.open:,} open ({waiting}); {late}"
    yield "letters", _outbox(seen.letters, seen)
    yield "webhooks", _outbox(seen.deliveries, seen)
    came_back = f"; not reachable: {seen.unreachable:,}" if seen.unreachable else ""
    yield "mail in", _outbox(seen.incoming, seen) + came_back
    yield "audit", _audits(seen)
    if queues is not None:
        yield "queues", ", ".join(f"{name} {length:,}" for name, length in queues.items())
    else:
        yield "queues", "not known" if redis else "in memory, there is no Redis"
    for place, job_heartbeat in enumerate(seen.jobs):
        yield "" if place else "rounds", _round(job_heartbeat, seen.at)
    if not seen.jobs:
        yield "rounds", "none yet"


def _round(job: JobHeartbeat, at: datetime) -> str:
    return f"{job.name:<10} {duration(at - job.at)} ago, every {job.every} s"


def _audits(seen: ServiceStatus) -> str:
    if seen.oldest_audit is None:
        return "no game runs"
    return f"all running games within {duration(seen.at - seen.oldest_audit)}"


def _outbox(outbox: Outbox, seen: ServiceStatus) -> str:
    told = ", ".join(f"{count:,} {state}" for state, count in outbox.by_state.items())
    if outbox.due_since is None:
        return told
    return f"{told}; the longest due for {duration(seen.at - outbox.due_since)}"
