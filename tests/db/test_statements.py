"""Prepared statements: the values SQLAlchemy would have stored and read, and its errors."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import bindparam, event, select, text, update
from sqlalchemy.exc import IntegrityError, NoResultFound

from service.core.clock import now
from service.db.models import Event, Person
from service.db.session import change, db, run, run_each, table, transact
from service.db.statements import Prepared, PreparedChanges, PreparedInsert
from tests.support.site import Site

EVENT = table(Event)
INSERT = PreparedInsert(EVENT, *EVENT.c.keys())
OF_PERSON = Prepared(
    select(EVENT).where(EVENT.c.person_id == bindparam("person")).order_by(EVENT.c.number)
)
PEOPLE = PreparedChanges(table(Person), "id")
PERSON = Prepared(select(table(Person)).where(table(Person).c.id == bindparam("person")))
MARK_FIRST = Prepared(
    update(EVENT)
    .where(EVENT.c.person_id == bindparam("person"), EVENT.c.number == 1)
    .values(type="marked")
    .returning(EVENT.c.number, EVENT.c.data)
)


def _rows(person: str, count: int, at: datetime) -> list[dict[str, Any]]:
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


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_what_was_inserted_is_read_as_the_models_read_it(any_site: Site, count: int) -> None:
    person = any_site.person("Alice").id()
    elsewhere = now_in(any_site).astimezone(timezone(timedelta(hours=5)))
    with any_site.app.app_context():
        transact(lambda: run_each(INSERT, _rows(person, count, elsewhere)))
        found = transact(lambda: run(OF_PERSON, {"person": person}))
        as_objects = db.session.execute(
            select(Event).where(Event.person_id == person).order_by(Event.number)
        ).scalars()
        assert [list(row) for row in found] == [
            [getattr(one, column.name) for column in EVENT.c] for one in as_objects
        ]
    assert [row.number for row in found] == list(range(1, count + 1))
    assert all(row.at == elsewhere and row.data["text"] == "vetro ä" for row in found)


def test_values_in_the_statement_and_answers_of_a_change(any_site: Site) -> None:
    person = any_site.person("Alice").id()
    with any_site.app.app_context():
        at = now()
        transact(lambda: run_each(INSERT, _rows(person, 2, at)))
        changed = transact(lambda: run(MARK_FIRST, {"person": person}))
        after = transact(lambda: run(OF_PERSON, {"person": person}))
    assert (changed.one().number, changed.one().data["n"]) == (1, 1)
    assert [row.type for row in after] == ["marked", "test"]


def test_some_columns_of_one_row_are_changed_and_others_counted(any_site: Site) -> None:
    alice, ben = any_site.person("Alice").id(), any_site.person("Ben").id()
    instant = now_in(any_site)

    def work() -> list[Any]:
        change(PEOPLE, {"id": alice}, {"mail": {"news": False}, "deleted_at": instant})
        change(PEOPLE, {"id": alice}, {}, counted="version")
        change(PEOPLE, {"id": alice}, {"name": "Alma"}, counted="version")
        return [run(PERSON, {"person": person}).one() for person in (alice, ben)]

    with any_site.app.app_context():
        changed, other = transact(work)
    assert (changed.name, changed.mail, changed.deleted_at) == ("Alma", {"news": False}, instant)
    assert changed.version == other.version + 2
    assert (other.name, other.deleted_at) == ("Ben", None)


def test_errors_are_those_of_sqlalchemy_and_nothing_is_kept(any_site: Site) -> None:
    person = any_site.person("Alice").id()
    with any_site.app.app_context():
        row = _rows(person, 1, now())
        with pytest.raises(IntegrityError) as raised:
            transact(lambda: run_each(INSERT, row + row))
        assert "vetro" not in str(raised.value)  # parameters may be secrets
        assert transact(lambda: run(OF_PERSON, {"person": person})).one_or_none() is None
        with pytest.raises(NoResultFound):
            transact(lambda: run(OF_PERSON, {"person": person}).one())


def test_whoever_counts_statements_sees_these_too(any_site: Site) -> None:
    person = any_site.person("Alice").id()
    seen: list[str] = []
    with any_site.app.app_context():
        event.listen(db.engine, "before_cursor_execute", lambda *args: seen.append(args[2]))
        transact(lambda: run_each(INSERT, _rows(person, 3, now())))
    [insertion] = [statement for statement in seen if not statement.startswith("BEGIN")]
    assert insertion.startswith("INSERT INTO event")


def now_in(site: Site) -> datetime:
    with site.app.app_context():
        return now()


def test_instants_are_kept_as_text_that_sorts_on_sqlite(site: Site) -> None:
    """As SQLAlchemy writes it, which wrote what older rows have."""
    person = site.person("Alice").id()
    elsewhere = datetime(2026, 3, 1, 2, 30, tzinfo=timezone(timedelta(hours=5)))
    with site.app.app_context():
        transact(lambda: run_each(INSERT, _rows(person, 1, elsewhere)))
        stored = db.session.execute(
            text("SELECT at FROM event WHERE person_id = :id"), {"id": person}
        )
        assert stored.scalar_one() == "2026-02-28 21:30:00.000000"
        read = db.session.scalars(select(Event.at).where(Event.person_id == person)).one()
    assert (read, read.utcoffset()) == (elsewhere, timedelta(0))


def test_an_instant_without_a_time_zone_is_refused(any_site: Site) -> None:
    person = any_site.person("Alice").id()
    naive = now_in(any_site).replace(tzinfo=None)
    with any_site.app.app_context(), pytest.raises(ValueError, match="time zone"):
        transact(lambda: run_each(INSERT, _rows(person, 1, naive)))
