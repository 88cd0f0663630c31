"""What is planned for when, by a clock that stands still in between; and a look at the database."""

import heapq
import itertools
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tests.support.site import Site
from tests.worker.month.expecting import Told
from tests.worker.month.reckoning import GRACE, Span


class Agenda:
    """Things that people will do, in order; and the present."""

    def __init__(self, site: Site, begin: datetime) -> None:
        self.site, self.begin = site, begin
        site.clock.at = begin
        self.heap: list[tuple[datetime, int, Callable[[], None]]] = []
        self.order = itertools.count()
        self.did: Counter[str] = Counter()  # what was done how often
        self.suspicious = False  # whether to make sure that the worker has nothing to do now

    @property
    def now(self) -> datetime:
        return self.site.clock.at

    def later(self, at: datetime, what: Callable[[], None]) -> None:
        heapq.heappush(self.heap, (max(at, self.now), next(self.order), what))

    def suspect(self) -> None:
        self.suspicious = True

    def next(self) -> datetime | None:
        return self.heap[0][0] if self.heap else None

    def go_to(self, at: datetime) -> None:
        """Let it be this instant, and everything happen that is planned for it."""
        assert at >= self.now, f"{at} is over"
        self.site.clock.at = at
        while self.heap and self.heap[0][0] <= at:
            heapq.heappop(self.heap)[2]()


def after_outages(outages: Sequence[Span], at: datetime) -> datetime:
    """When the worker gets round to what is to be done at this instant."""
    return next((span.end for span in outages if span.start <= at < span.end), at)


class Work(NamedTuple):
    """What the columns of the database say that the worker has to do, and when."""

    due: datetime | None
    reminder: datetime | None
    letter: datetime | None
    pause_over: datetime | None
    bots: bool
    unsettled: bool

    def instants(self) -> list[datetime]:
        house_plays = None if self.due is None else self.due + GRACE
        found = (house_plays, self.reminder, self.letter, self.pause_over)
        return [at for at in found if at is not None]


class Position(NamedTuple):
    """How far a game is; a second answer must not change it."""

    moves: int
    version: int
    state: str
    closed: int


_WORK = """
SELECT (SELECT min(due_at) FROM decision WHERE closed_at IS NULL AND person_id IS NOT NULL),
       (SELECT min(remind_at) FROM decision WHERE closed_at IS NULL AND remind_at IS NOT NULL),
       (SELECT min(next_try_at) FROM letter WHERE next_try_at IS NOT NULL),
       (SELECT min(paused_until) FROM game WHERE paused_until IS NOT NULL),
       EXISTS (SELECT 1 FROM decision
               WHERE closed_at IS NULL AND due_at IS NULL AND person_id IS NULL),
       EXISTS (SELECT 1 FROM person WHERE last_event > noticed)
"""
_POSITION = """
SELECT moves, version, state,
       (SELECT count(*) FROM decision WHERE game_id = game.id AND closed_at IS NOT NULL)
FROM game WHERE id = ?
"""
_LOG = """
SELECT number, type, game_id, data, at FROM event
WHERE person_id = ? AND number > ? ORDER BY number
"""


class Peek:
    """Reads the database file beside the service, without its code."""

    def __init__(self, site: Site) -> None:
        path = site.settings.database_url.removeprefix("sqlite:///")
        self.file = sqlite3.connect(path, isolation_level=None)

    def rows(self, query: str, *values: object) -> list[Any]:
        return self.file.execute(query, values).fetchall()

    def work(self) -> Work:
        ((due, reminder, letter, pause, bots, unsettled),) = self.rows(_WORK)
        instants = (moment(due), moment(reminder), moment(letter), moment(pause))
        return Work(*instants, bool(bots), bool(unsettled))

    def position(self, game_id: str) -> Position:
        (row,) = self.rows(_POSITION, game_id)
        return Position(*row)

    def in_grace(self, at: datetime) -> list[tuple[str, str]]:
        """Overdue decisions within the grace period."""
        return self.rows(
            "SELECT game_id, id FROM decision WHERE closed_at IS NULL AND due_at <= ?", stored(at)
        )

    def letters_due(self, at: datetime) -> list[str]:
        found = self.rows("SELECT id FROM letter WHERE next_try_at <= ?", stored(at))
        return [letter for (letter,) in found]

    def last_events(self) -> dict[str, int]:
        return dict(self.rows("SELECT id, last_event FROM person WHERE deleted_at IS NULL"))

    def log(self, person: str, after: int, heard: datetime) -> list[Told]:
        return [
            Told(number, kind, game, json.loads(data), instant(at), heard)
            for number, kind, game, data, at in self.rows(_LOG, person, after)
        ]


def moment(value: str | None) -> datetime | None:
    return None if value is None else instant(value)


def instant(value: str) -> datetime:
    """An instant as SQLite keeps it."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


def stored(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}"
