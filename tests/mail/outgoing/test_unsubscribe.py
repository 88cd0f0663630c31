"""Getting no more mails: by a button, by a mail program, on the game's page and by the API."""

from datetime import timedelta

import pytest
from sqlalchemy import update
from werkzeug.test import TestResponse

from service.core.signing import sign_id
from service.db.models import Letter, Person, Seat
from service.db.session import db, transact
from service.mail.outgoing.reply_address import GOOD_FOR
from service.mail.outgoing.unsubscribe import off_by_letter
from service.notify.preferences import preferences
from tests.support.browser import Browser, opened, pressed, somewhere
from tests.support.post import arrived, leaves, mail_arrives, wants
from tests.support.rewinding import all_rows
from tests.support.site import NOON, Caller, Site

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


def link_of(site: Site, letter: Letter, purpose: str = "off") -> str:
    assert letter.sent_at is not None
    return f"/mail/off/{sign_id(site.settings, purpose, letter.id, letter.sent_at + GOOD_FOR)}"


def one_click(site: Site, path: str) -> TestResponse:
    """What a mail program sends."""
    return somewhere(site).post(path, data=ONE_CLICK)


def quiet_seats(site: Site, game_id: str) -> list[bool]:
    with site.app.app_context():
        seats = db.session.query(Seat).filter_by(game_id=game_id).order_by(Seat.number)
        return [seat.quiet for seat in seats]


def turns_of(site: Site, caller: Caller) -> str:
    with site.app.app_context():
        return preferences(db.session.get_one(Person, caller.id()).mail).turns


@pytest.fixture
def link(site: Site, anna: Caller, game: str) -> str:
    return link_of(site, arrived(site, anna, "turn")[-1])


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_opening_the_page_changes_nothing(site: Site, link: str, method: str) -> None:
    before = all_rows(site)
    answer = site.app.test_client().open(link, method=method)
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert all_rows(site) == before


def test_the_page_offers_less_and_says_what_it_means(site: Site, game: str, link: str) -> None:
    page = opened(site, link)
    assert "You get mails about this game: Evening round." in page.text
    words = [button[2] for form in page.forms for button in form.buttons]
    assert words == ["No mails about this game", "No mails at all"]
    assert page.response.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert page.response.headers["Cache-Control"] == "no-store"
    assert not any(tag == "script" for tag, _ in page.elements)


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_one_click_needs_no_cookie_and_may_come_twice(any_site: Site, kind: str) -> None:
    site = any_site
    anna, ben = site.people("Anna", "Ben")
    games = [site.game_of(anna, ben) for _ in range(2)]
    mail_arrives(site)
    letter = next(one for one in arrived(site, anna, "turn") if one.game_id == games[0])
    for _ in range(2):
        answer = site.app.test_client().post(
            link_of(site, letter), data=ONE_CLICK, content_type=kind
        )
        assert answer.status_code == 200, "and no redirect"
        assert "Set-Cookie" not in answer.headers
        assert quiet_seats(site, games[0]) == [True, False]
        assert quiet_seats(site, games[1]) == [False, False]
    assert turns_of(site, anna) == "every"


def test_a_mail_program_in_a_browser_may_ask_too(site: Site, game: str, link: str) -> None:
    """What a page of another site sends is refused, but not this."""
    client = site.app.test_client()
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert client.post(link, data={"what": "all"}, headers=foreign).status_code == 403
    assert client.post(link, data=ONE_CLICK, headers=foreign).status_code == 200
    assert quiet_seats(site, game) == [True, False]


def test_the_game_is_quiet_until_its_mails_are_wanted_again(
    site: Site, game: str, link: str
) -> None:
    page = pressed(site, link, what="game")
    assert "You get no mails about this game any more: Evening round." in page.text
    assert quiet_seats(site, game) == [True, False]
    page = pressed(site, link, what="game_on")
    assert "You get mails about this game" in page.text
    assert quiet_seats(site, game) == [False, False]


def test_all_mails_stop_and_come_again_as_they_were(
    site: Site, anna: Caller, game: str, link: str
) -> None:
    wants(anna, turns="daily", news=False)
    page = pressed(site, link, what="all")
    assert "You get no mails any more." in page.text
    assert turns_of(site, anna) == "off"
    version = anna.get("/v1/me").headers["ETag"]
    assert pressed(site, link, what="all").status == 200
    assert anna.get("/v1/me").headers["ETag"] == version, "nothing was changed any more"
    (form,) = page.forms
    assert "daily" in form.values.values()
    page = pressed(site, link, **form.values, what="all_on")
    assert turns_of(site, anna) == "daily"
    assert "You get mails about this game" in page.text


def test_all_mails_stop_on_every_database(any_site: Site) -> None:
    site = any_site
    anna, ben = site.people("Anna", "Ben")
    site.game_of(anna, ben)
    mail_arrives(site)
    path = link_of(site, arrived(site, anna, "turn")[-1])
    assert "You get no mails any more." in pressed(site, path, what="all").text
    assert turns_of(site, anna) == "off"
    assert "You get mails about this game" in pressed(site, path, what="all_on").text


@pytest.mark.parametrize("turns", ["", "off", "nonsense", "\0"])
def test_to_want_mails_again_is_never_to_want_none(
    site: Site, anna: Caller, link: str, turns: str
) -> None:
    pressed(site, link, what="all")
    pressed(site, link, what="all_on", turns=turns)
    assert turns_of(site, anna) == "every"


