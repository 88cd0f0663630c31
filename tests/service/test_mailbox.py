"""The mailbox page: where there is no mail server, mails are read and answered in the browser."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from service.database import db, transact
from service.models import Letter
from service.web.mailbox import MOST_SHOWN
from tests.service.support.browser import Browser, Page
from tests.service.support.house import Caller, House
from tests.service.support.post import arrived, mail_arrives, wants, work


@pytest.fixture
def anna(house: House) -> Browser:
    """Somebody with a game against a bot, whose turn it is, and a mail that says so."""
    browser = Browser(house)
    browser.signs_in("Anna")
    browser.send(browser.open("/"), "/games", seats="2", alone="1")
    mail_arrives(house)
    return browser


def turn(house: House) -> Letter:
    return arrived(house, Caller(house.client, name="Anna"), "turn")[-1]


def reply(browser: Browser, letter: Letter, text: str) -> Page:
    page = browser.open("/mailbox")
    return browser.send(page, f"/mailbox/{letter.id}/reply", text=text)


def test_the_first_page_leads_to_the_mailbox(anna: Browser) -> None:
    assert "/mailbox" in anna.open("/").links()


def test_every_mail_is_shown_as_it_would_arrive_the_newest_first(
    house: House, anna: Browser
) -> None:
    letter = turn(house)
    page = anna.open("/mailbox")
    assert page.text.index(str(letter.subject)) < page.text.index("is your Laguna code")
    assert f"<{letter.id}.letter@localhost>" in page.text
    assert f"<{letter.game_id}.game@localhost>" in page.text
    assert "auto-generated" in page.text
    for line in str(letter.text).splitlines()[:3]:
        assert line in page.text
    ids = [found["id"] for tag, found in page.elements if tag == "article"]
    assert ids[0] == f"letter-{letter.id}"
    assert str(letter.text).count(f"/mailbox#{ids[0]}") == 1


def test_a_reply_with_a_number_plays_that_choice(house: House, anna: Browser) -> None:
    letter = turn(house)
    page = reply(anna, letter, "2")
    assert page.status == 200
    assert f"Played: {letter.facts['choices'][1]}." in page.text
    game = anna.open(f"/games/{letter.game_id}")
    assert letter.facts["choices"][1] in game.text


def test_a_reply_that_cannot_be_read_is_asked_back_with_the_choices(
    house: House, anna: Browser
) -> None:
    letter = turn(house)
    page = reply(anna, letter, "the blue one, please")
    assert page.status == 422
    assert "cannot be read" in page.text
    assert "Nothing was played." in page.text
    listed = page.text[page.text.index("Reply with one of these numbers") :]
    for text in letter.facts["choices"]:
        assert text in listed
    form = page.form(f"/mailbox/{letter.id}/reply")
    assert form.values["text"] == "the blue one, please"
    assert reply(anna, letter, "1").status == 200


def test_a_late_reply_is_told_that_it_is_over(house: House, anna: Browser) -> None:
    letter = turn(house)
    assert reply(anna, letter, "1").status == 200
    house.let_bots_play()
    page = reply(anna, letter, "2")
    assert page.status == 409
    assert "This decision is over" in page.text


def test_nobody_sees_or_answers_the_mails_of_others(house: House, anna: Browser) -> None:
    letter = turn(house)
    ben = Browser(house)
    ben.signs_in("Ben")
    page = ben.open("/mailbox")
    assert str(letter.subject) not in page.text
    assert str(letter.id) not in page.html
    token = page.forms[0].values["csrf"]
    answer = ben.client.post(f"/mailbox/{letter.id}/reply", data={"csrf": token, "text": "1"})
    assert answer.status_code == 404
    assert "Sign in" in Browser(house).open("/mailbox").text


def test_a_mail_cannot_be_answered_by_another_site(house: House, anna: Browser) -> None:
    letter = turn(house)
    answer = anna.client.post(f"/mailbox/{letter.id}/reply", data={"text": "1"})
    assert answer.status_code == 403
    assert anna.client.get(f"/mailbox/{letter.id}/reply").status_code == 405


def test_mails_with_code_in_them_run_none_of_it(house: House, anna: Browser) -> None:
    letter = turn(house)
    evil = "<script>alert(1)</script>"
    with house.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Letter).where(Letter.id == letter.id).values(text=evil, html=evil)
            )
        )
    page = anna.open("/mailbox")
    assert evil not in page.html
    [frame] = [found for tag, found in page.elements if tag == "iframe"]
    assert frame["sandbox"] == ""
    assert frame["srcdoc"] == evil


def test_old_mails_are_on_further_pages(house: House) -> None:
    browser = Browser(house)
    browser.signs_in("Anna")
    work(house)
    for _ in range(MOST_SHOWN):
        house.clock.advance(hours=1)
        house.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
        work(house)
    page = browser.open("/mailbox")
    shown = [found["id"] for tag, found in page.elements if tag == "article"]
    assert len(shown) == MOST_SHOWN
    [older] = [link for link in page.links() if link.startswith("/mailbox?before=")]
    rest = [found["id"] for tag, found in browser.open(older).elements if tag == "article"]
    assert len(rest) == 1
    assert not set(rest) & set(shown)


@pytest.mark.parametrize("said", ["1", "the blue one"])
def test_a_reply_to_an_old_mail_is_answered_where_it_can_be_seen(
    house: House, anna: Browser, said: str
) -> None:
    letter = turn(house)
    for _ in range(MOST_SHOWN + 1):
        house.clock.advance(hours=1)
        house.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
        work(house)
    first = anna.open("/mailbox")
    assert letter.id not in first.html
    [older] = [link for link in first.links() if link.startswith("/mailbox?before=")]
    page = anna.send(anna.open(older), f"/mailbox/{letter.id}/reply", text=said)
    shown = [found["id"] for tag, found in page.elements if tag == "article"]
    assert shown[0] == f"letter-{letter.id}"
    assert len(set(shown)) == len(shown) == MOST_SHOWN + 1
    assert older in page.links()
    if said == "1":
        assert page.status == 200
        assert f"Played: {letter.facts['choices'][0]}." in page.text
    else:
        assert page.status == 422
        assert "Nothing was played." in page.text
        assert page.form(f"/mailbox/{letter.id}/reply").values["text"] == said


def test_where_mails_are_sent_there_is_no_mailbox(house: House, anna: Browser) -> None:
    posting = House(replace(house.settings, smtp_url="smtp://127.0.0.1:9"))
    browser = Browser(posting)
    for name in ("laguna", "laguna-form"):
        cookie = anna.client.get_cookie(name)
        if cookie is not None:
            browser.client.set_cookie(name, cookie.value)
    assert browser.open("/mailbox").status == 404
    page = browser.open("/")
    assert "Your turns" in page.text
    assert "/mailbox" not in page.links()


# Choosing which mails to get


def test_mails_are_chosen_on_the_account_page(house: House, anna: Browser) -> None:
    page = anna.open("/account")
    form = page.form("/account/mails")
    assert form.values["turns"] == "every"
    assert "reminder.fifth" in form.values
    assert "reminder.half" not in form.values
    form.values.pop("news")
    page = anna.send(
        page, "/account/mails", turns="daily", daily_hour="21", **{"reminder.half": "on"}
    )
    form = page.form("/account/mails")
    assert (form.values["turns"], form.values["daily_hour"]) == ("daily", "21")
    assert {"reminder.half", "reminder.fifth"} <= set(form.values)
    assert "news" not in form.values
    anna_by_api = house.person("Anna")
    account = anna_by_api.get("/v1/me").json
    assert account is not None
    assert account["mail"] == {
        "turns": "daily",
        "delay_minutes": 60,
        "daily_hour": 21,
        "reminders": ["half", "fifth"],
        "news": False,
    }


def test_what_cannot_be_chosen_is_refused(anna: Browser) -> None:
    page = anna.open("/account")
    for said in ({"turns": "hourly"}, {"delay_minutes": "soon"}, {"daily_hour": "24"}):
        assert anna.send(page, "/account/mails", **said).status == 422


# Everything about a person


def test_the_mails_about_games_are_told_whole_and_codes_are_not(house: House) -> None:
    anna, ben = house.people("Anna", "Ben")
    wants(anna, turns="every")
    house.game_of(anna, ben)
    house.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
    mail_arrives(house)
    export = anna.get("/v1/me/export").json
    assert export is not None
    mails = {mail["kind"]: mail for mail in export["mails"] if mail["state"] == "sent"}
    assert mails["turn"]["text"].startswith("Anna, ")
    assert "text" not in mails["sign_in"]
    assert "subject" not in mails["sign_in"]
    assert {mail["to"] for mail in export["mails"]} == {"anna@example.org"}
