"""A game as the reader of a letter may see it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from sqlalchemy import bindparam, select

from engine.contract import Event, Json
from engine.decisions import seat_view
from engine.record import as_seen_by, visible_events
from service.access.games import GameAccess, access_for_letter
from service.core.current_settings import settings
from service.core.ics import deadline_uid
from service.db.models import Decision, Move
from service.db.session import AnyRow, execute, table
from service.games import views
from service.games.choices import best_first
from service.games.loaded_game import LoadedGame, load_game
from service.games.results import GameResult, result_of
from service.mail.outgoing.board_png import Picture
from service.mail.outgoing.compose.board_image import drawn
from service.mail.outgoing.compose.context import Deadline, LetterContext, NotNeeded

MOST_NEWS = 20  # they stand before the choices
LONGEST_LOG = 40

_DECISION, _MOVE = table(Decision), table(Move)
_ASKED = select(*_DECISION.c["person_id", "due_at", "closed_at"]).where(
    _DECISION.c.game_id == bindparam("game"), _DECISION.c.id == bindparam("decision")
)
_HAPPENED = (
    select(*_MOVE.c["n", "seat", "events"])
    .where(_MOVE.c.game_id == bindparam("game"))
    .order_by(_MOVE.c.n)
)


class Table:
    """The game of a letter, or one of several."""

    def __init__(self, context: LetterContext, game_id: str) -> None:
        self.context = context
        self.access: GameAccess = access_for_letter(context.reader.id, game_id)
        self.loaded: LoadedGame = load_game(self.access.game, self.access.seats)
        self.game = self.loaded.game
        self.row = self.access.game

    @property
    def title(self) -> str:
        return str(self.row.title or self.game.meta.title)

    @property
    def quiet(self) -> bool:
        """Whether the reader wants no mails about this game."""
        own = self.access.seat
        return own is not None and bool(self.loaded.seats[own].quiet)

    @property
    def seat(self) -> int:
        """The reader's seat, of those who have one."""
        if self.access.seat is None:
            raise NotNeeded("not_seated")
        return self.access.seat

    def facts(self) -> Json:
        """What every letter about a game may say."""
        own = self.access.seat
        others = [seat.name for seat in self.loaded.seats if seat.number != own and seat.name]
        return {
            "table": self.title,
            "named": self.title if self.row.title else f"{self.title} {self.row.id[:4]}",
            "game": self.game.meta.title,
            "others": self.context.listed(others),
            "link": self.context.link(f"/games/{self.row.id}"),
        }

    @cached_property
    def view(self) -> Json:
        """The position as the reader knows it, with what they are asked."""
        loaded, names = self.loaded, self.loaded.names
        view = seat_view(self.game, loaded.state, self.access.seat, names, self.context.language)
        return views.as_it_ended(loaded, view)

    @cached_property
    def _moves(self) -> Sequence[AnyRow]:
        return execute(_HAPPENED, {"game": self.row.id}).all()

    def _since(self, n: int, seat: int | None) -> list[Event]:
        """What happened after a move, as a seat or a spectator may know it."""
        eyes = views.sight(self.loaded, seat) if seat is not None else as_seen_by(None)
        return [
            event
            for move in self._moves
            if move.n > n
            for event in visible_events(move.events, eyes)
        ]

    def _last_turn(self, seat: int) -> int:
        """The number of a seat's last move."""
        return max((move.n for move in self._moves if move.seat == seat), default=0)

    def position(self) -> Json:
        """What happened, how it stands, and the board."""
        if self.loaded.frozen:
            raise NotNeeded("frozen")
        happened = self._sentences(self._since(self._last_turn(self.seat), self.seat))
        return {
            "news": happened[-MOST_NEWS:],
            "earlier": max(0, len(happened) - MOST_NEWS),
            "scores": self.scores(),
            "board": self.board(),
            "alt": self.words(),
        }

    def log(self) -> list[str]:
        """The last things that happened, whoever did them."""
        return self._sentences(self._since(0, self.seat))[-LONGEST_LOG:]

    def _sentences(self, events: Sequence[Event]) -> list[str]:
        names, language = self.loaded.names, self.context.language
        return [self.game.sentence(event, names, language) for event in events]

    def board(self) -> str:
        return self.game.board_text(self.view, self.loaded.names, self.context.language).rstrip()

    def words(self) -> str:
        """The position in words, for who cannot see the picture: what the picture shows."""
        shown = views.as_it_ended(self.loaded, self.game.view(self.loaded.state, None))
        return self.game.board_summary(shown, self.loaded.names, self.context.language)

    def picture(self) -> Picture | None:
        """The board as everybody may see it, so that one drawing is good for all letters of an
        instant; what changed since anybody's last turn is marked."""
        after = min(self._last_turn(seat.number) for seat in self.loaded.seats)
        return drawn(self.loaded, self._since(after, None), self.context.language)

    @cached_property
    def result(self) -> GameResult:
        """The result of the game, or everybody's score and place as it stands."""
        return result_of(self.loaded)

    def scores(self) -> list[Json]:
        """The points of everybody, the best first, with what they came from."""
        causes: list[dict[str, int]] = [defaultdict(int) for _ in self.loaded.seats]
        for event in self._since(0, self.access.seat):
            if event["type"] == "points":
                causes[event["seat"]][event["for"]] += event["points"]
        result = self.result
        return [
            {
                "place": result.ranking[seat],
                "name": self.loaded.seats[seat].name,
                "points": result.scores[seat],
                "you": seat == self.access.seat,
                "causes": self._causes(causes[seat], result.scores[seat]),
            }
            for seat in result.seats_by_place
        ]

    def _causes(self, causes: Mapping[str, int], points: int) -> str:
        """`workshops 12, nobili 3`; what no event tells is what everybody began with."""
        told = [
            f"{self.game.cause(cause, self.context.language)} {worth}"
            for cause, worth in sorted(causes.items(), key=lambda of: -of[1])
        ]
        if (first := points - sum(causes.values())) > 0:
            told.append(self.context.say("at the start %(points)d", points=first))
        return ", ".join(told)

    def question(self, decision: str) -> "Question":
        """What the reader is asked; raises NotNeeded if they are not asked this any more."""
        seat = self.loaded.seats[self.seat]
        if not self.loaded.running:
            raise NotNeeded("over")
        if self.loaded.frozen:
            raise NotNeeded("frozen")
        if seat.bot:
            raise NotNeeded("taken_over")
        asked = execute(_ASKED, {"game": self.row.id, "decision": decision}).one()
        if asked.closed_at is not None or asked.person_id != self.context.reader.id:
            raise NotNeeded("answered")
        return self._question(asked.due_at)

    def open_question(self, revising: bool) -> "Question | None":
        """What the reader is asked, if anything; also what they have answered and may still
        change, if they want to."""
        decision = self.view["decision"]
        if decision is None or not self.loaded.running or self.loaded.seats[self.seat].bot:
            return None
        if decision["revising"] and not revising:
            return None
        asked = execute(_ASKED, {"game": self.row.id, "decision": decision["id"]}).one_or_none()
        return None if asked is None else self._question(asked.due_at)

    def _question(self, due_at: datetime | None) -> "Question":
        decision = self.view["decision"]
        words = self.game.question(self.view, self.loaded.names, self.context.language)
        choices = best_first(self.game, self.view)
        return Question(self, decision["id"], decision["revising"], due_at, words, choices)


def wanted(context: LetterContext) -> Table:
    """The game of a letter; raises NotNeeded if the reader wants no mails about it."""
    about = Table(context, context.letter.game_id)
    if about.quiet:
        raise NotNeeded("quiet")
    return about


class Question(NamedTuple):
    """What somebody is asked, with all their choices."""

    about: Table
    decision: str
    revising: bool  # it was answered, and the answer may still be changed
    due_at: datetime | None
    words: str
    choices: list[Json]

    def facts(self) -> Json:
        context = self.about.context
        changeable = context.say("You can change your choice until everybody has chosen.")
        return {
            "question": self.words,
            "ends": changeable if self.revising else context.ends(self.due_at),
            "left": None if self.due_at is None else context.left(self.due_at),
            "choices": self.choices,
        }

    def deadline(self) -> Deadline | None:
        """For the calendar of who wants it there."""
        if self.due_at is None or not self.about.context.wants_calendar:
            return None
        row = self.about.row
        link = self.about.context.link(f"/games/{row.id}#decision")
        uid = deadline_uid(settings().mail_domain, row.id, self.decision)
        return Deadline(uid, self.about.title, link, self.due_at)
