"""Retention: what is no longer needed goes, in small batches, and nothing that a game needs."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import event, func, insert, select, text, update
from structlog.testing import capture_logs

from engine.verify import verify
from service.access.scopes import SCOPES
from service.core.config import LEAST_DAYS, BadConfiguration, Retention, from_environment
from service.db.models import (
    Decision,
    Event,
    Invitation,
    Letter,
    LetterState,
    PendingNotice,
    Person,
    Webhook,
)
from service.db.session import db, table, transact
from service.games import audit
from service.games.invitations import GOOD_FOR as INVITED_FOR
from service.mail.outgoing.reply_address import GOOD_FOR
from service.notify import letter_planner as planner
from service.notify.channels import deliveries
from service.notify.event_log import Entry, record_events
from service.notify.reminders import noticed_at
from service.ops import retention
from service.ops.retention import due, purge
from tests.support.commands import Said, set_environment
from tests.support.post import mail_arrives
from tests.support.site import Caller, Site, settings_for
from tests.worker.support import do_everything

A_DAY = {"kind": "flat", "hours": 24}


def count(site: Site, model: type, *which: Any) -> int:
    with site.app.app_context():
        rows = select(func.count()).select_from(model).where(*which)
        return int(db.session.execute(rows).scalar_one())


def change(site: Site, statement: Any) -> None:
    with site.app.app_context():
        transact(lambda: db.session.execute(statement))


def purged(site: Site) -> int:
    with site.app.app_context():
        return purge(site.clock())


def keep(site: Site, **days: int) -> None:
    """Set how long things are kept; what is not named is kept for ever."""
    forever = dict.fromkeys(Retention.__dataclass_fields__, 0)
    object.__setattr__(site.settings, "retention", Retention(**(forever | days)))


def people(site: Site, *names: str) -> list[Caller]:
    """People with tokens that do not expire while time passes."""
    return [one.token_with(*SCOPES) for one in site.people(*names)]


def told(site: Site, person: Caller, times: int) -> None:
    """Append that many events to a person's log, as things that need no letter."""
    who = person.id()
    with site.app.app_context():
        entries = [Entry(who, "seat.back", None, {"n": n}) for n in range(times)]
        transact(lambda: record_events(entries, site.clock()))
        while planner.plan_letters(site.clock(), 50):
            pass


def numbers(person: Caller, after: int = 0) -> list[int]:
    answer = person.get(f"/v1/events?after={after}&limit=500").json
    assert answer is not None
    return [item["number"] for item in answer["items"]]


def would_go(site: Site) -> dict[str, int]:
    with site.app.app_context():
        return {one.what: one.rows for one in due(site.clock()) if one.rows}


def test_old_events_go_and_the_log_stays_without_gaps(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 3)
    keep(any_site, events=90)
    anna, ben = people(any_site, "Anna", "Ben")
    told(any_site, anna, 10)
    told(any_site, ben, 2)
    any_site.clock.advance(days=60)
    told(any_site, anna, 4)
    any_site.clock.advance(days=31)
    assert would_go(any_site) == {"events": 11}
    assert purged(any_site) == 11
    assert numbers(anna) == [11, 12, 13, 14], "what was asked for is gone, and the number says so"
    assert numbers(anna, after=12) == [13, 14]
    assert numbers(ben) == [2], "the newest stays, so that everybody can tell that others are gone"
    told(any_site, anna, 1)
    assert numbers(anna, after=12) == [13, 14, 15]
    assert purged(any_site) == 0


