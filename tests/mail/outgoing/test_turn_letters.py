"""Letters about turns: their subject, what they offer and what they tell."""

import re

import pytest

from engine.registry import GAME_TYPES
from service.mail.outgoing.compose.choices import shown_choices
from tests.mail.correspondent import replies
from tests.support.mails import Looked
from tests.support.post import FLAT, after, arrived, is_asked, mail_arrives, pair, skipped, work
from tests.support.site import Caller, Site

MILLE_FIORI = GAME_TYPES[0]


def turn_of(site: Site, caller: Caller) -> str:
    return str(arrived(site, caller, "turn")[-1].subject)


def test_the_subject_names_the_others_and_has_an_id_only_where_two_games_have_the_same(
    site: Site,
) -> None:
    anna, ben, first = pair(site)
    mail_arrives(site)
    assert turn_of(site, anna) == "Mille Fiori with Ben"
    assert turn_of(site, ben) == "Mille Fiori with Anna"
    second = site.game_of(anna, ben, clock=FLAT)
    mail_arrives(site)
    assert turn_of(site, anna) == f"Mille Fiori with Ben ({second[:4]})"
    site.play_to_the_end(first, anna, ben)
    mail_arrives(site)
    assert arrived(site, anna, "finished")[-1].subject == "Mille Fiori with Ben"
    site.play_to_the_end(second, anna, ben)
    mail_arrives(site)
    assert arrived(site, anna, "finished")[-1].subject == f"Mille Fiori with Ben ({second[:4]})"
    site.game_of(anna, ben, clock=FLAT)
    mail_arrives(site)
    assert turn_of(site, anna) == "Mille Fiori with Ben"


def test_a_card_and_its_play_can_be_chosen_by_one_number(site: Site) -> None:
    anna, ben, game_id = pair(site)
    mail_arrives(site)
    [letter] = arrived(site, anna)
    choices = letter.facts["choices"]
    number, plan = next((n, text) for n, text in enumerate(choices, 1) if " then " in text)
    replies(site, anna, letter, str(number))
    ben.plays(game_id)
    while is_asked(ben, game_id):
        ben.plays(game_id)
    log = anna.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    card = plan.split()[1]
    [played] = [line for line in log["items"] if line["via"] == "plan"]
    assert card in str(played["sentences"][0])
    mail_arrives(site)
    told = " ".join(str(arrived(site, anna)[-1].text).split())
    assert re.search(rf"- You (?:play|sail with) {card} ", told), "and the mail tells it"


def test_events_of_a_turn_are_one_line_and_few_lines_are_told(site: Site) -> None:
    anna, ben, game_id = pair(site, game="murano")
    while not is_asked(anna, game_id):
        ben.plays(game_id)
    while is_asked(anna, game_id):
        anna.plays(game_id)
    while is_asked(ben, game_id):
        ben.plays(game_id)
    mail_arrives(site)
    text = str(arrived(site, anna, "turn")[-1].text)
    news = text.partition("SINCE YOUR LAST TURN\n")[2].partition("\n\n")[0]
    assert news.count("- Ben ") == news.count("\n- ") + 1 == 1
    assert "Anna" not in news


def test_many_choices_are_few_to_tap_on_and_lines() -> None:
    moves = [{"label": f"Keep lime-{n}", "text": f"keep lime-{n}"} for n in (1, 2, 3, 4, 5)]
    few = shown_choices(MILLE_FIORI, moves, [])
    assert [one["number"] for one in few["first"]] == [1, 2, 3, 4, 5]
    assert few["rest"] == []
    many = shown_choices(MILLE_FIORI, [*moves, *moves], moves[:1])
    assert [one["number"] for one in many["first"]] == [1, 2, 3, 4, 5]
    assert [one["number"] for one in many["rest"]] == [6, 7, 8, 9, 10]
    assert [one["number"] for one in many["plans"]] == [11]
    assert [one["short"] for one in many["rest"]] == [f"lime-{n}" for n in (1, 2, 3, 4, 5)]
    other = {"label": "Leave the extra card", "text": "decline"}
    plans = shown_choices(MILLE_FIORI, [], [moves[0], other])["plans"]
    assert plans[1]["short"] == "Leave the extra card"


@pytest.mark.parametrize(
    ("label", "notation"),
    [
        ("Behalte Asche-4 (derzeit am besten W11: 5 Punkte)", None),
        ("Conserva ceniza-4", None),
        ("Behalte Asche-4, dann als einzige Möglichkeit R12", "keep ash-4"),
    ],
)
def test_the_notation_is_shown_only_where_the_words_are_not_understood(
    label: str, notation: str | None
) -> None:
    [shown] = shown_choices(MILLE_FIORI, [{"label": label, "text": "keep ash-4"}], [])["first"]
    assert shown["notation"] == notation


def test_nobody_gets_a_mail_who_answered_within_the_delay(site: Site) -> None:
    anna, _, game_id = pair(site)
    work(site)
    anna.plays(game_id)
    after(site, minutes=10)
    assert [letter.kind for letter in arrived(site, anna)] == []
    assert ("turn", "answered") in skipped(site, anna)


def test_a_row_is_large_enough_for_a_finger_without_a_style_sheet(site: Site) -> None:
    anna, _, _ = pair(site)
    mail_arrives(site)
    [letter] = arrived(site, anna)
    rows = [link for link in Looked(str(letter.html)).all("a") if "display:block" in str(link)]
    assert len(rows) >= 5
    assert all("padding:10px 12px" in row["style"] for row in rows)
