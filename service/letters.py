"""Letters become text here: some in the transaction that makes them necessary, the others when
they are sent (`service.composing`). The worker sends them."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service.database import db
from service.models import Letter
from service.waking import wake

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates" / "mail"),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - plain text
)
LONGEST_SUBJECT = 200


class Text(NamedTuple):
    subject: str
    body: str


def render(kind: str, facts: Mapping[str, object]) -> Text:
    """A mail of this kind: `templates/mail/<kind>/{subject,body}.txt`."""
    subject = " ".join(_TEMPLATES.get_template(f"{kind}/subject.txt").render(facts).split())
    body = _TEMPLATES.get_template(f"{kind}/body.txt").render(facts)
    return Text(subject[:LONGEST_SUBJECT], f"{body.rstrip()}\n")


def write_letter(kind: str, to: str, at: datetime, **facts: object) -> Letter:
    """Write a mail in this transaction."""
    text = render(kind, facts)
    letter = Letter(
        kind=kind,
        to=to,
        subject=text.subject,
        text=text.body,
        created_at=at,
        next_try_at=at,
    )
    db.session.add(letter)
    wake("mail")
    return letter
