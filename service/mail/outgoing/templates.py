"""Letters become text and HTML here: some in the transaction that makes them necessary, the others
when they are sent (`service.mail.outgoing.compose`). The worker sends them.

Both come from one template, `templates/mail/<kind>/body.jinja`, so that they say the same: it says
what is a heading, a list or a link, and the pen with which it is written (`text/pen.jinja` or
`html/pen.jinja`) how that looks.
"""

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import bindparam, select

from engine.languages import ENGLISH, nearest_language
from service.core.formatting import clock_time, day_words
from service.core.i18n import translations_for
from service.core.ids import new_id
from service.core.time_control import zone_named
from service.core.worker_signal import wake
from service.db.models import Letter, Person
from service.db.session import db, execute, table

TEMPLATES = Path(__file__).parents[1] / "templates"
LONGEST_SUBJECT = 200
_GAPS = re.compile(r"\n{3,}")  # where something was left out
TEXT, HTML = "text", "html"
_PERSON = table(Person)
_KNOWN = select(_PERSON.c.language, _PERSON.c.time_zone).where(
    _PERSON.c.email == bindparam("address")
)


class Text(NamedTuple):
    """What a letter says, in both forms. The HTML is ASCII."""

    body: str
    html: str


@cache
def environment(form: str, language: str) -> Environment:
    """What writes letters in this form and language."""
    made = Environment(
        loader=FileSystemLoader([TEMPLATES / form, TEMPLATES]),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=form == HTML,  # noqa: S701 - the other form is plain text
    )
    say = translations_for(language)
    made.install_gettext_translations(say, newstyle=True)  # type: ignore[attr-defined]
    made.globals["language"] = language
    made.globals["pen"] = made.get_template("pen.jinja").module
    return made


def subject_of(kind: str, facts: Mapping[str, object], language: str) -> str:
    """`templates/mail/<kind>/subject.txt`, in one line."""
    written = environment(TEXT, language).get_template(f"{kind}/subject.txt").render(facts)
    return " ".join(written.split())[:LONGEST_SUBJECT]


def render(kind: str, facts: Mapping[str, object], language: str) -> Text:
    """A letter of this kind in a language."""
    text, html = (
        environment(form, language).get_template(f"{kind}/body.jinja").render(facts)
        for form in (TEXT, HTML)
    )
    return Text(_GAPS.sub("\n\n", text).strip() + "\n", _plain(html))


def _plain(html: str) -> str:
    """HTML that goes through every server as it is."""
    return html if html.isascii() else html.encode("ascii", "xmlcharrefreplace").decode()


class Addressee(NamedTuple):
    """Somebody to whom a letter is written before it is known whether they have an account."""

    language: str
    zone: tzinfo


def addressee(to: str, language: str = ENGLISH) -> Addressee:
    """Who reads what is sent to this address, and how: as the account says if there is one."""
    person = execute(_KNOWN, {"address": to}).one_or_none()
    if person is None:
        return Addressee(nearest_language(language), zone_named("UTC"))
    return Addressee(nearest_language(person.language), zone_named(person.time_zone))


def render_until(
    kind: str, reader: Addressee, until: datetime, facts: Mapping[str, object]
) -> tuple[str, Text]:
    """Subject and text of a letter about something that is good until an instant."""
    known_facts = dict(facts) | {
        "until_day": day_words(until, reader.zone, reader.language),
        "until_time": clock_time(until, reader.zone, reader.language),
        "picture": None,
    }
    subject = subject_of(kind, known_facts, reader.language)
    return subject, render(kind, known_facts | {"subject": subject}, reader.language)


def write_letter(
    kind: str, to: str, at: datetime, until: datetime, language: str = ENGLISH, **facts: object
) -> Letter:
    """Write a mail in this transaction about something that is good until an instant, in the
    language of the account with that address, or in this one if there is none. It is not sent
    after that instant."""
    reader = addressee(to, language)
    subject, text = render_until(kind, reader, until, facts)
    letter = Letter(
        id=new_id(),
        kind=kind,
        to=to,
        subject=subject,
        text=text.body,
        html=text.html,
        facts={"language": reader.language},
        created_at=at,
        next_try_at=at,
        expires_at=until,
    )
    db.session.add(letter)
    wake("mail")
    return letter
