"""Links in mails that answer them: a page with a button, for whoever has the mail."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from sqlalchemy import update

import service
from engine.languages import ENGLISH, LANGUAGES
from service.core.config import Limits
from service.core.i18n import CATALOGUES
from service.core.signing import sign_id
from service.core.time_control import MOST_MISSES
from service.db.models import Decision, Game, Letter, Seat
from service.db.session import db, transact
from service.mail.outgoing.reply_address import GOOD_FOR
from tests.support.autoplay import answer_automatically
from tests.support.browser import opened, pressed, somewhere
from tests.support.limited import LimitedSites
from tests.support.post import arrived, decision_of, leaves, mail_arrives, miss
from tests.support.rewinding import all_rows
from tests.support.site import Caller, Site

SERVICE = Path(service.__file__).parent
PAGES = ("answer", "answer_played", "mail_off", "link_broken", "signed_link")


def letter_of(site: Site, caller: Caller, *kinds: str) -> Letter:
    return arrived(site, caller, *(kinds or ("turn",)))[-1]


def signed(site: Site, letter: Letter, purpose: str = "answer") -> str:
    assert letter.sent_at is not None
    return sign_id(site.settings, purpose, letter.id, letter.sent_at + GOOD_FOR)


def test_a_link_opens_a_page_with_one_button_and_nothing_else(
    site: Site, anna: Caller, game: str
) -> None:
    letter = letter_of(site, anna)
    path = f"/answer/{signed(site, letter)}/2"
    before = all_rows(site)
    page = opened(site, path)
    assert page.status == 200
    decision = anna.sees(game)["decision"]
    labels = {move["text"]: move["label"] for move in decision["moves"]}
    assert labels[letter.facts["choices"][1]] in page.text
    assert "Evening round" in page.text
    assert "Your time ends" in page.text
    (form,) = page.forms
    assert (form.action, form.method) == (path, "post")
    assert [words for _, _, words in form.buttons] == ["Play this"]
    others = [label for n, label in enumerate(letter.facts["labels"]) if n != 1]
    assert not any(label in page.text for label in others)
    assert {"script", "img"} & {tag for tag, _ in page.elements} <= {"img"}, "no script"
    assert page.response.headers["Referrer-Policy"] == "no-referrer"
    assert page.response.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert page.response.headers["Cache-Control"] == "no-store"
    assert "unsafe" not in page.response.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in page.response.headers
    assert all_rows(site) == before, "to look changes nothing"


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "GET"])
def test_what_scanners_do_with_links_changes_nothing(
    site: Site, anna: Caller, game: str, method: str
) -> None:
    before, link = all_rows(site), signed(site, letter_of(site, anna))
    for path in (f"/answer/{link}", f"/answer/{link}/1"):
        assert somewhere(site).open(path, method=method).status_code == 200
    assert all_rows(site) == before


def test_the_button_plays_the_choice_without_any_cookie(
    any_site: Site,
) -> None:
    site = any_site
    anna, ben = site.people("Anna", "Ben")
    game = site.game_of(anna, ben)
    mail_arrives(site)
    letter = letter_of(site, anna)
    page = pressed(site, f"/answer/{signed(site, letter)}/2")
    assert page.status == 200
    assert "Played" in page.text
    assert "A mail comes when it is your turn again." in page.text
    assert f"/games/{game}" in page.links()
    assert "Set-Cookie" not in page.response.headers
    log = anna.get(f"/v1/games/{game}/log").json
    assert log is not None
    assert [line["text"] for line in log["items"] if line["seat"] == 0] == [
        letter.facts["choices"][1]
    ]


def test_all_choices_are_buttons_and_each_plays_its_own(
    site: Site, anna: Caller, game: str
) -> None:
    letter = letter_of(site, anna)
    path = f"/answer/{signed(site, letter)}"
    page = opened(site, path)
    (form,) = page.forms
    numbers = [value for _, value, _ in form.buttons]
    assert numbers == [str(n) for n in range(1, len(letter.facts["choices"]) + 1)]
    assert pressed(site, path, choice="3").status == 200
    log = anna.get(f"/v1/games/{game}/log").json
    assert log is not None
    assert log["items"][-1]["text"] == letter.facts["choices"][2]


def test_a_pick_may_be_changed_by_another_link_until_the_last_one_is_in(
    site: Site, anna: Caller, ben: Caller, game: str
) -> None:
    letter = letter_of(site, anna)
    link = signed(site, letter)
    assert "Played" in pressed(site, f"/answer/{link}/1").text
    page = opened(site, f"/answer/{link}/2")
    assert "You have chosen already" in page.text
    assert letter.facts["choices"][0] not in page.text, "what was chosen is not told"
    assert "Changed" in pressed(site, f"/answer/{link}/2").text
    log = anna.get(f"/v1/games/{game}/log").json
    assert log is not None
    assert [line["text"] for line in log["items"]] == [letter.facts["choices"][1]]


def test_a_second_click_after_the_game_went_on_changes_nothing(
    site: Site, anna: Caller, ben: Caller, game: str
) -> None:
    link = signed(site, letter_of(site, anna))
    assert pressed(site, f"/answer/{link}/1").status == 200
    assert ben.plays(game).status_code == 200
    before = all_rows(site)
    for number in "12":
        page = pressed(site, f"/answer/{link}/{number}")
        assert page.status == 409
        assert "You have answered this already" in page.text
        assert f"/games/{game}" in page.links()
        assert page.forms == []
    assert opened(site, f"/answer/{link}").status == 200
    assert all_rows(site) == before


def test_a_turn_that_is_theirs_again_is_said_without_its_choices(site: Site, anna: Caller) -> None:
    """Alone against bots it is soon one's own turn; the page shows nothing of the new position."""
    game = site.game_of(anna, bots=1)
    while True:
        mail_arrives(site)
        site.let_bots_play()
        mail_arrives(site)
        letter = letter_of(site, anna)
        page = pressed(site, f"/answer/{signed(site, letter)}/1")
        assert page.status == 200, page.text
        decision = anna.sees(game)["decision"]
        if decision is not None and not decision["revising"]:
            break
    assert "It is your turn once more." in page.text
    assert not any(move["label"] in page.text for move in decision["moves"])


