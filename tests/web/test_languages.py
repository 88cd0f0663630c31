"""The pages in every language: which one is spoken, and that it is spoken everywhere."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from zoneinfo import available_timezones

import pytest

from engine.languages import ENGLISH, LANGUAGES
from engine.registry import GAME_TYPES
from service.core.i18n import script_words
from tests.support.browser import VOID, Browser, Page
from tests.support.site import Site

FOREIGN = [language for language in LANGUAGES if language != ENGLISH]
HELLO = {
    "en": "Board games at the pace of letters",
    "de": "Brettspiele im Tempo von Briefen",
    "es": "Juegos de mesa al ritmo de las cartas",
}


def speaker_of(site: Site, wishes: str) -> Browser:
    """Somebody whose browser asks for languages."""
    browser = Browser(site)
    browser.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = wishes
    return browser


def language_of(page: Page) -> str:
    return next(found["lang"] for tag, found in page.elements if tag == "html")


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("fr, es-MX;q=0.8, en;q=0.2", "es"),
        ("en-GB, de;q=0.9", "en"),
        ("fr", "en"),
        ("*", "en"),
        ("de;q=0, es;q=0.1", "es"),
        ("nonsense;;q=x", "en"),
        ("", "en"),
    ],
)
def test_an_anonymous_page_uses_the_browsers_language(
    site: Site, wishes: str, language: str
) -> None:
    page = speaker_of(site, wishes).open("/")
    assert language_of(page) == language
    assert HELLO[language] in page.text
    assert {"Cookie", "Accept-Language"} <= set(page.response.vary)


def test_an_anonymous_visitor_chooses_a_language_for_all_pages(site: Site) -> None:
    browser = speaker_of(site, "de")
    page = browser.open("/sign-in?next=/account")
    (spanish,) = [link for link in page.links() if link.startswith("/language/es")]
    page = browser.open(spanish)
    assert page.response.request.full_path == "/sign-in?next=/account"
    assert language_of(page) == language_of(browser.open("/")) == "es"
    assert "Accept-Language" not in page.response.vary


@pytest.mark.parametrize("after", ["//evil.example/", "https://evil.example/", ""])
def test_choosing_a_language_redirects_to_no_other_site(site: Site, after: str) -> None:
    chosen = Browser(site).client.get("/language/de", query_string={"next": after})
    assert chosen.status_code == 303
    assert chosen.headers["Location"] == "/"


def test_an_unknown_language_is_not_kept(site: Site) -> None:
    browser = Browser(site)
    assert browser.open("/language/fr").status == 404
    browser.client.set_cookie("laguna-language", "fr")
    assert language_of(browser.open("/")) == ENGLISH


def test_a_new_account_has_the_language_of_the_page(site: Site) -> None:
    browser = speaker_of(site, "de")
    browser.open("/language/es")
    browser.signs_in("Anna")
    browser.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "en"
    browser.open("/language/en")
    page = browser.open("/account")
    assert language_of(page) == page.form("/account").values["language"] == "es"
    assert not [link for link in page.links() if link.startswith("/language/")]


def test_a_changed_language_applies_from_the_next_page_on(site: Site) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    for language, words in (("de", "Deine Züge"), ("es", "Tus turnos"), ("en", "Your turns")):
        page = browser.send(browser.open("/account"), "/account", language=language)
        assert language_of(page) == language
        assert words in page.text
    assert language_of(browser.open("/")) == "en"


def test_times_and_durations_are_in_the_language_of_the_page(site: Site) -> None:
    browser = speaker_of(site, "de")
    browser.signs_in("Anna")
    browser.send(browser.open("/"), "/games", seats="2", alone="1", clock="day")
    site.clock.advance(hours=3)
    site.let_bots_play()
    text = browser.open("/").text
    assert "noch 21 h" in text
    assert "bis Di., 3. März, 12:00 UTC" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_scripts_get_their_translations_with_the_page(site: Site, language: str) -> None:
    page = speaker_of(site, language).open("/")
    given = [
        found for tag, found in page.elements if tag == "script" and found.get("id") == "words"
    ]
    assert len(given) == (0 if language == ENGLISH else 1)
    assert bool(script_words(language)) == (language != ENGLISH)
    (nothing_breaks_out,) = re.findall(r'id="words">(.*?)</script>', page.html) or [""]
    assert "<" not in nothing_breaks_out


# What stands on a page, and is the same in all languages

WEBHOOK = "https://8.8.8.8/"
SAME = {
    *("Laguna", "API", "Name", "Webhook", "Webhooks", "https://", "Ours", WEBHOOK),
    *("Anna", "Anna, Ben"),
    *available_timezones(),
    *(game.meta.title for game in GAME_TYPES),
}
READ_OUT = ("aria-label", "title", "alt", "placeholder")


class Pieces(HTMLParser):
    """All pieces of text on a page, but not what is for machines or says its own language."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._open: list[tuple[str, bool]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        attributes = dict(given)
        foreign = tag != "html" and "lang" in attributes
        if not self._hidden:
            self.found |= {attributes[name] or "" for name in READ_OUT if name in attributes}
        if tag not in VOID:
            self._open.append((tag, foreign or tag in ("script", "code", "pre", "iframe")))

    @property
    def _hidden(self) -> bool:
        return any(hidden for _, hidden in self._open)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.add(" ".join(data.split()))


