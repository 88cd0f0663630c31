"""Column types: the same values go in and come out on both databases."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError, StatementError

from service.db.models import Event
from service.db.session import db, execute, transact
from tests.support.site import Site

AT = datetime(2026, 3, 1, 2, 30, tzinfo=timezone(timedelta(hours=5)))


def _rows(person: str, at: datetime, count: int = 1) -> list[dict[str, Any]]:
    return [
        {
            "person_id": person,
            "number": number,
            "type": "test",
            "game_id": None,
            "data": {"text": "vetro ä", "n": number},
            "at": at,
        }
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize("count", [1, 7])
def test_inserted_values_are_read_as_the_models_read_them(any_site: Site, count: int) -> None:
    person = any_site.person("Alice").id()
    by_number = select(Event).where(Event.person_id == person).order_by(Event.number)
    with any_site.app.app_context():
        transact(lambda: execute(insert(Event), _rows(person, AT, count)))
        found = transact(lambda: execute(by_number).all())
        objects = db.session.scalars(by_number).all()
    assert [(row.number, row.at, row.data) for row in found] == [
        (one.number, one.at, one.data) for one in objects
    ]
    assert [row.number for row in found] == list(range(1, count + 1))
    assert all(row.at == AT and row.data["text"] == "vetro ä" for row in found)


def test_an_error_names_no_values_and_leaves_nothing_behind(any_site: Site) -> None:
    person = any_site.person("Alice").id()
    with any_site.app.app_context():
        row = _rows(person, AT)
        with pytest.raises(IntegrityError) as raised:
            transact(lambda: execute(insert(Event), row + row))
        assert "vetro" not in str(raised.value)  # parameters may be secrets
        found = db.session.scalars(select(Event).where(Event.person_id == person)).all()
    assert not found


def test_instants_are_kept_as_text_that_sorts_on_sqlite(site: Site) -> None:
    """As SQLAlchemy writes it, which wrote what older rows have."""
    person = site.person("Alice").id()
    with site.app.app_context():
        transact(lambda: execute(insert(Event), _rows(person, AT)))
        stored = db.session.execute(
            text("SELECT at FROM event WHERE person_id = :id"), {"id": person}
        )
        assert stored.scalar_one() == "2026-02-28 21:30:00.000000"
        read = db.session.scalars(select(Event.at).where(Event.person_id == person)).one()
    assert (read, read.tzinfo) == (AT, UTC)


def test_an_instant_without_a_time_zone_is_refused(any_site: Site) -> None:
    person = any_site.person("Alice").id()
    naive = AT.replace(tzinfo=None)
    with any_site.app.app_context(), pytest.raises(StatementError, match="time zone"):
        transact(lambda: execute(insert(Event), _rows(person, naive)))
