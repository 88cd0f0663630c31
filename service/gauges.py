"""How the house stands, as numbers for Prometheus: read from the database when they are asked for,
so that they are right however many processes there are, and on however many machines."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from service.overview import Outbox, Overview, overview

FRESH = timedelta(seconds=5)


class _House(Collector):
    def __init__(self, seen: Overview) -> None:
        self.seen = seen

    def collect(self) -> Iterator[GaugeMetricFamily]:
        seen, decisions = self.seen, self.seen.decisions
        yield _by("laguna_games", "Games by status", "status", seen.games)
        yield _one("laguna_games_paused", "Games whose clocks stand still", seen.paused)
        yield _one("laguna_games_frozen", "Games that the audit stopped", len(seen.frozen))
        open_now = {"people": decisions.of_people, "bots": decisions.of_bots}
        yield _by("laguna_decisions_open", "Decisions that games wait for", "of", open_now)
        yield _one("laguna_decisions_overdue", "Decisions whose time is up", decisions.overdue)
        yield self._since(
            "laguna_overdue_seconds", "For how long the first is overdue", decisions.overdue_since
        )
        yield from self._outbox("letters", seen.letters)
        yield from self._outbox("deliveries", seen.deliveries)
        yield _by(
            "laguna_incoming", "Mails that came in, by state", "state", seen.incoming.by_state
        )
        yield self._since(
            "laguna_incoming_due_seconds",
            "For how long the first waits to be read",
            seen.incoming.due_since,
        )
        yield _one("laguna_unreachable", "People whose mails came back", seen.unreachable)
        ages = {lane.name: self._age(lane.at) for lane in seen.lanes}
        yield _by("laguna_round_age_seconds", "Since the last round of a job", "job", ages)

    def _outbox(self, name: str, outbox: Outbox) -> Iterator[GaugeMetricFamily]:
        yield _by(f"laguna_outbox_{name}", f"{name.title()} by state", "state", outbox.by_state)
        yield self._since(
            f"laguna_outbox_{name}_due_seconds", "For how long the first is due", outbox.due_since
        )

    def _since(self, name: str, meaning: str, since: datetime | None) -> GaugeMetricFamily:
        return _one(name, meaning, 0 if since is None else self._age(since))

    def _age(self, since: datetime) -> float:
        return (self.seen.at - since).total_seconds()


def _one(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)


def _by(name: str, meaning: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, meaning, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


class Gauges:
    """The numbers in the form of Prometheus, read anew when they are not fresh any more: whoever
    may ask for metrics may ask often."""

    def __init__(self) -> None:
        self.kept: tuple[datetime, bytes] | None = None

    def read(self, at: datetime) -> bytes:
        if self.kept is None or abs(at - self.kept[0]) >= FRESH:
            registry = CollectorRegistry(auto_describe=False)
            registry.register(_House(overview(at)))
            self.kept = at, generate_latest(registry)
        return self.kept[1]