def test_events_that_somebody_still_needs_stay(any_site: Site) -> None:
    keep(any_site, events=31)
    anna, ben = people(any_site, "Anna", "Ben")
    who = anna.id()
    with any_site.app.app_context():
        entries = [Entry(who, "seat.back", None, {})] * 3
        transact(lambda: record_events(entries, any_site.clock()))
    any_site.clock.advance(hours=1)
    game_id = any_site.game_of(anna, ben, clock=A_DAY)
    any_site.clock.advance(days=100)
    before = numbers(anna)
    purged(any_site)
    assert numbers(anna)[0] == before[0], "nothing of it was settled"
    with any_site.app.app_context():
        while planner.plan_letters(any_site.clock(), 50):
            pass
    made = anna.post("/v1/webhooks", {"url": "https://93.184.215.14/hook"})
    change(any_site, update(Webhook).values(told=2))
    purged(any_site)
    assert numbers(anna)[0] == 3, "the webhook was told no more than two"
    assert anna.delete(f"/v1/webhooks/{made.json['id']}").status_code == 204  # type: ignore[index]
    purged(any_site)
    kept = numbers(anna)
    assert kept[0] == 4, "all since the decision was opened that is still open"
    with any_site.app.app_context():
        assert noticed_at(anna.id(), game_id) is not None, "reminders are counted from it"
    any_site.play_to_the_end(game_id, anna, ben)
    any_site.clock.advance(days=100)
    with any_site.app.app_context():
        while planner.plan_letters(any_site.clock(), 50):
            pass
    purged(any_site)
    assert len(numbers(anna)) == 1


def test_webhooks_get_every_event_whatever_is_purged(any_site: Site) -> None:
    keep(any_site, events=31)
    (anna,) = people(any_site, "Anna")
    assert anna.post("/v1/webhooks", {"url": "https://93.184.215.14/hook"}).status_code == 201
    told(any_site, anna, 5)
    any_site.clock.advance(days=40)
    purged(any_site)
    with any_site.app.app_context():
        while deliveries.write_deliveries(any_site.clock(), 50):
            pass
        written = db.session.scalars(text("SELECT number FROM delivery ORDER BY number")).all()
    assert written == [1, 2, 3, 4, 5]
    purged(any_site)
    assert numbers(anna) == [5]


def test_a_game_outlives_everything_that_is_purged(any_site: Site) -> None:
    """Record, replay, audit and result of a finished game are the same without all that goes."""
    anna, ben = people(any_site, "Anna", "Ben")
    game_id = any_site.game_of(anna, ben, clock=A_DAY, title="To stay")
    anna.post(f"/v1/games/{game_id}/messages", {"text": "Have fun, @Ben"})
    any_site.play_to_the_end(game_id, anna, ben)
    mail_arrives(any_site)

    def seen() -> tuple[Any, ...]:
        record = anna.get(f"/v1/games/{game_id}/record").text
        assert verify(record.splitlines()).outcome is not None
        replay = anna.get(f"/v1/games/{game_id}/log?limit=200").json
        said = anna.get(f"/v1/games/{game_id}/messages").json
        return record, replay, said, anna.sees(game_id)["outcome"]

    before = seen()
    any_site.clock.advance(days=500)
    assert purged(any_site) > 0
    assert count(any_site, Decision) == count(any_site, Letter) == 0
    assert seen() == before
    with any_site.app.app_context():
        assert audit.audit_game(game_id, any_site.clock()).clean


def test_decisions_of_running_games_stay(any_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 1)
    keep(any_site, decisions=365)
    anna, ben = people(any_site, "Anna", "Ben")
    over = [any_site.game_of(anna, ben, clock=A_DAY) for _ in range(3)]
    for game_id in over:
        any_site.play_to_the_end(game_id, anna, ben)
    running = any_site.game_of(anna, ben, clock=A_DAY)
    anna.plays(running)
    any_site.clock.advance(days=365)
    assert purged(any_site) == 0
    any_site.clock.advance(seconds=1)
    gone = count(any_site, Decision, Decision.game_id.in_(over))
    assert would_go(any_site) == {"decisions of finished games": gone}
    assert purged(any_site) == gone > 0
    assert count(any_site, Decision) == count(any_site, Decision, Decision.game_id == running) > 0
    assert purged(any_site) == 0


