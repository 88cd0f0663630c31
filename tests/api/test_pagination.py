"""Pages of lists that change while somebody pages through them."""

from typing import Any

from sqlalchemy import update

from service.db.models import Decision
from service.db.session import db, transact
from tests.support.site import Caller, Site


def pages(caller: Caller, limit: int) -> list[Any]:
    """All open decisions, each answered as soon as its page was read."""
    path: str = f"/v1/decisions?limit={limit}"
    seen: list[Any] = []
    for _ in range(20):
        page: Any = caller.get(path).json
        for item in page["items"]:
            seen.append(item)
            assert caller.plays(item["game"]).status_code == 200
        if page["next_cursor"] is None:
            return seen
        path = f"/v1/decisions?limit={limit}&cursor={page['next_cursor']}"
    raise AssertionError("the list does not end")


def test_answering_while_paging_skips_no_decision(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    games = []
    for hours in (30, 20, 10, 20, 40):
        games.append(any_site.game_of(alice, bob, clock={"kind": "flat", "hours": hours}))
        any_site.clock.advance(seconds=1)
    listed = pages(alice, 2)
    assert [item["game"] for item in listed] == [games[n] for n in (2, 1, 3, 0, 4)]


def test_decisions_with_equal_or_missing_deadlines_are_paged(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    games = {any_site.game_of(alice, bob) for _ in range(5)}
    paused = sorted(games)[:3]
    with any_site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Decision).where(Decision.game_id.in_(paused)).values(due_at=None)
            )
        )
    listed = pages(alice, 1)
    assert {item["game"] for item in listed} == games
    assert len(listed) == 5
    assert [item["due_at"] is None for item in listed] == [False] * 2 + [True] * 3
