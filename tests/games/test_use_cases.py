"""One use case, several doors: API, page and mail take the same inputs and refuse the same."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from html import unescape
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select

from engine.registry import GAME_TYPES
from service.core.time_control import MOST_ABSENCE_DAYS, zone_named
from service.db.models import Game, Invitation, Person
from service.db.session import db
from tests.mail.correspondent import replies
from tests.support.browser import Browser
from tests.support.post import arrived, mail_arrives
from tests.support.site import NOON, Caller, Site

ROME = "Europe/Rome"
TODAY = NOON.date()
LONG = timedelta(days=MOST_ABSENCE_DAYS)
ONE_DAY = timedelta(days=1)
REFUSED = "refused"


def browser_of(site: Site, person: Caller) -> Browser:
    browser = Browser(site)
    assert person.token is not None
    browser.client.set_cookie(site.settings.session_cookie, person.token)
    return browser


# Opening a table


class Opened(NamedTuple):
    """What a table is like, whoever opened it and by which door."""

    status: int
    detail: str
    table: Mapping[str, Any]
    invited: tuple[str, ...]


PLAIN: dict[str, Any] = {"game": GAME_TYPES[0].meta.key, "seats": 3, "bots": 0}
TABLES: dict[str, dict[str, Any]] = {
    "as usual": {},
    "with bots": {"bots": 1, "title": "Ours", "visibility": "invitation"},
    "alone against bots": {"bots": 2},
    "by preset": {"clock": "relaxed"},
    "without a clock": {"clock": "none"},
    "with an unknown clock": {"clock": "hourglass"},
    "with guests": {"invite": ["ben@example.org", "Ben@Example.org", "carla@example.org"]},
    "with guests and no seat for them": {"bots": 2, "invite": ["ben@example.org"]},
    "with too many bots": {"bots": 3},
    "with too many seats": {"seats": 5},
    "of an unknown game": {"game": "chess"},
    "with an unknown option": {"options": {"variant": "blitz"}},
    "with an unknown visibility": {"visibility": "secret"},
    "with a bad address": {"invite": ["nobody"]},
    "with a title that is too long": {"title": "x" * 81},
}
CLOCKS = {"none": {"kind": "none"}, "relaxed": {"preset": "relaxed"}}


def by_api(site: Site, person: Caller, wanted: dict[str, Any]) -> Opened:
    body = dict(wanted)
    if "clock" in wanted:
        body["clock"] = CLOCKS.get(wanted["clock"], {"preset": wanted["clock"]})
    answer = person.post("/v1/games", body)
    assert answer.json is not None
    refused = answer.status_code >= 400
    # What a schema refuses is told field by field.
    by_schema = answer.json.get("code") == "invalid_request"
    detail = str(answer.json["detail"]) if refused and not by_schema else ""
    return Opened(answer.status_code if refused else 200, detail, *opened_by(site, person))


def by_page(site: Site, person: Caller, wanted: dict[str, Any]) -> Opened:
    browser = browser_of(site, person)
    fields = {name: str(value) for name, value in wanted.items() if name not in LISTS}
    fields |= {f"option.{name}": value for name, value in wanted.get("options", {}).items()}
    fields["invite"] = ", ".join(wanted.get("invite", ()))
    token = browser.open("/").form("/games").values["csrf"]
    page = browser.client.post("/games", data=fields | {"csrf": token}, follow_redirects=True)
    return Opened(page.status_code, unescape(page.text), *opened_by(site, person))


LISTS = ("options", "invite")


def opened_by(site: Site, person: Caller) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The table that somebody opened, if any, with the addresses that were invited."""
    names = ("game", "seats", "options", "clock", "title", "visibility", "status")
    host = person.id()
    with site.app.app_context():
        row = db.session.scalars(select(Game).where(Game.host_id == host)).one_or_none()
        invited = db.session.scalars(
            select(Invitation.email).where(Invitation.invited_by == host).order_by(Invitation.email)
        )
        return (
            {} if row is None else {name: getattr(row, name) for name in names},
            tuple(str(email) for email in invited),
        )


