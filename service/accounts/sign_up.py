"""Accounts of people who proved their address by a reply to a mail."""

from datetime import datetime

from marshmallow import ValidationError
from sqlalchemy import select

from engine.languages import nearest_language
from service.access.accounts import person_with
from service.accounts.profile import make_person
from service.accounts.sign_in import name_from_address
from service.core.errors import Problem
from service.core.fields import Name
from service.core.web_addresses import has_web_address
from service.db.models import Person
from service.db.session import db
from service.mail.outgoing.suppression import lift_suppression

LONGEST_NAME = 40
MOST_NUMBERED = 100  # accounts that share a name, before the number is left out


def account_by_mail(email: str, wanted_name: str, language: str, at: datetime) -> Person:
    """The account of an address; a new one with this name and language if there is none."""
    person = person_with(email)
    if person is None:
        person = make_person(email, _unique(valid_name(wanted_name, email)), at)
        person.language = nearest_language(language)
    elif person.suspended_at is not None:
        raise Problem("suspended", "Contact the operator of this server.")
    elif person.unreachable_since is not None:
        lift_suppression(person.id, at)
        db.session.refresh(person)
    return person


def valid_name(wanted: str, email: str) -> str:
    """The name that a person gives in a mail, or one made of the address if it cannot be used."""
    name = " ".join(wanted.replace('"', " ").split())[:LONGEST_NAME].strip()
    try:
        checked = str(Name(1, LONGEST_NAME).deserialize(name))
    except ValidationError:
        return name_from_address(email)
    return name_from_address(email) if "@" in name or has_web_address(name) else checked


def _unique(name: str) -> str:
    """The name, with a number if another person has it."""
    for number in range(1, MOST_NUMBERED):
        candidate = name if number == 1 else f"{name[: LONGEST_NAME - 3]} {number}"
        taken = select(Person.id).where(Person.name == candidate).limit(1)
        if db.session.scalars(taken).first() is None:
            return candidate
    return name
