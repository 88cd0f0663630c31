"""What letters to players say: composed when they are sent, from how things stand then.

A letter is for one seat. Everything in it that is about a game comes from the functions with which
the API answers that seat, so that a mail can tell no more than the page does. A letter that is no
longer true, or no longer wanted, is not sent.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any, NamedTuple

import structlog
from sqlalchemy import bindparam, func, or_, select

from engine.contract import Json
from service import looking
from service.access import GameAccess, access_for_letter
from service.channels import DIGEST, unwanted
from service.choices import best_first
from service.clocks import zone_named
from service.database import AnyRow, is_passing, logged, run, snapshot, table
from service.letters import render
from service.models import Decision, Game, Letter, LetterState, Message, Person, Status, Webhook
from service.models.log import DisabledWhy
from service.people import settings
from service.play import AGREED
from service.preferences import preferences
from service.sitting import Sitting, take_up
from service.statements import Prepared
from service.times import clock_words, length_words, local_words

log = structlog.get_logger()

MOST_NEWS = 40
MOST_TURNS = 20  # in one letter
BEST_SHOWN = 3  # of each of several turns
# Which letters follow from what happened is settled in less than this: a letter that was written
# so long after another one was settled told the same, as far as it was still true.
SETTLED_WITHIN = timedelta(minutes=2)


class NotNeeded(Exception):
    """A letter that is not to be sent; `reason` is kept with it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Composed(NamedTuple):
    """A letter as it is sent. `decision` and `choices` are what a reply to it answers."""

    subject: str
    text: str
    game_id: str | None = None
    decision: str | None = None
    choices: tuple[str, ...] = ()


_PERSON, _GAME, _DECISION, _LETTER, _MESSAGE, _WEBHOOK = (
    table(model) for model in (Person, Game, Decision, Letter, Message, Webhook)
)
_READER = Prepared(
    select(*_PERSON.c["id", "email", "name", "time_zone", "mail"]).where(
        _PERSON.c.id == bindparam("person")
    )
)
_ASKED = Prepared(
    select(*_DECISION.c["person_id", "due_at", "closed_at"]).where(
        _DECISION.c.game_id == bindparam("game"), _DECISION.c.id == bindparam("decision")
    )
)
_OPEN = Prepared(
    select(*_DECISION.c["game_id", "id", "due_at"])
    .select_from(_DECISION.join(_GAME, _GAME.c.id == _DECISION.c.game_id))
    .where(
        _DECISION.c.person_id == bindparam("person"),
        _DECISION.c.closed_at.is_(None),
        _GAME.c.frozen_at.is_(None),
    )
    .order_by(_DECISION.c.due_at.is_(None), _DECISION.c.due_at, _DECISION.c.game_id)
)
_OF_KIND = select(_LETTER.c.id).where(
    _LETTER.c.person_id == bindparam("person"), _LETTER.c.kind == bindparam("kind")
)
_ABOUT_DECISION = (_LETTER.c.game_id == bindparam("game")) & (
    _LETTER.c.decision == bindparam("decision")
)
_STANDS_FOR = or_(_LETTER.c.id == bindparam("letter"), _LETTER.c.reason == "joined")
_SENT_SINCE = (_LETTER.c.state == LetterState.sent) & (_LETTER.c.sent_at >= bindparam("since"))
_NEWEST = _OF_KIND.where(_STANDS_FOR).with_only_columns(func.max(_LETTER.c.created_at).label("at"))
_NEWEST_OF_ALL, _NEWEST_OF_ONE = Prepared(_NEWEST), Prepared(_NEWEST.where(_ABOUT_DECISION))
_TOLD = _OF_KIND.where(_SENT_SINCE).limit(1)
_TOLD_OF_ALL, _TOLD_OF_ONE = Prepared(_TOLD), Prepared(_TOLD.where(_ABOUT_DECISION))
_SAID = Prepared(
    select(_MESSAGE.c.text, _PERSON.c.name, _PERSON.c.deleted_at)
    .select_from(_MESSAGE.join(_PERSON, _PERSON.c.id == _MESSAGE.c.person_id))
    .where(_MESSAGE.c.game_id == bindparam("game"), _MESSAGE.c.n == bindparam("number"))
)
_SWITCHED_OFF = Prepared(
    select(_WEBHOOK.c.url, _WEBHOOK.c.disabled_at).where(
        _WEBHOOK.c.id == bindparam("webhook"), _WEBHOOK.c.person_id == bindparam("person")
    )
)