@pytest.mark.parametrize("case", TABLES)
def test_a_table_is_opened_or_refused_alike(case: str, site: Site) -> None:
    wanted = PLAIN | TABLES[case]
    one = by_api(site, site.person("Anna"), wanted)
    other = by_page(site, site.person("Dora"), wanted)
    assert (one.status, one.table, one.invited) == (other.status, other.table, other.invited)
    if one.status == 200:
        assert one.table
    assert one.detail in other.detail


# Announcing days


def days(first: date, last: date) -> tuple[date, date]:
    return first, last


ABSENCES: dict[str, tuple[date, date]] = {
    "a week": days(date(2026, 3, 5), date(2026, 3, 11)),
    "today": days(TODAY, TODAY),
    "the longest, with a night in which clocks are put back": days(
        date(2026, 10, 1), date(2026, 10, 1) + LONG - ONE_DAY
    ),
    "the longest, with a night in which clocks are put forward": days(
        date(2026, 3, 10), date(2026, 3, 10) + LONG - ONE_DAY
    ),
    "a day too long": days(date(2026, 10, 1), date(2026, 10, 1) + LONG),
    "too far ahead": days(date(2027, 3, 20), date(2027, 3, 21)),
    "far too far ahead": days(date(9000, 1, 1), date(9000, 1, 2)),
    "from the last day to the first": days(date(2026, 3, 11), date(2026, 3, 5)),
    "over": days(date(2026, 2, 20), date(2026, 2, 25)),
}


def announced_by_api(site: Site, person: Caller, first: date, last: date) -> str:
    zone = zone_named(ROME)
    start, end = (datetime.combine(day, time(), zone) for day in (first, last + ONE_DAY))
    body = {"from": start.isoformat(), "to": end.isoformat()}
    answer = person.post("/v1/absences", body)
    assert answer.status_code in (201, 422), answer.json
    return "" if answer.status_code == 201 else REFUSED


def announced_by_page(site: Site, person: Caller, first: date, last: date) -> str:
    browser = browser_of(site, person)
    said = {"first": first.isoformat(), "last": last.isoformat()}
    page = browser.send(browser.open("/account"), "/account/absences", **said)
    assert page.status in (200, 422)
    return "" if page.status == 200 else REFUSED


def announced_by_mail(site: Site, person: Caller, first: date, last: date) -> str:
    site.game_of(person, site.person("Ben"))
    mail_arrives(site)
    [letter] = arrived(site, person, "turn")
    answer = replies(site, person, letter, f"away {first.isoformat()} - {last.isoformat()}")
    return "" if answer.facts["refused"] is None else REFUSED


@pytest.mark.parametrize("case", ABSENCES)
def test_days_are_announced_or_refused_alike(case: str, site: Site) -> None:
    results = []
    for name, door in (
        ("Anna", announced_by_api),
        ("Dora", announced_by_page),
        ("Emil", announced_by_mail),
    ):
        person = site.person(name)
        zone = {"time_zone": ROME}
        assert person.patch("/v1/me", zone, headers={"If-Match": "*"}).status_code == 200
        refused = door(site, person, *ABSENCES[case])
        results.append((refused, announced(site, name)))
    assert results[0] == results[1] == results[2]
    fits = case in ("a week", "today") or case.startswith("the longest")
    assert (results[0][0], len(results[0][1])) == (("", 1) if fits else (REFUSED, 0))


def announced(site: Site, name: str) -> list[tuple[datetime, datetime]]:
    """The absences of somebody; one that has begun, from the same instant by every door."""
    with site.app.app_context():
        row = db.session.scalars(
            select(Person).where(Person.email == f"{name.lower()}@example.org")
        ).one()
        return [
            (max(datetime.fromisoformat(one["from"]), NOON + ONE_DAY / 2), until)
            for one in row.absences
            for until in [datetime.fromisoformat(one["to"])]
        ]
