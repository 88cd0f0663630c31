"""The mailbox page: where there is no mail server, mails are read and answered in the browser."""

import re
from dataclasses import replace
from html import unescape

import pytest
from sqlalchemy import select, update

from service.db.models import Incoming, Letter
from service.db.session import db, transact
from service.web.mailbox import MOST_SHOWN
from tests.support.browser import Browser, Page
from tests.support.post import arrived, mail_arrives, wants, work
from tests.support.site import Caller, Site


@pytest.fixture
def anna(site: Site) -> Browser:
    """Somebody with a game against a bot, whose turn it is, and a mail that says so."""
    browser = Browser(site)
    browser.signs_in("Anna")
    browser.send(browser.open("/"), "/games", seats="2", alone="1")
    mail_arrives(site)
    return browser


def turn(site: Site) -> Letter:
    return arrived(site, Caller(site.client, name="Anna"), "turn")[-1]


def reply(browser: Browser, letter: Letter, text: str) -> Page:
    page = browser.open("/mailbox")
    return browser.send(page, f"/mailbox/{letter.id}/reply", text=text)


def test_the_first_page_leads_to_the_mailbox(anna: Browser) -> None:
    assert "/mailbox" in anna.open("/").links()


def test_every_mail_is_shown_as_it_would_arrive_the_newest_first(site: Site, anna: Browser) -> None:
    letter = turn(site)
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


def shown(page: Page) -> list[str]:
    """The ids of the mails on a page."""
    return [found["id"] for tag, found in page.elements if tag == "article"]


def newest(site: Site) -> Letter:
    """The answer to the last reply."""
    return arrived(site, Caller(site.client, name="Anna"), "answer")[-1]


def test_every_mail_about_a_game_has_a_box_for_a_reply_and_a_hint(
    site: Site, anna: Browser
) -> None:
    letter = turn(site)
    page = anna.open("/mailbox")
    boxes = [form.action for form in page.forms if form.action.endswith("/reply")]
    assert boxes == [f"/mailbox/{letter.id}/reply"], "and nobody replies to a code"
    assert "The number of a choice" in page.text


def test_a_reply_with_a_number_plays_that_choice_and_the_answer_is_there_at_once(
    site: Site, anna: Browser
) -> None:
    letter = turn(site)
    page = reply(anna, letter, "2")
    assert page.status == 200
    assert shown(page)[0] == f"letter-{newest(site).id}"
    assert f"You play choice 2: {letter.facts['labels'][1]}." in page.text
    assert "Your reply was answered" in page.text
    game = anna.open(f"/games/{letter.game_id}")
    assert letter.facts["choices"][1] in game.text


def summary(page: Page, letter: Letter) -> str:
    """The line by which a mail is found in the list."""
    found = re.search(f'<summary id="subject-{letter.id}">(.*?)</summary>', page.html, re.DOTALL)
    assert found is not None
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[1])).split())


def frame_height(page: Page, letter: Letter) -> int:
    [frame] = [found for tag, found in page.elements if letter.id in found.get("src", "")]
    return int(frame["height"])


def test_mails_show_their_first_paragraph(site: Site, anna: Browser) -> None:
    letter = turn(site)
    page = reply(anna, letter, "2")
    asked, answered = summary(page, letter), summary(page, newest(site))
    assert letter.subject == newest(site).subject
    assert "it is your turn. Choose a card to keep." in asked
    assert f"You play choice 2: {letter.facts['labels'][1]}." in answered
    assert "##-" not in asked + answered
    assert len(asked) < 300


def test_a_frame_is_as_high_as_its_mail_needs(site: Site, anna: Browser) -> None:
    letter = turn(site)
    reply(anna, letter, "2")
    site.clock.advance(minutes=1)
    page = reply(anna, letter, "note short")
    assert frame_height(page, letter) == 640
    assert 200 < frame_height(page, newest(site)) < 600
    site.clock.advance(minutes=1)
    page = reply(anna, newest(site), "help")
    assert frame_height(page, newest(site)) == 640


