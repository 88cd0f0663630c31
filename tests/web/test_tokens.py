"""Tokens, bot accounts and sessions by forms: what the API has, for people."""

import re

import pytest

from engine.languages import LANGUAGES
from service.access.scopes import (
    ACCOUNT_READ,
    BOT_SCOPES,
    BOTS_WRITE,
    GAMES_READ,
    SCOPES,
    TABLES_SEEK,
)
from service.core.config import Limits
from tests.support.browser import Browser, Page
from tests.support.limited import LimitedSites
from tests.support.site import FIRST_GAME, Caller, Site

HERE = "/account/tokens"
CURL = re.compile(r'curl http://localhost:8000(/\S+) -H "Authorization: Bearer (lag_\w+)"')


@pytest.fixture
def browser(site: Site) -> Browser:
    """Anna's."""
    browser = Browser(site)
    browser.signs_in("Anna")
    return browser


def ticked(*scopes: str) -> dict[str, str]:
    return {f"scope.{scope}": "on" for scope in scopes}


def made(browser: Browser, *scopes: str, action: str = HERE, **said: str) -> Page:
    page = browser.send(
        browser.open(HERE), action, **({"name": "Script"} | said), **ticked(*scopes)
    )
    assert page.status == 200, page.text
    return page


def holder(site: Site, page: Page) -> Caller:
    """Who has the token that a page shows."""
    (found,) = set(CURL.findall(page.text))
    return Caller(site.app.test_client(), found[1])


def actions(page: Page, pattern: str) -> list[str]:
    return [form.action for form in page.forms if re.fullmatch(pattern, form.action)]


def revocable(page: Page) -> list[str]:
    return actions(page, r"/account/tokens/\w+/revoke")


def test_the_account_page_links_to_it(browser: Browser) -> None:
    assert HERE in browser.open("/account").links()
    page = browser.open(HERE)
    assert "You have none." in page.text
    assert "You have no bot accounts." in page.text


def test_a_new_token_has_the_selected_scopes_only(site: Site, browser: Browser) -> None:
    program = holder(site, made(browser, GAMES_READ, TABLES_SEEK))
    described = program.get("/v1/token").json
    assert described is not None
    assert (described["name"], described["kind"]) == ("Script", "token")
    assert set(described["scopes"]) == {GAMES_READ, TABLES_SEEK}
    assert program.get("/v1/games").status_code == 200
    assert program.post("/v1/games", {"game": FIRST_GAME, "seats": 2}).status_code == 201
    assert program.get("/v1/me").status_code == 403
    assert program.post("/v1/tokens", {"name": "t", "scopes": [GAMES_READ]}).status_code == 403


def test_every_scope_is_explained_and_none_is_chosen_beforehand(browser: Browser) -> None:
    page = browser.open(HERE)
    assert all(f"{words} {scope}" in page.text for scope, words in SCOPES.items())
    assert not [name for name in page.form(HERE).values if name.startswith("scope.")]


