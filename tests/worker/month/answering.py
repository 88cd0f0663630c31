"""Answering: people read their logs and answer, or not, each in their own way."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from engine.contract import GameType
from engine.errors import MoveError
from service.access.games import SeatAccess, access_seat
from service.access.scopes import GAMES_PLAY
from service.games import agreements, takeover
from service.games import moves as play
from service.games.loaded_game import load_game
from tests.worker.month.cast import RESIGNED, Cast, Player, Seated
from tests.worker.month.expecting import Told
from tests.worker.month.hosting import Hosting
from tests.worker.month.people import END, Answer, answers
from tests.worker.month.reckoning import DAY, GRACE, HOUR, MINUTE

MOST_WISHES = 20
JUST_BEFORE = GRACE - timedelta(seconds=1)  # before a time-out is played


class Answering:
    def __init__(self, cast: Cast, hosting: Hosting) -> None:
        self.cast, self.hosting = cast, hosting

    def read_logs(self) -> None:
        for person, last in self.cast.peek.last_events().items():
            player = self.cast.players[person]
            if last > len(player.log):
                for told in self.cast.peek.log(person, len(player.log), self.cast.now):
                    player.log.append(told)
                    self._hear(player, told)

    def _hear(self, player: Player, told: Told) -> None:
        seated = self.cast.games.get(told.game or "")
        if seated is None:
            return
        if told.type == "game.started":
            self._look_round(seated)
        elif told.type == "decision.opened":
            self._plan_answer(player, seated, told)
        elif told.type == "seat.away" and self._is_own(player, seated, told):
            self._plan_return(player, seated)
        elif told.type == "game.finished" and seated.table.rematch:
            first = seated.table.players[0] is player.who
            when = self.cast.now + (HOUR if first else DAY)
            self.cast.agenda.later(when, partial(self.hosting.rematch, player, seated))

    def _look_round(self, seated: Seated) -> None:
        """See who sits where: of a rematch, in the order in which they accepted."""
        seats = self.cast.peek.rows(
            "SELECT person_id FROM seat WHERE game_id = ? AND person_id IS NOT NULL"
            " ORDER BY number",
            seated.id,
        )
        players = tuple(self.cast.players[person].who for (person,) in seats)
        seated.table = replace(seated.table, players=players)

    def _is_own(self, player: Player, seated: Seated, told: Told) -> bool:
        return seated.table.players[told.data["seat"]] is player.who

    def _plan_answer(self, player: Player, seated: Seated, told: Told) -> None:
        due = told.data["due_at"] and datetime.fromisoformat(told.data["due_at"])
        if player.who.habit == "comes back" and self.cast.rng.random() < 0.15 and told.at < END:
            player.missing.add(seated.id)
        if player.who.habit == "resigns" and self.cast.rng.random() < 0.04:
            self.cast.agenda.later(told.at + HOUR, partial(self._resign, player, seated))
        if due is not None and self.cast.rng.random() < 0.05:
            self.cast.agenda.later(due + JUST_BEFORE, self.cast.agenda.suspect)
        plan = answers(self.cast.rng, player.who, told.at, due, seated.id in player.missing)
        if plan is None:
            return
        decision = told.data["decision"]
        arrives = plan.at + plan.arrives
        self.cast.agenda.later(arrives, partial(self._play, player, seated, decision, plan))
        if plan.again is not None:
            again = self._change if plan.changed else self._repeat
            self.cast.agenda.later(arrives + plan.again, partial(again, player, seated, decision))

    def _play(self, player: Player, seated: Seated, decision: str, plan: Answer) -> None:
        if player.gone:
            return

        def work() -> None:
            access = access_seat(player.key, GAMES_PLAY, seated.id)
            moves = self._choices(access, decision)
            # An answer to what is over need not make sense to be refused for that.
            seated.played[decision] = self.cast.rng.choice(moves) if moves else "-"
            seated.considered = moves
            received = self.cast.now - plan.arrives
            play.answer(access, decision, [seated.played[decision]], received)

        if not self.cast.may_fail("answered", work, RESIGNED):
            return
        seated.answered[player.id] += 1
        lasts = seated.table.lasts
        if self.cast.now > END or (lasts is not None and seated.answered[player.id] >= lasts):
            offer = partial(self._offer_to_end, player, seated)
            self.cast.may_fail("offered to end", offer)
        elif seated.table.wishes and seated.answered[player.id] % 3 == 1:
            self._leave_wishes(player, seated)

    def _choices(self, access: SeatAccess, decision: str) -> list[Any]:
        """The moves a seat may answer this decision with; none if it is over."""
        loaded = load_game(access.game, access.seats)
        game, state, seat = loaded.game, loaded.state, access.seat
        if not loaded.running or seat not in (*game.pending(state), *game.revisable(state)):
            return []
        current = game.decision(state, seat) == decision
        return list(game.legal_moves(state, seat)) if current else []

    def _repeat(self, player: Player, seated: Seated, decision: str) -> None:
        """Send the same answer again: nothing happens, whatever is answered."""
        if decision not in seated.played or player.gone:
            return
        before = self.cast.peek.position(seated.id)

        def work() -> None:
            access = access_seat(player.key, GAMES_PLAY, seated.id)
            play.answer(access, decision, [seated.played[decision]], self.cast.now)

        self.cast.may_fail("answered twice", work, RESIGNED)
        assert self.cast.peek.position(seated.id) == before, "the second answer did something"

    def _change(self, player: Player, seated: Seated, decision: str) -> None:
        """Choose something else, as long as it is secret; then it takes the place of the first."""
        before = self.cast.peek.position(seated.id)

        def work() -> None:
            access = access_seat(player.key, GAMES_PLAY, seated.id)
            moves = self._choices(access, decision)
            answer = self.cast.rng.choice(moves) if moves else "-"
            play.answer(access, decision, [answer], self.cast.now)

        if not player.gone and self.cast.may_fail("changed a pick", work, RESIGNED):
            after = self.cast.peek.position(seated.id)
            assert (after.moves, after.closed) == (before.moves, before.closed)
        else:
            assert self.cast.peek.position(seated.id) == before

    def _leave_wishes(self, player: Player, seated: Seated) -> None:
        """A ranked list for the next time that time is up, in words of the game's own notation."""
        game, other = seated.table.game, seated.considered
        words = {word for move in other for word in game.format(move).split()}
        wanted = [word for word in sorted(words) if _is_wish(game, word)][:MOST_WISHES]
        self.cast.may_fail(
            "left a list", lambda: play.leave_wishes(self.cast.seat(player, seated.id), wanted)
        )

    def _offer_to_end(self, player: Player, seated: Seated) -> None:
        agreements.offer_to_end(self.cast.seat(player, seated.id), self.cast.now)

    def _resign(self, player: Player, seated: Seated) -> None:
        if not player.gone:
            access = partial(self.cast.seat, player, seated.id)
            self.cast.may_fail(
                "resigned", lambda: agreements.resign(access(), self.cast.now), RESIGNED
            )

    def _plan_return(self, player: Player, seated: Seated) -> None:
        """Some come back when a bot has kept their seat for a while."""
        player.missing.discard(seated.id)
        if player.who.habit != "never" and self.cast.now < END and self.cast.rng.random() < 0.8:
            back = self.cast.now + self.cast.rng.choice((MINUTE, HOUR, 5 * HOUR, 2 * DAY))
            self.cast.agenda.later(back, partial(self._come_back, player, seated))

    def _come_back(self, player: Player, seated: Seated) -> None:
        """With one click; or by answering what the bot has not answered yet, or by changing what
        it has picked, if that is still secret."""

        def work() -> None:
            access = access_seat(player.key, GAMES_PLAY, seated.id)
            loaded = load_game(access.game, access.seats)
            game, state, seat = loaded.game, loaded.state, access.seat
            asked = seat in (*game.pending(state), *game.revisable(state))
            moves = list(game.legal_moves(state, seat)) if loaded.running and asked else []
            if len(moves) > 1 and self.cast.rng.random() < 0.7:
                move = self.cast.rng.choice(moves)
                play.answer(access, game.decision(state, seat), [move], self.cast.now)
                self.cast.agenda.did["came back by an answer"] += 1
            else:
                takeover.come_back(access, self.cast.now)

        if not player.gone:
            self.cast.may_fail("came back", work, RESIGNED)


def _is_wish(game: GameType, word: str) -> bool:
    try:
        return bool(game.read_preferences([word]))
    except MoveError:
        return False
