"""Programs are told what their person is told: signed, in full, again if it failed, not forever."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import orjson
import pytest
import standardwebhooks
from sqlalchemy import delete, func, select
from werkzeug.test import TestResponse

from engine.contract import Json
from service.core import http_client
from service.core.clock import wall_clock
from service.core.config import Limits
from service.db.models import Delivery, Event
from service.db.session import db, transact
from service.notify.channels.deliveries import (
    _claim,
    attempt,
    due_deliveries,
    write_deliveries,
)
from service.notify.channels.webhook_request import BACK_OFF, JITTER
from service.notify.event_log import Entry, record_events
from service.ops.retention import purge
from tests.support.contract import pointer, validator_at
from tests.support.receiver import Receiver
from tests.support.site import Caller, Site, settings_for
from tests.support.together import at_once

T = TypeVar("T")
MANY = "100000 per minute"


def open_house(tmp_path: Path, url: str, **changes: Any) -> Iterator[Site]:
    limits = Limits(requests=MANY, anonymous_requests=MANY, webhooks=3, webhook_tests=MANY)
    settings = settings_for(tmp_path, url, **({"open_webhooks": True, "limits": limits} | changes))
    site = Site(settings)
    site.clock.at = wall_clock()  # signatures are good for minutes
    yield site
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def site(sqlite_url: str, tmp_path: Path) -> Iterator[Site]:
    yield from open_house(tmp_path, sqlite_url)


@pytest.fixture(params=["sqlite", "postgresql"])
def any_site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    yield from open_house(tmp_path, request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def closed_house(sqlite_url: str, tmp_path: Path) -> Iterator[Site]:
    """A site that calls only the public internet."""
    yield from open_house(tmp_path, sqlite_url, open_webhooks=False)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def said(answer: TestResponse) -> Any:
    """The JSON of an answer."""
    return answer.json


def inside(site: Site, work: Callable[[], T]) -> T:
    with site.app.app_context():
        return work()


def registered(person: Caller, receiver: Receiver, **more: Any) -> Json:
    made = person.post("/v1/webhooks", {"url": receiver.url(), **more})
    assert made.status_code == 201, made.json
    return dict(said(made))


def happens(site: Site, person: Caller, *types: str) -> None:
    """The person is told something of each type."""
    own = person.id()
    entries = [Entry(own, kind, None, {"n": n}) for n, kind in enumerate(types)]
    inside(site, lambda: transact(lambda: record_events(entries, site.clock())))


def work(site: Site) -> list[str | None]:
    """What a worker does now; what became of each delivery that was due."""

    def once() -> list[str | None]:
        while write_deliveries(site.clock(), 10):
            pass
        return [attempt(due.id, site.clock()) for due in due_deliveries(site.clock(), 100, 100)]

    return inside(site, once)


def deliveries(person: Caller, webhook: Json, query: str = "") -> list[Json]:
    found = person.get(f"/v1/webhooks/{webhook['id']}/deliveries{query}")
    assert found.status_code == 200, found.json
    return list(said(found)["items"])


def try_out(person: Caller, webhook: Json) -> Json:
    made = person.post(f"/v1/webhooks/{webhook['id']}/test")
    assert made.status_code == 201, made.json
    return dict(said(made))


def shown(person: Caller, webhook: Json) -> Json:
    return dict(said(person.get(f"/v1/webhooks/{webhook['id']}")))


def changed(person: Caller, webhook: Json, **changes: Any) -> Json:
    path = f"/v1/webhooks/{webhook['id']}"
    etag = person.get(path).headers["ETag"]
    done = person.patch(path, changes, headers={"If-Match": etag})
    assert done.status_code == 200, done.json
    return dict(said(done))


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


# Being told


def test_a_delivery_verifies_with_the_standard_webhooks_library(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    assert webhook["secret"].startswith("whsec_")
    happens(site, anna, "table.joined")
    assert work(site) == ["sent"]
    [received] = receiver.received
    told = standardwebhooks.Webhook(webhook["secret"]).verify(received.body, received.headers)
    [event] = said(anna.get("/v1/events"))["items"]
    assert told == {"type": "table.joined", "timestamp": event["at"], "data": event}
    assert received.headers["content-type"] == "application/json"
    [delivery] = deliveries(anna, webhook)
    assert delivery["id"] == received.headers["webhook-id"]
    assert (delivery["state"], delivery["status"], delivery["error"]) == ("sent", 204, None)
    assert (delivery["event"], delivery["attempts"]) == (1, 1)
    assert delivery["next_try_at"] is None


def test_the_documented_receiver_accepts_each_delivery_once(
    site: Site, receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path(__file__).parents[2] / "docs" / "webhooks.md"
    [example] = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(example, page.name, "exec"), names)  # noqa: S102
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    try_out(anna, webhook)
    work(site)
    [(_, headers, body)] = receiver.received
    capsys.readouterr()
    assert names["receive"](webhook["secret"], headers, body) == 204
    assert names["receive"](webhook["secret"], headers, body) == 204
    assert capsys.readouterr().out.count("webhook.test") == 2  # one line, which says it twice
    assert names["receive"](webhook["secret"], headers, body + b" ") == 401


def test_webhooks_get_the_same_events_as_the_log(site: Site, receiver: Receiver) -> None:
    anna, ben = site.people("Anna", "Ben")
    registered(anna, receiver)
    game = site.game_of(anna, ben)
    anna.plays(game)
    ben.plays(game)
    while work(site):
        pass
    events = said(anna.get("/v1/events"))["items"]
    assert [orjson.loads(received.body)["data"] for received in receiver.received] == events
    assert len(events) > 3


def test_only_what_happens_after_registering_is_sent(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    happens(site, anna, "table.joined")
    registered(anna, receiver)
    happens(site, anna, "table.left")
    assert work(site) == ["sent"]
    assert orjson.loads(receiver.received[0].body)["type"] == "table.left"


def test_only_event_types_of_the_filter_are_sent(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver, types=["game.finished", "table.left", "table.left"])
    assert webhook["types"] == ["game.finished", "table.left"]
    happens(site, anna, "table.joined", "table.left", "game.moved", "game.finished")
    assert work(site) == ["sent", "sent"]
    types = [orjson.loads(received.body)["type"] for received in receiver.received]
    assert types == ["table.left", "game.finished"]
    assert work(site) == []


def test_a_filter_with_an_unknown_type_is_refused(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    refused = anna.post("/v1/webhooks", {"url": receiver.url(), "types": ["game.lost"]})
    assert (refused.status_code, said(refused)["code"]) == (422, "invalid_request")


def test_somebody_elses_events_are_not_sent(site: Site, receiver: Receiver) -> None:
    anna, ben = site.people("Anna", "Ben")
    registered(anna, receiver)
    happens(site, ben, "table.joined")
    assert work(site) == []


def test_more_events_than_fit_at_once_all_arrive_in_turn(
    site: Site, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.notify.channels.deliveries.EVENTS_AT_ONCE", 4)
    anna = site.person("Anna")
    registered(anna, receiver)
    happens(site, anna, *["game.moved"] * 11)
    while work(site):
        pass
    numbers = [orjson.loads(received.body)["data"]["number"] for received in receiver.received]
    assert numbers == list(range(1, 12))


def test_purged_events_do_not_block_later_ones(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    registered(anna, receiver)
    happens(site, anna, "table.joined")
    inside(site, lambda: transact(lambda: db.session.execute(delete(Event))))
    assert work(site) == []
    happens(site, anna, "table.left")
    assert work(site) == ["sent"]


def test_deliveries_are_taken_in_turn_by_person_and_bots_count_as_their_owner(
    any_site: Site, receiver: Receiver
) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    bot: Any = said(anna.post("/v1/bots", {"name": "Glassblower"}))
    token = {"name": "t", "scopes": ["webhooks:write", "games:read", "account:read"]}
    secret = said(anna.post(f"/v1/bots/{bot['id']}/tokens", token))["secret"]
    for caller in (anna, anna, Caller(anna.client, secret), ben):
        registered(caller, receiver)
    happens(any_site, anna, *["game.moved"] * 10)
    entry = Entry(bot["id"], "game.moved", None, {})
    inside(any_site, lambda: transact(lambda: record_events([entry], any_site.clock())))
    inside(any_site, lambda: write_deliveries(any_site.clock(), 10))
    any_site.clock.advance(seconds=1)
    happens(any_site, ben, *["game.moved"] * 2)
    inside(any_site, lambda: write_deliveries(any_site.clock(), 10))

    def people(limit: int, each: int, without: tuple[str, ...] = ()) -> list[str]:
        due = inside(any_site, lambda: due_deliveries(any_site.clock(), limit, each, without))
        return [one.person_id for one in due]

    own, other = anna.id(), ben.id()
    assert people(50, 2) == [own, other, own, other]
    assert people(3, 2) == [own, other, own]
    assert people(50, 50) == [own, other, own, other] + [own] * 19
    assert people(50, 2, (own,)) == [other, other]


# Trying again


def test_a_retry_has_the_same_id_and_body_and_a_new_signature(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.answers = [(500, {})]
    happens(site, anna, "table.joined")
    assert work(site) == ["failed"]
    assert work(site) == []
    site.clock.advance(seconds=6)
    assert work(site) == ["sent"]
    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]
    for received in (first, second):
        standardwebhooks.Webhook(webhook["secret"]).verify(received.body, received.headers)
    assert deliveries(anna, webhook)[0]["attempts"] == 2


def test_retries_back_off_to_a_day_and_then_stop(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.answers = [(500, {})] * 20
    happens(site, anna, "table.joined")
    for pause in BACK_OFF:
        assert work(site) == ["failed"]
        [delivery] = deliveries(anna, webhook)
        assert (delivery["state"], delivery["status"]) == ("failed", 500)
        assert delivery["error"] == "The answer was 500."
        waits = instant(delivery["next_try_at"]) - site.clock()
        assert pause <= waits <= pause * (1 + JITTER)
        site.clock.at = instant(delivery["next_try_at"]) - timedelta(microseconds=1)
        assert work(site) == []
        site.clock.advance(microseconds=1)
    assert work(site) == ["dead"]
    [delivery] = deliveries(anna, webhook)
    assert (delivery["state"], delivery["attempts"]) == ("dead", 10)
    assert delivery["next_try_at"] is None
    assert set(receiver.ids) == {delivery["id"]}


def test_a_redirect_is_a_failure_and_not_followed(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.answers = [(307, {"Location": receiver.url(path="/elsewhere")})]
    happens(site, anna, "table.joined")
    assert work(site) == ["failed"]
    assert [received.path for received in receiver.received] == ["/hook"]
    assert "redirects are not followed" in deliveries(anna, webhook)[0]["error"]


def test_a_server_that_does_not_answer_is_a_failure(
    site: Site, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "TOTAL", 0.2)
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.on_request = lambda: receiver.over.wait(5)
    happens(site, anna, "table.joined")
    assert work(site) == ["failed"]
    [delivery] = deliveries(anna, webhook)
    assert delivery["status"] is None
    assert delivery["error"] == "There was no answer within 0.2 seconds."


@pytest.mark.parametrize(
    ("status", "wish", "waits"),
    [
        (429, "3600", timedelta(hours=1)),
        (503, "3600", timedelta(hours=1)),
        (503, "date", timedelta(hours=2)),
        (503, "99999999999999999999", timedelta(days=1)),
        (503, "172800", timedelta(days=1)),
        (503, "0", None),
        (503, "soon", None),
        (503, "-5", None),
        (500, "3600", None),
    ],
)
def test_retry_after_is_respected_up_to_a_day(
    status: int, wish: str, waits: timedelta | None, site: Site, receiver: Receiver
) -> None:
    site.clock.at = site.clock.at.replace(microsecond=0)
    if wish == "date":
        wish = format_datetime((site.clock() + timedelta(hours=2)).astimezone(UTC), usegmt=True)
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.answers = [(status, {"Retry-After": wish})]
    happens(site, anna, "table.joined")
    assert work(site) == ["failed"]
    waited = instant(deliveries(anna, webhook)[0]["next_try_at"]) - site.clock()
    if waits is None:
        assert BACK_OFF[0] <= waited <= BACK_OFF[0] * (1 + JITTER)
    else:
        assert waited == waits


def test_a_worker_that_died_while_sending_leaves_the_delivery_to_others(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    delivery = try_out(anna, webhook)
    at = site.clock()
    assert inside(site, lambda: transact(lambda: _claim(delivery["id"], at)))
    assert work(site) == []
    site.clock.advance(minutes=2)
    assert work(site) == ["sent"]


# Being switched off


def off(person: Caller, webhook: Json) -> tuple[bool, str | None]:
    now = shown(person, webhook)
    return not now["enabled"], now["disabled_why"]


def test_a_410_disables_the_webhook_and_notifies_its_owner(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.answers = [(410, {})]
    happens(site, anna, "table.joined", "table.left")
    assert work(site) == ["dead", None]
    assert off(anna, webhook) == (True, "gone")
    last = said(anna.get("/v1/events"))["items"][-1]
    assert last["type"] == "webhook.disabled"
    assert last["data"] == {"webhook": webhook["id"], "reason": "gone"}
    assert {delivery["state"] for delivery in deliveries(anna, webhook)} == {"dead"}
    happens(site, anna, "table.joined")
    site.clock.advance(days=2)
    assert work(site) == []
    assert len(receiver.received) == 1


def fail(site: Site, person: Caller, webhook: Json, receiver: Receiver, times: int) -> None:
    for _ in range(times):
        receiver.answers = [(500, {})]
        delivery = try_out(person, webhook)["id"]
        with site.app.app_context():
            assert attempt(delivery, site.clock()) in ("failed", "dead")


def test_twenty_failures_in_more_than_a_day_switch_a_webhook_off(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    began = site.clock()
    fail(site, anna, webhook, receiver, 19)
    assert instant(shown(anna, webhook)["failing_since"]) == began
    site.clock.advance(hours=24, seconds=1)
    assert off(anna, webhook) == (False, None)
    fail(site, anna, webhook, receiver, 1)
    assert off(anna, webhook) == (True, "failures")
    [told] = said(anna.get("/v1/events"))["items"]
    assert told["data"] == {"webhook": webhook["id"], "reason": "failures"}


def test_many_failures_within_a_day_and_a_few_over_days_are_forgiven(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    fail(site, anna, webhook, receiver, 25)
    assert off(anna, webhook) == (False, None)
    try_out(anna, webhook)
    assert "sent" in work(site)
    assert shown(anna, webhook)["failing_since"] is None
    for _ in range(10):
        site.clock.advance(days=1)
        fail(site, anna, webhook, receiver, 1)
    assert off(anna, webhook) == (False, None)


def test_a_webhook_can_be_switched_on_again_and_goes_on_with_the_present(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.answers = [(410, {})]
    try_out(anna, webhook)
    work(site)
    happens(site, anna, "table.joined")
    on = changed(anna, webhook, enabled=True)
    assert (on["enabled"], on["disabled_why"], on["failing_since"]) == (True, None, None)
    assert work(site) == []
    happens(site, anna, "table.left")
    assert work(site) == ["sent"]


def test_an_owner_can_switch_a_webhook_off_and_nothing_that_waits_is_sent(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    try_out(anna, webhook)
    changed(anna, webhook, enabled=False)
    assert off(anna, webhook) == (True, "owner")
    assert work(site) == []
    path = f"/v1/webhooks/{webhook['id']}"
    waiting = deliveries(anna, webhook)[0]["id"]
    for call in (f"{path}/test", f"{path}/deliveries/{waiting}/resend"):
        refused = anna.post(call)
        assert (refused.status_code, said(refused)["code"]) == (409, "webhook_disabled")


# Owning


def test_a_test_is_sent_whatever_the_filter(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver, types=["game.finished"])
    delivery = try_out(anna, webhook)
    assert (delivery["type"], delivery["state"]) == ("webhook.test", "pending")
    assert delivery["event"] is None
    assert work(site) == ["sent"]
    told = orjson.loads(receiver.received[0].body)
    assert told["type"] == told["data"]["type"] == "webhook.test"
    assert told["data"]["data"] == {"webhook": webhook["id"]}
    typed = validator_at(pointer("components", "schemas", "Event"))
    assert [error.message for error in typed.iter_errors(told["data"])] == []


def test_a_test_is_tried_once(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    receiver.answers = [(500, {})]
    try_out(anna, webhook)
    assert work(site) == ["dead"]
    [delivery] = deliveries(anna, webhook)
    assert (delivery["attempts"], delivery["next_try_at"]) == (1, None)
    assert delivery["error"] == "The answer was 500."


def test_one_test_is_under_way_at_a_time(any_site: Site, receiver: Receiver) -> None:
    anna = any_site.person("Anna")
    webhook, other = registered(anna, receiver), registered(anna, receiver)
    try_out(anna, webhook)
    refused = anna.post(f"/v1/webhooks/{webhook['id']}/test")
    assert (refused.status_code, said(refused)["code"]) == (429, "too_many_deliveries")
    assert int(refused.headers["Retry-After"]) > 0
    try_out(anna, other)
    assert work(any_site) == ["sent", "sent"]
    try_out(anna, webhook)


def test_tests_and_deliveries_sent_again_are_limited_for_each_webhook(
    sqlite_url: str, tmp_path: Path, receiver: Receiver
) -> None:
    for site in open_house(tmp_path, sqlite_url, limits=Limits(webhook_tests="3 per hour")):
        anna = site.person("Anna")
        webhook, other = registered(anna, receiver), registered(anna, receiver)
        delivery = try_out(anna, webhook)["id"]
        work(site)
        again = f"/v1/webhooks/{webhook['id']}/deliveries/{delivery}/resend"
        codes = []
        for _ in range(4):
            codes.append(anna.post(again).status_code)
            work(site)
        assert codes == [200, 200, 429, 429]
        refused = anna.post(f"/v1/webhooks/{webhook['id']}/test")
        assert (refused.status_code, said(refused)["code"]) == (429, "too_many_deliveries")
        assert 0 < int(refused.headers["Retry-After"]) <= 3600
        try_out(anna, other)


def test_a_delivery_can_be_sent_again_with_its_id(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    happens(site, anna, "table.joined")
    work(site)
    [delivery] = deliveries(anna, webhook)
    again = anna.post(f"/v1/webhooks/{webhook['id']}/deliveries/{delivery['id']}/resend")
    assert (said(again)["state"], said(again)["attempts"]) == ("pending", 0)
    assert work(site) == ["sent"]
    assert receiver.ids == [delivery["id"]] * 2
    assert receiver.received[0].body == receiver.received[1].body


def test_a_delivery_sent_again_while_it_is_under_way_is_not_lost(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    delivery = try_out(anna, webhook)
    resend = f"/v1/webhooks/{webhook['id']}/deliveries/{delivery['id']}/resend"
    receiver.on_request = lambda: anna.post(resend)
    assert work(site) == [None]
    receiver.on_request = None
    assert work(site) == ["sent"]


def test_while_a_secret_is_replaced_both_sign(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    rotated = anna.post(f"/v1/webhooks/{webhook['id']}/rotate-secret")
    assert rotated.status_code == 200
    old, new = webhook["secret"], said(rotated)["secret"]
    assert old != new
    until = instant(said(rotated)["old_secret_until"])
    assert until == site.clock() + timedelta(hours=24)
    try_out(anna, webhook)
    work(site)
    for secret in (old, new):
        standardwebhooks.Webhook(secret).verify(
            receiver.received[0].body, receiver.received[0].headers
        )
    site.clock.at = until
    try_out(anna, webhook)
    work(site)
    assert len(receiver.received[1].headers["webhook-signature"].split(" ")) == 1


def test_the_secret_is_told_only_when_it_is_made(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    path = f"/v1/webhooks/{webhook['id']}"
    answers = [anna.get("/v1/webhooks"), anna.get(path), anna.get("/v1/me/export")]
    answers.append(anna.patch(path, {"types": []}, headers={"If-Match": "*"}))
    for answer in answers:
        assert answer.status_code == 200
        assert webhook["secret"] not in answer.text


def test_a_change_names_the_version_it_changes(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    path = f"/v1/webhooks/{registered(anna, receiver)['id']}"
    seen = anna.get(path)
    tag = seen.headers["ETag"]
    assert anna.get(path, headers={"If-None-Match": tag}).status_code == 304
    assert anna.patch(path, {"types": ["table.left"]}).status_code == 428
    done = anna.patch(path, {"types": ["table.left"]}, headers={"If-Match": tag})
    assert (done.status_code, said(done)["types"]) == (200, ["table.left"])
    assert anna.patch(path, {"types": []}, headers={"If-Match": tag}).status_code == 412
    assert anna.get(path).json == done.json
    assert anna.get(path).headers["ETag"] == done.headers["ETag"]


def test_a_new_address_is_used_from_then_on(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    changed(anna, webhook, url=receiver.url(path="/new"))
    try_out(anna, webhook)
    work(site)
    assert [received.path for received in receiver.received] == ["/new"]


def test_there_is_a_limit_for_each_person(site: Site, receiver: Receiver) -> None:
    anna, ben = site.people("Anna", "Ben")
    made = [registered(anna, receiver) for _ in range(3)]
    refused = anna.post("/v1/webhooks", {"url": receiver.url()})
    assert (refused.status_code, said(refused)["code"]) == (409, "too_many_webhooks")
    registered(ben, receiver)
    assert anna.delete(f"/v1/webhooks/{made[0]['id']}").status_code == 204
    registered(anna, receiver)
    listed = said(anna.get("/v1/webhooks"))["items"]
    assert len(listed) == 3


def test_deliveries_are_listed_newest_first_in_pages(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    happens(site, anna, *["game.moved"] * 4)
    work(site)
    tests = []
    for _ in range(2):
        tests.append(try_out(anna, webhook)["id"])
        work(site)
    site.clock.advance(seconds=1)
    newest = try_out(anna, webhook)["id"]
    path = f"/v1/webhooks/{webhook['id']}/deliveries?limit=2"
    found: list[Json] = []
    page = anna.get(path)
    while True:
        found += said(page)["items"]
        if said(page)["next_cursor"] is None:
            break
        page = anna.get(page.headers["Link"].partition(">")[0][1:])
    assert found[0]["id"] == newest
    assert [item["event"] for item in found[1:5]] == [4, 3, 2, 1]
    assert {item["id"] for item in found[5:]} == set(tests)
    refused = anna.get(f"{path}&cursor=bm9uZQ")
    assert (refused.status_code, said(refused)["code"]) == (422, "invalid_request")


def test_old_deliveries_are_forgotten_but_not_those_that_wait(
    site: Site, receiver: Receiver
) -> None:
    anna = site.person("Anna")
    webhook = registered(anna, receiver)
    try_out(anna, webhook)
    work(site)
    waiting = try_out(anna, webhook)["id"]
    site.clock.advance(days=31)
    assert inside(site, lambda: purge(site.clock())) == 1
    assert [delivery["id"] for delivery in deliveries(anna, webhook)] == [waiting]


def test_a_webhook_of_another_account_is_not_found(site: Site, receiver: Receiver) -> None:
    anna, charlie = site.people("Anna", "Charlie")
    webhook = registered(anna, receiver)
    other = registered(charlie, receiver)
    delivery = try_out(anna, webhook)["id"]
    path = f"/v1/webhooks/{webhook['id']}"
    match = {"If-Match": "*"}
    answers = [
        charlie.get(path),
        charlie.patch(path, {"types": []}, headers=match),
        charlie.delete(path),
        charlie.post(f"{path}/test"),
        charlie.post(f"{path}/rotate-secret"),
        charlie.get(f"{path}/deliveries"),
        charlie.post(f"{path}/deliveries/{delivery}/resend"),
        charlie.post(f"/v1/webhooks/{other['id']}/deliveries/{delivery}/resend"),
    ]
    for answer in answers:
        assert (answer.status_code, said(answer)["code"]) == (404, "not_found")
    assert [item["id"] for item in said(charlie.get("/v1/webhooks"))["items"]] == [other["id"]]
    assert shown(anna, webhook)["types"] == []


def test_a_token_needs_the_scope_and_a_stranger_a_token(site: Site, receiver: Receiver) -> None:
    anna = site.person("Anna")
    reader = anna.token_with("games:read", "account:write")
    registrar = anna.token_with("webhooks:write", "games:read")
    wanted = {"url": receiver.url()}
    assert said(reader.post("/v1/webhooks", wanted))["code"] == "missing_scope"
    assert said(site.stranger.post("/v1/webhooks", wanted))["code"] == "not_signed_in"
    assert registrar.post("/v1/webhooks", wanted).status_code == 201


def test_a_deleted_account_is_called_no_more(any_site: Site, receiver: Receiver) -> None:
    anna = any_site.person("Anna")
    webhook = registered(anna, receiver)
    happens(any_site, anna, "table.joined")
    try_out(anna, webhook)
    assert anna.delete("/v1/me").status_code == 204
    assert work(any_site) == []
    with any_site.app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Delivery)) == 0


def test_deleting_an_account_during_a_delivery_is_no_error(
    any_site: Site, receiver: Receiver
) -> None:
    anna = any_site.person("Anna")
    try_out(anna, registered(anna, receiver))
    receiver.on_request = lambda: anna.delete("/v1/me")
    assert work(any_site) == [None]
    assert len(receiver.received) == 1


# Addresses


@pytest.mark.parametrize(
    "url",
    ["http://example.org/", "https://127.0.0.1/", "https://a:b@example.org/", "https://[::1]:99/"],
)
def test_an_address_that_would_not_be_called_cannot_be_registered(
    url: str, closed_house: Site
) -> None:
    anna = closed_house.person("Anna")
    refused = anna.post("/v1/webhooks", {"url": url})
    assert (refused.status_code, said(refused)["code"]) == (422, "webhook_address")
    assert said(refused)["errors"][0]["pointer"] == "/url"
    webhook = dict(said(anna.post("/v1/webhooks", {"url": "https://hooks.example/"})))
    path = f"/v1/webhooks/{webhook['id']}"
    refused = anna.patch(path, {"url": url}, headers={"If-Match": "*"})
    assert said(refused)["code"] == "webhook_address"
    assert shown(anna, webhook)["url"] == "https://hooks.example/"


def test_no_request_makes_the_web_look_up_a_name(
    closed_house: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server that does not answer would hold up a thread of the web for each request."""

    def resolve(host: str, port: int) -> list[str]:
        raise AssertionError(f"{host} was looked up")

    monkeypatch.setattr(http_client, "resolve", resolve)
    anna = closed_house.person("Anna")
    made = anna.post("/v1/webhooks", {"url": "https://hooks.example/"})
    assert made.status_code == 201
    webhook = dict(said(made))
    path = f"/v1/webhooks/{webhook['id']}"
    changed = anna.patch(path, {"url": "https://other.example/"}, headers={"If-Match": "*"})
    assert changed.status_code == 200