def test_addresses_of_invitations_go_some_time_after_they_expired(any_site: Site) -> None:
    keep(any_site, invitations=30)
    anna, ben = people(any_site, "Anna", "Ben")
    table_id = anna.opens(seats=3, visibility="invitation")["id"]
    for address in ("dora@example.org", "ben@example.org"):
        made = anna.post(f"/v1/games/{table_id}/invitations", {"email": address})
        assert made.status_code == 201, made.json
    used = Invitation.email == "ben@example.org"
    change(any_site, update(Invitation).where(used).values(used_by=ben.id()))
    any_site.clock.at += INVITED_FOR + timedelta(days=30)
    assert purged(any_site) == 0
    any_site.clock.advance(seconds=1)
    assert purged(any_site) == 2
    assert count(any_site, Invitation) == 1
    assert count(any_site, Invitation, Invitation.email.is_not(None)) == 0


def letter(number: int, at: datetime, **values: Any) -> dict[str, Any]:
    return {
        "id": f"letter{number}",
        "kind": "turn",
        "to": "anna@example.org",
        "facts": {},
        "state": LetterState.skipped,
        "created_at": at,
        "attempts": 0,
        **values,
    }


def test_skipped_letters_go_sooner_and_those_that_wait_never(any_site: Site) -> None:
    at = any_site.clock()
    waiting = {"state": LetterState.failed, "next_try_at": at}
    sent = {"state": LetterState.sent, "sent_at": at, "text": "words", "subject": "Your turn"}
    rows = [letter(1, at), letter(2, at, **waiting), letter(3, at, **sent)]
    for row in rows:
        change(any_site, insert(table(Letter)).values(row))

    def left() -> list[str]:
        purged(any_site)
        return sorted(one.id for one in any_site.letters())

    any_site.clock.advance(days=7)
    assert left() == ["letter1", "letter2", "letter3"]
    any_site.clock.advance(seconds=1)
    assert left() == ["letter2", "letter3"]
    any_site.clock.advance(days=30)
    left()
    assert {one.text for one in any_site.letters()} == {None, retention.NO_TEXT}
    any_site.clock.at = at + GOOD_FOR + timedelta(days=2)
    assert left() == ["letter2", "letter3"], "somebody may still reply to it"
    any_site.clock.advance(seconds=1)
    assert left() == ["letter2"]


def test_no_transaction_deletes_more_than_a_batch(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 10)
    at = any_site.clock()
    rows = [letter(number, at) for number in range(95)]
    with any_site.app.app_context():
        transact(lambda: db.session.execute(insert(table(Letter)), rows))
    any_site.clock.advance(days=8)
    sizes: list[int] = []

    def note(_: Any, cursor: Any, statement: str, *__: Any) -> None:
        if statement.startswith("DELETE FROM letter"):
            sizes.append(cursor.rowcount)

    with any_site.app.app_context():
        event.listen(db.engine, "after_cursor_execute", note)
        assert purge(any_site.clock()) == 95
    assert max(sizes) <= 10
    assert sum(sizes) == 95


def test_it_stops_when_asked_to_and_goes_on_later(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 10)
    with site.app.app_context():
        rows = [letter(number, site.clock()) for number in range(30)]
        transact(lambda: db.session.execute(insert(table(Letter)), rows))
        site.clock.advance(days=8)
        assert purge(site.clock(), lambda: True) == 0
        asked = iter([*[False] * 6, *[True] * 20])
        assert purge(site.clock(), lambda: next(asked)) == 10
        before = REGISTRY.get_sample_value(
            "laguna_retention_rows_total", {"what": "skipped letters"}
        )
        with capture_logs() as logs:
            assert purge(site.clock()) == 20
    assert [(line["event"], line["what"], line["rows"]) for line in logs] == [
        ("retention", "skipped letters", 20)
    ]
    assert before is not None
    after = REGISTRY.get_sample_value("laguna_retention_rows_total", {"what": "skipped letters"})
    assert after == before + 20