def compose(letter: AnyRow, at: datetime) -> Composed:
    """Write a letter as it is now; raises NotNeeded."""
    with snapshot():
        reader = run(_READER, {"person": letter.person_id}).one_or_none()
        if reader is None or reader.email is None:
            raise NotNeeded("gone")
        if (reason := unwanted(letter.kind, preferences(reader.mail))) is not None:
            raise NotNeeded(reason)
        return _WRITERS[letter.kind](_Sheet(letter, reader, at))


@dataclass(frozen=True)
class _Sheet:
    """The paper on which a letter is written: to whom, about what, and when."""

    letter: AnyRow
    reader: AnyRow
    at: datetime

    @property
    def zone(self) -> tzinfo:
        return zone_named(self.reader.time_zone)

    @cached_property
    def about(self) -> "_Table":
        """The game that the letter is about."""
        return _Table(self, self.letter.game_id)

    def link(self, path: str) -> str:
        return f"{settings().public_url}{path}"

    def mailbox(self) -> str | None:
        """Where this letter can be replied to: only where mails are not sent away."""
        if settings().smtp_url is not None:
            return None
        return self.link(f"/mailbox#letter-{self.letter.id}")

    def ends(self, due: datetime | None) -> str:
        """Until when somebody may decide, in a sentence."""
        if due is None:
            return "The clocks of this game stand still; there is no hurry."
        left = length_words(due - self.at) if due > self.at else "no time"
        return f"Your time ends {local_words(due, self.zone)}; that leaves {left}."

    def written(self, kind: str, facts: Mapping[str, object], **answered: Any) -> Composed:
        common = {
            "name": self.reader.name,
            "mailbox": self.mailbox(),
            "account": self.link("/account#mails"),
            "home": self.link("/"),
        }
        return Composed(*render(kind, common | dict(facts)), **answered)


class _Table:
    """A game as the reader of a letter may see it."""

    def __init__(self, sheet: _Sheet, game_id: str) -> None:
        self.sheet = sheet
        self.access: GameAccess = access_for_letter(sheet.reader.id, game_id)
        self.sitting: Sitting = take_up(self.access.game, self.access.seats)
        self.row = self.access.game

    @property
    def title(self) -> str:
        return str(self.row.title or self.sitting.game.meta.title)

    def facts(self) -> Json:
        """What every letter about a game may say."""
        own = self.access.seat
        others = [seat.name for seat in self.sitting.seats if seat.number != own and seat.name]
        meta = self.sitting.game.meta
        return {
            "table": self.title,
            "named": self.title if self.row.title else f"{self.title} {self.row.id[:4]}",
            "game": meta.title,
            "others": _listed(others),
            "link": self.sheet.link(f"/games/{self.row.id}"),
        }

    @property
    def seat(self) -> int:
        """The reader's seat, of those who have one."""
        if self.access.seat is None:
            raise NotNeeded("not_seated")
        return self.access.seat

    def position(self) -> Json:
        """What happened, how it stands, and the board."""
        if self.sitting.frozen:
            raise NotNeeded("frozen")
        sitting, names = self.sitting, self.sitting.names
        happened = [
            sitting.game.sentence(event, names) for event in looking.news(sitting, self.seat)
        ]
        return {
            "news": happened[-MOST_NEWS:],
            "earlier": max(0, len(happened) - MOST_NEWS),
            "scores": [
                {"name": seat.name, "points": points, "you": seat.number == self.seat}
                for seat, points in zip(sitting.seats, self.points())
            ],
            "board": looking.board_text(self.access).rstrip(),
        }

    def points(self) -> Sequence[int]:
        ended = self.row.outcome
        scores: Sequence[int] = (
            ended["scores"] if ended else self.sitting.game.scores(self.sitting.state)
        )
        return scores

    def question(self, decision: str) -> "_Question":
        """What the reader is asked; raises NotNeeded if they are not asked this any more."""
        seat = self.sitting.seats[self.seat]
        if not self.sitting.running:
            raise NotNeeded("over")
        if self.row.frozen_at is not None:
            raise NotNeeded("frozen")
        if seat.bot:
            raise NotNeeded("taken_over")
        asked = run(_ASKED, {"game": self.row.id, "decision": decision}).one()
        if asked.closed_at is not None or asked.person_id != self.sheet.reader.id:
            raise NotNeeded("answered")
        shown = looking.game_json(self.access)["decision"]
        return _Question(decision, asked.due_at, shown["question"], best_first(shown, self.seat))