def said_on(page: Page) -> set[str]:
    """What could be said otherwise in another language."""
    found = {piece.removesuffix(" · Laguna").rstrip(".") for piece in Pieces(page.html).found}
    names = {piece for piece in found if piece.endswith("(bot)")}
    return {piece for piece in found - names - SAME if re.search("[a-z]{3}", piece)}


def programs(browser: Browser) -> Iterator[tuple[str, Page]]:
    """The pages about what acts for somebody."""
    yield "no tokens", (page := browser.open("/account/tokens"))
    yield "token refused", browser.send(page, "/account/tokens", name="Ours")
    browser.send(page, "/account/bots", name="Anna")
    page = browser.send(page, "/account/tokens", name="Ours", **{"scope.games:read": "on"})
    yield "a token", page
    yield "no webhooks", (page := browser.open("/account/webhooks"))
    yield "webhook refused", browser.send(page, "/account/webhooks", url="nonsense")
    page = browser.send(page, "/account/webhooks", url=WEBHOOK)
    yield "a webhook", page
    (path,) = [form.action[: -len("/test")] for form in page.forms if form.action.endswith("/test")]
    yield "webhook to test", browser.send(page, f"{path}/test")
    yield "webhook switched off", browser.send(page, f"{path}/switch", to="off")
    yield "webhooks", browser.open("/account/webhooks")


def visits(site: Site, language: str) -> Iterator[tuple[str, Page]]:
    """Pages as somebody sees them who comes for the first time."""
    browser = speaker_of(site, language)
    email = f"{language}@example.org"
    yield "first page", browser.open("/")
    yield "nothing there", browser.open("/nothing")
    yield "no invitation", browser.open("/invitations/inv_nothing")
    yield "no such link", browser.open("/sign-in/nothing")
    yield "sign in", (page := browser.open("/sign-in?next=/account"))
    yield "code", (page := browser.send(page, "/sign-in", email=email))
    yield "wrong code", (page := browser.send(page, "/sign-in/code", code="nonsense"))
    yield (
        "welcome",
        (page := browser.send(page, "/sign-in/code", code=browser.code_for(email))),
    )
    browser.send(page, "/account", name="Anna")
    yield "home without games", browser.open("/")
    yield "account", (page := browser.open("/account"))
    yield "absence refused", browser.send(page, "/account/absences", first="", last="")
    page = browser.send(page, "/account/absences", first="2026-03-10", last="2026-03-12")
    yield "absence announced", page
    yield from programs(browser)
    yield "mailbox", browser.open("/mailbox")
    page = browser.send(
        browser.open("/"), "/games", seats="2", visibility="invitation", title="Ours"
    )
    table = str(page.response.request.path)
    values = {"csrf": page.form(f"{table}/cancel").values["csrf"]}
    made = Page(
        browser.client.post(f"{table}/invitations", data=values, follow_redirects=True)
    ).text
    link = next(word for word in made.split() if "/invitations/inv_" in word)
    guest = speaker_of(site, language)
    yield "invitation", guest.open(link.removeprefix(site.settings.public_url))
    page = browser.send(browser.open("/"), "/games", seats="2", alone="1")
    site.let_bots_play()
    yield "home with games", browser.open("/")
    yield "end game", browser.open(f"{page.response.request.path}/end-offer")
    page = browser.send(browser.open("/"), "/games", seats="2")
    shared = str(page.response.request.path)
    site.person("Ben").joins(shared.rpartition("/")[2])
    yield "resign", browser.open(f"{shared}/resign")
    yield "offer to end", browser.open(f"{shared}/end-offer")
    yield "table of nobody", browser.open("/games/nothing")
    yield "setup refused", browser.send(browser.open("/"), "/games", seats="2", bots="2")


@pytest.mark.parametrize("language", FOREIGN)
def test_every_page_is_fully_translated(site: Site, language: str) -> None:
    english = {name: said_on(page) for name, page in visits(site, ENGLISH)}
    spoken = dict(visits(site, language))
    assert {name: language_of(page) for name, page in spoken.items()} == dict.fromkeys(
        english, language
    )
    assert all(english.values())
    same = {name: english[name] & said_on(page) for name, page in spoken.items()}
    assert {name: texts for name, texts in same.items() if texts} == {}
