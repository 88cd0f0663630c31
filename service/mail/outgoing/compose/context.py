"""The paper on which a letter is written: to whom, about what, when, and in which language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import bindparam, select

from engine.languages import join_words, nearest_language
from service.core.current_settings import settings
from service.core.formatting import length_words, local_words
from service.core.i18n import translations_for
from service.core.signing import sign_id
from service.core.time_control import zone_named
from service.db.models import Person
from service.db.session import AnyRow, execute, table
from service.mail.outgoing.board_png import Picture
from service.mail.outgoing.mime import content_size
from service.mail.outgoing.reply_address import GOOD_FOR, REPLY, address
from service.mail.outgoing.templates import render, subject_of
from service.notify.preferences import preferences

MOST_BYTES = 97_000  # of a mail without its headers, of which mail programs show all at once
_PERSON = table(Person)
_READER = select(
    *_PERSON.c["id", "email", "name", "language", "time_zone", "mail", "unreachable_since"],
    _PERSON.c.suspended_at,
).where(_PERSON.c.id == bindparam("person"))


class NotNeeded(Exception):
    """A letter that is not to be sent; `reason` is kept with it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Deadline(NamedTuple):
    """What a calendar says about a question: until when it is open."""

    uid: str
    title: str
    link: str
    due_at: datetime


class Composed(NamedTuple):
    """A letter as it is sent. `decision` and `choices` are what a reply to it answers."""

    subject: str
    text: str
    html: str
    language: str
    game_id: str | None = None
    decision: str | None = None
    choices: tuple[str, ...] = ()
    picture: Picture | None = None
    deadline: Deadline | None = None  # of those who want it in their calendars


def reader_of(person_id: str) -> AnyRow | None:
    return execute(_READER, {"person": person_id}).one_or_none()


@dataclass(frozen=True)
class LetterContext:
    letter: AnyRow
    reader: AnyRow
    at: datetime

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
        """These words in the reader's language."""
        said = translations_for(self.language).gettext(words)
        return said % facts if facts else said

    def link(self, path: str) -> str:
        return f"{settings().public_url}{path}"

    def mailbox(self) -> str | None:
        """Where this letter can be replied to: only where mails are not sent away."""
        if settings().smtp_url is not None:
            return None
        return self.link(f"/mailbox#letter-{self.letter.id}")

    def sealed(self, purpose: str) -> str:
        """The id of this letter, for a link in it."""
        return sign_id(settings(), purpose, self.letter.id, self.at + GOOD_FOR)

    def moment(self, instant: datetime) -> str:
        return local_words(instant, self.zone, self.language)

    def left(self, due: datetime) -> str:
        return length_words(due - self.at, self.language)

    def ends(self, due: datetime | None) -> str:
        """Until when somebody may decide, in a sentence."""
        if due is None:
            return self.say("The clocks of this game stand still; there is no hurry.")
        if due <= self.at:
            return self.say("Your time ended %(moment)s.", moment=self.moment(due))
        return self.say(
            "Your time ends %(moment)s; that leaves %(left)s.",
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
        """The letter with these facts. If it would be too large, choices that are far from the
        best have no links beside them, and if that is not enough it has no picture."""
        everything = self._common() | dict(facts)
        everything |= {
            "picture": picture,
            "linked": None,
            "about_game": answered.get("game_id") is not None,
        }
        subject = subject_of(kind, everything, self.language)
        everything |= self._ways(subject) | {"subject": subject}
        text = render(kind, everything, self.language)
        if (surplus := content_size(*text, picture) - MOST_BYTES) > 0:
            linked = text.html.count(str(everything["web"]))
            each = len(f"{everything['reply']}{everything['web']}")  # and a little more
            everything["linked"] = max(0, linked - 1 - surplus // each)
            text = render(kind, everything, self.language)
            if content_size(*text, picture) > MOST_BYTES:
                picture = everything["picture"] = None
                text = render(kind, everything, self.language)
        return Composed(subject, *text, self.language, picture=picture, **answered)

    def _common(self) -> dict[str, object]:
        """What every letter may say."""
        return {
            "name": self.reader.name,
            "replies": settings().takes_replies,
            "mailbox": self.mailbox(),
            "account": self.link("/account#mails"),
            "home": self.link("/"),
            "off": self.link(f"/mail/off/{self.sealed('off')}"),
        }

    def _ways(self, subject: str) -> dict[str, object]:
        """How to choose by a tap, before the number of the choice. Where mails are not sent away,
        no mail program can reply to them."""
        by_mail = settings().takes_replies and self.mailbox() is None
        to = quote(address(settings(), REPLY, self.letter.id, self.at), safe="@+")
        reply = f"mailto:{to}?subject={quote(f'Re: {subject}')}&body="
        return {
            "reply": reply if by_mail else None,
            "web": self.link(f"/answer/{self.sealed('answer')}/"),
        }
