"""A browser without script: pages, links, forms and cookies."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.site import Caller, Site

VOID = {"input", "meta", "link", "img", "br", "hr"}


class Form:
    """A form with what it would send, and the buttons that send it."""

    def __init__(self, action: str, method: str) -> None:
        self.action, self.method = action, method
        self.values: dict[str, str] = {}
        self.buttons: list[tuple[str, str, str]] = []  # name, value, words


class Page(HTMLParser):
    """What a page holds, read as a browser without script would."""

    def __init__(self, response: TestResponse) -> None:
        super().__init__()
        self.response = response
        self.html = response.get_data(as_text=True)
        self.forms: list[Form] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self._select: str | None = None
        self._area: str | None = None
        self.feed(self.html)
        assert not self.open, f"never closed: {self.open}"

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def text(self) -> str:
        seen = re.sub(r"<script.*?</script>", " ", self.html, flags=re.DOTALL)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", seen)).split())

    def form(self, action: str, **said: str) -> Form:
        """The form that is sent to this address; of several the one that fits best what is to be
        said in it."""
        found = [form for form in self.forms if form.action == action]
        assert found, f"{action} is not among {[form.action for form in self.forms]}"
        return max(found, key=lambda form: len(form.values.items() & said.items()))

    def links(self) -> list[str]:
        return [found["href"] for tag, found in self.elements if tag == "a" and "href" in found]

    def handle_starttag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in given}
        self.elements.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "form":
            self.forms.append(Form(found["action"], found.get("method", "get")))
        form = self.forms[-1] if "form" in self.open else None
        if form is None:
            return
        name = found.get("name", "")
        chosen = found.get("type") not in ("radio", "checkbox") or "checked" in found
        if tag == "input" and chosen:
            form.values[name] = found.get("value", "")
        elif tag == "button":
            form.buttons.append((name, found.get("value", ""), ""))
        elif tag == "textarea":
            self._area = name
            form.values[name] = ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select is not None:
            self._option = found

    def handle_data(self, data: str) -> None:
        if not self.open or not self.forms:
            return
        form = self.forms[-1]
        if self.open[-1] == "textarea" and self._area is not None:
            form.values[self._area] += data
        elif self.open[-1] == "option" and self._select is not None and data.strip():
            value = self._option.get("value", data.strip())
            if self._select not in form.values or "selected" in self._option:
                form.values[self._select] = value
        elif "button" in self.open and "form" in self.open:
            name, value, words = form.buttons[-1]
            form.buttons[-1] = (name, value, words + data)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()


class Browser:
    """One browser: its cookies are its own."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.client = site.app.test_client()

    @property
    def caller(self) -> Caller:
        """The same person without the browser, once they are signed in."""
        cookie = self.client.get_cookie(self.site.settings.session_cookie)
        assert cookie is not None
        return Caller(self.site.client, cookie.value)

    def open(self, path: str) -> Page:
        """Go to an address and wherever it leads."""
        return Page(self.client.get(path, follow_redirects=True))

    def send(self, page: Page, action: str, **said: str) -> Page:
        """Fill in the form of a page, send it and go where it leads."""
        return Page(self.post(page, action, follow_redirects=True, **said))

    def post(
        self, page: Page, action: str, follow_redirects: bool = False, **said: Any
    ) -> TestResponse:
        form = page.form(action, **said)
        assert form.method == "post"
        return self.client.post(action, data=form.values | said, follow_redirects=follow_redirects)

    def code_for(self, email: str) -> str:
        """The code of the newest mail."""
        return str(self.site.letters(email)[-1].subject)[:9]

    def link_for(self, email: str) -> str:
        """The path of the link in the newest mail."""
        found = re.search(r"https?://[^/\s]+(/\S+)", str(self.site.letters(email)[-1].text))
        assert found is not None
        return found.group(1)

    def signs_in(self, name: str, email: str | None = None) -> Page:
        """Sign in with a mailed code, as somebody new, and give a name."""
        address = email or f"{name.lower()}@example.org"
        page = self.send(self.open("/sign-in"), "/sign-in", email=address)
        page = self.send(page, "/sign-in/code", code=self.code_for(address))
        return self.send(page, "/account", name=name)


# Pages that a link opens, for whoever has it


def somewhere(site: Site) -> FlaskClient:
    """A browser without cookies."""
    return site.app.test_client()


def opened(site: Site, path: str) -> Page:
    return Page(somewhere(site).get(path))


def pressed(site: Site, path: str, **said: str) -> Page:
    """Press a button on such a page."""
    return Page(somewhere(site).post(path, data=said))
