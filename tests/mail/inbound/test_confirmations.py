"""Answers that ask back, and picks that are changed."""

from typing import Any

import pytest

from service.mail.inbound import reply_results
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Command, Play, Unclear
from service.mail.inbound.reply_texts import REFUSALS
from tests.mail.correspondent import answers_to, replies, sends
from tests.mail.inbound.test_replies import log_of, long_turn_of, played_in, seat_of, turn_of
from tests.support.post import wants
from tests.support.site import Site

pytestmark = pytest.mark.usefixtures("without_pictures")
DOUBTFUL = "perhaps the second"


@pytest.fixture(autouse=True)
def _doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """One text is read as the second choice, in doubt."""
    read = read_commands

    def doubtful(text: str, game: Any, choices: Any, *rest: Any, **more: Any) -> list[Command]:
        if text.strip() == DOUBTFUL:
            raise Unclear("not_understood", Play(((choices[1],),)), line=text)
        if text.strip() == "what does number 3 do?":
            raise Unclear("question", line=text)
        return read(text, game, choices, *rest, **more)

    monkeypatch.setattr(reply_results, "read_commands", doubtful)


def test_a_doubtful_reply_is_asked_back_and_yes_plays_it_once(any_site: Site) -> None:
    anna, game_id, letter = turn_of(any_site)
    asked = replies(any_site, anna, letter, DOUBTFUL)
    label = letter.facts["labels"][1]
    question = f"Did you mean 2: {label}? Reply 'yes', or with another number."
    assert " ".join(str(asked.text).split()).startswith(f"▸ {question} ##-")
    assert not log_of(anna, game_id)
    answer = replies(any_site, anna, asked, "Yes!")
    assert answer.facts["said"] == [f"You play choice 2: {label}."]
    replies(any_site, anna, letter, "1")
    again = replies(any_site, anna, asked, "yes")
    assert "is decided" in again.facts["refused"]
    assert [line["text"] for line in log_of(anna, game_id)] == [letter.facts["choices"][0]]


def test_no_plays_nothing_and_shows_the_list(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    asked = replies(site, anna, letter, DOUBTFUL)
    answer = replies(site, anna, asked, "no")
    assert answer.facts["said"] == ["Nothing was played."]
    assert answer.facts["choices"] == letter.facts["choices"]
    assert not log_of(anna, game_id)
    replies(site, anna, asked, "3")
    assert [line["text"] for line in log_of(anna, game_id)] == [letter.facts["choices"][2]]


@pytest.mark.parametrize("word", ["yes", "no"])
def test_yes_to_a_mail_that_asked_nothing_is_refused_with_the_list(site: Site, word: str) -> None:
    anna, game_id, letter = turn_of(site)
    answer = replies(site, anna, letter, word)
    assert answer.facts["refused"] == REFUSALS["nothing_to_confirm"]
    assert answer.facts["choices"] == letter.facts["choices"]
    assert not log_of(anna, game_id)


def test_yes_confirms_that_somebody_resigns_and_no_does_not(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    asked = replies(site, anna, letter, "resign")
    replies(site, anna, asked, "no")
    sends(site, anna, asked, "yes", sender="mallory@example.net")
    assert seat_of(site, game_id).resigned_at is None
    replies(site, anna, asked, "yes")
    assert seat_of(site, game_id).resigned_at is not None


def test_a_number_in_reply_to_a_confirmation_changes_the_pick(any_site: Site) -> None:
    anna, game_id, letter = turn_of(any_site)
    answer = replies(any_site, anna, letter, "1")
    assert answer.decision == letter.decision
    replies(any_site, anna, answer, "2")
    assert [line["text"] for line in log_of(anna, game_id)] == [answer.facts["choices"][1]]


def test_a_step_is_taken_back_as_the_answer_says(site: Site) -> None:
    caller, game_id, letter = long_turn_of(site)
    answer = replies(site, caller, letter, "sail A6 A7")
    assert "You can take that back: reply with 'undo'." in str(answer.text)
    answer = replies(site, caller, answer, "undo")
    assert answer.facts["said"][0].startswith("Taken back: ")
    assert played_in(caller, game_id) == []
    assert answer.decision == letter.decision


def test_a_question_to_us_is_answered_by_us(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    answer = replies(site, anna, letter, "what does number 3 do?")
    label = letter.facts["labels"][2]
    assert answer.facts["refused"] == f"Choice 3: {label}. {REFUSALS['question']}"
    assert answer.facts["choices"] == letter.facts["choices"]
    assert anna.get(f"/v1/games/{game_id}/messages").json["items"] == []  # type: ignore[index]


def test_an_answer_never_says_that_the_game_waits_for_its_reader(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    sends(site, anna, letter, "1")
    ben = site.person("Ben")
    while (decision := anna.sees(game_id)["decision"]) is None or decision["revising"]:
        ben.plays(game_id)
    [answer] = answers_to(site, anna)
    assert answer.decision == decision["id"]
    assert "waits for" not in str(answer.text)
    assert "you can change that" not in str(answer.text)


def test_who_wants_no_receipts_is_answered_only_with_questions_and_refusals(site: Site) -> None:
    anna, _, letter = turn_of(site)
    assert "receipts on" in replies(site, anna, letter, "receipts off").facts["said"][0]
    sends(site, anna, letter, "1")
    assert len(answers_to(site, anna)) == 1
    assert replies(site, anna, letter, "who?").facts["refused"]
    wants(anna, turns="off")
    replies(site, anna, letter, "receipts on")
    replies(site, anna, letter, "2")
