"""Who may have an account, by `LAGUNA_SIGN_UP`."""

from dataclasses import replace

import pytest

from service.db.models import LetterState
from tests.support.browser import Browser
from tests.support.house import House

KNOWN, NEW = "anna@example.org", "new@example.org"
OPEN, INVITED, CLOSED = "open", "invited", "closed"


def set_sign_up(house: House, who: str) -> None:
    house.app.config["LAGUNA"] = replace(house.settings, sign_up=who)


def is_mailed(house: House, email: str, **said: str) -> bool:
    """Ask for a code; whether one is mailed. The answer is always the same."""
    house.clock.advance(seconds=1)
    asked = house.stranger.post("/v1/sign-ins", {"email": email, **said})
    assert asked.status_code == 202
    assert sorted(asked.json or {}) == ["minutes", "request"]
    letter = house.letters(email)[-1]
    if letter.state == LetterState.pending:
        return True
    assert (letter.state, letter.reason, letter.next_try_at) == ("skipped", "sign_up", None)
    assert not any(char.isdigit() for char in f"{letter.subject}{letter.text}{letter.html}")
    return False


@pytest.mark.parametrize(("who", "mailed"), [(OPEN, True), (INVITED, False), (CLOSED, False)])
def test_only_some_may_sign_up_and_everybody_known_may_sign_in(
    any_house: House, who: str, mailed: bool
) -> None:
    any_house.person("Anna")
    set_sign_up(any_house, who)
    assert is_mailed(any_house, KNOWN)
    assert is_mailed(any_house, NEW) == mailed


@pytest.mark.parametrize(("who", "mailed"), [(INVITED, True), (CLOSED, False)])
def test_an_invited_address_may_sign_up(house: House, who: str, mailed: bool) -> None:
    anna = house.person("Anna")
    set_sign_up(house, who)
    table = anna.opens(seats=3, visibility="invitation")["id"]
    made = anna.post(f"/v1/games/{table}/invitations", {"email": NEW}).json
    assert made is not None
    assert is_mailed(house, NEW) == mailed
    anna.delete(f"/v1/games/{table}/invitations/{made['id']}")
    assert not is_mailed(house, NEW), "it was withdrawn"


def test_a_person_with_an_invitation_link_may_sign_up(house: House) -> None:
    anna = house.person("Anna")
    set_sign_up(house, INVITED)
    table = anna.opens(seats=3, visibility="invitation")["id"]
    made = anna.post(f"/v1/games/{table}/invitations", {}).json
    assert made is not None
    path = made["link"].removeprefix("http://localhost:8000")
    assert not is_mailed(house, NEW, invitation="inv_" + "a" * 52)
    assert is_mailed(house, NEW, invitation=path.rpartition("/")[2])
    house.clock.advance(hours=1)
    browser = Browser(house)
    asking = browser.open(f"/sign-in?next={path}")
    assert "people who were invited" in asking.text
    page = browser.send(asking, "/sign-in", email="other@example.org")
    page = browser.send(page, "/sign-in/code", code=browser.code_for("other@example.org"))
    assert "What shall we call you" in page.text


def test_the_page_says_that_nobody_new_is_taken(house: House) -> None:
    set_sign_up(house, CLOSED)
    for path in ("/sign-in", "/"):
        assert "No new accounts are made at present" in Browser(house).open(path).text
