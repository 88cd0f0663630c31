"""Statements of the hot path: compiled once, then handed to the driver as they are.

SQLAlchemy writes the SQL and converts the values; what it does beside that for every execution is
worth its time everywhere but here, where it is most of what a short statement costs.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, Dialect, Table, bindparam, insert
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.sql import ClauseElement
from sqlalchemy.types import TypeEngine

Convert = Callable[[Any], Any] | None
Parameters = Mapping[str, Any]


class Rows(list[Any]):
    """What a statement found; each row has its columns as attributes."""

    def one_or_none(self) -> Any:
        assert len(self) < 2, "at most one row was expected"
        return self[0] if self else None

    def one(self) -> Any:
        if not self:
            raise NoResultFound("one row was expected, and there is none")
        return self.one_or_none()


class _Form(NamedTuple):
    """A statement in the words of one kind of database."""

    sql: str
    fixed: dict[str, Any]  # values that stand in the statement itself
    to_database: dict[str, Convert]  # the values that are given each time
    positions: tuple[str, ...] | None  # names of the parameters in order, where order counts
    row: Callable[..., Any] | None
    from_database: tuple[tuple[int, Callable[[Any], Any]], ...]

    def bound(self, given: Parameters) -> Any:
        named = self.fixed.copy()
        for name, convert in self.to_database.items():
            named[name] = given[name] if convert is None else convert(given[name])
        return named if self.positions is None else tuple([named[name] for name in self.positions])

    def rows(self, raw: Sequence[Any]) -> Rows:
        make, converts = self.row, self.from_database
        assert make is not None
        found = Rows()
        for values in raw:
            if converts:
                values = list(values)
                for place, convert in converts:
                    values[place] = convert(values[place])
            found.append(make(values))
        return found


class Prepared:
    """A statement built from tables, ready for either database."""

    def __init__(self, clause: ClauseElement) -> None:
        self.clause = clause
        self.forms: dict[str, _Form] = {}

    def form(self, dialect: Dialect) -> _Form:
        found = self.forms.get(dialect.name)
        if found is None:
            found = self.forms[dialect.name] = _compiled(self.clause, dialect)
        return found

    def run(self, connection: Connection, given: Parameters) -> Rows:
        """Execute it; what it found."""
        form = self.form(connection.dialect)
        cursor = hand_over(connection, form.sql, form.bound(given))
        return Rows() if form.row is None else form.rows(cursor.fetchall())

    def run_each(self, connection: Connection, given: Sequence[Parameters]) -> None:
        """Execute it for each of these parameters."""
        form = self.form(connection.dialect)
        hand_over(connection, form.sql, [form.bound(parameters) for parameters in given])


class PreparedInsert(Prepared):
    """Insert rows with these columns; the others stay empty."""

    def __init__(self, target: Table, *names: str) -> None:
        super().__init__(insert(target).values({name: bindparam(name) for name in names}))
        self.target = target
        self.names = names
        self.of_many: dict[int, Prepared] = {}

    def run_each(self, connection: Connection, given: Sequence[Parameters]) -> None:
        """All rows by one statement: PostgreSQL would be asked about each of them otherwise."""
        if len(given) == 1:
            self.run(connection, given[0])
        elif connection.dialect.name == "sqlite":
            super().run_each(connection, given)
        else:
            parameters = {
                f"{name}_{n}": row[name] for n, row in enumerate(given) for name in self.names
            }
            self._rows(len(given)).run(connection, parameters)

    def _rows(self, count: int) -> Prepared:
        found = self.of_many.get(count)
        if found is None:
            rows = [
                {
                    name: bindparam(f"{name}_{n}", type_=self.target.c[name].type)
                    for name in self.names
                }
                for n in range(count)
            ]
            found = self.of_many[count] = Prepared(insert(self.target).values(rows))
        return found


def hand_over(connection: Connection, sql: str, bound: Any) -> DBAPICursor:
    """Hand a statement to the driver; a list of parameters executes it for each of them."""
    many = isinstance(bound, list)
    cursor = connection.connection.cursor()
    if connection.engine._has_events:  # whoever counts or traces statements sees these too
        for listener in connection.dispatch.before_cursor_execute:
            listener(connection, cursor, sql, bound, None, many)
    driver = connection.dialect.loaded_dbapi
    try:
        if many:
            cursor.executemany(sql, bound)
        else:
            cursor.execute(sql, bound)
    except driver.Error as error:  # as SQLAlchemy would have raised it
        raise DBAPIError.instance(
            sql, bound, error, driver.Error, hide_parameters=True, dialect=connection.dialect
        ) from error
    return cursor


def _compiled(clause: ClauseElement, dialect: Dialect) -> _Form:
    compiled: Any = clause.compile(dialect=dialect)
    binds = {compiled.bind_names[bind]: bind for bind in compiled.bind_names}
    positions = tuple(compiled.positiontup) if compiled.positional else None
    columns = _answered(clause)
    return _Form(
        sql=compiled.string,
        fixed={
            name: _converted(bind.value, _to_database(bind.type, dialect))
            for name, bind in binds.items()
            if not bind.required
        },
        to_database={
            name: _to_database(bind.type, dialect) for name, bind in binds.items() if bind.required
        },
        positions=positions,
        row=namedtuple("Row", [column.key for column in columns])._make if columns else None,  # type: ignore[attr-defined]
        from_database=tuple(
            (place, convert)
            for place, column in enumerate(columns)
            if (convert := _from_database(column.type, dialect)) is not None
        ),
    )


def _answered(clause: Any) -> list[Column[Any]]:
    """The columns with which a statement answers."""
    if clause.is_select:
        return list(clause.selected_columns)
    return list(getattr(clause, "_returning", ()))


def _converted(value: Any, convert: Convert) -> Any:
    return convert(value) if convert else value


def _to_database(kind: TypeEngine[Any], dialect: Dialect) -> Convert:
    return kind.dialect_impl(dialect).bind_processor(dialect)


def _from_database(kind: TypeEngine[Any], dialect: Dialect) -> Convert:
    return kind.dialect_impl(dialect).result_processor(dialect, None)