class _Question(NamedTuple):
    decision: str
    due_at: datetime | None
    words: str
    choices: list[Json]

    def facts(self, sheet: _Sheet) -> Json:
        return {
            "question": self.words,
            "ends": sheet.ends(self.due_at),
            "left": None if self.due_at is None else length_words(self.due_at - sheet.at),
            "choices": self.choices,
        }


def _must_be_new(sheet: _Sheet, newest: Prepared, told: Prepared) -> None:
    """Raise NotNeeded if another letter of this kind was sent after everything was settled that
    this one stands for: several that could not be sent all go when the mail server is back."""
    letter = sheet.letter
    known = {"person": sheet.reader.id, "kind": letter.kind, "letter": letter.id}
    known |= {"game": letter.game_id, "decision": letter.decision}
    since = run(newest, known).one().at + SETTLED_WITHIN
    if run(told, known | {"since": since}):
        raise NotNeeded("joined")


def _turn(sheet: _Sheet) -> Composed:
    began = bool(sheet.letter.facts.get("began"))
    question = sheet.about.question(sheet.letter.decision)
    _must_be_new(sheet, _NEWEST_OF_ONE, _TOLD_OF_ONE)
    return _asking(sheet, "turn", sheet.about, question, {"began": began})


def _reminder(sheet: _Sheet) -> Composed:
    question = sheet.about.question(sheet.letter.decision)
    if question.due_at is None:
        raise NotNeeded("paused")
    if question.due_at <= sheet.at:
        raise NotNeeded("late")
    return _asking(sheet, "reminder", sheet.about, question, {})


def _asking(sheet: _Sheet, kind: str, about: _Table, question: _Question, more: Json) -> Composed:
    """A letter with one question, which a reply can answer."""
    facts = about.facts() | about.position() | question.facts(sheet) | more
    return sheet.written(
        kind,
        facts,
        game_id=about.row.id,
        decision=question.decision,
        choices=tuple(choice["text"] for choice in question.choices),
    )


def _digest(sheet: _Sheet) -> Composed:
    """Everything that waits for the reader; a single question as in its own letter."""
    waiting = list(run(_OPEN, {"person": sheet.reader.id}))
    asked: list[_Asked] = []
    failure: Exception | None = None
    while waiting and len(asked) < MOST_TURNS:
        row = waiting.pop(0)
        try:
            asked.append(_Asked.of(sheet, row))
        except NotNeeded:
            continue
        except Exception as error:  # one game that cannot be read must not silence the others
            if is_passing(error):
                raise
            log.error("turn_left_out", game=row.game_id, letter=sheet.letter.id, **logged(error))
            failure = error
    if not asked:
        raise failure or NotNeeded("nothing_open")
    _must_be_new(sheet, _NEWEST_OF_ALL, _TOLD_OF_ALL)
    if len(asked) == 1 and not waiting:
        return _asking(sheet, "turn", asked[0].about, asked[0].question, {"began": False})
    turns = [one.facts for one in asked]
    facts = {
        "count": len(asked) + len(waiting),
        "first": next((turn["ends"] for turn in turns if turn["left"] is not None), None),
        "turns": turns,
        "more": len(waiting),
    }
    return sheet.written(DIGEST, facts)


class _Asked(NamedTuple):
    """One of several turns in a letter."""

    about: _Table
    question: _Question
    facts: Json

    @classmethod
    def of(cls, sheet: _Sheet, row: AnyRow) -> "_Asked":
        """Raises NotNeeded, and whatever can be wrong with a game."""
        about = _Table(sheet, row.game_id)
        question = about.question(row.id)
        best = {"choices": question.choices[:BEST_SHOWN], "all": len(question.choices)}
        return cls(about, question, about.facts() | question.facts(sheet) | best)


