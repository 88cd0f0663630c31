"""Webhooks by forms: what the API has, for people."""

import re
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
import standardwebhooks

from service.core.clock import wall_clock
from service.core.config import Limits
from service.db.session import db
from service.notify.channels.deliveries import attempt, due_deliveries, write_deliveries
from service.notify.event_log import EVENT_TYPES
from tests.support.browser import Browser, Page
from tests.support.receiver import Receiver
from tests.support.site import Site, settings_for

HERE = "/account/webhooks"
SECRET = re.compile(r"whsec_[\w+/=]+")
MANY = "100000 per minute"


@pytest.fixture
def site(sqlite_url: str, tmp_path: Path) -> Iterator[Site]:
    """A site that may call webhooks on this machine."""
    limits = Limits(requests=MANY, anonymous_requests=MANY, webhooks=2, webhook_tests=MANY)
    site = Site(settings_for(tmp_path, sqlite_url, open_webhooks=True, limits=limits))
    site.clock.at = wall_clock()  # signatures are good for minutes
    yield site
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def browser(site: Site) -> Browser:
    """Anna's."""
    browser = Browser(site)
    browser.signs_in("Anna")
    return browser


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def work(site: Site) -> None:
    """What a worker does now."""
    with site.app.app_context():
        while write_deliveries(site.clock(), 10):
            pass
        for due in due_deliveries(site.clock(), 100, 100):
            attempt(due.id, site.clock())


def added(browser: Browser, receiver: Receiver, *types: str) -> Page:
    page = browser.send(
        browser.open(HERE), HERE, url=receiver.url(), **{f"event.{name}": "on" for name in types}
    )
    assert page.status == 200, page.text
    return page


def path_of(browser: Browser) -> str:
    """The page of the only webhook there is."""
    (path,) = [link for link in browser.open(HERE).links() if link.startswith(f"{HERE}/")]
    return path


def secret_on(page: Page) -> str:
    (secret,) = SECRET.findall(page.text)
    return str(secret)


def resends(page: Page) -> list[str]:
    return [form.action for form in page.forms if form.action.endswith("/resend")]


def test_the_account_page_links_to_it(browser: Browser) -> None:
    assert HERE in browser.open("/account").links()
    assert "You have none." in browser.open(HERE).text


def test_deliveries_are_signed_with_the_secret_that_is_shown_once(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver)
    secret = secret_on(page)
    assert page.response.headers["Cache-Control"] == "no-store"
    path = path_of(browser)
    assert not SECRET.search(browser.open(path).html + browser.open(HERE).html)
    page = browser.send(page, f"{path}/test")
    assert page.response.request.path == path
    assert "webhook.test waits" in page.text
    work(site)
    (got,) = receiver.received
    verified = standardwebhooks.Webhook(secret).verify(got.body, got.headers)
    assert verified["type"] == "webhook.test"
    assert "webhook.test arrived" in (text := browser.open(path).text)
    assert "answer 204" in text


def test_only_the_selected_events_are_sent(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver, "game.started", "game.finished")
    kept = {name for name in page.form(path_of(browser)).values if name.startswith("event.")}
    assert kept == {"event.game.started", "event.game.finished"}
    assert "2 kinds of events" in browser.open(HERE).text
    browser.send(browser.open("/"), "/games", seats="2", alone="1")
    work(site)
    assert [orjson.loads(got.body)["type"] for got in receiver.received] == ["game.started"]


def test_every_event_can_be_chosen_and_is_explained(browser: Browser) -> None:
    page = browser.open(HERE)
    assert set(re.findall(r'name="event\.([^"]+)"', page.html)) == set(EVENT_TYPES)
    assert "One of your tables was cancelled. table.cancelled" in page.text


def test_address_and_events_are_changed(browser: Browser, receiver: Receiver) -> None:
    added(browser, receiver)
    path = path_of(browser)
    assert "All events" in browser.open(HERE).text
    other = receiver.url(path="/other")
    page = browser.send(browser.open(path), path, url=other, **{"event.table.joined": "on"})
    values = page.form(path).values
    assert values["url"] == other
    assert "event.table.joined" in values
    assert "1 kind of event" in browser.open(HERE).text


