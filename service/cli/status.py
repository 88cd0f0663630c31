"""`laguna status`: the state of the service, with warnings."""

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
from service.ops.status import Outbox, ServiceStatus, missing_jobs, service_status, warnings_in

REDIS_SECONDS = 2.0

Queues = Mapping[str, int] | None  # None: without Redis, or if it does not answer


def show(options: argparse.Namespace) -> int:
    from worker.schedule import QUEUES

    if options.queues is not None:
        return _show_jobs(_job_names(options.queues.split(",")), options.json)
    jobs = _job_names(QUEUES)
    with opened_database():
        if settings().mail_in:
            jobs.append(MAIL_IN)
        seen = service_status(now())
        url = settings().redis_url
        queues, problem = (None, None) if url is None else _queues(url, QUEUES)
    warnings = [*warnings_in(seen, jobs), *([problem] if problem else [])]
    if options.json:
        print_json({"status": seen, "queues": queues, "warnings": warnings})
        return 1 if warnings else 0
    for name, value in _lines(seen, queues, url is not None):
        print(f"{name:<12} {value}")
    return _show_warnings(warnings)


def _job_names(queues: Sequence[str]) -> list[str]:
    """The jobs of these queues, of which `mail-in` is one."""
    from worker.schedule import jobs_of

    others = [name for name in queues if name.strip() != MAIL_IN]
    jobs = [job.name for job in jobs_of(queues_named(",".join(others)))] if others else []
    return jobs if len(others) == len(queues) else [*jobs, MAIL_IN]


def _show_jobs(jobs: list[str], as_json: bool) -> int:
    """Show only whether these jobs run; quick enough for a health check."""
    with opened_database():
        at = database_now()
        found = [job for job in heartbeats.job_heartbeats(at) if job.name in jobs]
        wrong_clock = heartbeats.wrong_clock(at)
    warnings = list(missing_jobs(found, jobs))
    if warnings and wrong_clock is not None:  # the reason
        warnings.insert(0, wrong_clock)
    if as_json:
        print_json({"jobs": found, "warnings": warnings})
        return 1 if warnings else 0
    for job in found:
        print(_job(job, at))
    return _show_warnings(warnings)


def _show_warnings(warnings: list[str]) -> int:
    for warning in warnings:
        print(f"! {warning}")
    return 1 if warnings else 0


def _queues(url: str, names: tuple[str, ...]) -> tuple[Queues, str | None]:
    """The number of messages in each queue, or why it is not known."""
    from redis import Redis  # not needed without Redis
    from redis.exceptions import RedisError

    client = Redis.from_url(url, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS)
    try:
        with client.pipeline(transaction=False) as asked:
            for name in names:
                asked.llen(name)
            return dict(zip(names, asked.execute())), None
    except (RedisError, OSError) as error:
        return None, f"Redis does not answer ({type(error).__name__})."
    finally:
        client.close()


def _lines(seen: ServiceStatus, queues: Queues, redis: bool) -> Iterator[tuple[str, str]]:
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
    bounced = f"; not reachable: {seen.unreachable:,}" if seen.unreachable else ""
    yield "mail in", _outbox(seen.incoming, seen) + bounced
    yield "audit", _audits(seen)
    if queues is not None:
        yield "queues", ", ".join(f"{name} {length:,}" for name, length in queues.items())
    else:
        yield "queues", "not known" if redis else "in memory, without Redis"
    for place, job in enumerate(seen.jobs):
        yield "" if place else "jobs", _job(job, seen.at)
    if not seen.jobs:
        yield "jobs", "none has run yet"


def _job(job: JobHeartbeat, at: datetime) -> str:
    return f"{job.name:<10} {duration(at - job.at)} ago, every {job.every} s"


def _audits(seen: ServiceStatus) -> str:
    if seen.oldest_audit is None:
        return "no game is running"
    return f"all running games within {duration(seen.at - seen.oldest_audit)}"


def _outbox(outbox: Outbox, seen: ServiceStatus) -> str:
    states = ", ".join(f"{count:,} {state}" for state, count in outbox.by_state.items())
    if outbox.due_since is None:
        return states
    return f"{states}; the longest due for {duration(seen.at - outbox.due_since)}"