def _away(sheet: _Sheet) -> Composed:
    about = sheet.about
    seat = about.sitting.seats[about.seat]
    if seat.away_since is None:
        raise NotNeeded("back")
    if not about.sitting.running:
        raise NotNeeded("over")
    since = local_words(seat.away_since, sheet.zone)
    facts = about.facts() | about.position() | {"since": since}
    return sheet.written("away", facts, game_id=about.row.id)


def _started(sheet: _Sheet) -> Composed:
    about = sheet.about
    if not about.sitting.running:
        raise NotNeeded("over")
    facts = {"clock": clock_words(about.row.clock), "commitment": about.row.commitment}
    return sheet.written("started", about.facts() | facts, game_id=about.row.id)


def _finished(sheet: _Sheet) -> Composed:
    about = sheet.about
    seats, points, outcome = about.sitting.seats, about.points(), about.row.outcome
    ranking = sorted(seats, key=lambda seat: -points[seat.number])
    facts = {
        "won": about.seat in outcome["winners"],
        "winners": _listed([seats[number].name for number in outcome["winners"]]),
        "shared": len(outcome["winners"]) > 1,
        "best": max(points),
        "own": points[about.seat],
        "result": [
            {
                "place": 1 + sum(other > points[seat.number] for other in points),
                "name": seat.name,
                "points": points[seat.number],
            }
            for seat in ranking
        ],
        "agreed": outcome["reason"] == AGREED,
        "moves": about.row.moves,
        "board": looking.board_text(about.access).rstrip(),
    }
    return sheet.written("finished", about.facts() | facts, game_id=about.row.id)


def _mention(sheet: _Sheet) -> Composed:
    about = sheet.about
    said = run(_SAID, {"game": about.row.id, "number": sheet.letter.facts["n"]}).one()
    if said.deleted_at is not None:
        raise NotNeeded("deleted")
    if about.access.seat is None:
        raise NotNeeded("not_seated")
    facts = {"who": said.name, "lines": said.text.splitlines()}
    return sheet.written("mention", about.facts() | facts, game_id=about.row.id)


def _cancelled(sheet: _Sheet) -> Composed:
    about = sheet.about
    host = next(
        (seat.name for seat in about.sitting.seats if seat.person_id == about.row.host_id),
        "The host",
    )
    return sheet.written("cancelled", about.facts() | {"host": host}, game_id=about.row.id)


def _rematch(sheet: _Sheet) -> Composed:
    about = sheet.about
    if about.row.status != Status.open:
        raise NotNeeded("not_open")
    if about.access.seat is not None:
        raise NotNeeded("seated")
    facts = {
        "by": sheet.letter.facts["by"],
        "clock": clock_words(about.row.clock),
        "old": sheet.link(f"/games/{sheet.letter.facts['of']}"),
    }
    return sheet.written("rematch", about.facts() | facts, game_id=about.row.id)


def _webhook_off(sheet: _Sheet) -> Composed:
    webhook = sheet.letter.facts["webhook"]
    found = run(_SWITCHED_OFF, {"webhook": webhook, "person": sheet.reader.id}).one_or_none()
    if found is None:
        raise NotNeeded("deleted")
    if found.disabled_at is None:
        raise NotNeeded("enabled_again")
    gone = sheet.letter.facts["reason"] == DisabledWhy.gone
    facts = {"id": webhook, "url": found.url, "gone": gone, "reference": sheet.link("/reference")}
    return sheet.written("webhook_off", facts)


def _listed(names: Sequence[str]) -> str:
    """`Ben, Carla and Dora`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), "".join(names[-1:]))))


_WRITERS: Mapping[str, Callable[[_Sheet], Composed]] = {
    "turn": _turn,
    DIGEST: _digest,
    "reminder": _reminder,
    "away": _away,
    "started": _started,
    "finished": _finished,
    "mention": _mention,
    "cancelled": _cancelled,
    "rematch": _rematch,
    "webhook_off": _webhook_off,
}