def test_after_the_deadline_the_page_says_who_played(
    site: Site, anna: Caller, ben: Caller, game: str
) -> None:
    letter = letter_of(site, anna)
    due = decision_of(site, game, anna).due_at
    assert due is not None
    assert ben.plays(game).status_code == 200
    site.clock.at = due + timedelta(hours=1)
    with site.app.app_context():
        transact(lambda: answer_automatically(game, str(letter.decision), site.clock()))
    page = pressed(site, f"/answer/{signed(site, letter)}/1")
    assert page.status == 409
    assert "A bot has played for you" in page.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_while_a_bot_keeps_the_seat_a_link_changes_nothing_and_says_how_to_come_back(
    site: Site, anna: Caller, game: str, language: str
) -> None:
    letter = letter_of(site, anna)
    with site.app.app_context():
        often = update(Seat).where(Seat.game_id == game).values(misses=MOST_MISSES - 1)
        transact(lambda: db.session.execute(often))
    miss(site, game, anna)
    changed = anna.patch("/v1/me", {"language": language}, headers={"If-Match": "*"})
    assert changed.status_code == 200
    assert anna.sees(game)["seats"][0]["away_since"]
    assert anna.sees(game)["decision"]["id"] == letter.decision, "it might still be changed"
    before = all_rows(site)
    words = {"en": "with the word “back”", "de": "„wieder da“", "es": "«volver»"}
    for page in (
        opened(site, f"/answer/{signed(site, letter)}"),
        pressed(site, f"/answer/{signed(site, letter)}/1"),
    ):
        assert words[language] in page.text
        assert not page.forms
    assert page.status == 409
    assert all_rows(site) == before


