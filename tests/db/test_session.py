"""Reads and transactions, whatever the session did before."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import select

from service.db.models import Person
from service.db.session import db, reading, snapshot
from tests.support.site import Site


@pytest.mark.parametrize("begin", [reading, snapshot])
def test_a_read_may_follow_a_session_that_is_still_open(
    any_site: Site, begin: Callable[[], AbstractContextManager[None]]
) -> None:
    any_site.people("Anna")
    with any_site.app.app_context():
        assert db.session.scalars(select(Person.name)).all() == ["Anna"]
        with begin():
            assert db.session.scalars(select(Person.name)).all() == ["Anna"]
