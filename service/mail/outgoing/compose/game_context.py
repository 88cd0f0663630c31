"""A game as the reader of a letter sees it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import structlog

from engine.contract import Event, Json
from engine.decisions import best_premoves, seat_view
from engine.record import as_seen_by, visible_events
from service.access.games import GameAccess, access_for_letter
from service.core.current_settings import settings
from service.core.ics import deadline_uid
from service.db.models import Decision
from service.db.session import db, error_fields
from service.games import views
from service.games.choices import best_first
from service.games.loaded_game import LoadedGame, load_game
from service.games.results import GameResult, result_of
from service.mail.outgoing.board_png import Picture, picture_of
from service.mail.outgoing.compose.choices import shown_choices
from service.mail.outgoing.compose.context import Deadline, LetterContext, NotNeeded
from service.mail.outgoing.compose.news import StoredMove, moves_of, news_for
from service.mail.outgoing.compose.subject import subject_of_game

log = structlog.get_logger()

LONGEST_LOG = 40


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

    @cached_property
    def subject(self) -> str:
        """The subject of all letters about this game."""
        return subject_of_game(self.context, self.row, self.loaded.seats)

    @property
    def muted(self) -> bool:
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
        """Facts of every letter about a game."""
        own = self.access.seat
        others = [seat.name for seat in self.loaded.seats if seat.number != own and seat.name]
        return {
            "table": self.title,
            "named": self.subject,
            "game": self.game.meta.title,
            "others": self.context.listed(others),
            "link": self.context.link(f"/games/{self.row.id}"),
        }

    @cached_property
    def view(self) -> Json:
        """The position as the reader sees it, with their decision."""
        loaded, names = self.loaded, self.loaded.names
        view = seat_view(self.game, loaded.state, self.access.seat, names, self.context.language)
        return views.as_it_ended(loaded, view)

    @cached_property
    def _moves(self) -> Sequence[StoredMove]:
        return moves_of(self.row.id)

    def _since(self, n: int, seat: int | None) -> list[Event]:
        """The events after a move, as a seat or a spectator sees them."""
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
        """The news, the scores and the board."""
        if self.loaded.frozen:
            raise NotNeeded("frozen")
        loaded, sight = self.loaded, views.sight(self.loaded, self.seat)
        news = news_for(
            self.game, self._moves, self.seat, sight, loaded.names, self.context.language
        )
        return {
            "news": news.lines,
            "earlier": news.earlier,
            "scores": self.scores(),
            "board": self.board(),
            "alt": self.words(),
            "own": self.own_words(),
        }

    def log(self) -> list[str]:
        """The last events of all players."""
        return self._sentences(self._since(0, self.seat))[-LONGEST_LOG:]

    def _sentences(self, events: Sequence[Event]) -> list[str]:
        names, language = self.loaded.names, self.context.language
        you = self.access.seat
        return [self.game.sentence(event, names, language, you) for event in events]

    def board(self) -> str:
        return self.game.board_text(self.view, self.loaded.names, self.context.language).rstrip()

    def words(self) -> str:
        """The position in words, as text alternative of the picture."""
        shown = views.as_it_ended(self.loaded, self.game.view(self.loaded.state, None))
        return self.game.board_summary(shown, self.loaded.names, self.context.language)

    def own_words(self) -> str:
        """What only the reader knows, which the picture does not show."""
        own = self.game.board_summary(self.view, self.loaded.names, self.context.language)
        return own.removeprefix(self.words()).strip()

    def picture(self) -> Picture | None:
        """The board as a spectator sees it, the same for all letters of a position; changes since
        anybody's last turn are marked. None after a failure: a letter is complete without it."""
        loaded = self.loaded
        after = min(self._last_turn(seat.number) for seat in loaded.seats)
        view = views.as_it_ended(loaded, self.game.view(loaded.state, None))
        changed, language = self._since(after, None), self.context.language
        try:
            return picture_of(self.game.board_svg(view, loaded.names, changed, language))
        except Exception as error:
            log.error("picture_not_drawn", game=self.row.id, **error_fields(error))
            return None

    @cached_property
    def result(self) -> GameResult:
        """The result of the game, or everybody's score and place as it stands."""
        return result_of(self.loaded)

    def scores(self) -> list[Json]:
        """The points of all players, the best first, with their causes."""
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
        """`workshops 12, nobili 3`; points without an event are those of the start."""
        listed = [
            f"{self.game.cause(cause, self.context.language)} {worth}"
            for cause, worth in sorted(causes.items(), key=lambda of: -of[1])
        ]
        if (first := points - sum(causes.values())) > 0:
            listed.append(self.context.say("at the start %(points)d", points=first))
        return ", ".join(listed)

    def question(self, decision: str) -> "Question":
        """An open decision of the reader; raises NotNeeded if it is closed, or if the
        step that led to it was taken back."""
        seat = self.loaded.seats[self.seat]
        if not self.loaded.running:
            raise NotNeeded("over")
        if self.loaded.frozen:
            raise NotNeeded("frozen")
        if seat.bot:
            raise NotNeeded("taken_over")
        asked = db.session.get(Decision, (self.row.id, decision))
        if asked is None:
            raise NotNeeded("taken_back")
        if asked.closed_at is not None or asked.person_id != self.context.reader.id:
            raise NotNeeded("answered")
        return self._question(asked.due_at)

    def open_question(self, revising: bool) -> "Question | None":
        """The open decision of the reader, if any; with `revising`, also one whose answer may
        still be changed."""
        decision = self.view["decision"]
        if decision is None or not self.loaded.running or self.loaded.seats[self.seat].bot:
            return None
        if decision["revising"] and not revising:
            return None
        asked = db.session.get(Decision, (self.row.id, decision["id"]))
        return None if asked is None else self._question(asked.due_at)

    def _question(self, due_at: datetime | None) -> "Question":
        decision = self.view["decision"]
        words = self.game.question(self.view, self.loaded.names, self.context.language)
        choices = best_first(self.game, self.view)
        premoves = self._premoves([one["text"] for one in choices if not one["forced"]])
        revising = decision["revising"]
        return Question(self, decision["id"], revising, due_at, words, choices, premoves)

    def _premoves(self, moves: Sequence[str]) -> list[Json]:
        """For each of these moves the premove that plays its best follow-up, if it has one."""
        loaded, language = self.loaded, self.context.language
        offered = best_premoves(self.game, loaded.state, self.seat, loaded.names, language)
        carried = {plan["carries"]: plan for plan in offered}
        return [carried[text] for text in moves if text in carried]


