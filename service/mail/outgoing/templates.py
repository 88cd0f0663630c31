"""Rendering of letters as text and HTML.

Both forms come from one template, `templates/<kind>/body.jinja`, so that they say the same. It
calls macros for headings, lists and links, which `text/pen.jinja` and `html/pen.jinja` define.
"""

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import select

from engine.languages import ENGLISH, nearest_language
from service.core.formatting import clock_time, day_words
from service.core.i18n import translations_for
from service.core.ids import new_id
from service.core.time_control import zone_named
from service.core.worker_signal import wake
from service.db.models import Letter, Person
from service.db.session import db, execute

TEMPLATES = Path(__file__).parents[1] / "templates"
LONGEST_SUBJECT = 200
TEXT_WIDTH = 78  # characters of a line of text; addresses may be longer
_LIST_ITEM = re.compile(r" *(?:[0-9]+  |- )?")
_GAPS = re.compile(r"\n{3,}")
TEXT, HTML = "text", "html"


class Text(NamedTuple):
    """The text of a letter in both forms. The HTML is ASCII."""

    body: str
    html: str


@cache
def environment(form: str, language: str) -> Environment:
    """The Jinja environment of a form and language."""
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
    """The subject of a letter, from `templates/<kind>/subject.txt`."""
    rendered = environment(TEXT, language).get_template(f"{kind}/subject.txt").render(facts)
    return " ".join(rendered.split())[:LONGEST_SUBJECT]


def render(kind: str, facts: Mapping[str, object], language: str) -> Text:
    """The text of a letter of this kind."""
    text, html = (
        environment(form, language).get_template(f"{kind}/body.jinja").render(facts)
        for form in (TEXT, HTML)
    )
    ascii_html = html.encode("ascii", "xmlcharrefreplace").decode()
    lines = "\n".join(map(_wrapped, text.split("\n")))
    return Text(_GAPS.sub("\n\n", lines).strip() + "\n", ascii_html)


def _wrapped(line: str) -> str:
    """A line of text, broken where it is too wide; what follows is indented as far as what it says
    after its number or bullet."""
    if len(line) <= TEXT_WIDTH:
        return line
    begin = _LIST_ITEM.match(line)
    indent = " " * len(begin[0]) if begin else ""
    return "\n".join(
        wrap(
            line,
            TEXT_WIDTH,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


class Addressee(NamedTuple):
    """Recipient of a letter, with or without an account."""

    language: str
    zone: tzinfo


def addressee(to: str, language: str = ENGLISH) -> Addressee:
    """Language and time zone for an address: those of its account, if there is one."""
    person = execute(
        select(Person.language, Person.time_zone).where(Person.email == to)
    ).one_or_none()
    if person is None:
        return Addressee(nearest_language(language), zone_named("UTC"))
    return Addressee(nearest_language(person.language), zone_named(person.time_zone))


def render_until(
    kind: str, reader: Addressee, until: datetime, facts: Mapping[str, object]
) -> tuple[str, Text]:
    """Subject and text of a letter about something that expires."""
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
    """Queue a letter in this transaction, in the language of the account with that address, or in
    this one if there is none. It is not sent after `until`."""
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
