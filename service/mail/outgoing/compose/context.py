"""Context of a letter: recipient, language, time zone, links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from engine.contract import Json
from engine.languages import join_words, nearest_language
from service.core.current_settings import settings
from service.core.formatting import length_words, local_words
from service.core.i18n import translations_for
from service.core.signing import sign_id
from service.core.time_control import zone_named
from service.db.models import Person
from service.mail.outgoing.board_png import Picture
from service.mail.outgoing.mime import content_size
from service.mail.outgoing.queue import AnyLetter
from service.mail.outgoing.reply_address import GOOD_FOR, REPLY, address
from service.mail.outgoing.templates import render, subject_of
from service.notify.preferences import preferences

MOST_BYTES = 97_000  # without headers; some mail programs clip larger mails


class NotNeeded(Exception):
    """A letter that is not sent; `reason` is stored with it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Deadline(NamedTuple):
    """Calendar entry of a question."""

    uid: str
    title: str
    link: str
    due_at: datetime


class Composed(NamedTuple):
    """A composed letter. `decision` is answered by a reply to it, with one of the `choices`;
    `labels` are the choices as the letter shows them. Of a letter about several games, `games` has
    those of each game, by its letter."""

    subject: str
    text: str
    html: str
    language: str
    game_id: str | None = None
    decision: str | None = None
    choices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()  # of the choices
    games: Mapping[str, Json] | None = None
    picture: Picture | None = None
    deadline: Deadline | None = None  # by preference


@dataclass(frozen=True)
class LetterContext:
    letter: AnyLetter
    reader: Person
    at: datetime

    @property
    def game_id(self) -> str:
        """The game of a letter that is about one."""
        assert self.letter.game_id is not None
        return self.letter.game_id

    @property
    def decision(self) -> str:
        """The decision of a letter that asks for one."""
        assert self.letter.decision is not None
        return self.letter.decision

    @cached_property
    def language(self) -> str:
        return nearest_language(self.reader.language)

    @cached_property
    def zone(self) -> tzinfo:
        return zone_named(self.reader.time_zone)

    @property
    def wants_calendar(self) -> bool:
        return preferences(self.reader.mail).calendar

    def say(self, words: str, /, **facts: object) -> str:
        """A sentence in the reader's language."""
        said = translations_for(self.language).gettext(words)
        return said % facts if facts else said

    def link(self, path: str) -> str:
        return f"{settings().public_url}{path}"

    def mailbox(self) -> str | None:
        """The page on which this letter can be replied to, if there is no mail server."""
        if settings().smtp_url is not None:
            return None
        return self.link(f"/mailbox#letter-{self.letter.id}")

    def signed(self, purpose: str) -> str:
        """The signed id of this letter for a link."""
        return sign_id(settings(), purpose, self.letter.id, self.at + GOOD_FOR)

    def moment(self, instant: datetime) -> str:
        return local_words(instant, self.zone, self.language)

    def left(self, due: datetime) -> str:
        return length_words(due - self.at, self.language)

    def ends(self, due: datetime | None) -> str:
        """A sentence about a deadline."""
        if due is None:
            return self.say("The clocks of this game stand still; there is no hurry.")
        if due <= self.at:
            return self.say("Your time ended %(moment)s.", moment=self.moment(due))
        return self.say(
            "Until %(moment)s (%(left)s left).",
            moment=self.moment(due),
            left=self.left(due),
        )

    def listed(self, names: Sequence[str]) -> str:
        """`Ben, Carla and Dora`."""
        return join_words(names, self.language)

    def written(
        self,
        kind: str,
        facts: Mapping[str, object],
        picture: Picture | None = None,
        **answered: Any,
    ) -> Composed:
        """Render the letter with these facts; without its picture if it would be too large."""
        everything = self._common() | dict(facts)
        everything |= {"picture": picture, "about_game": answered.get("game_id") is not None}
        subject = subject_of(kind, everything, self.language)
        everything |= self._ways(subject) | {"subject": subject}
        text = render(kind, everything, self.language)
        if content_size(*text, picture) > MOST_BYTES:
            picture = everything["picture"] = None
            text = render(kind, everything, self.language)
        return Composed(subject, *text, self.language, picture=picture, **answered)

    def _common(self) -> dict[str, object]:
        """Facts of every letter."""
        return {
            "name": self.reader.name,
            "replies": settings().takes_replies,
            "mailbox": self.mailbox(),
            "account": self.link("/account#mails"),
            "home": self.link("/"),
            "off": self.link(f"/mail/off/{self.signed('off')}"),
        }

    def _ways(self, subject: str) -> dict[str, object]:
        """Prefixes of the links that answer with a choice, by mail and by page. Without a mail
        server there is no mail program that could reply."""
        by_mail = settings().takes_replies and self.mailbox() is None
        to = quote(address(settings(), REPLY, self.letter.id, self.at), safe="@+")
        reply = f"mailto:{to}?subject={quote(f'Re: {subject}')}&body="
        return {
            "reply": reply if by_mail else None,
            "web": self.link(f"/answer/{self.signed('answer')}/"),
        }
