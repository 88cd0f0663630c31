"""Stored letters, for their recipients and for operators."""

from collections.abc import Sequence

from sqlalchemy import Select, select, tuple_

from service.access.credentials import Caller
from service.core.email_address import normal_address
from service.core.errors import Problem
from service.db.models import Letter, LetterState, Person
from service.db.session import db


def letters_written(to: str | None, last: int) -> Sequence[Letter]:
    """The newest letters that were not skipped, to one address or to all, oldest first."""
    query = select(Letter).where(Letter.state != LetterState.skipped)
    if to is not None:
        query = query.where(Letter.to == normal_address(to))
    newest = query.order_by(Letter.created_at.desc(), Letter.id.desc()).limit(last)
    return db.session.scalars(newest).all()[::-1]


def letters_to(caller: Caller, most: int, before: str | None = None) -> tuple[list[Letter], bool]:
    """Sent letters to the caller, newest first, and whether there are more. `before` is the id of
    the last letter of the page before."""
    query = _sent_to(caller)
    last = None if before is None else db.session.scalars(query.where(Letter.id == before)).first()
    if last is not None:
        query = query.where(tuple_(Letter.sent_at, Letter.id) < (last.sent_at, last.id))
    newest = query.order_by(Letter.sent_at.desc(), Letter.id.desc()).limit(most + 1)
    found = db.session.scalars(newest).all()
    return list(found[:most]), len(found) > most


def letter_to(caller: Caller, letter_id: str) -> Letter:
    """One sent letter to the caller."""
    found = db.session.scalars(_sent_to(caller).where(Letter.id == letter_id)).one_or_none()
    if found is None:
        raise Problem("not_found", "No such mail, or you have no access to it.")
    return found


def _sent_to(caller: Caller) -> Select[Letter]:
    own = select(Person.email).where(Person.id == caller.person_id).scalar_subquery()
    return select(Letter).where(Letter.to == own, Letter.sent_at.is_not(None))