def test_a_failed_delivery_shows_its_error_and_can_be_resent(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    receiver.answers = [(500, {})]
    browser.send(page, f"{path}/test")
    work(site)
    page = browser.open(path)
    assert "webhook.test given up" in page.text
    assert "answer 500" in page.text
    assert "Nothing has arrived since" in page.text
    assert "All events fails" in browser.open(HERE).text
    (again,) = resends(page)
    page = browser.send(page, again)
    assert "webhook.test waits" in page.text
    assert resends(page) == []
    work(site)
    assert "webhook.test arrived" in browser.open(path).text
    assert len(set(receiver.ids)) == 1


def test_a_webhook_disabled_by_410_shows_it_and_can_be_enabled(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    receiver.answers = [(410, {})]
    stale = browser.send(page, f"{path}/test")
    work(site)
    page = browser.open(path)
    assert "gone for good (410)" in page.text
    assert "given up" in page.text
    assert "All events switched off" in browser.open(HERE).text
    assert resends(page) == []
    refused = browser.send(stale, f"{path}/test")
    assert refused.status == 409
    assert "Switch the webhook on again first." in refused.text
    page = browser.send(page, f"{path}/switch", to="on")
    browser.send(page, f"{path}/test")
    work(site)
    assert "webhook.test arrived" in browser.open(path).text


def test_the_owner_disables_a_webhook(site: Site, browser: Browser, receiver: Receiver) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    page = browser.send(page, f"{path}/switch", to="off")
    assert "You switched it off." in page.text
    browser.send(browser.open("/"), "/games", seats="2", alone="1")
    work(site)
    assert receiver.received == []


def test_the_previous_secret_also_signs_for_a_day(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    before = secret_on(page)
    page = browser.send(page, f"{path}/secret")
    after = secret_on(page)
    assert after != before
    assert "The secret before signs along until" in page.text
    browser.send(page, f"{path}/test")
    work(site)
    (got,) = receiver.received
    for secret in (before, after):
        assert standardwebhooks.Webhook(secret).verify(got.body, got.headers)
    site.clock.advance(days=1)
    assert "signs along until" not in browser.open(path).text


def test_a_deleted_webhook_is_gone(site: Site, browser: Browser, receiver: Receiver) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    page = browser.send(page, f"{path}/delete")
    assert page.response.request.path == HERE
    assert "You have none." in page.text
    assert browser.open(path).status == 404


def test_older_deliveries_are_on_further_pages(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    for _ in range(21):
        site.clock.advance(seconds=1)
        browser.post(page, f"{path}/test")
        work(site)
    page = browser.open(path)
    assert len(resends(page)) == 20
    (older,) = [link for link in page.links() if "cursor=" in link]
    assert len(resends(browser.open(older))) == 1


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.org/", "The URL must begin with https://."),
        ("", "The URL must begin with https://."),
        ("http://127.0.0.1:0/", "no host name or port"),
        ("http://anna:secret@127.0.0.1/", "user name or password"),
    ],
)
def test_an_invalid_url_is_refused_and_stays_in_the_form(
    browser: Browser, url: str, why: str
) -> None:
    page = browser.send(browser.open(HERE), HERE, url=url, **{"event.game.moved": "on"})
    assert page.status == 422
    assert why in page.text
    values = page.form(HERE).values
    assert values["url"] == url
    assert "event.game.moved" in values
    assert "You have none." in page.text


def test_a_refused_change_changes_nothing(browser: Browser, receiver: Receiver) -> None:
    added(browser, receiver)
    path = path_of(browser)
    page = browser.send(browser.open(path), path, url="ftp://example.org/")
    assert page.status == 422
    assert page.form(path).values["url"] == "ftp://example.org/"
    assert browser.open(path).form(path).values["url"] == receiver.url()


def test_the_number_is_limited(browser: Browser, receiver: Receiver) -> None:
    added(browser, receiver)
    added(browser, receiver)
    page = browser.send(browser.open(HERE), HERE, url=receiver.url())
    assert page.status == 409
    assert "Too many webhooks" in page.text


def test_resources_of_other_accounts_are_not_found(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    browser.send(page, f"{path}/test")
    work(site)
    page = browser.open(path)
    stolen = sorted({form.action for form in page.forms if form.action.startswith(path)})
    assert len(stolen) == 6
    eve = Browser(site)
    values = eve.signs_in("Eve").form("/games").values | {"url": receiver.url()}
    assert eve.open(path).status == 404
    assert [eve.client.post(action, data=values).status_code for action in stolen] == [404] * 6
    assert receiver.url() not in eve.open(HERE).text
    after = browser.open(path)
    assert [form.action for form in after.forms] == [form.action for form in page.forms]


def test_forms_without_their_token_are_refused(
    site: Site, browser: Browser, receiver: Receiver
) -> None:
    page = added(browser, receiver)
    path = path_of(browser)
    browser.send(page, f"{path}/test")
    work(site)
    page = browser.open(path)
    wanted = {form.action for form in page.forms if form.action.startswith(path)} | {HERE}
    for action in sorted(wanted):
        answer = browser.client.post(action, data={"url": receiver.url(), "to": "off"})
        assert answer.status_code == 403, action
    after = browser.open(path_of(browser))
    assert [form.action for form in after.forms] == [form.action for form in page.forms]
    assert "You switched it off." not in after.text
    assert len(receiver.received) == 1


def test_anonymous_visitors_sign_in_and_come_back(site: Site) -> None:
    page = Browser(site).open(HERE)
    assert page.response.request.path == "/sign-in"
    assert page.form("/sign-in").values["next"] == HERE


@pytest.mark.parametrize(
    ("language", "words"), [("de", "Diese schicken"), ("es", "Enviar estos"), ("en", "Send these")]
)
def test_events_and_refusals_are_in_the_language_of_the_page(
    browser: Browser, language: str, words: str
) -> None:
    browser.send(browser.open("/account"), "/account", language=language)
    page = browser.send(browser.open(HERE), HERE, url="ftp://example.org/")
    assert words in page.text
    english = language == "en"
    assert ("The URL must begin with" in page.text) == english
    assert ("You were invited to a table" in page.text) == english