def test_after_the_game_the_page_says_that_it_is_over(
    site: Site, anna: Caller, ben: Caller, game: str
) -> None:
    link = signed(site, letter_of(site, anna))
    for player in (anna, ben):
        player.put(f"/v1/games/{game}/end-offer")
    assert anna.sees(game)["status"] == "finished"
    page = pressed(site, f"/answer/{link}/1")
    assert page.status == 409
    assert "The game is over" in page.text


def test_a_person_who_resigned_is_told_so(site: Site, anna: Caller) -> None:
    game = site.game_of(anna, *site.people("Carla", "Dario"))
    mail_arrives(site)
    link = signed(site, letter_of(site, anna))
    anna.post(f"/v1/games/{game}/resign")
    assert "A bot plays your seat to the end." in opened(site, f"/answer/{link}/1").text
    assert pressed(site, f"/answer/{link}/1").status == 409


def test_a_frozen_game_is_not_played(site: Site, anna: Caller, game: str) -> None:
    link = signed(site, letter_of(site, anna))
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Game).where(Game.id == game).values(frozen_at=site.clock())
            )
        )
    page = pressed(site, f"/answer/{link}/1")
    assert page.status == 409
    assert "The game is frozen" in page.text


@pytest.mark.parametrize("number", ["0", "999", "-1", "1.5", "x", "%00", "\uff11", "1" * 50])
def test_a_choice_that_there_is_not_is_asked_back(
    site: Site, anna: Caller, game: str, number: str
) -> None:
    before = all_rows(site)
    path = f"/answer/{signed(site, letter_of(site, anna))}"
    page = opened(site, f"{path}/{number}")
    assert page.status == 404
    assert "These are its choices" in page.text
    assert page.form(path).buttons
    assert pressed(site, f"{path}/{number}").status in (404, 409)
    assert all_rows(site) == before


def test_a_changed_signature_opens_nothing(site: Site, anna: Caller, game: str) -> None:
    letter = letter_of(site, anna)
    link, before = signed(site, letter), all_rows(site)
    other = letter_of(site, Caller(site.client, name="Ben"))
    wrong = [
        link[:-1] + ("a" if link[-1] != "a" else "b"),
        letter.id,
        other.id + link[16:],
        link + "a",
        "%00" * 5,
        signed(site, letter, "off"),
        signed(site, letter, "turn"),
    ]
    for text in wrong:
        page = opened(site, f"/answer/{text}/1")
        assert (page.status, "This link is not complete" in page.text) == (404, True), text
        assert pressed(site, f"/answer/{text}/1").status == 404
    assert all_rows(site) == before


def test_an_expired_link_is_explained(site: Site, anna: Caller, game: str) -> None:
    link = signed(site, letter_of(site, anna))
    site.clock.advance(days=GOOD_FOR.days + 2)
    page = pressed(site, f"/answer/{link}/1")
    assert page.status == 410
    assert "This link is too old" in page.text


def test_a_letter_that_is_gone_opens_nothing(site: Site, anna: Caller, game: str) -> None:
    link = signed(site, letter_of(site, anna))
    leaves(site, anna)
    assert opened(site, f"/answer/{link}/1").status == 410


def test_a_letter_that_asks_nothing_is_no_way_to_play(
    site: Site, anna: Caller, ben: Caller, game: str
) -> None:
    ben.post(f"/v1/games/{game}/messages", {"text": "@Anna hello"})
    mail_arrives(site)
    link = signed(site, letter_of(site, anna, "mention"))
    assert opened(site, f"/answer/{link}").status == 404
    assert pressed(site, f"/answer/{link}/1").status == 404
    assert anna.sees(game)["moves"] == 0


def test_one_seat_never_answers_for_another(
    site: Site, anna: Caller, ben: Caller, game: str
) -> None:
    """A mail that was passed on decides what it asks, for its own seat."""
    letter = letter_of(site, ben)
    assert pressed(site, f"/answer/{signed(site, letter)}/1").status == 200
    assert anna.sees(game)["decision"]["revising"] is False
    log = ben.get(f"/v1/games/{game}/log").json
    assert log is not None
    assert [line["seat"] for line in log["items"]] == [1]