def test_the_example_on_the_page_works_as_it_is(site: Site, browser: Browser) -> None:
    page = made(browser, ACCOUNT_READ)
    ((path, secret),) = set(CURL.findall(page.text))
    answer = site.stranger.get(path, headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200


def test_the_secret_is_shown_once_and_not_cached(browser: Browser) -> None:
    page = made(browser, GAMES_READ)
    ((_, secret),) = set(CURL.findall(page.text))
    assert page.response.headers["Cache-Control"] == "no-store"
    again = browser.open(HERE)
    assert secret not in again.html
    assert "Script" in again.text
    assert secret[:10] in again.text


@pytest.mark.parametrize(
    ("days", "words", "good_for"),
    [("30", "Good until 1 April 2026.", 30), ("", "Good until you revoke it.", None)],
)
def test_a_token_expires_as_selected(
    site: Site, browser: Browser, days: str, words: str, good_for: int | None
) -> None:
    page = made(browser, GAMES_READ, days=days)
    program = holder(site, page)
    assert words in page.text
    site.clock.advance(days=31)
    assert program.get("/v1/games").status_code == (401 if good_for else 200)
    assert ("expired" in browser.open(HERE).text) == (good_for is not None)


def test_the_page_shows_the_last_use_of_a_token(site: Site, browser: Browser) -> None:
    page = made(browser, GAMES_READ)
    assert "Never used." in page.text
    holder(site, page).get("/v1/games")
    site.clock.advance(hours=3)
    assert "Last used: 3 h ago." in browser.open(HERE).text


def test_a_revoked_token_is_refused_and_no_longer_listed(site: Site, browser: Browser) -> None:
    page = made(browser, GAMES_READ)
    program = holder(site, page)
    (revoke,) = revocable(page)
    page = browser.send(page, revoke)
    assert page.response.request.path == HERE
    assert program.get("/v1/games").json["code"] == "revoked_token"  # type: ignore[index]
    assert revocable(page) == []


def test_a_refused_form_keeps_its_fields(browser: Browser) -> None:
    page = browser.send(browser.open(HERE), HERE, name="Nightly", days="365")
    assert page.status == 422
    assert "Choose what the token may do." in page.text
    assert page.form(HERE).values["name"] == "Nightly"
    page = browser.send(page, HERE, name="x" * 81, **ticked(GAMES_READ))
    assert page.status == 422
    assert "1 to 80 characters" in page.text
    values = page.form(HERE).values
    assert (values["days"], values[f"scope.{GAMES_READ}"]) == ("365", "")
    assert revocable(page) == []


@pytest.mark.parametrize("days", ["0", "4000", "-1", "soon"])
def test_an_invalid_duration_is_refused(browser: Browser, days: str) -> None:
    page = browser.send(browser.open(HERE), HERE, name="t", days=days, **ticked(GAMES_READ))
    assert page.status == 422
    assert revocable(page) == []


def test_the_number_is_limited(limited: LimitedSites) -> None:
    browser = Browser(limited(Limits(tokens=1, bots=1)))
    browser.signs_in("Anna")
    made(browser, GAMES_READ)
    page = browser.send(browser.open(HERE), HERE, name="t", **ticked(GAMES_READ))
    assert page.status == 409
    assert "Too many tokens" in page.text
    browser.send(page, "/account/bots", name="One")
    page = browser.send(page, "/account/bots", name="Two")
    assert page.status == 409
    assert "Too many bot accounts" in page.text


# Bot accounts


def with_bot(browser: Browser, name: str = "Furnace") -> tuple[Page, str]:
    """The page after a bot account was made, and where a token for it is asked for."""
    page = browser.send(browser.open(HERE), "/account/bots", name=name)
    (action,) = actions(page, r"/account/bots/\w+/tokens")
    return page, action


def test_a_bot_account_gets_a_token_and_plays_as_itself(site: Site, browser: Browser) -> None:
    _, action = with_bot(browser)
    bot = holder(site, made(browser, *BOT_SCOPES, action=action))
    account = bot.get("/v1/me").json
    assert account is not None
    assert (account["name"], account["kind"]) == ("Furnace", "bot")
    page = browser.open(HERE)
    (revoke,) = revocable(page)
    browser.send(page, revoke)
    assert bot.get("/v1/me").status_code == 401


def test_a_bot_is_offered_only_its_permitted_scopes(browser: Browser) -> None:
    page, action = with_bot(browser)
    forged = browser.send(page, action, name="t", **ticked(BOTS_WRITE))
    assert forged.status == 403
    assert "Not available to bot accounts" in forged.text
    for offered, where in ((set(SCOPES), HERE), (set(BOT_SCOPES), action)):
        (form,) = re.findall(rf'action="{where}">(.*?)</form>', page.html, re.DOTALL)
        assert set(re.findall(r'name="scope\.([^"]+)"', form)) == offered


def test_a_deleted_bot_account_is_gone_with_its_tokens(site: Site, browser: Browser) -> None:
    page, action = with_bot(browser)
    bot = holder(site, made(browser, GAMES_READ, action=action))
    (delete,) = actions(page, r"/account/bots/\w+/delete")
    page = browser.send(page, delete)
    assert "Furnace" not in page.text
    assert revocable(page) == []
    assert bot.get("/v1/games").status_code == 401


def test_a_bot_needs_a_name(browser: Browser) -> None:
    page = browser.send(browser.open(HERE), "/account/bots", name=" ")
    assert page.status == 422
    assert "1 to 40 characters" in page.text


# Sessions


def test_other_sessions_are_ended_and_this_one_stays(site: Site, browser: Browser) -> None:
    elsewhere = [site.person("Anna") for _ in range(3)]
    page = browser.open(HERE)
    assert page.text.count("this browser") == 1
    others = actions(page, r"/account/sessions/\w+/end")
    assert len(others) == 3
    page = browser.send(page, others[0])
    assert page.response.request.path == HERE
    assert sorted(person.get("/v1/me").status_code for person in elsewhere) == [200, 200, 401]
    page = browser.send(page, "/account/sessions/end-others")
    assert [person.get("/v1/me").status_code for person in elsewhere] == [401] * 3
    assert page.response.request.path == HERE
    assert not [form for form in page.forms if form.action.startswith("/account/sessions/")]


# Only one's own


def test_resources_of_other_accounts_are_not_found(site: Site, browser: Browser) -> None:
    page, bots_token = with_bot(browser)
    page = made(browser, GAMES_READ)
    program = holder(site, page)
    site.person("Anna")
    page = browser.open(HERE)
    stolen = [
        *revocable(page),
        *actions(page, r"/account/sessions/\w+/end"),
        *actions(page, r"/account/bots/\w+/(tokens|delete)"),
    ]
    assert len(stolen) == 4
    eve = Browser(site)
    eve.signs_in("Eve")
    own = eve.open(HERE).form(HERE).values | {"name": "t"} | ticked(GAMES_READ)
    assert [eve.client.post(action, data=own).status_code for action in stolen] == [404] * 4
    assert "Script" not in eve.open(HERE).text
    assert program.get("/v1/games").status_code == 200
    assert browser.open(HERE).form(bots_token)


def test_forms_without_their_token_are_refused(site: Site, browser: Browser) -> None:
    page = made(browser, GAMES_READ)
    with_bot(browser)
    site.person("Anna")
    page = browser.open(HERE)
    forms = [form for form in page.forms if form.action.startswith("/account/")]
    assert len(forms) == 7
    for form in forms:
        said = {"name": "t"} | ticked(GAMES_READ)
        assert browser.client.post(form.action, data=said).status_code == 403, form.action
    after = browser.open(HERE)
    assert [form.action for form in after.forms] == [form.action for form in page.forms]


def test_anonymous_visitors_sign_in_and_come_back(site: Site) -> None:
    page = Browser(site).open(HERE)
    assert page.response.request.path == "/sign-in"
    assert page.form("/sign-in").values["next"] == HERE


@pytest.mark.parametrize("language", LANGUAGES)
def test_scopes_are_explained_in_the_language_of_the_page(
    site: Site, browser: Browser, language: str
) -> None:
    browser.send(browser.open("/account"), "/account", language=language)
    text = made(browser, GAMES_READ).text
    assert ("See games, decisions and events" in text) == (language == "en")
    assert ("Partien, Entscheidungen und Ereignisse sehen" in text) == (language == "de")
    assert ("Ver partidas, decisiones y eventos" in text) == (language == "es")
