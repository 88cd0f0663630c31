"""How the house stands: what is open, what waits, who gave a sign of life, what needs a look."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select

from service.db import heartbeats
from service.db.heartbeats import JobHeartbeat
from service.db.models import (
    Decision,
    Delivery,
    Game,
    GameAudit,
    Incoming,
    IncomingState,
    Letter,
    LetterState,
    Person,
    Status,
)
from service.db.models.events_webhooks import DeliveryState
from service.db.models.outgoing_mail import BACK_OFF
from service.db.server_clock import database_now
from service.db.session import db
from service.mail.outgoing.server_backoff import Outage, outages

LATE = timedelta(minutes=5)  # the house should have answered by then, or sent what is due
RECENTLY = timedelta(days=1)
AUDITED_WITHIN = timedelta(days=7)


@dataclass(frozen=True)
class Decisions:
    """What the games wait for. Frozen games wait for those who run the house."""

    open: int
    of_people: int
    of_bots: int
    overdue: int
    overdue_since: datetime | None
    bots_since: datetime | None


@dataclass(frozen=True)
class Outbox:
    """What is on its way by one channel, out or in."""

    by_state: Mapping[str, int]
    due_since: datetime | None  # when the one that waits longest should have been tried
    died_lately: int


@dataclass(frozen=True)
class ServiceStatus:
    at: datetime
    games: Mapping[str, int]
    paused: int
    frozen: Sequence[str]
    decisions: Decisions
    letters: Outbox
    deliveries: Outbox
    incoming: Outbox
    mail_servers_away: Sequence[Outage]
    unreachable: int  # people to whom no mails are sent, since they came back
    jobs: Sequence[JobHeartbeat]
    wrong_clock: str | None = None  # of a worker that refuses to work, in a sentence
    oldest_audit: datetime | None = None  # of the running game that waits longest for its next


_FROZEN = select(Game.id).where(Game.status == Status.running, Game.frozen_at.is_not(None))


def service_status(at: datetime) -> ServiceStatus:
    """How everything stands at this instant."""
    states = dict.fromkeys(Status, 0) | _counted(Game.status)
    return ServiceStatus(
        at=at,
        games={str(state): count for state, count in states.items()},
        paused=_count(Game.paused_at.is_not(None), Game.status == Status.running),
        frozen=db.session.scalars(_FROZEN.order_by(Game.frozen_at, Game.id)).all(),
        decisions=_decisions(at),
        letters=_letters(at),
        deliveries=_deliveries(at),
        incoming=_incoming(at),
        mail_servers_away=outages(),
        unreachable=_unreachable(),
        jobs=heartbeats.job_heartbeats(database_now()),
        wrong_clock=heartbeats.wrong_clock(database_now()),
        oldest_audit=oldest_audit(),
    )


def _count(*which: ColumnElement[bool]) -> int:
    return db.session.execute(select(func.count()).select_from(Game).where(*which)).scalar_one()


def _counted(state: Any) -> dict[Any, int]:
    rows = db.session.execute(select(state, func.count()).group_by(state))
    return {row[0]: row[1] for row in rows}


def _decisions(at: datetime) -> Decisions:
    by_bot = Decision.person_id.is_(None)
    late = ~by_bot & (Decision.due_at <= at)
    found = db.session.execute(
        select(
            func.count(),
            func.count().filter(by_bot),
            func.count().filter(late),
            func.min(Decision.due_at).filter(late),
            func.min(Decision.opened_at).filter(by_bot),
        ).where(Decision.closed_at.is_(None), Decision.game_id.not_in(_FROZEN))
    ).one()
    everything, of_bots, overdue, overdue_since, bots_since = found
    return Decisions(everything, everything - of_bots, of_bots, overdue, overdue_since, bots_since)


def _letters(at: datetime) -> Outbox:
    """A letter does not say when it died: at the latest when it had been tried every time."""
    since = at - RECENTLY - sum(BACK_OFF, timedelta())
    return Outbox(
        _by_state(Letter.state, LetterState),
        db.session.scalar(select(func.min(Letter.next_try_at)).where(Letter.next_try_at <= at)),
        db.session.scalar(
            select(func.count())
            .select_from(Letter)
            .where(Letter.state == LetterState.dead, Letter.created_at > since)
        )
        or 0,
    )


def _deliveries(at: datetime) -> Outbox:
    return Outbox(
        _by_state(Delivery.state, DeliveryState),
        db.session.scalar(select(func.min(Delivery.next_try_at)).where(Delivery.next_try_at <= at)),
        db.session.scalar(
            select(func.count())
            .select_from(Delivery)
            .where(Delivery.state == DeliveryState.dead, Delivery.tried_at > at - RECENTLY)
        )
        or 0,
    )


def _incoming(at: datetime) -> Outbox:
    return Outbox(
        _by_state(Incoming.state, IncomingState),
        db.session.scalar(select(func.min(Incoming.next_try_at)).where(Incoming.next_try_at <= at)),
        db.session.scalar(
            select(func.count())
            .select_from(Incoming)
            .where(Incoming.state == IncomingState.dead, Incoming.done_at > at - RECENTLY)
        )
        or 0,
    )


def _unreachable() -> int:
    found = select(func.count()).select_from(Person).where(Person.unreachable_since.is_not(None))
    return db.session.execute(found).scalar_one()


def _by_state(column: Any, states: Any) -> dict[str, int]:
    return {
        str(state): count for state, count in (dict.fromkeys(states, 0) | _counted(column)).items()
    }


def warnings_in(seen: ServiceStatus, expected: Sequence[str]) -> Iterator[str]:
    """What somebody should look at, in sentences; `expected` are the jobs there should be."""
    at, decisions = seen.at, seen.decisions
    if _long_ago(decisions.overdue_since, at):
        yield f"{counted(decisions.overdue, 'decision')} overdue: is there a worker for deadlines?"
    if _long_ago(decisions.bots_since, at):
        yield f"{counted(decisions.of_bots, 'decision')} of bots wait: is there a worker for them?"
    if seen.frozen:
        yield f"{counted(len(seen.frozen), 'game')} frozen: see `laguna audit {seen.frozen[0]}`."
    for outage in seen.mail_servers_away:
        since = f"{outage.away_since:%Y-%m-%d %H:%M:%S} UTC"
        yield f"Mail server {outage.name} away since {since}: {outage.error}; letters wait."
    if not seen.mail_servers_away and _long_ago(seen.letters.due_since, at):
        yield "Letters wait that should have been sent: is there a worker for mail?"
    if seen.letters.died_lately:
        dead = counted(seen.letters.died_lately, "letter")
        yield f"{dead} given up lately: see `laguna outbox list --state dead`."
    if _long_ago(seen.deliveries.due_since, at):
        yield "Webhooks wait that should have been called: is there a worker for them?"
    if _long_ago(seen.incoming.due_since, at):
        yield "Mails came in and wait to be read: is there a worker for mail?"
    if seen.incoming.died_lately:
        dead = counted(seen.incoming.died_lately, "mail")
        yield f"{dead} that came in set aside: see `laguna mail list --state dead`."
    if seen.oldest_audit is not None and at - seen.oldest_audit > AUDITED_WITHIN:
        yield (
            f"A running game was not audited since {seen.oldest_audit:%Y-%m-%d %H:%M} UTC: "
            "is there a worker for upkeep, and is LAGUNA_AUDIT_SHARE large enough?"
        )
    if seen.wrong_clock is not None:
        yield seen.wrong_clock
    yield from silence(seen.jobs, expected)


def silence(jobs: Sequence[JobHeartbeat], expected: Sequence[str]) -> Iterator[str]:
    """What nobody does of what should be done."""
    known = {job.name: job for job in jobs}
    for name in expected:
        if name not in known:
            yield f"Nobody ever did a round of {name}: is there a worker for it?"
        elif known[name].silent:
            yield f"Nobody did a round of {name} since {known[name].at:%Y-%m-%d %H:%M:%S} UTC."


def counted(number: int, word: str) -> str:
    """As `1 game` or `2 games`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _long_ago(since: datetime | None, at: datetime) -> bool:
    return since is not None and at - since > LATE


def oldest_audit() -> datetime | None:
    """When the running game was audited for which that is longest ago; one that never was counts
    from its start. None if no game runs."""
    return db.session.execute(
        select(func.min(func.coalesce(GameAudit.at, Game.started_at)))
        .select_from(Game)
        .outerjoin(GameAudit, GameAudit.game_id == Game.id)
        .where(Game.status == Status.running, Game.frozen_at.is_(None))
    ).scalar_one()