def test_a_reminder_is_answered_in_the_same_way(
    site: Site, anna: Caller, ben: Caller, game: str
) -> None:
    due = decision_of(site, game, anna).due_at
    assert due is not None
    site.clock.at = due - timedelta(hours=3)
    mail_arrives(site)
    link = signed(site, letter_of(site, anna, "reminder"))
    assert "Played" in pressed(site, f"/answer/{link}/1").text


def test_a_form_of_another_site_is_refused(site: Site, anna: Caller, game: str) -> None:
    path = f"/answer/{signed(site, letter_of(site, anna))}/1"
    answer = somewhere(site).post(path, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert anna.sees(game)["moves"] == 0
    # What a page of ours sends: with no referrer there is no origin either.
    own = {"Sec-Fetch-Site": "same-origin", "Origin": "null"}
    assert somewhere(site).post(path, headers=own).status_code == 200


def test_the_clock_that_stands_is_said_to_stand(site: Site, anna: Caller, game: str) -> None:
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Decision).where(Decision.game_id == game).values(due_at=None)
            )
        )
    page = opened(site, f"/answer/{signed(site, letter_of(site, anna))}/1")
    assert "there is no hurry" in page.text


@pytest.mark.parametrize(
    ("language", "button", "ends"),
    [("de", "Das spiele ich", "Deine Zeit endet"), ("es", "Jugar esto", "Tu tiempo acaba")],
)
def test_the_page_is_in_the_language_of_the_recipient(
    site: Site, anna: Caller, game: str, language: str, button: str, ends: str
) -> None:
    anna.patch("/v1/me", {"language": language}, headers={"If-Match": "*"})
    page = opened(site, f"/answer/{signed(site, letter_of(site, anna))}/1")
    assert ("html", {"lang": language}) in page.elements
    assert ends in page.text
    assert page.forms[0].buttons[0][2] == button


def test_a_broken_link_is_explained_in_a_language_of_the_browser(site: Site) -> None:
    answer = somewhere(site).get("/answer/nothing", headers={"Accept-Language": "fr, de;q=0.7"})
    assert answer.status_code == 404
    assert '<html lang="de">' in answer.text


def test_guessing_links_is_stopped(limited: LimitedSites) -> None:
    site = limited(Limits(anonymous_requests="20 per minute"))
    codes = [opened(site, f"/answer/{'a' * 36}/1").status for _ in range(25)]
    assert codes[0] == 404
    assert codes[-1] == 429


def test_every_sentence_of_these_pages_is_translated() -> None:
    said: set[str] = {"Your turn: %(table)s", "Your time ends at the end of this entry."}
    for name in PAGES:
        text = (SERVICE / "web" / "templates" / f"{name}.html").read_text()
        said |= set(re.findall(r'_\("([^"]+)"\)', text))
    assert len(said) > 30
    for language in set(LANGUAGES) - {ENGLISH}:
        with (CATALOGUES / language / "pages.po").open("rb") as file:
            known = {str(one.id): str(one.string) for one in read_po(file) if one.id}
        assert said - set(known) == set()
        for english, words in known.items():
            assert words
            assert re.findall(r"%\(\w+\)s", english) == re.findall(r"%\(\w+\)s", words)


def test_the_page_is_the_same_for_whoever_signed_in_as_somebody_else(
    site: Site, anna: Caller, game: str
) -> None:
    """No cookie is looked at: it is the mail that counts."""
    path = f"/answer/{signed(site, letter_of(site, anna))}/1"
    charlie = somewhere(site)
    secret = site.person("Charlie").token
    assert secret is not None
    charlie.set_cookie(site.settings.session_cookie, secret)
    assert charlie.get(path).text == somewhere(site).get(path).text
