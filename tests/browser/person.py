"""Somebody with a real browser."""

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.running_site import RunningSite
from tests.browser.watching import Watch
from tests.servers.tree import until
from tests.support.site import Caller

LINK = re.compile(r"https?://[^/\s]+(/sign-in/\S+)")


class Person:
    """One person, one browser, and the page they look at."""

    def __init__(self, running_site: RunningSite, name: str, context: BrowserContext) -> None:
        self.running_site, self.name, self.context = running_site, name, context
        self.email = running_site.address(name)
        self.watch = Watch(context, running_site.url)
        self.page: Page = context.new_page()

    @property
    def caller(self) -> Caller:
        """The same person without the browser."""
        cookie = self.running_site.inside.settings.session_cookie
        secrets = [kept["value"] for kept in self.context.cookies() if kept["name"] == cookie]
        return Caller(self.running_site.inside.client, secrets[0], self.name)

    def is_known(self) -> "Person":
        """They signed in some time ago."""
        return self.is_known_as(self.running_site.inside.person(self.name, self.email))

    def is_known_as(self, caller: Caller) -> "Person":
        cookie, secret = self.running_site.inside.settings.session_cookie, str(caller.token)
        self.context.add_cookies([{"name": cookie, "value": secret, "url": self.running_site.url}])
        return self

    def is_asked(self, game_id: str) -> bool:
        """Whether this person has to decide now."""
        decision = self.caller.sees(game_id)["decision"]
        return decision is not None and not decision["revising"]

    def is_asked_again(self, game_id: str) -> bool:
        """Wait for the bots; False when the game is over."""

        def settled() -> bool:
            return self.is_asked(game_id) or not self.is_running(game_id)

        until(settled, "the next decision, or the end")
        return self.is_running(game_id)

    def is_running(self, game_id: str) -> bool:
        return bool(self.caller.sees(game_id)["status"] == "running")

    def sees_who_won(self) -> None:
        expect(self.page.get_by_role("heading", name="won")).to_be_visible()

    def opens(self, path: str) -> Page:
        self.page.goto(path)
        return self.page

    def signs_up(self) -> None:
        """By the link in the mail, from whatever page asks for an address."""
        page = self.page
        self.signs_up_to_the_welcome()
        page.get_by_label("Name").fill(self.name)
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_role("link", name=self.name)).to_be_visible()

    def signs_up_to_the_welcome(self) -> None:
        """Until the page that asks for a name and a time zone."""
        page = self.page
        page.get_by_label("Your mail address").fill(self.email)
        page.get_by_role("button", name="Send me a code").click()
        expect(page.get_by_role("heading", name="A mail is on its way")).to_be_visible()
        self.opens(self._mailed_link())
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Welcome to Laguna")).to_be_visible()

    def _mailed_link(self) -> str:
        found = LINK.search(str(self.running_site.inside.letters(self.email)[-1].text))
        assert found is not None
        return found[1]

    def plays_against_bots(self, key: str) -> str:
        """From the first page, with three of them; the id of the game that begins."""
        page = self.page
        form = page.locator("form").filter(has=page.locator(f"input[value={key}]"))
        form.get_by_label("Players").select_option("4")
        form.get_by_role("button", name="Play against bots now").click()
        page.wait_for_url("**/games/*")
        return page.url.rpartition("/")[2]

    def opens_a_table(self, key: str, seats: int, bots: int) -> str:
        """From the first page; the id of the game that begins when all have come."""
        page = self.page
        form = page.locator("form").filter(has=page.locator(f"input[value={key}]"))
        form.get_by_label("Players").select_option(str(seats))
        form.get_by_label("of them bots").select_option(str(bots))
        form.get_by_label("Only by invitation").check()
        form.get_by_role("button", name="Open the table").click()
        page.wait_for_url("**/games/*")
        return page.url.rpartition("/")[2]

    def makes_a_link(self) -> str:
        """An invitation to the table that this person has just opened."""
        self.page.get_by_role("button", name="Make a link to pass on instead").click()
        return self.page.locator(".link-once").inner_text()

    def accepts(self, link: str) -> None:
        """Without an account so far."""
        page = self.opens(link)
        page.get_by_role("link", name="Sign in to join").click()
        self.signs_up()
        page.get_by_role("button", name="Join the table").click()
        page.wait_for_url("**/games/*")
