"""Removal of a deleted person's name from data of others: events, webhook deliveries and letters of
the people they played with or invited, and titles of tables they opened."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import ColumnElement, Text, or_, select, type_coerce, update
from sqlalchemy.orm import InstrumentedAttribute

from service.db.models import (
    Delivery,
    Event,
    Game,
    Invitation,
    Letter,
    LetterState,
    Message,
    Person,
    Seat,
    Webhook,
)
from service.db.session import db
from service.games.persistence import touch_game
from service.notify.notification_rules import INVITATION

FORMER = "Former player"
LONGEST_TITLE = 80
AT_ONCE = 200  # games of one query
NO_SUBJECT = "A mail from Laguna"
NO_TEXT = "This mail named a person who deleted their account; what it said is no longer kept.\n"


class Traces(NamedTuple):
    """Places of a person's names, collected before anything is changed."""

    names: frozenset[str]
    games: tuple[str, ...]
    hosted: tuple[str, ...]
    seats: Mapping[str, int]
    invitations: frozenset[str]  # that they made


def traces_of(person: Person) -> Traces:
    """The names of a person, and the games in which others met them."""
    seated = db.session.execute(
        select(Seat.game_id, Seat.number, Seat.name).where(Seat.person_id == person.id)
    ).all()
    hosted = db.session.scalars(select(Game.id).where(Game.host_id == person.id)).all()
    invited = db.session.execute(
        select(Invitation.id, Invitation.game_id).where(Invitation.invited_by == person.id)
    ).all()
    spoken = db.session.scalars(
        select(Message.game_id).where(Message.person_id == person.id).distinct()
    ).all()
    games = {row.game_id for row in (*seated, *invited)} | {*hosted, *spoken}
    return Traces(
        names=frozenset({person.name, *(row.name for row in seated)} - {"", FORMER}),
        games=tuple(sorted(games)),
        hosted=tuple(sorted(hosted)),
        seats={row.game_id: row.number for row in seated},
        invitations=frozenset(row.id for row in invited),
    )


def remove_traces(person: Person, traces: Traces) -> None:
    """Replace every name of a person by a neutral one."""
    if not traces.names:
        return
    _remove_from_titles(traces)
    for begin in range(0, len(traces.games), AT_ONCE):
        games = traces.games[begin : begin + AT_ONCE]
        others = _people_of(games) - {person.id}
        if others:
            _remove_from_events(traces, games, others)
        _remove_from_letters(person, traces, games)


def _people_of(games: Sequence[str]) -> set[str]:
    """The people who may have events about these games."""
    seated = select(Seat.person_id).where(Seat.game_id.in_(games), Seat.person_id.is_not(None))
    invited = (
        select(Person.id)
        .join(Invitation, Invitation.email == Person.email)
        .where(Invitation.game_id.in_(games))
    )
    earlier = select(Seat.person_id).where(
        Seat.game_id.in_(select(Game.rematch_of).where(Game.id.in_(games))),
        Seat.person_id.is_not(None),
    )
    return {one for query in (seated, invited, earlier) for one in db.session.scalars(query) if one}


def _remove_from_titles(traces: Traces) -> None:
    rows = db.session.execute(select(Game.id, Game.title).where(Game.id.in_(traces.hosted)))
    for row in rows.all():
        title = _replaced(row.title, traces.names)
        if title != row.title:
            touch_game(row.id, title=title[:LONGEST_TITLE])


def _replaced(text: str, names: Collection[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", FORMER, text)
    return text


def _mentions(column: InstrumentedAttribute[Any], names: Collection[str]) -> ColumnElement[bool]:
    """Condition that the JSON of a row has one of the names as a whole string."""
    text = type_coerce(column, Text)
    return or_(*(text.contains(orjson.dumps(name).decode(), autoescape=True) for name in names))


def _remove_from_events(traces: Traces, games: Sequence[str], others: Collection[str]) -> None:
    found = db.session.execute(
        select(Event.person_id, Event.number, Event.game_id, Event.data).where(
            Event.person_id.in_(others),
            Event.game_id.in_(games),
            _mentions(Event.data, traces.names),
        )
    ).all()
    for event in found:
        seat = event.data.get("seat")
        if seat is not None and traces.seats.get(event.game_id, seat) != seat:
            continue  # another player of the same name
        db.session.execute(
            update(Event)
            .where(Event.person_id == event.person_id, Event.number == event.number)
            .values(data=_with_neutral_name(event.data, traces.names))
        )
        _remove_from_deliveries(traces, event.person_id, event.number)


def _remove_from_deliveries(traces: Traces, person_id: str, number: int) -> None:
    webhooks = select(Webhook.id).where(Webhook.person_id == person_id)
    found = db.session.execute(
        select(Delivery.id, Delivery.body).where(
            Delivery.webhook_id.in_(webhooks), Delivery.number == number
        )
    ).all()
    for delivery in found:
        body = orjson.dumps(_with_neutral_name(orjson.loads(delivery.body), traces.names)).decode()
        db.session.execute(update(Delivery).where(Delivery.id == delivery.id).values(body=body))


def _with_neutral_name(value: Any, names: Collection[str]) -> Any:
    """A JSON value with the neutral name instead of these names."""
    if isinstance(value, dict):
        return {key: _with_neutral_name(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_neutral_name(inner, names) for inner in value]
    return FORMER if isinstance(value, str) and value in names else value


def _remove_from_letters(person: Person, traces: Traces, games: Sequence[str]) -> None:
    """Delete the text of letters to others that name the person; an unsent one is not sent."""
    to_others = select(Letter).where(Letter.to.is_distinct_from(person.email))
    about_games = to_others.where(Letter.game_id.in_(games))
    for letter in db.session.scalars(about_games).all():
        _delete_text(letter, traces)
    invited = select(Invitation.email).where(Invitation.game_id.in_(games))
    invitations = to_others.where(Letter.kind == INVITATION, Letter.to.in_(invited))
    for letter in db.session.scalars(invitations).all():
        if letter.facts.get(INVITATION) in traces.invitations:
            _delete_text(letter, traces)


def _delete_text(letter: Letter, traces: Traces) -> None:
    letter.facts = _with_neutral_name(letter.facts, traces.names)
    text = f"{letter.subject}\n{letter.text}\n{letter.html}"
    if letter.subject is None or _replaced(text, traces.names) == text:
        return
    letter.subject, letter.text, letter.html = NO_SUBJECT, NO_TEXT, None
    if letter.state in (LetterState.pending, LetterState.failed):
        letter.state, letter.reason, letter.next_try_at = LetterState.skipped, "gone", None
