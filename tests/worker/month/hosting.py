"""Tables: opened, filled, cancelled, paused, and played again."""

from dataclasses import replace
from functools import partial

from service.access.credentials import access_caller
from service.access.games import access_hosted, access_known_game
from service.access.scopes import TABLES_SEEK
from service.db.session import transact
from service.games import agreements, chat, rematches, table_creation
from service.games import tables as lobby
from tests.worker.month.cast import RESIGNED, Cast, Player, Seated
from tests.worker.month.reckoning import DAY, HOUR
from tests.worker.month.tables import Pause, Table

ABSENT = RESIGNED | {"seat_away"}
ENDED = frozenset({"not_finished", "not_open"})


class Hosting:
    def __init__(self, cast: Cast) -> None:
        self.cast = cast

    def lay(self, tables: list[Table]) -> None:
        for table in tables:
            self.cast.agenda.later(table.opens, partial(self._open, table))

    def _open(self, table: Table) -> None:
        """One opens a table, the others sit down at it: then the game begins."""
        by_name = {player.who.name: player for player in self.cast.players.values()}
        first, *others = players = [by_name[who.name] for who in table.players]
        if any(player.gone for player in players):
            return
        wanted = table_creation.TableSpec(
            game=table.game.meta.key,
            seats=table.seats + table.free,
            options=table.options,
            clock=table.clock,
            bots=table.bots,
        )
        at = self.cast.now
        game_id = transact(lambda: table_creation.open_table(access_caller(first.key), wanted, at))
        for player in others:
            transact(partial(self._join, player, game_id))
        if table.free:  # nobody else comes
            self.cast.agenda.later(at + DAY, partial(self._cancel, first, game_id))
            return
        self._begin(table, game_id)
        if table.pause is not None:
            self._plan_pause(table.pause, game_id, players)
        if table.mentions:
            self.cast.agenda.later(
                at + 3 * HOUR, partial(self._mention, first, players[-1], game_id)
            )

    def _join(self, player: Player, game_id: str) -> None:
        lobby.join(access_known_game(player.key, TABLES_SEEK, game_id), self.cast.now)

    def _begin(self, table: Table, game_id: str) -> None:
        self.cast.games[game_id] = Seated(table, game_id)

    def _cancel(self, host: Player, game_id: str) -> None:
        transact(lambda: lobby.cancel(access_hosted(host.key, TABLES_SEEK, game_id), self.cast.now))
        self.cast.agenda.did["cancelled a table"] += 1

    def _plan_pause(self, pause: Pause, game_id: str, players: list[Player]) -> None:
        """All want a pause, one after the other; perhaps one of them does not."""
        voters = players if pause.unanimous or len(players) == 1 else players[1:]
        when = self.cast.now + pause.after
        for n, player in enumerate(voters):
            self.cast.agenda.later(when + n * HOUR, partial(self._vote, player, game_id))
        if pause.ended is not None:
            ended = when + len(players) * HOUR + pause.ended
            self.cast.agenda.later(ended, partial(self._end_pause, players[-1], game_id))

    def _vote(self, player: Player, game_id: str) -> None:
        if not player.gone:
            access = partial(self.cast.seat, player, game_id)
            vote = partial(self.cast.may_fail, "voted for a pause", also=ABSENT)
            vote(lambda: agreements.vote_for_pause(access(), self.cast.now))

    def _end_pause(self, player: Player, game_id: str) -> None:
        if not player.gone:
            access = partial(self.cast.seat, player, game_id)
            end = partial(self.cast.may_fail, "ended a pause", also=ABSENT)
            end(lambda: agreements.end_pause(access(), self.cast.now))

    def _mention(self, player: Player, other: Player, game_id: str) -> None:
        def work() -> int:
            access = self.cast.seat(player, game_id)
            return int(chat.say(access, f"Ciao @{other.who.name}, bravo!", self.cast.now)["n"])

        if not player.gone and not other.gone and other is not player:
            self.cast.mentioned[game_id, transact(work)] = other.who
            self.cast.agenda.did["mentioned somebody"] += 1

    def rematch(self, player: Player, seated: Seated) -> None:
        """The first opens a table for the same people, the others accept: a new game."""
        if player.gone:
            return
        offered: list[str] = []

        def work() -> None:
            offered.append(rematches.rematch(self.cast.seat(player, seated.id), self.cast.now))

        if (
            self.cast.may_fail("wanted a rematch", work, ENDED)
            and offered[0] not in self.cast.games
        ):
            self._begin(replace(seated.table, lasts=3, pause=None, rematch=False), offered[0])
