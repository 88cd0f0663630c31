"""The page as an app of its own: it can be installed, tells of turns and knows to be offline."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.person import Person
from tests.servers.tree import until

WORKS_BESIDE = "navigator.serviceWorker.ready.then(() => true)"
# A browser without windows shows nothing beside its pages, and believes that somebody looks at all
# of them. This stands in for one that has windows.
WITH_WINDOWS = """
const shown = new Set();
Object.defineProperty(Notification, "permission", { get: () => "granted" });
ServiceWorkerRegistration.prototype.getNotifications = async () => [...shown];
ServiceWorkerRegistration.prototype.showNotification = async (title, { tag, data }) => {
  const notice = { title, tag, data, close: () => shown.delete(notice) };
  shown.add(notice);
};
"""
NOBODY_LOOKS = "Object.defineProperty(Document.prototype, 'hidden', { get: () => true })"
NOTICES = """navigator.serviceWorker.ready
  .then((beside) => beside.getNotifications())
  .then((notices) => notices.map(({ title, data }) => [title, data]))"""
TITLE = "An evening in Murano"
SWITCH = "Tell me in this browser when it is my turn"


def with_windows(visit: Visit) -> Person:
    anna = visit("Anna", permissions=["notifications"]).is_known()
    anna.context.add_init_script(WITH_WINDOWS)
    return anna


def notifications(page: Page) -> list[list[str]]:
    """What the browser shows outside of the page: the words, and where a click leads."""
    found: list[list[str]] = page.evaluate(NOTICES)
    return found


def test_the_browser_finds_what_it_needs_to_install_it(visit: Visit) -> None:
    anna = visit("Anna")
    page = anna.opens("/")
    assert page.evaluate(WORKS_BESIDE)
    found = anna.context.new_cdp_session(page).send("Page.getAppManifest")
    assert found["url"] == f"{anna.running_site.url}/manifest.webmanifest"
    assert found["errors"] == []


def test_without_a_connection_it_says_so_until_there_is_one(visit: Visit) -> None:
    anna = visit("Anna")
    page = anna.opens("/")
    assert page.evaluate(WORKS_BESIDE)
    anna.watch.forgive("net::ERR_INTERNET_DISCONNECTED")
    anna.context.set_offline(True)
    page.goto("/sign-in")
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    anna.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_label("Your mail address")).to_be_visible()


def test_a_hidden_tab_gets_a_notification_of_a_turn(visit: Visit) -> None:
    anna, ben = with_windows(visit), visit("Ben").is_known()
    page = anna.opens("/")
    page.get_by_label(SWITCH).check()
    page.evaluate(NOBODY_LOOKS)
    game_id = anna.running_site.inside.game_of(ben.caller, anna.caller, title=TITLE)
    until(lambda: bool(notifications(page)), "a notice")
    assert notifications(page) == [[f"Your turn: {TITLE}", f"/games/{game_id}"]]
    assert anna.caller.plays(game_id).status_code == 200
    until(lambda: not notifications(page), "the end of the notice")


@pytest.mark.parametrize("wanted", [False, True])
def test_no_notification_without_permission_or_on_a_visible_page(
    visit: Visit, wanted: bool
) -> None:
    anna, ben = with_windows(visit), visit("Ben").is_known()
    page = anna.opens("/")
    page.get_by_label(SWITCH).set_checked(wanted)
    if not wanted:
        page.evaluate(NOBODY_LOOKS)
    anna.running_site.inside.game_of(ben.caller, anna.caller, title=TITLE)
    expect(page.get_by_role("link", name=f"Decide in {TITLE}")).to_be_visible()
    assert notifications(page) == []


def test_a_browser_that_refuses_says_where_to_change_it(visit: Visit) -> None:
    page = visit("Anna").is_known().opens("/")
    page.get_by_label(SWITCH).click()
    expect(page.get_by_text("The browser does not allow it")).to_be_visible()
    expect(page.get_by_label(SWITCH)).not_to_be_checked()
