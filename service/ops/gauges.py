"""Prometheus gauges of the whole service, refreshed by a job of the worker.

Counting takes hundreds of milliseconds on a large database. The worker does it twice a minute; a
scrape reads the last values, unless they are too old (`service.ops.metrics_server`).
"""

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from prometheus_client import Gauge

from service.ops.status import Outbox, ServiceStatus, service_status

UPDATED_NAME = "laguna_overview_timestamp_seconds"
# Of processes that share a directory, the last one that counted is right.
_gauge = partial(Gauge, multiprocess_mode="mostrecent")

UPDATED = _gauge(UPDATED_NAME, "When the gauges of the whole service were counted")
GAMES = _gauge("laguna_games", "Games by status", ["status"])
PAUSED = _gauge("laguna_games_paused", "Running games whose clocks are paused")
FROZEN = _gauge("laguna_games_frozen", "Games stopped by the audit")
DECISIONS = _gauge("laguna_decisions_open", "Open decisions", ["of"])
OVERDUE = _gauge("laguna_decisions_overdue", "Decisions past their deadline")
OVERDUE_SECONDS = _gauge("laguna_overdue_seconds", "Age of the oldest overdue decision")
LETTERS = _gauge("laguna_outbox_letters", "Letters by state", ["state"])
LETTERS_DUE = _gauge("laguna_outbox_letters_due_seconds", "Age of the oldest letter that is due")
DELIVERIES = _gauge("laguna_outbox_deliveries", "Webhook deliveries by state", ["state"])
DELIVERIES_DUE = _gauge(
    "laguna_outbox_deliveries_due_seconds", "Age of the oldest webhook delivery that is due"
)
INCOMING = _gauge("laguna_incoming_mails", "Incoming mails by state", ["state"])
INCOMING_DUE = _gauge("laguna_incoming_due_seconds", "Age of the oldest mail that is due")
MAIL_SERVER_AWAY = _gauge(
    "laguna_mail_server_away_seconds", "Time since the mail server cannot be reached"
)
AUDIT_AGE = _gauge("laguna_audit_age_seconds", "Time since the oldest audit of a running game")
UNREACHABLE = _gauge("laguna_unreachable", "People without mails because of bounces")
JOB_AGE = _gauge("laguna_job_age_seconds", "Time since a job last ran", ["job"])


def refresh_gauges(at: datetime) -> None:
    seen = service_status(at)
    _set_each(GAMES, seen.games)
    PAUSED.set(seen.paused)
    FROZEN.set(len(seen.frozen))
    _set_each(DECISIONS, {"people": seen.decisions.of_people, "bots": seen.decisions.of_bots})
    OVERDUE.set(seen.decisions.overdue)
    OVERDUE_SECONDS.set(_age(seen, seen.decisions.overdue_since))
    _set_outbox(LETTERS, LETTERS_DUE, seen, seen.letters)
    _set_outbox(DELIVERIES, DELIVERIES_DUE, seen, seen.deliveries)
    _set_outbox(INCOMING, INCOMING_DUE, seen, seen.incoming)
    away = [outage.away_since for outage in seen.mail_servers_away]
    MAIL_SERVER_AWAY.set(_age(seen, min(away, default=None)))
    AUDIT_AGE.set(_age(seen, seen.oldest_audit))
    UNREACHABLE.set(seen.unreachable)
    _set_each(JOB_AGE, {job.name: _age(seen, job.at) for job in seen.jobs})
    UPDATED.set(at.timestamp())


def _set_outbox(by_state: Gauge, due: Gauge, seen: ServiceStatus, outbox: Outbox) -> None:
    _set_each(by_state, outbox.by_state)
    due.set(_age(seen, outbox.due_since))


def _set_each(gauge: Gauge, values: Mapping[str, float]) -> None:
    for label, value in values.items():
        gauge.labels(label).set(value)


def _age(seen: ServiceStatus, since: datetime | None) -> float:
    return 0.0 if since is None else (seen.at - since).total_seconds()