@pytest.fixture
def said(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    set_environment(monkeypatch, site.settings.database_url, site.settings.data)
    return Said(capsys)


def test_the_command_says_what_would_go_before_anything_does(site: Site, said: Said) -> None:
    with site.app.app_context():
        rows = [letter(number, site.clock()) for number in range(3)]  # long ago by the real clock
        transact(lambda: db.session.execute(insert(table(Letter)), rows))
    shown = said.well("purge", "--dry-run")
    assert "skipped letters                      3  older than 7 days" in shown
    assert shown.endswith("3 rows would be deleted or emptied. Nothing was changed.\n")
    assert len(site.letters()) == 3
    assert "3 rows deleted or emptied." in said.well("purge")
    assert site.letters() == []
    assert '"deleted":0' in said.well("purge", "--json").replace(" ", "")


@pytest.mark.parametrize("name", Retention.__dataclass_fields__)
def test_days_are_settings(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    set_environment(monkeypatch, f"sqlite:///{tmp_path}/x.db", tmp_path)
    variable = f"LAGUNA_KEEP_{name.upper()}_DAYS"
    for good in (0, LEAST_DAYS.get(name, 1), 400):
        monkeypatch.setenv(variable, str(good))
        assert getattr(from_environment().retention, name) == good
    for bad in (-1, LEAST_DAYS.get(name, 1) - 1 or -2, 1_000_000):
        monkeypatch.setenv(variable, str(bad))
        with pytest.raises(BadConfiguration, match=variable):
            from_environment()


def test_the_least_days_keep_what_letters_promise() -> None:
    assert timedelta(days=LEAST_DAYS["letters"]) >= GOOD_FOR + timedelta(days=2)
    assert timedelta(days=LEAST_DAYS["decisions"]) >= GOOD_FOR + timedelta(days=2)
    assert replace(Retention(), events=0).events == 0


def test_nothing_kept_for_ever_has_a_rule(site: Site) -> None:
    keep(site)
    with site.app.app_context():
        kept = retention.rules(site.settings.retention)
    strangers = ["unanswered confirmations", "mails to the own address"]
    assert [rule.what for rule in kept] == ["sign-in codes", *strangers]


@pytest.fixture
def postgresql_house(postgresql_url: str, tmp_path: Path) -> Iterator[Site]:
    site = Site(settings_for(tmp_path, postgresql_url))
    yield site
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


def test_events_are_hot_updates_of_a_person(postgresql_house: Site) -> None:
    """No index of `person` names what changes with every event."""
    site = postgresql_house
    (anna,) = site.people("Anna")
    for _ in range(20):
        told(site, anna, 1)
    statistics = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'person'"
    with site.app.app_context():
        db.session.execute(text("SELECT pg_stat_force_next_flush()"))
        db.session.remove()
        updates, hot = db.session.execute(text(statistics)).one()
    assert updates >= 40
    assert hot / updates > 0.9


def test_a_person_who_has_something_to_settle_is_listed_until_it_is(any_site: Site) -> None:
    anna, ben = people(any_site, "Anna", "Ben")
    any_site.game_of(anna, ben)

    def listed() -> set[str]:
        with any_site.app.app_context():
            return set(db.session.scalars(select(PendingNotice.person_id)))

    def behind() -> set[str]:
        with any_site.app.app_context():
            late = select(Person.id).where(Person.last_event > Person.noticed)
            return set(db.session.scalars(late))

    assert listed() == behind() == {anna.id(), ben.id()}
    with any_site.app.app_context():
        while planner.plan_letters(any_site.clock(), 1):
            pass
    assert listed() == behind() == set()
    # As a process of release 0.1.0 does it, which does not know the list.
    change(any_site, update(Person).values(last_event=Person.last_event + 1))
    assert (listed(), len(behind())) == (set(), 2)
    do_everything(any_site, "deadlines")
    assert listed() == {anna.id(), ben.id()}
    assert count(any_site, Event) > 0
