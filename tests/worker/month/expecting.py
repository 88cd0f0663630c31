"""What should have happened to one person, worked out from their log of events alone.

The log says what they were told and when, the moves say what was answered how; from the rules
follows when each decision was due and when they were reminded of it. What differs is written down
as a complaint.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tests.worker.month.people import Somebody
from tests.worker.month.reckoning import (
    GRACE,
    MISSES,
    Control,
    Span,
    reminders,
    runs_out,
    time_used,
)

NOTHING = timedelta()
LONGEST_PAUSE = timedelta(days=30)


class Told(NamedTuple):
    """An event of somebody's log. `at` is when it happened, for an answer when it was received;
    `heard` when they could read of it."""

    number: int
    type: str
    game: str | None
    data: dict[str, Any]
    at: datetime
    heard: datetime


class Moved(NamedTuple):
    """A line of a game's log, and how it came about first: it may be a pick that was changed."""

    seat: int
    decision: str
    via: str
    at: datetime


@dataclass
class Asked:
    """Something a person had to decide, since they were told of it."""

    told: Told
    allowed: timedelta
    since: datetime  # when the clock began to run, if it runs
    due: datetime | None = None
    due_when_told: datetime | None = None
    stands: tuple[Span, ...] = ()
    slept: bool = False  # it would have been due while they sleep
    used: timedelta = NOTHING  # before a pause
    left: timedelta | None = None  # after a pause
    ended: datetime | None = None  # this telling: answered, taken away, or paused
    closed: datetime | None = None

    @property
    def key(self) -> tuple[str | None, str]:
        return self.told.game, self.told.data["decision"]

    def is_open(self, at: datetime) -> bool:
        """Whether it waits for an answer after everything that happened at this instant."""
        return self.told.heard <= at and (self.closed is None or self.closed > at)

    def due_at(self, at: datetime) -> datetime | None:
        """Until when they had time, at an instant when it was open; None in a pause."""
        return self.due_when_told if self.ended is None or self.ended > at else None


@dataclass
class Place:
    """A person's seat in a game, with its clock."""

    seat: int
    control: Control
    store: timedelta
    away_used: timedelta = NOTHING
    misses: int = 0
    kept_by_bot: bool = False
    paused: datetime | None = None
    asked: Asked | None = None

    @property
    def budget(self) -> timedelta:
        return max(NOTHING, timedelta(days=self.control.absence_days) - self.away_used)