def test_reloading_the_page_sends_no_second_reply(site: Site, anna: Browser) -> None:
    letter = turn(site)
    response = anna.post(anna.open("/mailbox"), f"/mailbox/{letter.id}/reply", text="note once")
    assert response.status_code == 303
    for _ in range(2):
        assert "Added to your note" in anna.open(response.headers["Location"]).text
    with site.app.app_context():
        assert len(db.session.scalars(select(Incoming)).all()) == 1


def test_an_unreadable_reply_gets_the_choices_again(site: Site, anna: Browser) -> None:
    letter = turn(site)
    page = reply(anna, letter, "the blue one, please")
    assert page.status == 200
    assert "could not be understood" in page.text
    answer = newest(site)
    assert shown(page)[0] == f"letter-{answer.id}"
    assert answer.facts["choices"] == letter.facts["choices"]
    told = f"You play choice 1: {answer.facts['labels'][0]}."
    page = reply(anna, answer, "1")
    assert f"▸ {told}" in page.text
    assert "Until everybody has chosen you can change that" in page.text


def test_every_unreadable_reply_on_the_page_gets_a_response(site: Site, anna: Browser) -> None:
    letter = turn(site)
    for text in ("the blue one", "the red one"):
        assert f"'{text}' could not be understood" in reply(anna, letter, text).text


def test_a_late_reply_gets_the_result_of_the_decision(site: Site, anna: Browser) -> None:
    letter = turn(site)
    reply(anna, letter, "1")
    site.let_bots_play()
    page = reply(anna, letter, "2")
    label = letter.facts["labels"][0]
    sentence = f"is decided, as you answered it. Played: 1, {label}."
    assert sentence in page.text


def test_a_chat_command_posts_the_text_unchanged(site: Site, anna: Browser) -> None:
    letter = turn(site)
    reply(anna, letter, "say: Schöne Grüße, ¿qué tal?")
    game = anna.open(f"/games/{letter.game_id}")
    assert "Schöne Grüße, ¿qué tal?" in game.text


def test_replies_to_one_mail_are_limited(site: Site, anna: Browser) -> None:
    limits = replace(site.settings.limits, mails_per_address_and_hour=2)
    site.app.config["LAGUNA"] = replace(site.settings, limits=limits)
    letter = turn(site)
    for text in ("note one", "note two"):
        assert reply(anna, letter, text).status == 200
    page = reply(anna, letter, "note three")
    assert page.status == 429
    assert page.form(f"/mailbox/{letter.id}/reply").values["text"] == "note three"


def test_nobody_sees_or_answers_the_mails_of_others(site: Site, anna: Browser) -> None:
    letter = turn(site)
    ben = Browser(site)
    ben.signs_in("Ben")
    page = ben.open("/mailbox")
    assert str(letter.subject) not in page.text
    assert str(letter.id) not in page.html
    token = page.forms[0].values["csrf"]
    answer = ben.client.post(f"/mailbox/{letter.id}/reply", data={"csrf": token, "text": "1"})
    assert answer.status_code == 404
    assert "Sign in" in Browser(site).open("/mailbox").text


def test_a_mail_cannot_be_answered_by_another_site(site: Site, anna: Browser) -> None:
    letter = turn(site)
    answer = anna.client.post(f"/mailbox/{letter.id}/reply", data={"text": "1"})
    assert answer.status_code == 403
    assert anna.client.get(f"/mailbox/{letter.id}/reply").status_code == 303, "to the mailbox"


def test_mails_with_code_in_them_run_none_of_it(site: Site, anna: Browser) -> None:
    letter = turn(site)
    evil = "<script>alert(1)</script>"
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Letter).where(Letter.id == letter.id).values(text=evil, html=evil)
            )
        )
    page = anna.open("/mailbox")
    assert evil not in page.html
    [frame, *_] = [found for tag, found in page.elements if tag == "iframe"]
    assert "allow-scripts" not in frame["sandbox"]
    assert "allow-same-origin" not in frame["sandbox"]
    framed = anna.client.get(frame["src"])
    policy = framed.headers.getlist("Content-Security-Policy")
    assert framed.get_data(as_text=True) == evil
    assert len(policy) == 1
    assert "script-src" not in policy[0]
    assert policy[0].startswith("default-src 'none';")
    assert "sandbox allow-popups allow-popups-to-escape-sandbox" in policy[0]


