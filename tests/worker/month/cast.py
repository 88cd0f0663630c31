"""Everybody who plays this month, with an account each and a seat at some tables."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from random import Random
from typing import Any

from service.access.accounts import access_own_account
from service.access.credentials import Key, access_caller
from service.access.games import SeatAccess, access_seat
from service.access.scopes import GAMES_PLAY, SCOPES
from service.accounts import absences
from service.accounts.deletion import delete_account
from service.accounts.profile import change_settings, make_person, make_token
from service.core.errors import Problem
from service.core.ids import digest
from service.db.session import transact
from tests.worker.month.agenda import Agenda, Peek
from tests.worker.month.expecting import Told
from tests.worker.month.people import Absence, Somebody
from tests.worker.month.tables import Table

# What somebody may be told whose answer comes too late, or a second time.
TOO_LATE = frozenset({"decision_closed", "game_over"})
RESIGNED = frozenset({"resigned", "game_over"})


@dataclass
class Player:
    """Somebody with an account."""

    who: Somebody
    id: str
    key: Key
    log: list[Told] = field(default_factory=list)  # what they have read of their events
    missing: set[str] = field(default_factory=set)  # games they stay away from
    gone: datetime | None = None  # for good


@dataclass
class Seated:
    """A game that has begun, as the people at the table know it."""

    table: Table
    id: str
    answered: Counter[str] = field(default_factory=Counter)  # by person
    played: dict[str, Any] = field(default_factory=dict)  # moves by decision
    considered: list[Any] = field(default_factory=list)  # for the last answer


class Cast:
    """People, their games, and what they do beside playing."""

    def __init__(self, agenda: Agenda, peek: Peek, rng: Random) -> None:
        self.agenda, self.peek, self.rng = agenda, peek, rng
        self.players: dict[str, Player] = {}
        self.games: dict[str, Seated] = {}
        self.mentioned: dict[tuple[str, int], Somebody] = {}  # by game and number of the message

    @property
    def now(self) -> datetime:
        return self.agenda.now

    def seat(self, player: Player, game_id: str) -> SeatAccess:
        return access_seat(player.key, GAMES_PLAY, game_id)

    def may_fail(
        self, what: str, work: Callable[[], Any], also: frozenset[str] = frozenset()
    ) -> bool:
        """Do something that may come too late; whether it was done."""
        try:
            transact(work)
        except Problem as refused:
            if refused.code not in TOO_LATE | also:
                raise
            self.agenda.did[f"{what}: {refused.code}"] += 1
            return False
        self.agenda.did[what] += 1
        return True

    def move_in(self, people: list[Somebody]) -> None:
        for who in people:
            player = transact(partial(self._new_player, who))
            self.players[player.id] = player
            for absence in who.absences:
                self.agenda.later(absence.announced, partial(self._announce, player, absence))
            if who.leaves is not None:
                self.agenda.later(who.leaves, partial(self._leave_for_good, player))

    def _new_player(self, who: Somebody) -> Player:
        person = make_person(who.email, who.name, self.now)
        begins, ends = who.sleep or (None, None)
        change_settings(
            person,
            {"time_zone": who.zone, "sleep_from": begins, "sleep_to": ends, "mail": who.mail},
        )
        secret = make_token(person, "month", tuple(SCOPES), self.now, None).secret
        return Player(who, person.id, Key(digest(secret)))

    def _announce(self, player: Player, absence: Absence) -> None:
        start, end = absence.span
        transact(lambda: absences.announce_span(access_caller(player.key), start, end, self.now))
        self.agenda.did["announced an absence"] += 1

    def _leave_for_good(self, player: Player) -> None:
        def work() -> None:
            account = access_own_account(access_caller(player.key), for_update=True)
            delete_account(account, self.now)

        transact(work)
        player.gone = self.now
        self.agenda.did["left for good"] += 1