@dataclass
class Expected:
    """What one person should have been told, and what was wrong with what they were told."""

    who: Somebody
    places: Mapping[str, Place]
    moves: Mapping[tuple[str, int], Moved]
    worked: Callable[[datetime], datetime]  # when the worker got round to something
    asked: list[Asked] = field(default_factory=list)
    reminded: list[Told] = field(default_factory=list)
    away_told: list[Told] = field(default_factory=list)
    taken_over: list[tuple[datetime, str]] = field(default_factory=list)  # by bots
    in_time: list[bool] = field(default_factory=list)  # whether each was answered until it was due
    changed_automatic_picks: int = 0
    complaints: list[str] = field(default_factory=list)

    # Clocks

    def follow(self, log: Sequence[Told]) -> None:
        """Go through the log and compare every instant in it."""
        for number, told in enumerate(log, start=1):
            self._must(told.number == number, told, f"number {number} is missing")
            place = self.places.get(told.game or "")
            if place is not None:
                hear = getattr(self, "_" + told.type.replace(".", "_"), None)
                if hear is not None:
                    hear(told, place)
        for place in self.places.values():
            if place.asked is not None:
                self.complaints.append(f"{self.who.name}: {place.asked.key} was never closed")
        if sorted((told.at, told.game or "") for told in self.away_told) != sorted(self.taken_over):
            self.complaints.append(f"{self.who.name}: {self.away_told}, not {self.taken_over}")
        self._compare_reminders()

    def _must(self, holds: bool, told: Told, what: str) -> None:
        if not holds:
            self.complaints.append(f"{self.who.name}: {what} ({told})")

    def _decision_opened(self, told: Told, place: Place) -> None:
        self._must(not place.kept_by_bot, told, "asked though a bot keeps the seat")
        again = place.asked
        if again is None:
            asked = Asked(told, place.control.allows(place.store), told.at)
            seconds = asked.allowed
        else:  # after a pause
            self._must(again.key == (told.game, told.data["decision"]), told, "two at once")
            self._must(again.due is None and again.left is not None, told, "told twice")
            asked = Asked(told, again.allowed, told.at, used=again.used)
            seconds = again.left or NOTHING
        if place.paused is None:
            away = [
                absence.span for absence in self.who.absences if absence.announced <= told.heard
            ]
            running = runs_out(seconds, told.at, self.who.night, away, place.budget)
            asked.due, asked.stands, asked.slept = running
            asked.due_when_told = asked.due
        else:
            asked.left = asked.allowed
        due = told.data["due_at"] and datetime.fromisoformat(told.data["due_at"])
        self._must(due == asked.due, told, f"due should be {asked.due}")
        place.asked = asked
        self.asked.append(asked)

    def _game_moved(self, told: Told, place: Place) -> None:
        assert told.game is not None
        for n in range(told.data["from"], told.data["to"] + 1):
            move, asked = self.moves[told.game, n], place.asked
            if asked is not None and move.seat == place.seat and move.decision == asked.key[1]:
                self._answered(told, place, asked, move, by_itself=n > told.data["from"])

    def _answered(
        self, told: Told, place: Place, asked: Asked, move: Moved, by_itself: bool
    ) -> None:
        """Their decision was answered by them, or for them because time was up."""
        self.in_time.append(asked.due is None or told.at <= asked.due)
        if by_itself:
            used = NOTHING
        else:
            used = asked.used + self._run(place, asked, told.at)
            if move.via == "player":
                in_time = asked.due is None or told.heard <= self.worked(asked.due + GRACE)
                self._must(in_time, told, f"answered, but a time-out was expected, {asked.due}")
                place.misses = 0
            else:
                exactly = asked.due is not None and told.at == self.worked(asked.due + GRACE)
                self._must(exactly, told, f"a time-out was played, but due was {asked.due}")
                place.misses += 1
        place.store = max(NOTHING, asked.allowed - used)
        if place.misses >= MISSES:
            place.kept_by_bot = True
            self.taken_over.append((told.at, told.game or ""))
        self._close(place, told)

    def _run(self, place: Place, asked: Asked, until: datetime) -> timedelta:
        """The time that ran since the clock began; what it stood is taken from the budget."""
        if asked.due is None:
            return NOTHING
        used = time_used(asked.since, until, asked.stands)
        place.away_used += until - asked.since - used
        return used

    def _close(self, place: Place, told: Told) -> None:
        if place.asked is not None:
            for telling in self.asked:  # also of those before a pause
                if telling.key == place.asked.key and telling.closed is None:
                    telling.closed = told.heard
            place.asked.ended = place.asked.ended or told.heard
            place.asked = None

    def _game_paused(self, told: Told, place: Place) -> None:
        self._must(place.paused is None, told, "paused twice")
        place.paused = told.at
        asked = place.asked
        if asked is not None and asked.due is not None:
            asked.used += self._run(place, asked, told.at)
            asked.left = max(NOTHING, asked.allowed - asked.used)
            asked.due, asked.ended = None, told.heard

    def _game_resumed(self, told: Told, place: Place) -> None:
        longest = place.paused and self.worked(place.paused + LONGEST_PAUSE)
        self._must(longest is not None and told.at <= longest, told, "resumed too late")
        place.paused = None

    def _seat_away(self, told: Told, place: Place) -> None:
        if told.data["seat"] == place.seat:
            self.away_told.append(told)

    def _seat_back(self, told: Told, place: Place) -> None:
        if told.data["seat"] == place.seat:
            self._must(place.kept_by_bot, told, "came back, but was here")
            place.kept_by_bot, place.misses = False, 0
            place.store = place.control.store_on_return(place.store)

    def _pick_changed(self, told: Told, place: Place) -> None:
        """They are present, even after an automatic pick."""
        self.changed_automatic_picks += place.misses > 0
        place.misses = 0

    def _seat_resigned(self, told: Told, place: Place) -> None:
        if told.data["seat"] == place.seat:
            self._close(place, told)
            place.kept_by_bot = True

    def _game_finished(self, told: Told, place: Place) -> None:
        self._close(place, told)

    def _decision_reminder(self, told: Told, place: Place) -> None:
        self.reminded.append(told)

    def _compare_reminders(self) -> None:
        expected = sorted(
            {(at, *asked.key) for asked in self.asked for at in self._reminders(asked)}
        )
        found = sorted((told.at, told.game, told.data["decision"]) for told in self.reminded)
        for wrong in sorted(set(expected) ^ set(found)):
            what = "was not reminded" if wrong in expected else "was reminded"
            self.complaints.append(f"{self.who.name}: {what} {wrong}")
        if len(found) != len(set(found)):
            self.complaints.append(f"{self.who.name}: reminded twice")

    def _reminders(self, asked: Asked) -> Iterator[datetime]:
        """When they were reminded of what they were told then.

        After an outage, what should have come before comes with the letter that it is their turn;
        for those who get no such letter at once, by itself.
        """
        due, wanted = asked.due_when_told, self.who.mail.get("reminders", ["fifth"])
        settled = self.worked(asked.told.heard)
        with_turn = self.who.mail.get("turns", "every") in ("every", "batched")
        for at in [] if due is None else reminders(asked.told.at, due, wanted, self.who.night):
            done = self.worked(max(at, settled))
            useful = due is not None and done < due and (at > settled or not with_turn)
            if useful and (asked.ended is None or done < asked.ended):
                yield done
