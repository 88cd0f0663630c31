"""Who may have an account, by `LAGUNA_SIGN_UP`."""

from dataclasses import replace

import pytest

from service.db.models import LetterState
from tests.support.browser import Browser
from tests.support.site import Site

KNOWN, NEW = "anna@example.org", "new@example.org"
OPEN, INVITED, CLOSED = "open", "invited", "closed"


def set_sign_up(site: Site, who: str) -> None:
    site.app.config["LAGUNA"] = replace(site.settings, sign_up=who)


def is_mailed(site: Site, email: str, **said: str) -> bool:
    """Ask for a code; whether one is mailed. The answer is always the same."""
    site.clock.advance(seconds=1)
    asked = site.stranger.post("/v1/sign-ins", {"email": email, **said})
    assert asked.status_code == 202
    assert sorted(asked.json or {}) == ["minutes", "request"]
    letter = site.letters(email)[-1]
    if letter.state == LetterState.pending:
        return True
    assert (letter.state, letter.reason, letter.next_try_at) == ("skipped", "sign_up", None)
    assert not any(char.isdigit() for char in f"{letter.subject}{letter.text}{letter.html}")
    return False


@pytest.mark.parametrize(("who", "mailed"), [(OPEN, True), (INVITED, False), (CLOSED, False)])
def test_closed_sign_up_still_lets_known_people_sign_in(
    any_site: Site, who: str, mailed: bool
) -> None:
    any_site.person("Anna")
    set_sign_up(any_site, who)
    assert is_mailed(any_site, KNOWN)
    assert is_mailed(any_site, NEW) == mailed


@pytest.mark.parametrize(("who", "mailed"), [(INVITED, True), (CLOSED, False)])
def test_an_invited_address_may_sign_up(site: Site, who: str, mailed: bool) -> None:
    anna = site.person("Anna")
    set_sign_up(site, who)
    table = anna.opens(seats=3, visibility="invitation")["id"]
    made = anna.post(f"/v1/games/{table}/invitations", {"email": NEW}).json
    assert made is not None
    assert is_mailed(site, NEW) == mailed
    anna.delete(f"/v1/games/{table}/invitations/{made['id']}")
    assert not is_mailed(site, NEW), "it was withdrawn"


def test_a_person_with_an_invitation_link_may_sign_up(site: Site) -> None:
    anna = site.person("Anna")
    set_sign_up(site, INVITED)
    table = anna.opens(seats=3, visibility="invitation")["id"]
    made = anna.post(f"/v1/games/{table}/invitations", {}).json
    assert made is not None
    path = made["link"].removeprefix("http://localhost:8000")
    assert not is_mailed(site, NEW, invitation="inv_" + "a" * 52)
    assert is_mailed(site, NEW, invitation=path.rpartition("/")[2])
    site.clock.advance(hours=1)
    browser = Browser(site)
    asking = browser.open(f"/sign-in?next={path}")
    assert "people who were invited" in asking.text
    page = browser.send(asking, "/sign-in", email="other@example.org")
    page = browser.send(page, "/sign-in/code", code=browser.code_for("other@example.org"))
    assert "What shall we call you" in page.text


def test_the_page_explains_closed_sign_up(site: Site) -> None:
    set_sign_up(site, CLOSED)
    for path in ("/sign-in", "/"):
        assert "No new accounts are made at present" in Browser(site).open(path).text
