"""Lease queue over a table: claim due rows for a limited time, record each result.

A row is due from its `next_try_at` on; NULL takes it out of the queue. A claim counts itself in the
row and moves `next_try_at` to the end of the lease. That instant proves ownership: a holder's
changes name it, and change nothing once another process has claimed the row. The leases of a
process that dies expire, and its rows are due again.

The longest waiting row is claimed together with others that were claimed as often, and alone if an
earlier claim came to nothing: a row that kills its process costs the others one delay.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Executable, Table, bindparam, select, update

from service.db.session import execute, reading, transact

Row = TypeVar("Row")
Execute = Callable[[Executable, dict[str, Any]], Sequence[Any]]  # the rows that are returned


def _execute(statement: Executable, values: dict[str, Any]) -> Sequence[Any]:
    return execute(statement, values).all()


class Lease(Generic[Row]):
    """Rows that one process holds until an instant. `execute` executes its statements, by default
    in the transaction of the caller."""

    def __init__(self, queue: "LeaseQueue[Row]", until: datetime, rows: Sequence[Row]) -> None:
        self.queue, self.until, self.rows = queue, until, rows
        self.execute: Execute = _execute

    def record(self, row_id: str, **values: Any) -> bool:
        """Record the result of one row; False if the lease is lost."""
        given = {f"new_{name}": value for name, value in values.items()}
        given |= {"row_id": row_id, "lease": self.until}
        return bool(self.execute(self.queue.recording(tuple(values)), given))

    def change(self, ids: Collection[str], **values: Any) -> set[str]:
        """Change several rows; the ids of those that are still held."""
        columns = self.queue.table.c
        held = columns.id.in_(ids) & (columns.next_try_at == self.until)
        statement = update(self.queue.table).where(held).values(values).returning(columns.id)
        return {row.id for row in self.execute(statement, {})}

    def lock(self, row_id: str) -> bool:
        """Lock a row for this transaction; False if the lease is lost."""
        columns = self.queue.table.c
        held = (columns.id == row_id) & (columns.next_try_at == self.until)
        return bool(self.execute(select(columns.id).where(held).with_for_update(), {}))


class LeaseQueue(Generic[Row]):
    """The queue of one table.

    `row_type` is a NamedTuple whose fields are columns; `counter` names the column that counts
    claims. A lease lasts as long as `durations` says for the number of earlier claims, the last of
    them for all further ones.
    """

    def __init__(
        self,
        table: Table,
        row_type: type[Row],
        counter: str,
        durations: Sequence[timedelta],
        batch_size: int = 1,
    ) -> None:
        self.table, self.row_type, self.counter = table, row_type, table.c[counter]
        self.columns = [table.c[name] for name in row_type._fields]  # type: ignore[attr-defined]
        self.durations, self.batch_size = durations, batch_size
        self.recording = cache(self._recording)  # a statement that SQLAlchemy need not build again

    def claim(self, at: datetime, **values: Any) -> Lease[Row] | None:
        """Claim due rows in a transaction of its own, the longest waiting first; None: none is due.
        The values are set in each of them."""
        table, order = self.table, (self.table.c.next_try_at, self.table.c.id)
        due = table.c.next_try_at <= at
        with reading():  # mostly nothing is due, and no writer has to wait
            first = select(self.counter).where(due).order_by(*order).limit(1)
            earlier = execute(first).scalar_one_or_none()
        if earlier is None:
            return None
        some = (
            select(table.c.id)
            .where(due, self.counter == earlier)
            .order_by(*order)
            .limit(1 if earlier else self.batch_size)
            .with_for_update(skip_locked=True)
        )
        until = at + self.durations[min(earlier, len(self.durations) - 1)]
        lease = transact(lambda: self._lease(table.c.id.in_(some), until, values))
        return lease if lease.rows else None

    def claim_row(self, row_id: str, at: datetime, **values: Any) -> Lease[Row] | None:
        """Claim one row in this transaction; None if it is not due, or another process has it."""
        due = (self.table.c.id == row_id) & (self.table.c.next_try_at <= at)
        lease = self._lease(due, at + self.durations[0], values)
        return lease if lease.rows else None

    def _lease(
        self, which: ColumnElement[bool], until: datetime, values: dict[str, Any]
    ) -> Lease[Row]:
        counted = {"next_try_at": until, self.counter.name: self.counter + 1}
        claimed = execute(
            update(self.table).where(which).values(counted | values).returning(*self.columns)
        )
        return Lease(self, until, [self.row_type(*row) for row in claimed])

    def _recording(self, names: tuple[str, ...]) -> Executable:
        """The statement that records values of these columns."""
        columns = self.table.c
        return (
            update(self.table)
            .where(columns.id == bindparam("row_id"), columns.next_try_at == bindparam("lease"))
            .values({name: bindparam(f"new_{name}") for name in names})
            .returning(columns.id)
        )


def pause_after(failures: int, pauses: Sequence[timedelta]) -> timedelta | None:
    """The pause after so many failed attempts; None: give up."""
    return pauses[failures - 1] if failures <= len(pauses) else None
