"""Signing in over the pages: by code, by link, and by nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from service.core.config import Limits
from service.db.session import db
from service.web.sessions import local_path
from tests.support.browser import Browser, Page
from tests.support.site import FIRST_GAME, Site

ANNA = "anna@example.org"


@contextmanager
def other_house(site: Site, **changes: Any) -> Iterator[Site]:
    """The same database under other settings."""
    other = Site(replace(site.settings, **changes), site.clock)
    yield other
    with other.app.app_context():
        db.session.remove()
        db.engine.dispose()


def asked(browser: Browser, email: str = ANNA) -> Page:
    return browser.send(browser.open("/sign-in"), "/sign-in", email=email)


def test_a_new_person_signs_in_with_the_code_and_chooses_a_name(site: Site) -> None:
    browser = Browser(site)
    page = asked(browser)
    assert "A mail is on its way" in page.text
    page = browser.send(page, "/sign-in/code", code=browser.code_for(ANNA))
    assert "What shall we call you" in page.text
    page = browser.send(page, "/account", name="Änna 🦁", time_zone="Europe/Rome")
    assert page.response.request.path == "/"
    assert "Your turns" in page.text
    assert "Änna 🦁" in page.text


def test_a_known_person_goes_to_the_home_page(site: Site) -> None:
    Browser(site).signs_in("Anna")
    site.clock.advance(hours=1)
    browser = Browser(site)
    page = browser.send(asked(browser), "/sign-in/code", code=browser.code_for(ANNA))
    assert page.response.request.path == "/"
    assert "Anna" in page.text


def test_the_page_is_the_same_for_known_and_unknown_addresses(site: Site) -> None:
    site.person("Anna")
    known, unknown = asked(Browser(site)), asked(Browser(site), "zoe@example.org")
    assert known.text == unknown.text.replace("zoe@", "anna@")


def test_opening_the_mailed_link_signs_nobody_in(site: Site) -> None:
    browser = Browser(site)
    asked(browser)
    page = browser.open(browser.link_for(ANNA))
    forms = [form for form in page.forms if form.action == browser.link_for(ANNA)]
    assert [len(form.buttons) for form in forms] == [1]
    assert not any(tag in ("script", "meta") and "refresh" in str(a) for tag, a in page.elements)
    assert "Sign in" in browser.open("/").text
    assert "Your turns" not in browser.open("/").text
    page = browser.send(page, browser.link_for(ANNA))
    assert "What shall we call you" in page.text


def test_a_link_works_once(site: Site) -> None:
    browser, other = Browser(site), Browser(site)
    asked(browser)
    link = browser.link_for(ANNA)
    first, second = browser.open(link), other.open(link)
    assert browser.send(first, link).status == 200
    refused = other.send(second, link)
    assert refused.status == 422
    assert "Invalid or expired code or link" in refused.text
    assert other.open(link).status == 422


@pytest.mark.parametrize(
    "code",
    ["0000 0000", "12345", "", "abcdefgh", "\uff11" * 8],
)
def test_a_wrong_code_is_refused_on_the_page_where_it_was_typed(site: Site, code: str) -> None:
    browser = Browser(site)
    refused = browser.send(asked(browser), "/sign-in/code", code=code)
    assert refused.status == 422
    assert refused.form("/sign-in/code").values["email"] == ANNA
    page = browser.send(refused, "/sign-in/code", code=browser.code_for(ANNA))
    assert page.status == 200


def test_a_code_works_once(site: Site) -> None:
    browser = Browser(site)
    page = asked(browser)
    browser.send(page, "/sign-in/code", code=browser.code_for(ANNA))
    other = Browser(site)
    site.clock.advance(seconds=1)
    again = Page(
        other.client.post(
            "/sign-in/code",
            data=other.open("/sign-in").form("/sign-in").values
            | {"email": ANNA, "code": browser.code_for(ANNA)},
        )
    )
    assert again.status == 422


def test_a_code_expires(site: Site) -> None:
    browser = Browser(site)
    page = asked(browser)
    site.clock.advance(minutes=16)
    assert browser.send(page, "/sign-in/code", code=browser.code_for(ANNA)).status == 422


def test_five_wrong_codes_lock_the_code_with_advice(site: Site) -> None:
    browser = Browser(site)
    page = asked(browser)
    right = browser.code_for(ANNA)
    wrong = "1111 1111" if right != "1111 1111" else "2222 2222"
    for _ in range(4):
        page = browser.send(page, "/sign-in/code", code=wrong)
        assert "Try the code again" in page.text
        assert "A mail is on its way" not in page.text
    typed = page
    for code in (wrong, right):
        page = browser.send(typed, "/sign-in/code", code=code)
        assert page.status == 422
        assert "Code locked after too many wrong attempts" in page.text
        assert "A mail is on its way" not in page.text
    site.clock.advance(seconds=1)
    page = browser.send(page, "/sign-in")
    assert "A mail is on its way" in page.text
    page = browser.send(page, "/sign-in/code", code=browser.code_for(ANNA))
    assert "What shall we call you" in page.text


def test_wrong_codes_in_one_browser_do_not_count_in_another(site: Site) -> None:
    anna, eve = Browser(site), Browser(site)
    page = asked(anna)
    right = anna.code_for(ANNA)
    values = eve.open("/sign-in").form("/sign-in").values | {"email": ANNA}
    for _ in range(6):
        refused = eve.client.post("/sign-in/code", data=values | {"code": "0000 0001"})
        assert refused.status_code == 422
    assert eve.client.post("/sign-in/code", data=values | {"code": right}).status_code == 422
    assert anna.send(page, "/sign-in/code", code=right).status == 200


@pytest.mark.parametrize("by", ["code", "link"])
def test_a_new_account_has_the_time_zone_of_the_browser(site: Site, by: str) -> None:
    browser = Browser(site)
    page = asked(browser)
    said = {"time_zone": "Europe/Berlin"}
    if by == "code":
        page = browser.send(page, "/sign-in/code", code=browser.code_for(ANNA), **said)
    else:
        link = browser.link_for(ANNA)
        page = browser.send(browser.open(link), link, **said)
    assert page.form("/account").values["time_zone"] == "Europe/Berlin"
    assert "did not tell us your time zone" not in page.text
    assert browser.caller.get("/v1/me").json["time_zone"] == "Europe/Berlin"  # type: ignore[index]


@pytest.mark.parametrize("time_zone", ["", "Mars/Olympus"])
def test_without_a_time_zone_the_page_says_that_deadlines_are_in_utc(
    site: Site, time_zone: str
) -> None:
    browser = Browser(site)
    page = asked(browser)
    code = {"code": browser.code_for(ANNA)}
    page = browser.send(page, "/sign-in/code", time_zone=time_zone, **code)
    assert page.form("/account").values["time_zone"] == "UTC"
    assert "did not tell us your time zone" in page.text
    page = browser.send(page, "/account", name="Anna", time_zone="America/Lima")
    assert browser.caller.get("/v1/me").json["time_zone"] == "America/Lima"  # type: ignore[index]


def test_an_invalid_address_is_refused(site: Site) -> None:
    refused = asked(Browser(site), "not an address")
    assert refused.status == 422
    assert refused.form("/sign-in").values["email"] == "not an address"
    assert site.letters() == []


def test_after_too_many_mails_the_page_stays_the_same(site: Site) -> None:
    browser = Browser(site)
    pages = [asked(browser) for _ in range(7)]
    assert {page.status for page in pages} == {200}
    assert len(site.letters(ANNA)) == 5


def test_signing_out_ends_the_session_for_the_api_too(site: Site) -> None:
    browser = Browser(site)
    page = browser.signs_in("Anna")
    cookie = browser.client.get_cookie("laguna")
    assert cookie is not None
    token = {"Authorization": f"Bearer {cookie.value}"}
    assert browser.client.get("/v1/me", headers=token).status_code == 200
    page = browser.send(page, "/sign-out")
    assert "Take a seat" in page.text
    assert browser.client.get_cookie("laguna") is None
    assert browser.client.get("/v1/me", headers=token).json["code"] == "revoked_token"  # type: ignore[index]


def test_scripts_read_with_the_cookie_and_write_with_the_form_token(site: Site) -> None:
    browser = Browser(site)
    page = browser.signs_in("Anna")
    assert browser.client.get("/v1/me").json["name"] == "Anna"  # type: ignore[index]
    (token,) = [a["content"] for _, a in page.elements if a.get("name") == "form-token"]
    wanted = {"game": FIRST_GAME, "seats": 2}
    refused = browser.client.post("/v1/games", json=wanted)
    assert refused.json["code"] == "csrf_failed"  # type: ignore[index]
    opened = browser.client.post("/v1/games", json=wanted, headers={"X-Form-Token": token})
    assert opened.status_code == 201


@pytest.mark.parametrize("token", ["", "nix", "00", "00" * 64, "ü"])
def test_an_invalid_form_token_is_refused(site: Site, token: str) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    headers = {"X-Form-Token": token.encode("utf-8").decode("latin-1")}
    answer = browser.client.patch("/v1/me", json={"name": "Eve"}, headers=headers)
    assert answer.status_code == 403
    assert browser.client.get("/v1/me").json["name"] == "Anna"  # type: ignore[index]


def test_the_form_token_of_another_session_is_refused(site: Site) -> None:
    anna, eve = Browser(site), Browser(site)
    anna.signs_in("Anna")
    page = eve.signs_in("Eve")
    (token,) = [a["content"] for _, a in page.elements if a.get("name") == "form-token"]
    answer = anna.client.patch("/v1/me", json={"name": "X"}, headers={"X-Form-Token": token})
    assert answer.json["code"] == "csrf_failed"  # type: ignore[index]


def test_a_bearer_token_takes_precedence_over_the_cookie(site: Site) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    ben = site.person("Ben")
    headers = {"Authorization": f"Bearer {ben.token}"}
    assert browser.client.get("/v1/me", headers=headers).json["name"] == "Ben"  # type: ignore[index]


def test_the_cookie_of_an_ended_session_is_deleted(site: Site) -> None:
    browser = Browser(site)
    browser.client.set_cookie("laguna", "lag_nothing")
    assert "Take a seat" in browser.open("/").text
    assert browser.client.get_cookie("laguna") is None


def test_a_programs_token_is_no_session_for_pages(site: Site) -> None:
    token = site.person("Anna").token_with("games:read", "games:play").token
    browser = Browser(site)
    browser.client.set_cookie("laguna", str(token))
    assert "Take a seat" in browser.open("/").text


def test_the_cookie_is_kept_from_scripts_and_other_sites(site: Site) -> None:
    browser = Browser(site)
    page = asked(browser)
    response = browser.post(page, "/sign-in/code", code=browser.code_for(ANNA))
    (cookie,) = response.headers.getlist("Set-Cookie")
    assert cookie.startswith("laguna=lag_")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in cookie
    assert response.headers["Cache-Control"] == "no-store"


def test_with_https_the_cookie_is_bound_to_the_host(site: Site) -> None:
    with other_house(site, public_url="https://laguna.example") as secure:
        browser = Browser(secure)
        https = {"base_url": "https://localhost"}
        values = Page(browser.client.get("/sign-in", **https)).form("/sign-in").values
        asked_for = browser.client.post("/sign-in", data=values | {"email": ANNA}, **https)
        values = Page(asked_for).form("/sign-in/code").values
        code = {"code": browser.code_for(ANNA)}
        (cookie,) = browser.client.post(
            "/sign-in/code", data=values | code, **https
        ).headers.getlist("Set-Cookie")
    assert cookie.startswith("__Host-laguna=lag_")
    assert "Secure" in cookie
    assert "Domain" not in cookie


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/",
        "/\\evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "/a b",
        "/\r\nSet-Cookie: a=b",
        "evil",
        "",
        "/" + "a" * 300,
    ],
)
def test_redirects_after_the_sign_in_stay_on_this_site(path: str) -> None:
    assert local_path(path) == "/"


def test_a_sign_in_returns_to_the_requested_page(site: Site) -> None:
    browser = Browser(site)
    site.person("Anna")
    page = browser.open("/account")
    assert page.response.request.path == "/sign-in"
    page = browser.send(page, "/sign-in", email=ANNA)
    page = browser.send(page, "/sign-in/code", code=browser.code_for(ANNA))
    assert page.response.request.path == "/account"


def test_too_many_requests_are_a_page(site: Site) -> None:
    with other_house(site, limits=Limits(anonymous_requests="2 per hour")) as strict:
        browser = Browser(strict)
        answers = [browser.open("/problems") for _ in range(3)]
    assert [page.status for page in answers] == [200, 200, 429]
    assert "try again in" in answers[2].text
    assert answers[2].response.headers["Retry-After"]