@pytest.mark.parametrize("said", [{}, {"what": "x"}, {"List-Unsubscribe": "Two-Click"}])
def test_a_form_that_says_nothing_changes_nothing(
    site: Site, link: str, said: dict[str, str]
) -> None:
    before = all_rows(site)
    assert pressed(site, link, **said).status == 422
    assert all_rows(site) == before


def test_a_letter_about_no_game_stops_all(site: Site, anna: Caller, ben: Caller) -> None:
    wants(anna, turns="daily")
    for _ in range(2):
        site.game_of(anna, ben)
    mail_arrives(site)
    site.clock.advance(days=1)
    mail_arrives(site)
    letter = arrived(site, anna, "digest")[-1]
    assert letter.game_id is None
    page = opened(site, link_of(site, letter))
    assert [button[2] for form in page.forms for button in form.buttons] == ["No mails at all"]
    assert one_click(site, link_of(site, letter)).status_code == 200
    assert turns_of(site, anna) == "off"
    assert turns_of(site, ben) == "every"


def test_a_letter_stops_mails_by_mail_as_well(site: Site, anna: Caller, game: str) -> None:
    letter = arrived(site, anna, "turn")[-1]
    with site.app.app_context():
        stopped = [transact(lambda: off_by_letter(letter, site.clock())) for _ in range(2)]
    assert stopped == ["game", "game"]
    assert quiet_seats(site, game) == [True, False]


def test_a_changed_link_stops_nothing(site: Site, anna: Caller, game: str, link: str) -> None:
    letter = arrived(site, anna, "turn")[-1]
    before = all_rows(site)
    wrong = [link[:-1] + ("a" if link[-1] != "a" else "b"), link_of(site, letter, "answer")]
    for path in (*wrong, "/mail/off/nothing"):
        assert one_click(site, path).status_code == 404
        assert opened(site, path).status == 404
    assert all_rows(site) == before


def test_an_old_link_stops_nothing_any_more(site: Site, game: str, link: str) -> None:
    site.clock.at += GOOD_FOR + timedelta(days=2)
    answer = one_click(site, link)
    assert answer.status_code == 410
    assert quiet_seats(site, game) == [False, False]


def test_a_person_who_is_gone_gets_no_mails_anyway(site: Site, anna: Caller, link: str) -> None:
    leaves(site, anna)
    assert one_click(site, link).status_code == 410


def test_the_page_is_in_the_language_of_the_recipient(site: Site, anna: Caller, link: str) -> None:
    anna.patch("/v1/me", {"language": "de"}, headers={"If-Match": "*"})
    page = pressed(site, link, what="game")
    assert "Du bekommst keine Mails mehr zu dieser Partie: Evening round." in page.text


def test_a_game_is_made_quiet_on_its_page(site: Site) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    page = browser.send(browser.open("/"), "/games", seats="2", alone="1")
    path = page.response.request.path
    game_id = path.rpartition("/")[2]
    page = browser.send(page, f"{path}/mails", mails="off")
    assert "You get none." in page.text
    assert True in quiet_seats(site, game_id)
    page = browser.send(page, f"{path}/mails", mails="on")
    assert "No mails about this game" in page.text
    assert True not in quiet_seats(site, game_id)


def test_a_game_is_made_quiet_by_the_api(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = site.game_of(anna, ben)
    path = f"/v1/games/{game_id}/mails"
    assert anna.get(path).json == {"wanted": True}
    assert anna.put(path, {"wanted": False}).json == {"wanted": False}
    assert anna.get(path).json == {"wanted": False}
    assert ben.get(path).json == {"wanted": True}
    assert quiet_seats(site, game_id) == [True, False]
    charlie = site.person("Charlie")
    for answer in (charlie.get(path), charlie.put(path, {"wanted": False})):
        assert answer.json is not None
        assert answer.json["code"] == "not_seated"
    assert anna.put(path, {}).status_code == 422
    assert anna.put(path, {"wanted": True}).json == {"wanted": True}
    assert quiet_seats(site, game_id) == [False, False]


def test_mails_that_came_back_are_told_and_tried_again(site: Site, ben: Caller) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    assert "came back" not in browser.open("/account").text
    anna = site.person("Anna")
    game_id, person = site.game_of(anna, ben), anna.id()
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Person).where(Person.id == person).values(unreachable_since=NOON)
            )
        )
    page = browser.open("/account")
    assert "Mails to anna@example.org came back" in page.text
    assert "not reachable by mail" in browser.open(f"/games/{game_id}").text
    site.clock.advance(minutes=1)
    page = browser.send(page, "/account/mail-again")
    page = browser.send(page, "/sign-in/code", code=browser.code_for("anna@example.org"))
    assert page.response.request.path == "/account"
    assert "came back" not in page.text
    assert "not reachable by mail" not in browser.open(f"/games/{game_id}").text


def test_preferences_about_replies_and_files_are_chosen_on_the_account_page(site: Site) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    page = browser.open("/account")
    page.form("/account/mails").values.pop("receipts")  # checked unless somebody chose otherwise
    page = browser.send(page, "/account/mails", check_sender="on", calendar="on")
    chosen = set(page.form("/account/mails").values)
    assert {"check_sender", "calendar"} <= chosen
    assert "receipts" not in chosen
    account = site.person("Anna").get("/v1/me").json
    assert account is not None
    found = {name: account["mail"][name] for name in ("check_sender", "calendar", "receipts")}
    assert found == {"check_sender": True, "calendar": True, "receipts": False}


def test_a_strangers_page_has_no_button_for_mails(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = site.game_of(anna, ben, visibility="public")
    assert "Mails about this game" not in opened(site, f"/games/{game_id}").text