def test_a_mail_is_shown_with_its_layout_and_its_picture(site: Site, anna: Browser) -> None:
    letter = turn(site)
    [frame, *_] = [found for tag, found in anna.open("/mailbox").elements if tag == "iframe"]
    shown = anna.client.get(frame["src"]).get_data(as_text=True)
    assert f"/mailbox/{letter.id}/mail.html" == frame["src"]
    assert "data:image/png;base64,iVBOR" in shown
    assert "cid:" not in shown


def test_nobody_else_sees_a_mail_with_its_layout(site: Site, anna: Browser) -> None:
    letter = turn(site)
    eve = Browser(site)
    eve.signs_in("Eve")
    assert eve.client.get(f"/mailbox/{letter.id}/mail.html").status_code == 404


def test_old_mails_are_on_further_pages(site: Site) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    work(site)
    for _ in range(MOST_SHOWN):
        site.clock.advance(hours=1)
        site.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
        work(site)
    page = browser.open("/mailbox")
    shown = [found["id"] for tag, found in page.elements if tag == "article"]
    assert len(shown) == MOST_SHOWN
    [older] = [link for link in page.links() if link.startswith("/mailbox?before=")]
    rest = [found["id"] for tag, found in browser.open(older).elements if tag == "article"]
    assert len(rest) == 1
    assert not set(rest) & set(shown)


def test_an_invalid_mail_id_shows_the_newest_mails(any_site: Site) -> None:
    browser = Browser(any_site)
    browser.signs_in("Anna")
    mail_arrives(any_site)
    for named in ("%00", "a" * 5000, "..%2F", "aaaaaaaaaaaaaaaa"):
        page = browser.open(f"/mailbox?before={named}")
        assert page.status == 200
        assert browser.code_for("anna@example.org") in page.text


def test_the_response_to_an_old_mail_is_on_the_shown_page(site: Site, anna: Browser) -> None:
    letter = turn(site)
    for _ in range(MOST_SHOWN + 1):
        site.clock.advance(hours=1)
        site.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
        work(site)
    first = anna.open("/mailbox")
    assert letter.id not in first.html
    [older] = [link for link in first.links() if link.startswith("/mailbox?before=")]
    page = anna.send(anna.open(older), f"/mailbox/{letter.id}/reply", text="1")
    assert page.status == 200
    assert shown(page)[0] == f"letter-{newest(site).id}"
    assert f"You play choice 1: {letter.facts['labels'][0]}." in page.text


def test_the_mailbox_page_exists_only_without_a_mail_server(site: Site, anna: Browser) -> None:
    posting = Site(replace(site.settings, smtp_url="smtp://127.0.0.1:9"))
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


def test_mails_are_chosen_on_the_account_page(site: Site, anna: Browser) -> None:
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
    anna_by_api = site.person("Anna")
    account = anna_by_api.get("/v1/me").json
    assert account is not None
    assert account["mail"] == {
        "turns": "daily",
        "delay_minutes": 60,
        "daily_hour": 21,
        "reminders": ["half", "fifth"],
        "news": False,
        "invitations": True,
        "check_sender": False,
        "calendar": False,
        "receipts": True,
    }


def test_invalid_mail_preferences_are_refused(anna: Browser) -> None:
    page = anna.open("/account")
    for said in ({"turns": "hourly"}, {"delay_minutes": "soon"}, {"daily_hour": "24"}):
        assert anna.send(page, "/account/mails", **said).status == 422


# Everything about a person


def test_the_export_has_mails_about_games_and_hides_codes(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    wants(anna, turns="every")
    site.game_of(anna, ben)
    site.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
    mail_arrives(site)
    export = anna.get("/v1/me/export").json
    assert export is not None
    mails = {mail["kind"]: mail for mail in export["mails"] if mail["state"] == "sent"}
    assert "Anna, " in mails["turn"]["text"]
    assert "text" not in mails["sign_in"]
    assert "subject" not in mails["sign_in"]
    assert {mail["to"] for mail in export["mails"]} == {"anna@example.org"}