def test_the_number_of_webhooks_is_checked_before_the_address(closed_house: Site) -> None:
    anna = closed_house.person("Anna")
    for _ in range(3):
        assert anna.post("/v1/webhooks", {"url": "https://hooks.example/"}).status_code == 201
    refused = anna.post("/v1/webhooks", {"url": "https://localhost/"})
    assert said(refused)["code"] == "too_many_webhooks"


def test_a_name_is_looked_up_while_no_transaction_is_open(
    site: Site, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite everybody would wait for a slow name server."""
    anna, ben = site.people("Anna", "Ben")
    wanted = {"game": ben.opens()["game"], "seats": 2}
    answers: list[TestResponse] = []

    def resolve(host: str, port: int) -> list[str]:
        other = Caller(site.app.test_client(), ben.token)
        answers.append(other.post("/v1/games", wanted))
        return ["127.0.0.1"]

    monkeypatch.setattr(http_client, "resolve", resolve)
    webhook = dict(said(anna.post("/v1/webhooks", {"url": receiver.url("slow.example")})))
    try_out(anna, webhook)
    assert work(site) == ["sent"]
    assert [answer.status_code for answer in answers] == [201]


def test_a_name_with_a_private_address_is_not_called(
    closed_house: Site, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = closed_house.person("Anna")
    monkeypatch.setattr(http_client, "resolve", lambda *_: ["127.0.0.1"])
    made = anna.post("/v1/webhooks", {"url": f"https://hooks.example:{receiver.port}/"})
    webhook = dict(said(made))
    happens(closed_house, anna, "table.joined")
    assert work(closed_house) == ["failed"]
    assert "public internet" in deliveries(anna, webhook)[0]["error"]
    assert receiver.received == []


# Several workers


def test_two_workers_send_a_delivery_once(any_site: Site, receiver: Receiver) -> None:
    anna = any_site.person("Anna")
    webhook = registered(anna, receiver)
    at = any_site.clock()
    for race in range(1, 13):
        delivery = try_out(anna, webhook)["id"]
        sending = partial(inside, any_site, partial(attempt, delivery, at))
        ended = at_once([sending, sending])
        assert sorted(ended, key=str) == [None, "sent"]
        assert len(receiver.received) == race


def test_two_workers_write_each_delivery_once(any_site: Site, receiver: Receiver) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    hooks = [registered(anna, receiver), registered(anna, receiver), registered(ben, receiver)]
    owners = [anna, anna, ben]
    for race in range(1, 11):
        for person in (anna, ben):
            happens(any_site, person, "game.moved", "table.left")
        writing = partial(inside, any_site, lambda: write_deliveries(any_site.clock(), 10))
        at_once([writing, writing])
        writing()
        for owner, hook in zip(owners, hooks):
            numbers = sorted(item["event"] for item in deliveries(owner, hook, "?limit=100"))
            assert numbers == list(range(1, 2 * race + 1))


def test_two_requests_for_the_last_place_make_one_webhook(
    any_site: Site, receiver: Receiver
) -> None:
    anna = any_site.person("Anna")
    registered(anna, receiver)
    registered(anna, receiver)

    def create() -> int:
        caller = Caller(any_site.app.test_client(), anna.token)
        return caller.post("/v1/webhooks", {"url": receiver.url()}).status_code

    assert sorted(at_once([create, create])) == [201, 409]
