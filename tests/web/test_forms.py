"""Forms belong to a session, refusals are pages, and nothing on a page is anybody's script."""

import gzip
import re

import pytest
from flask.testing import FlaskClient

from tests.support.browser import Browser, Page
from tests.support.site import FIRST_GAME, Site

XSS = '<script>alert(1)</script>"><img src=x onerror=a()>'


@pytest.fixture
def anna(site: Site) -> Browser:
    browser = Browser(site)
    browser.signs_in("Anna")
    return browser


def open_table(browser: Browser, **said: str) -> Page:
    return browser.send(browser.open("/"), "/games", **said)


def test_a_form_without_its_token_changes_nothing(site: Site, anna: Browser) -> None:
    answer = anna.client.post("/games", data={"game": FIRST_GAME, "seats": "2"})
    assert answer.status_code == 403
    assert "CSRF check failed" in answer.text
    assert "None is running" in anna.open("/").text


def test_a_token_of_another_session_is_refused(site: Site, anna: Browser) -> None:
    ben = Browser(site)
    theirs = ben.signs_in("Ben").form("/games").values
    assert anna.client.post("/games", data=theirs).status_code == 403


def test_a_form_token_from_before_the_sign_in_is_refused(site: Site) -> None:
    browser = Browser(site)
    stranger = browser.open("/sign-in").form("/sign-in").values["csrf"]
    values = browser.signs_in("Anna").form("/games").values
    assert browser.client.post("/games", data=values | {"csrf": stranger}).status_code == 403


def test_an_anonymous_form_needs_its_cookie(site: Site) -> None:
    page = Browser(site).open("/sign-in")
    other: FlaskClient = site.app.test_client()
    values = page.form("/sign-in").values | {"email": "anna@example.org"}
    assert other.post("/sign-in", data=values).status_code == 403
    assert site.letters() == []


def test_a_form_sent_by_another_site_is_refused_even_with_its_token(anna: Browser) -> None:
    values = anna.open("/").form("/games").values
    answer = anna.client.post("/games", data=values, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


def test_every_form_carries_a_token(site: Site, anna: Browser) -> None:
    table = open_table(anna, seats="2")
    for page in (anna.open("/"), table, anna.open("/account"), Browser(site).open("/")):
        for form in page.forms:
            assert form.method == "post"
            assert re.fullmatch("[0-9a-f]{128}", form.values["csrf"])


def test_a_form_token_is_masked_and_reusable(
    anna: Browser,
) -> None:
    first, second = (anna.open("/").form("/games").values for _ in range(2))
    assert first["csrf"] != second["csrf"]
    for values in (first, second, first):
        assert anna.client.post("/games", data=values).status_code == 303


def test_pages_and_files_are_compressed_if_accepted(anna: Browser) -> None:
    page = anna.client.get("/", headers={"Accept-Encoding": "gzip"})
    assert page.headers["Content-Encoding"] == "gzip"
    assert b"Your games" in gzip.decompress(page.data)
    assert "Content-Encoding" not in anna.client.get("/").headers
    api = anna.client.get("/v1/me", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in api.headers  # its ETags name the very bytes


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("POST", "/reference", 405), ("GET", "/games/nix", 404)],
)
def test_refusals_outside_the_api_are_pages(
    site: Site, method: str, path: str, status: int
) -> None:
    answer = site.client.open(path, method=method)
    assert answer.status_code == status
    assert answer.mimetype == "text/html"
    assert Page(answer).links()


def test_refusals_of_the_api_stay_problems(site: Site) -> None:
    for path in ("/v1/nowhere", "/v1/games/nix"):
        assert site.client.get(path).mimetype == "application/problem+json"


def test_a_form_that_is_too_large_is_refused_by_a_page(anna: Browser) -> None:
    answer = anna.client.post("/games", data={"title": "x" * 2_000_000})
    assert answer.status_code == 413
    assert "too large" in answer.text


