"""Which letters one person should have got, at what instant, and what stands in them.

At one instant people act first, then the worker: it plays for the absent and for bots, reminds,
settles which letters there are, and sends those that are due. So a letter is sent if its decision
is still open after everything else that happened at its instant.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tests.worker.month.expecting import Asked, Expected, Told
from tests.worker.month.people import Somebody
from tests.worker.month.reckoning import MINUTE, next_showing


class Letter(NamedTuple):
    """A letter by the event it tells of; without an instant it was not needed."""

    number: int
    kind: str
    sent: datetime | None
    says: tuple[str, ...] = ()  # what stands in it, among other things


@dataclass
class _Tray:
    """Letters that wait to be sent, with the instants when they are."""

    turns: dict[tuple[str | None, str], datetime] = field(default_factory=dict)
    digest: datetime | None = None

    def empty(self, now: datetime) -> None:
        """Those before this instant were sent."""
        self.turns = {key: at for key, at in self.turns.items() if at >= now}
        self.digest = None if self.digest is None or self.digest < now else self.digest


@dataclass
class Posting:
    """The letters to a person of whom it is known what they were asked."""

    expected: Expected
    hosted: Collection[str]  # tables of theirs
    mentioned: Mapping[tuple[str, int], Somebody]  # by game and number of the message
    delay: timedelta  # in which a turn may be taken before it is mailed

    def all(self, log: Sequence[Told]) -> Iterator[Letter]:
        """The letters that follow from the log, whether sent or not."""
        tray = _Tray()
        for now, settled in groupby(log, key=lambda told: self.expected.worked(told.heard)):
            together = list(settled)
            tray.empty(now)
            for told in together:
                letter = self._letter(told, now, together, tray)
                if letter is not None:
                    yield letter

    def _letter(
        self, told: Told, now: datetime, together: Sequence[Told], tray: "_Tray"
    ) -> Letter | None:
        """What follows from an event that the worker comes to now, with others."""
        turns = self.expected.who.mail.get("turns", "every")
        news = turns in ("every", "batched", "daily") and self.expected.who.mail.get("news", True)
        over = (told.game, "game.finished") in {(other.game, other.type) for other in together}
        asked = (told.game, "decision.opened") in {(other.game, other.type) for other in together}
        match told.type:
            case "decision.opened":
                return self._turn(told, now, turns, tray)
            case "decision.reminder":
                due = datetime.fromisoformat(told.data["due_at"])
                return self._said(told, "reminder", now, turns != "off", self._until(due))
            case "seat.away" if told in self.expected.away_told:
                return self._said(told, "away", now, turns != "off" and not over)
            case "game.started":
                return self._said(told, "started", now, news and not asked and not over)
            case "game.finished":
                return self._said(told, "finished", now, news)
            case "table.rematch":
                return self._said(told, "rematch", now, news)
            case "table.cancelled" if told.game not in self.hosted:
                return self._said(told, "cancelled", now, news)
            case "message.posted" if self._is_named(told):
                later = self.expected.worked(max(told.at + self.delay, now))
                return self._said(told, "mention", later, news, self.expected.who.name)
        return None

    def _said(self, told: Told, kind: str, at: datetime, wanted: bool, *says: str) -> Letter:
        return Letter(told.number, kind, at, says) if wanted else Letter(told.number, kind, None)

    def _is_named(self, told: Told) -> bool:
        return self.mentioned.get((told.game or "", told.data["n"])) is self.expected.who

    def _turn(self, told: Told, now: datetime, turns: str, tray: "_Tray") -> Letter:
        """A letter of its own for every decision, or one for all that are open."""
        asked = next(asked for asked in self.expected.asked if asked.told is told)
        kind = "digest" if turns in ("batched", "daily") else "turn"
        at: datetime | None = None
        if turns not in ("urgent", "off") and asked.is_open(now):
            if kind == "turn" and asked.key not in tray.turns:
                at = self.expected.worked(max(told.at + self.delay, now))
                tray.turns[asked.key] = at
            if kind == "digest" and tray.digest is None:
                at = tray.digest = self.expected.worked(max(self._digest_after(told.at), now))
        waiting = [] if at is None else self._open_at(at)
        if kind == "turn":
            waiting = [one for one in waiting if one.key == asked.key]
        if at is None or not waiting:
            return Letter(told.number, kind, None)
        says = [f"/games/{one.told.game}" for one in waiting]
        says += [self._until(one.due_at(at)) for one in waiting]
        if len(waiting) > 1:
            says.append(f"{len(waiting)} games wait for you")
        return Letter(told.number, kind, at, tuple(says))

    def _open_at(self, at: datetime) -> list[Asked]:
        """What waits for them then, by what they were told last."""
        last = {asked.key: asked for asked in self.expected.asked if asked.is_open(at)}
        return list(last.values())

    def _until(self, due: datetime | None) -> str:
        """How a letter says until when there is time, by the clocks where they live."""
        if due is None:
            return "stand still"
        there = due.astimezone(ZoneInfo(self.expected.who.zone))
        zone = f"{there:%Z}"  # some have no short name, but their distance from UTC
        named = f"UTC{zone}" if zone[0] in "+-" else zone
        return f"{there:%a} {there.day} {there:%b}, {there:%H:%M} {named}"

    def _digest_after(self, at: datetime) -> datetime:
        if self.expected.who.mail["turns"] == "batched":
            return at + int(self.expected.who.mail.get("delay_minutes", 60)) * MINUTE
        return next_showing(
            self.expected.who.zone, f"{self.expected.who.mail.get('daily_hour', 8):02}:00", at
        )
