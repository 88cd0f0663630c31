"""The calendar with somebody's deadlines: a private address for programs that ask every hour."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from icalendar import Calendar
from werkzeug.test import TestResponse

from service.accounts.calendar_feed import FOREVER
from service.core.ics import deadline_ics
from service.core.signing import sign_id
from tests.support.browser import Browser, Page
from tests.support.post import decision_of
from tests.support.rewinding import all_rows
from tests.support.site import Caller, Site


def address_of(caller: Caller) -> str:
    answer = caller.get("/v1/me/calendar")
    assert answer.json is not None
    return str(answer.json["url"])


def fetch(site: Site, url: str, **headers: str) -> TestResponse:
    """What a calendar program does, which has no cookie."""
    path = url.removeprefix(site.settings.public_url)
    return site.app.test_client().get(path, headers=headers)


def events(site: Site, caller: Caller) -> list[Any]:
    answer = fetch(site, address_of(caller))
    assert answer.status_code == 200
    return list(Calendar.from_ical(answer.data).walk("VEVENT"))


def test_every_deadline_is_an_event_that_ends_with_it(any_site: Site) -> None:
    site = any_site
    anna, ben = site.people("Anna", "Ben")
    games = [site.game_of(anna, ben, title=f"Round {n}") for n in (1, 2)]
    found = events(site, anna)
    assert sorted(str(event["SUMMARY"]) for event in found) == [
        "Your turn: Round 1",
        "Your turn: Round 2",
    ]
    for game_id, event in zip(games, sorted(found, key=lambda one: str(one["SUMMARY"]))):
        decision = decision_of(site, game_id, anna)
        assert event.decoded("DTEND") == decision.due_at
        assert event.decoded("DTSTART") < decision.due_at
        assert str(event["UID"]) == f"{game_id}.{decision.id}@localhost"
        assert event["URL"] == f"http://localhost:8000/games/{game_id}"
        assert event.decoded("DTSTAMP") == decision.opened_at
        assert not event.walk("VALARM")


def test_it_is_a_calendar_that_programs_ask_for_again(site: Site, anna: Caller) -> None:
    answer = fetch(site, address_of(anna))
    assert answer.content_type == "text/calendar; charset=utf-8"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "Set-Cookie" not in answer.headers
    lines = answer.text.split("\r\n")
    assert {"VERSION:2.0", "REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H"} <= set(
        lines
    )
    assert all(len(line.encode()) <= 75 for line in lines)


def test_an_unchanged_feed_is_304(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = site.game_of(anna, ben)
    url = address_of(anna)
    first = fetch(site, url)
    site.clock.advance(hours=1)
    again = fetch(site, url, **{"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert anna.plays(game_id).status_code == 200
    changed = fetch(site, url, **{"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert b"VEVENT" not in changed.data, "what is answered waits for nobody"


def test_moves_of_other_players_are_not_in_the_feed(site: Site, anna: Caller, ben: Caller) -> None:
    """As long as the own decision is open, the others may do what they like."""
    game_id = site.game_of(anna, ben)
    url = address_of(anna)
    before = fetch(site, url).data
    site.clock.advance(minutes=5)
    assert ben.plays(game_id).status_code == 200
    assert fetch(site, url).data == before


def test_a_paused_game_has_no_deadline_and_a_later_one_afterwards(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = site.game_of(anna, ben)
    (before,) = events(site, anna)
    site.clock.advance(hours=2)
    for player in (anna, ben):
        assert player.post(f"/v1/games/{game_id}/pause").status_code == 200
    assert events(site, anna) == []
    site.clock.advance(days=3)
    assert anna.delete(f"/v1/games/{game_id}/pause").status_code == 204
    (after,) = events(site, anna)
    assert after["UID"] == before["UID"]
    assert after.decoded("DTEND") == before.decoded("DTEND") + timedelta(days=3)
    assert after["SEQUENCE"] > before["SEQUENCE"]
    assert after.decoded("LAST-MODIFIED") > before.decoded("LAST-MODIFIED")


def test_absences_are_whole_days_of_the_person(site: Site, anna: Caller) -> None:
    anna.patch("/v1/me", {"time_zone": "Europe/Rome"}, headers={"If-Match": "*"})
    away = {"from": "2026-08-01T00:00:00+02:00", "to": "2026-08-15T00:00:00+02:00"}
    assert anna.post("/v1/absences", away).status_code == 201
    later = {"from": "2026-09-01T10:00:00+02:00", "to": "2026-09-01T12:00:00+02:00"}
    assert anna.post("/v1/absences", later).status_code == 201
    first, second = events(site, anna)
    assert (first.decoded("DTSTART"), first.decoded("DTEND")) == (
        date(2026, 8, 1),
        date(2026, 8, 15),
    )
    assert (second.decoded("DTSTART"), second.decoded("DTEND")) == (
        date(2026, 9, 1),
        date(2026, 9, 2),
    )
    url = address_of(anna)
    site.clock.at = datetime(2026, 8, 16, tzinfo=UTC)
    assert fetch(site, url).text.count("BEGIN:VEVENT") == 1, "what is over is not shown"


@pytest.mark.parametrize(
    ("language", "summary"),
    [("de", "Du bist dran: Ünser Tisch, 1; 2"), ("es", "Te toca: Ünser Tisch, 1; 2")],
)
def test_the_feed_is_in_the_language_of_its_owner(
    site: Site, anna: Caller, ben: Caller, language: str, summary: str
) -> None:
    site.game_of(anna, ben, title="Ünser Tisch, 1; 2")
    anna.patch("/v1/me", {"language": language}, headers={"If-Match": "*"})
    assert [str(event["SUMMARY"]) for event in events(site, anna)] == [summary]


def test_a_new_address_makes_the_old_one_void(site: Site, anna: Caller) -> None:
    old = address_of(anna)
    made = anna.post("/v1/me/calendar")
    assert made.status_code == 201
    assert made.json is not None
    assert made.json["url"] == address_of(anna) != old
    assert fetch(site, old).status_code == 404
    assert fetch(site, address_of(anna)).status_code == 200


def test_an_address_that_was_changed_shows_nothing(site: Site, anna: Caller, ben: Caller) -> None:
    url, bens = address_of(anna), address_of(ben)
    begin, _, sealed = url.rpartition("/")
    sealed = sealed.removesuffix(".ics")
    person = anna.id()
    assert sealed.startswith(person)
    wrong = [
        sealed[:-1] + ("a" if sealed[-1] != "a" else "b"),
        ben.id() + sealed[16:],
        person + bens.rpartition("/")[2].removesuffix(".ics")[16:],
        person,
        "%00" * 36,
        "a" * 36,
        "x" * 300,
        sign_id(site.settings, "calendar:2", person, FOREVER),
        sign_id(site.settings, "off", person, FOREVER),
    ]
    for text in wrong:
        assert fetch(site, f"{begin}/{text}.ics").status_code == 404, text
    assert fetch(site, f"{begin}/{sealed.upper()}.ics").status_code == 200, "case does not matter"


def test_fetching_the_feed_changes_nothing(site: Site, anna: Caller) -> None:
    url = address_of(anna)
    before = all_rows(site)
    path = url.removeprefix(site.settings.public_url)
    for method in ("GET", "HEAD", "OPTIONS"):
        assert site.app.test_client().open(path, method=method).status_code == 200
    assert site.app.test_client().post(path).status_code == 405
    assert all_rows(site) == before


def test_the_feed_is_gone_with_the_account(site: Site, anna: Caller) -> None:
    url = address_of(anna)
    assert anna.delete("/v1/me").status_code == 204
    assert fetch(site, url).status_code == 404


def test_the_account_page_gives_the_address_and_another_one(site: Site) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    page = browser.open("/account")
    (link,) = [href for href in page.links() if href.startswith("webcal:")]
    url = link.replace("webcal:", "http:")
    assert url in page.text
    assert fetch(site, url).status_code == 200
    page = browser.send(page, "/account/calendar")
    assert url not in page.text
    assert fetch(site, url).status_code == 404


def test_a_token_for_games_cannot_read_the_calendar_url(site: Site, anna: Caller) -> None:
    player = anna.token_with("games:read", "games:play")
    assert player.get("/v1/me/calendar").status_code == 403
    assert player.post("/v1/me/calendar").status_code == 403


def test_one_deadline_as_a_file() -> None:
    due, at = (datetime(2026, 3, day, 12, 30, 15, 5, tzinfo=UTC) for day in (4, 2))
    content = deadline_ics("g.d@localhost", "Round; 1", "http://l/games/g", due, at, "de")
    (event,) = Calendar.from_ical(content).walk("VEVENT")
    assert str(event["SUMMARY"]) == "Du bist dran: Round; 1"
    assert event.decoded("DTEND") == due.replace(microsecond=0)
    assert event["UID"] == "g.d@localhost"
    assert b"METHOD:PUBLISH" in content


def test_the_language_is_chosen_on_the_account_page(site: Site, anna: Caller) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    page = browser.open("/account")
    assert page.form("/account").values["language"] == "en"
    browser.send(page, "/account", language="de")
    assert anna.get("/v1/me").json["language"] == "de"  # type: ignore[index]
    assert browser.open("/account").form("/account").values["language"] == "de"
    refused = Page(browser.post(page, "/account", language="xx"))
    assert refused.status == 422
