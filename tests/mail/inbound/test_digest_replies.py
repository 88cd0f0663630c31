"""Replies to a mail about several games."""

import pytest

from service.db.models import Letter
from service.mail.inbound.digest_reader import split_by_game
from service.mail.inbound.reply_texts import REFUSALS
from tests.mail.correspondent import replies, sends
from tests.support.post import arrived, wants, work
from tests.support.site import Caller, Site

pytestmark = pytest.mark.usefixtures("without_pictures")


@pytest.mark.parametrize(
    ("text", "games", "rest"),
    [
        ("A2", {"A": "2"}, ""),
        ("a 2", {"A": "2"}, ""),
        ("A: 2", {"A": "2"}, ""),
        ("A2, B1", {"A": "2", "B": "1"}, ""),
        ("A2 B1", {"A": "2", "B": "1"}, ""),
        ("A2 and B1 please", {"A": "2", "B": "1"}, ""),
        ("A2\nB1", {"A": "2", "B": "1"}, ""),
        ("A2, else A3", {"A": "2, else 3"}, ""),
        ("A2 A3", {"A": "2\n3"}, ""),
        ("A: sail A2 A3", {"A": "sail A2 A3"}, ""),
        ("board B", {"B": "board"}, ""),
        ("undo A", {"A": "undo"}, ""),
        ("zurücknehmen A", {"A": "zurücknehmen"}, ""),
        ("B board", {"B": "board"}, ""),
        ("sail A2 A3", {}, "sail A2 A3"),
        ("I take a 2", {}, "I take a 2"),
        ("not A2", {}, "not A2"),
        ("A2?", {}, "A2?"),
        ("A2 or B1", {}, "A2 or B1"),
        ("C2", {}, "C2"),
        ("2", {}, "2"),
    ],
)
def test_a_text_is_split_by_the_letters_of_games(
    text: str, games: dict[str, str], rest: str
) -> None:
    found = split_by_game(text, ["A", "B"])
    assert (found.games, found.rest.strip()) == (games, rest)


def test_with_a_single_game_no_letter_is_needed() -> None:
    assert split_by_game("Hi\n2 please", ["A"], "A").games == {"A": "Hi\n2 please"}


def digest_of(site: Site) -> tuple[Caller, Caller, Letter]:
    """Somebody who was mailed two turns at once."""
    anna, ben = site.people("Anna", "Ben")
    wants(anna, turns="daily")
    for _ in range(2):
        site.game_of(anna, ben)
    work(site)
    site.clock.advance(days=1)
    work(site)
    [letter] = arrived(site, anna, "digest")
    assert list(letter.facts["games"]) == ["A", "B"]
    return anna, ben, letter


def played(caller: Caller, letter: Letter, key: str) -> list[str]:
    log = caller.get(f"/v1/games/{letter.facts['games'][key]['game_id']}/log").json
    assert log is not None
    return [line["text"] for line in log["items"] if line["seat"] == 0]


def test_one_reply_plays_in_every_game(any_site: Site) -> None:
    anna, _, letter = digest_of(any_site)
    assert f"A2  {letter.facts['games']['A']['labels'][1]}" in str(letter.text)
    answer = replies(any_site, anna, letter, "A2, B1")
    for key, number in (("A", 2), ("B", 1)):
        game = letter.facts["games"][key]
        assert played(anna, letter, key) == [game["choices"][number - 1]]
        told = f"You play choice {number}: {game['labels'][number - 1]}."
        assert answer.facts["results"][key]["said"] == [told]
        assert told in str(answer.text)
    replies(any_site, anna, answer, "B2")
    assert played(anna, letter, "B") == [answer.facts["games"]["B"]["choices"][1]]


def test_a_game_that_is_refused_does_not_stop_the_others(any_site: Site) -> None:
    anna, _, letter = digest_of(any_site)
    answer = replies(any_site, anna, letter, "A99\nB1")
    assert played(anna, letter, "A") == []
    assert played(anna, letter, "B") == [letter.facts["games"]["B"]["choices"][0]]
    assert "There is no choice 99" in answer.facts["results"]["A"]["refused"]
    assert answer.facts["games"]["A"]["choices"] == letter.facts["games"]["A"]["choices"]
    assert "A1" in str(answer.text)


def test_text_about_no_game_that_is_not_clear_stops_everything(site: Site) -> None:
    anna, _, letter = digest_of(site)
    answer = replies(site, anna, letter, "A2\nor wait, perhaps something else")
    assert answer.facts["refused"]
    assert played(anna, letter, "A") == []


def test_other_commands_work_and_a_letter_chooses_the_board(site: Site) -> None:
    anna, _, letter = digest_of(site)
    answer = replies(site, anna, letter, "B1\nmail every turn")
    assert played(anna, letter, "B")
    assert "a mail for every turn" in answer.facts["said"][0]
    answer = replies(site, anna, letter, "board A")
    assert answer.facts["results"]["A"]["show"] == ["board"]
    assert replies(site, anna, letter, "help").facts["show"] == ["help"]
    assert replies(site, anna, letter, "2").facts["refused"] == REFUSALS["which_letter"]


def test_whoever_has_the_mail_can_play_what_it_asks_and_nothing_else(site: Site) -> None:
    anna, _, letter = digest_of(site)
    sends(site, anna, letter, "A1\nB: say I am Anna\nmail off", sender="mallory@example.net")
    assert len(played(anna, letter, "A")) == 1
    game_id = letter.facts["games"]["B"]["game_id"]
    messages = anna.get(f"/v1/games/{game_id}/messages").json
    assert messages is not None
    assert messages["items"] == []
    account = anna.get("/v1/me").json
    assert account is not None
    assert account["mail"]["turns"] == "daily"
