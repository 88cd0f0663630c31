"""Mails are written here, in the transaction that makes them necessary, and sent by the worker."""

from datetime import datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service.database import db
from service.models import Letter

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates" / "mail"),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
    autoescape=False,  # noqa: S701 - plain text
)


def write_letter(kind: str, to: str, at: datetime, **facts: object) -> Letter:
    """Write a mail of this kind: `templates/mail/<kind>/{subject,body}.txt`."""
    subject = " ".join(_TEMPLATES.get_template(f"{kind}/subject.txt").render(facts).split())
    letter = Letter(
        kind=kind,
        to=to,
        subject=subject[:200],
        text=_TEMPLATES.get_template(f"{kind}/body.txt").render(facts),
        created_at=at,
        next_try_at=at,
    )
    db.session.add(letter)
    return letter