def test_an_internal_error_is_a_page_without_details(
    site: Site, anna: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("service.web.home.open_tables", broken)
    page = anna.open("/")
    assert page.status == 500
    assert "secret detail" not in page.html
    assert "Internal server error" in page.text


def test_an_invalid_table_is_refused_beside_the_form(anna: Browser) -> None:
    page = open_table(anna, seats="2", bots="2", title="Ours")
    assert page.status == 422
    assert "leave no seat" in page.text
    assert page.form("/games").values["title"] == "Ours"


def is_ours(script: dict[str, str]) -> bool:
    """A file of ours, or facts for one."""
    return script.get("src", "").startswith("/static/") or script["type"] == "application/json"


def test_names_titles_messages_and_notes_are_never_markup(site: Site) -> None:
    browser = Browser(site)
    name = XSS[:40]
    browser.signs_in(name, "mallory@example.org")
    page = open_table(browser, seats="2", title=XSS)
    address = page.response.request.path
    page = browser.send(page, f"{address}/messages", text=XSS)
    assert XSS in page.text
    browser.send(browser.open(address), f"{address}/start")
    page = browser.send(browser.open(address), f"{address}/note", text=f"</textarea>{XSS}")
    ben = Browser(site)
    ben.signs_in("Ben")
    seen = [page, browser.open("/"), browser.open("/account"), ben.open("/"), ben.open(address)]
    drawing = ben.client.get(f"{address}/board.svg").text
    assert "<script" not in drawing
    for shown in [*seen, browser.open(f"/nowhere/{XSS}")]:
        assert "<script>" not in shown.html
        assert all(is_ours(found) for tag, found in shown.elements if tag == "script")
        assert not any("onerror" in found for _, found in shown.elements)


def test_no_page_has_inline_script_or_style_or_anything_from_elsewhere(
    site: Site, anna: Browser
) -> None:
    table = open_table(anna, seats="2")
    game = open_table(anna, seats="2", alone="1")
    stranger = Browser(site)
    shown = [
        anna.open("/"),
        table,
        game,
        anna.open(f"{game.response.request.path}/resign"),
        anna.open("/account"),
        *map(stranger.open, ("/", "/sign-in", "/reference", "/problems", "/nowhere")),
        stranger.open("/problems/not_found"),
    ]
    for page in shown:
        policy = page.response.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        for tag, found in page.elements:
            assert tag not in ("style", "iframe", "object")
            assert tag != "script" or is_ours(found)
            assert "style" not in found
            assert not any(name.startswith("on") for name in found)
            for name in ("src", "href", "action"):
                there = found.get(name, "").replace("webcal://localhost:8000/", "/")
                assert not re.match("[a-z]+:|//", there), found
        ids = [found["id"] for _, found in page.elements if "id" in found]
        assert len(ids) == len(set(ids))
        labelled = {found.get("for") for tag, found in page.elements if tag == "label"}
        for tag, found in page.elements:
            if tag in ("select", "textarea") or found.get("type") in ("text", "email"):
                assert found["id"] in labelled


def test_pages_with_forms_are_not_cached_and_others_are_revalidated(
    site: Site, anna: Browser
) -> None:
    assert anna.open("/").response.headers["Cache-Control"] == "no-store"
    page = Browser(site).open("/reference").response
    assert page.headers["Cache-Control"] == "private, no-cache"
    assert "Cookie" in page.headers["Vary"]


def test_static_files_are_cached_forever_by_version(site: Site) -> None:
    page = Browser(site).open("/")
    (context,) = [a["href"] for tag, a in page.elements if a.get("rel") == "stylesheet"]
    found = site.client.get(context)
    assert found.mimetype == "text/css"
    assert "immutable" in found.headers["Cache-Control"]
    older = site.client.get("/static/older/laguna.css")
    assert older.headers["Cache-Control"] == "public, no-cache"
    assert site.client.get("/favicon.ico").mimetype == "image/svg+xml"
    assert site.client.get("/robots.txt").mimetype == "text/plain"
    for path in ("/static/x/../app.py", "/static/x/%2e%2e%2fapp.py", "/static/x/nix", "/static/x"):
        assert site.client.get(path).status_code == 404