def wanted(context: LetterContext) -> Table:
    """The game of a letter; raises NotNeeded if the reader wants no mails about it."""
    about = Table(context, context.game_id)
    if about.muted:
        raise NotNeeded("quiet")
    return about


class Question(NamedTuple):
    """An open decision with all its choices."""

    about: Table
    decision: str
    revising: bool  # answered, and the answer may still be changed
    due_at: datetime | None
    words: str
    choices: list[Json]
    premoves: list[Json]  # choices that carry a premove

    @property
    def offered(self) -> list[Json]:
        """All choices in the order of their numbers."""
        return [*self.choices, *self.premoves]

    def facts(self) -> Json:
        context = self.about.context
        changeable = context.say("You can change your choice until everybody has chosen.")
        return {
            "question": self.words,
            "ends": changeable if self.revising else context.ends(self.due_at),
            "left": None if self.due_at is None else context.left(self.due_at),
            "choices": self.choices,
        } | shown_choices(self.about.game, self.choices, self.premoves)

    def answered(self) -> Json:
        """What a reply to a letter with this question answers, as `Composed` has it."""
        return {
            "game_id": self.about.row.id,
            "decision": self.decision,
            "choices": tuple(choice["text"] for choice in self.offered),
            "labels": tuple(choice["label"] for choice in self.offered),
            "deadline": self.deadline(),
        }

    def deadline(self) -> Deadline | None:
        """The calendar entry, if the reader wants one."""
        if self.due_at is None or not self.about.context.wants_calendar:
            return None
        row = self.about.row
        link = self.about.context.link(f"/games/{row.id}#decision")
        uid = deadline_uid(settings().mail_domain, row.id, self.decision)
        return Deadline(uid, self.about.title, link, self.due_at)
