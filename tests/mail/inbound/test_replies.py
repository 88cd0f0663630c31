"""What replies do, and the one answer that each of them gets."""

import ast
import contextlib
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from sqlalchemy import bindparam, select, update

from engine.languages import ENGLISH, LANGUAGES
from engine.registry import GAME_TYPES
from service.core.errors import PROBLEM_TYPES
from service.core.i18n import CATALOGUES
from service.db.models import Game, Letter, Message, Person, Seat
from service.db.session import db, execute, savepoint, table, transact
from service.mail.inbound import (
    handlers,
    move_handlers,
    move_texts,
    reply_results,
    reply_texts,
    seat_handlers,
)
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import MailChoice, Word
from service.mail.inbound.plain_text import folded
from service.mail.inbound.replies import (
    MOST_REFUSED_TO_LETTER,
    MOST_REFUSED_TO_SENDER,
    MOST_REPEATED,
)
from service.mail.inbound.reply_texts import (
    COMMAND_WORDS,
    MAIL_CHOICES,
    RECEIPTS,
    REFUSALS,
    Words,
)
from service.mail.inbound.vocabulary import COMMANDS, MAIL_WORDS, NOTE, SAY
from service.mail.outgoing.unsubscribe import set_muted
from tests.mail.correspondent import answers_to, incoming, process, replies, sends
from tests.support import steps
from tests.support.post import arrived, is_asked, mail_arrives, miss, pair, wants, work
from tests.support.site import Caller, Site

pytestmark = pytest.mark.usefixtures("without_pictures")

ROOT = Path(__file__).parents[3]
TODAY = date(2026, 3, 2)
_SEAT = table(Seat)
NOTED = (
    update(_SEAT)
    .where(_SEAT.c.game_id == bindparam("game"), _SEAT.c.number == 1)
    .values(note=bindparam("text"))
)


def turn_of(site: Site, **kwargs: Any) -> tuple[Caller, str, Letter]:
    """Somebody who was mailed a turn."""
    anna, _, game_id = pair(site, **kwargs)
    mail_arrives(site)
    return anna, game_id, arrived(site, anna, "turn")[-1]


def seat_of(site: Site, game_id: str, number: int = 0) -> Seat:
    with site.app.app_context():
        return db.session.scalars(
            select(Seat).where(Seat.game_id == game_id, Seat.number == number)
        ).one()


def person(site: Site) -> Person:
    with site.app.app_context():
        return db.session.scalars(select(Person).where(Person.email == "anna@example.org")).one()


def speaks(caller: Caller, language: str) -> None:
    changed = caller.patch("/v1/me", {"language": language}, headers={"If-Match": "*"})
    assert changed.status_code == 200


def log_of(caller: Caller, game_id: str) -> list[dict[str, Any]]:
    log = caller.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    return [line for line in log["items"] if line["seat"] == 0]


# Playing


def test_a_number_plays_the_choice_that_the_letter_showed(any_site: Site) -> None:
    anna, game_id, letter = turn_of(any_site)
    chosen = letter.facts["choices"][1]
    answer = replies(any_site, anna, letter, "2")
    told = f"You play choice 2: {letter.facts['labels'][1]}."
    assert answer.facts["said"] == [told]
    assert answer.facts["refused"] is None
    assert told in str(answer.text)
    assert "Now the game waits for Ben." in str(answer.text)
    [mine] = log_of(anna, game_id)
    assert (mine["text"], mine["via"]) == (chosen, "player")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("You play choice ", "Played: 1, ")),
        ("de", ("Du spielst Möglichkeit ", "Gespielt: 1, ")),
        ("es", ("Juegas la opción ", "Jugado: 1, ")),
    ],
)
def test_what_a_move_brought_is_told_in_the_language_of_its_player(
    site: Site, language: str, words: tuple[str, str]
) -> None:
    anna, ben, game_id = pair(site)
    speaks(anna, language)
    mail_arrives(site)
    first = arrived(site, anna, "turn")[-1]
    replies(site, anna, first, "1")
    while (decision := anna.sees(game_id)["decision"]) is None or decision["revising"]:
        ben.plays(game_id)
    mail_arrives(site)
    [*_, letter] = arrived(site, anna, "turn")
    assert replies(site, anna, letter, "2").facts["said"] == [
        f"{words[0]}2: {letter.facts['labels'][1]}."
    ]
    late = replies(site, anna, first, "2").facts["refused"]
    assert late.endswith(f"{words[1]}{first.facts['labels'][0]}.")


def test_a_move_in_its_notation_is_played(any_site: Site) -> None:
    anna, game_id, letter = turn_of(any_site)
    chosen = letter.facts["choices"][2]
    replies(any_site, anna, letter, f"  {chosen.upper()}.  ")
    assert [line["text"] for line in log_of(anna, game_id)] == [chosen]


def test_of_several_in_order_of_preference_the_first_that_is_possible_is_played(
    any_site: Site,
) -> None:
    anna, game_id, letter = turn_of(any_site)
    others = any_site.person("Ben").sees(game_id)["decision"]["moves"]
    impossible = [move["text"] for move in others if move["text"] not in letter.facts["choices"]]
    replies(any_site, anna, letter, f"{impossible[0]}, else {impossible[1]}, else 2")
    assert [line["text"] for line in log_of(anna, game_id)] == [letter.facts["choices"][1]]


def test_if_none_of_several_is_possible_the_first_of_them_is_named(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    others = site.person("Ben").sees(game_id)["decision"]["moves"]
    first, second = [
        move["text"] for move in others if move["text"] not in letter.facts["choices"]
    ][:2]
    answer = replies(site, anna, letter, f"{first} else {second}")
    assert answer.facts["refused"] == REFUSALS["illegal_move"] % {"move": f"[{first}]"}
    assert not log_of(anna, game_id)


def test_a_pick_that_is_still_secret_can_be_changed_by_another_reply(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    first = replies(site, anna, letter, "1")
    assert "you can change that: reply with another number" in str(first.text)
    replies(site, anna, letter, "2")
    assert [line["text"] for line in log_of(anna, game_id)] == [letter.facts["choices"][1]]


def test_a_pick_is_not_taken_back_but_stands_until_another_is_chosen(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    replies(site, anna, letter, "1")
    answer = replies(site, anna, letter, "takeback")
    assert answer.facts["said"][0] == f"Played: 1, {letter.facts['labels'][0]}."
    assert answer.decision == letter.decision, "a number in reply to it chooses anew"
    assert len(answer.facts["choices"]) == len(letter.facts["choices"])
    again = answer.facts["choices"].index(letter.facts["choices"][2]) + 1
    replies(site, anna, answer, str(again))
    assert [line["text"] for line in log_of(anna, game_id)] == [letter.facts["choices"][2]]


def test_what_is_decided_cannot_be_taken_back(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    answer = replies(site, anna, letter, "takeback")
    assert answer.facts["refused"] == REFUSALS["nothing_to_undo"]
    replies(site, anna, letter, "1")
    site.person("Ben").plays(game_id)
    site.clock.advance(hours=2)
    answer = replies(site, anna, letter, "takeback")
    assert answer.facts["refused"] == REFUSALS["nothing_to_undo"]


def test_further_lines_play_what_is_asked_next_and_say_what_stopped_them(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    first, second = letter.facts["choices"][:2]
    answer = replies(site, anna, letter, f"{first}\n{second}")
    assert answer.facts["said"][0].endswith(f"[{first}]")
    assert second in answer.facts["refused"]
    assert [line["text"] for line in log_of(anna, game_id)] == [first]


def long_turn_of(site: Site, gold: int | None = None) -> tuple[Caller, str, Letter]:
    """Who begins a game whose turns have several steps, and was mailed that."""
    anna, ben, game_id = pair(site, game=steps.KEY)
    caller = (anna, ben)[steps.beginning(site, game_id, gold).mover]
    mail_arrives(site)
    return caller, game_id, arrived(site, caller, "turn")[-1]


def played_in(caller: Caller, game_id: str) -> list[str]:
    log = caller.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    return [line["text"] for line in log["items"]]


@pytest.mark.parametrize("between", ["; ", "\n"])
def test_all_steps_of_a_turn_fit_into_one_reply(site: Site, between: str) -> None:
    caller, game_id, letter = long_turn_of(site)
    answer = replies(site, caller, letter, between.join(steps.A_TURN))
    assert answer.facts["refused"] is None
    assert played_in(caller, game_id) == list(steps.A_TURN)
    for step in steps.A_TURN:
        assert any(f"[{step}]" in said for said in answer.facts["said"])


def test_a_step_that_does_not_work_stops_the_turn_and_takes_nothing_back(site: Site) -> None:
    caller, game_id, letter = long_turn_of(site)
    answer = replies(site, caller, letter, "sail A6 A7; street; lay SD-a1; done")
    assert played_in(caller, game_id) == ["sail A6 A7", "street"]
    assert "lay SD-a1" in answer.facts["refused"]
    assert all(choice.startswith("lay ") for choice in answer.facts["choices"])


def test_a_step_that_made_itself_may_be_written_too(site: Site) -> None:
    """Without gold nobody can sail on, so that there is one thing to do: it is done at once."""
    caller, game_id, letter = long_turn_of(site, gold=0)
    answer = replies(site, caller, letter, "sail A13 A14; dismiss")
    assert played_in(caller, game_id) == ["sail A13 A14", "dismiss"]
    assert answer.facts["refused"] is None


def test_what_cannot_be_read_is_asked_back_with_the_choices_and_changes_nothing(
    any_site: Site,
) -> None:
    anna, game_id, letter = turn_of(any_site)
    before = anna.sees(game_id)
    answer = replies(any_site, anna, letter, "perhaps the second, what do you think?")
    assert answer.facts["said"] == []
    assert answer.facts["refused"]
    assert answer.decision == letter.decision
    assert answer.facts["choices"] == letter.facts["choices"]
    assert anna.sees(game_id) == before


def test_an_old_letter_never_answers_the_next_decision_and_is_told_how_it_was_decided(
    site: Site,
) -> None:
    anna, game_id, letter = turn_of(site)
    ben = site.person("Ben")
    replies(site, anna, letter, "1")
    ben.plays(game_id)
    while not is_asked(anna, game_id):
        ben.plays(game_id)
    before = anna.sees(game_id)
    answer = replies(site, anna, letter, "2")
    happened = f"Played: 1, {letter.facts['labels'][0]}."
    assert answer.facts["refused"] == REFUSALS["closed_by_player"] % {"happened": happened}
    assert answer.decision == before["decision"]["id"], "what is open now is asked again"
    assert anna.sees(game_id) == before


def test_a_letter_that_asked_nothing_can_be_answered_by_a_move_but_not_by_a_number(
    site: Site,
) -> None:
    anna, ben, game_id = pair(site)
    mail_arrives(site)
    ben.post(f"/v1/games/{game_id}/messages", {"text": "@Anna hurry up"})
    mail_arrives(site)
    [mention] = arrived(site, anna, "mention")
    [turn] = arrived(site, anna, "turn")
    answer = replies(site, anna, mention, "1")
    assert answer.facts["refused"]
    assert not log_of(anna, game_id)
    site.clock.advance(hours=2)
    answer = replies(site, anna, mention, turn.facts["choices"][1])
    assert answer.facts["refused"] is None
    assert [line["text"] for line in log_of(anna, game_id)] == [turn.facts["choices"][1]]


def test_a_letter_about_several_games_is_answered_by_no_move_without_its_letter(
    site: Site,
) -> None:
    """Whichever game type the move is of."""
    anna, ben = site.people("Anna", "Ben")
    others = [site.game_of(ben, bots=1, game=game.meta.key) for game in GAME_TYPES]
    site.let_bots_play()
    moves = [ben.sees(one)["decision"]["moves"][0]["text"] for one in others]
    wants(anna, turns="daily")
    games = [site.game_of(anna, ben), site.game_of(anna, ben)]
    work(site)
    site.clock.advance(days=1)
    work(site)
    [digest] = arrived(site, anna, "digest")
    for text in (*moves, "1", "plan gold"):
        answer = replies(site, anna, digest, text)
        assert answer.facts["refused"] == REFUSALS["which_letter"]
        site.clock.advance(hours=2)
    assert not log_of(anna, games[0])
    assert replies(site, anna, digest, "games").facts["show"] == ["games"]


@pytest.mark.parametrize("what", ["board", "log", "rules"])
def test_of_a_letter_about_several_games_none_is_shown_without_its_letter(
    site: Site, what: str
) -> None:
    anna, ben = site.people("Anna", "Ben")
    wants(anna, turns="daily")
    site.game_of(anna, ben)
    site.game_of(anna, ben)
    work(site)
    site.clock.advance(days=1)
    work(site)
    [digest] = arrived(site, anna, "digest")
    answer = replies(site, anna, digest, what)
    assert answer.facts["refused"] == REFUSALS["which_letter"]


# The seat


def away(site: Site) -> tuple[Caller, Caller, str]:
    """Somebody whose seat a bot keeps."""
    anna, ben, game_id = pair(site)
    mail_arrives(site)
    for _ in range(3):
        while not is_asked(anna, game_id):
            ben.plays(game_id)
        miss(site, game_id, anna)
        work(site)
    assert seat_of(site, game_id).away_since is not None
    return anna, ben, game_id


def test_one_word_takes_the_seat_back(any_site: Site) -> None:
    anna, _, game_id = away(any_site)
    [letter] = arrived(any_site, anna, "away")
    answer = replies(any_site, anna, letter, "Back!")
    assert answer.facts["said"] == ["Welcome back: your seat is yours again."]
    assert seat_of(any_site, game_id).away_since is None
    assert not seat_of(any_site, game_id).bot


def test_any_move_takes_the_seat_back_even_one_that_comes_too_late(site: Site) -> None:
    anna, _, game_id = away(site)
    old = arrived(site, anna, "turn")[0]
    answer = replies(site, anna, old, "1")
    assert answer.facts["said"] == ["Welcome back: your seat is yours again."]
    assert "a move was played for you" in answer.facts["refused"]
    assert seat_of(site, game_id).away_since is None


def test_resigning_needs_a_yes_to_the_letter_that_asks_for_it(any_site: Site) -> None:
    anna, game_id, letter = turn_of(any_site)
    asked = replies(any_site, anna, letter, "resign yes")
    assert seat_of(any_site, game_id).resigned_at is None
    assert "resign yes" in str(asked.text)
    assert "Anna, are you sure?" in str(asked.text)
    assert "done" not in str(asked.text)
    answer = replies(any_site, anna, asked, "resign yes")
    assert seat_of(any_site, game_id).resigned_at is not None
    assert answer.facts["said"] == ["You have resigned; Ben has won."]
    answer = replies(any_site, anna, asked, "resign yes")
    assert answer.facts["refused"] == REFUSALS["game_over"]


# Lists, talk, notes, absences, mails


def test_a_ranked_list_is_left_shown_and_dropped(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    answer = replies(site, anna, letter, "keep pigments else high")
    assert seat_of(site, game_id).wishes == ["pigments", "highest"]
    assert "pigments, else highest number" in answer.facts["said"][0]
    speaks(anna, "de")
    told = replies(site, anna, letter, "plan").facts["said"][0]
    assert told.endswith(": Pigmente, sonst höchste Zahl.")
    speaks(anna, "en")
    replies(site, anna, letter, "plan none")
    assert seat_of(site, game_id).wishes == []
    assert "no list" in replies(site, anna, letter, "plan").facts["said"][0]


@pytest.mark.parametrize("text", ["keep else high", "behalte sonst hoch", "3, else", "else 3"])
def test_where_something_is_missing_before_or_behind_else_it_is_asked_back(
    site: Site, text: str
) -> None:
    anna, game_id, letter = turn_of(site)
    answer = replies(site, anna, letter, text)
    assert answer.facts["refused"] == REFUSALS["not_understood"] % {"line": text}
    assert seat_of(site, game_id).wishes in (None, [])
    assert not log_of(anna, game_id)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_that_is_not_understood_is_told_what_can_be_wished_for(
    site: Site, language: str
) -> None:
    anna, game_id, letter = turn_of(site)
    speaks(anna, language)
    answer = replies(site, anna, letter, "plan else high")
    wishes = ", ".join(GAME_TYPES[0].preference_labels(GAME_TYPES[0].all_preferences(), language))
    assert wishes in answer.facts["refused"]
    assert seat_of(site, game_id).wishes in (None, [])
    assert wishes in " ".join(str(replies(site, anna, letter, "help").text).split())


def test_a_long_list_is_told_whole(site: Site) -> None:
    anna, _, letter = turn_of(site)
    wishes = "pigments, else quartz, else ash, else lime, else nobili, else populi, else any card"
    answer = replies(site, anna, letter, f"plan {wishes}")
    assert answer.facts["said"][0].endswith(f": {wishes}.")


def test_what_is_said_goes_to_the_table_and_what_is_noted_to_the_note(any_site: Site) -> None:
    anna, game_id, letter = turn_of(any_site)
    replies(any_site, anna, letter, "1\nsay Good luck, Ben!")
    with any_site.app.app_context():
        [said] = db.session.scalars(select(Message).where(Message.game_id == game_id)).all()
    assert (said.text, said.seat) == ("Good luck, Ben!", 0)
    assert len(log_of(anna, game_id)) == 1
    replies(any_site, anna, letter, "note Ben likes the harbor")
    replies(any_site, anna, letter, "note and ships")
    assert seat_of(any_site, game_id).note == "Ben likes the harbor\nand ships"


def test_what_came_before_a_refusal_stays_and_what_comes_after_it_is_not_done(
    any_site: Site,
) -> None:
    anna, game_id, letter = turn_of(any_site)
    answer = replies(any_site, anna, letter, "note one\n\ntakeback\n\nnote two")
    assert seat_of(any_site, game_id).note == "one"
    assert answer.facts["said"] == ["Added to your note: “one”"]
    assert answer.facts["refused"] == REFUSALS["nothing_to_undo"]


def test_a_part_of_a_transaction_that_fails_is_taken_back_by_itself(any_site: Site) -> None:
    """However it is written: by the session or by a prepared statement."""
    _, game_id, _ = turn_of(any_site)

    def noted(text: str) -> None:
        first = update(Seat).where(Seat.game_id == game_id, Seat.number == 0)
        db.session.execute(first.values(note=text))
        execute(NOTED, {"game": game_id, "text": text})

    def work() -> None:
        noted("before")
        with contextlib.suppress(LookupError), savepoint():
            noted("within")
            raise LookupError
        with savepoint():
            db.session.execute(update(Seat).where(Seat.game_id == game_id).values(wishes=["kept"]))

    with any_site.app.app_context():
        transact(work)
    for number in (0, 1):
        seat = seat_of(any_site, game_id, number)
        assert (seat.note, seat.wishes) == ("before", ["kept"])


def test_an_absence_is_announced_in_whole_days_where_somebody_lives(site: Site) -> None:
    anna, _, letter = turn_of(site)
    changed = anna.patch("/v1/me", {"time_zone": "Europe/Rome"}, headers={"If-Match": "*"})
    assert changed.status_code == 200
    answer = replies(site, anna, letter, "away 5 Mar - 9 Mar")
    assert "5 March 2026 to 9 March 2026" in answer.facts["said"][0]
    [absence] = person(site).absences
    assert absence["from"] == "2026-03-04T23:00:00+00:00"
    assert absence["to"] == "2026-03-09T23:00:00+00:00"
    site.clock.advance(hours=2)
    answer = replies(site, anna, letter, "away 5 Mar - 30 Jun")
    assert answer.facts["refused"].startswith("An absence begins today or later")
    site.clock.advance(hours=2)
    answer = replies(site, anna, letter, "away 0001-01-01 - 2026-03-09")
    assert answer.facts["refused"] == REFUSALS["bad_dates"] % {
        "line": "away 0001-01-01 - 2026-03-09"
    }


@pytest.mark.parametrize(
    ("language", "days"),
    [
        ("en", "5 March 2026 to 9 March 2026"),
        ("de", "vom 5. März 2026 bis zum 9. März 2026"),
        ("es", "del 5 de marzo de 2026 al 9 de marzo de 2026"),
    ],
)
def test_days_are_written_as_the_language_writes_them(site: Site, language: str, days: str) -> None:
    anna, _, letter = turn_of(site)
    speaks(anna, language)
    assert days in replies(site, anna, letter, "away 5 Mar - 9 Mar").facts["said"][0]


@pytest.mark.parametrize(("words", "mode"), [("mail daily", "daily"), ("mail off", "off")])
def test_which_mails_come_is_chosen_by_mail_and_answers_come_in_any_case(
    site: Site, words: str, mode: str
) -> None:
    anna, _, letter = turn_of(site)
    answer = replies(site, anna, letter, words)
    assert answer.facts["said"] == [MAIL_CHOICES[mode]]
    account = anna.get("/v1/me").json
    assert account is not None
    assert account["mail"]["turns"] == mode


def test_a_person_who_wants_mails_again_gets_those_about_the_game_too(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    with site.app.app_context():
        transact(lambda: set_muted(person(site).id, game_id, True))
    replies(site, anna, letter, "mail off")
    assert seat_of(site, game_id).quiet
    replies(site, anna, letter, "mail every turn")
    assert not seat_of(site, game_id).quiet


@pytest.mark.parametrize("what", ["help", "board", "log", "rules", "games"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_somebody_wants_to_see_is_in_the_answer(site: Site, what: str, language: str) -> None:
    anna, _, letter = turn_of(site)
    speaks(anna, language)
    answer = replies(site, anna, letter, what)
    assert answer.facts["show"] == [what]
    assert len(str(answer.text)) > 100


# Whom the answer goes to


def test_the_answer_speaks_the_language_of_its_reader(site: Site) -> None:
    anna, _, letter = turn_of(site)
    speaks(anna, "de")
    answer = replies(site, anna, letter, "aufgeben")
    assert answer.facts["said"][0].startswith("Willst du wirklich aufgeben?")
    speaks(anna, "es")
    site.clock.advance(hours=2)
    answer = replies(site, anna, letter, "deshacer")
    assert answer.facts["refused"] == "No hay ninguna jugada tuya que aún se pueda deshacer."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("zurück", "könnte „zurücknehmen“ oder „wieder da“ bedeuten"),
        ("sag hallo\n3", "„3“ steht direkt unter „sag“"),
        ("mail aus\nmail täglich", "„mail aus“ und „mail täglich“ widersprechen sich"),
        ("plan hoch\nplan keiner", "„hoch“ und „plan keiner“ widersprechen sich"),
        ("3, sonst 1\naufgeben", "und „aufgeben“ widersprechen sich"),
    ],
)
def test_commands_are_named_as_their_reader_would_write_them(
    site: Site, text: str, told: str
) -> None:
    anna, _, letter = turn_of(site)
    speaks(anna, "de")
    assert told in replies(site, anna, letter, text).facts["refused"]


def test_rubbish_is_answered_some_times_an_hour_and_a_command_always(site: Site) -> None:
    anna, _, letter = turn_of(site)
    for number in range(MOST_REFUSED_TO_LETTER):
        mail = sends(site, anna, letter, f"who are you, number {number}, who?")
        assert mail.reason == "refused"
    mail = sends(site, anna, letter, "no really, who?")
    assert mail.reason == "refused_before"
    assert len(answers_to(site, anna)) == MOST_REFUSED_TO_LETTER
    sends(site, anna, letter, "note still here")
    sends(site, anna, letter, "1")
    assert len(answers_to(site, anna)) == MOST_REFUSED_TO_LETTER + 2
    site.clock.advance(minutes=61)
    sends(site, anna, letter, "hm?")
    assert len(answers_to(site, anna)) == MOST_REFUSED_TO_LETTER + 3


def test_a_program_that_answers_every_answer_is_left_alone_after_a_while(site: Site) -> None:
    """Each answer has an address of its own, and so an hour of its own."""
    anna, _, letter = turn_of(site)
    for number in range(MOST_REFUSED_TO_SENDER):
        letter = replies(site, anna, letter, f"We got your mail, ticket T{number}x")
        site.clock.advance(seconds=10)
    mail = sends(site, anna, letter, "We got your mail, ticket unknown")
    assert mail.reason == "refused_before"
    answer = replies(site, anna, letter, "1")
    assert answer.facts["refused"] is None, "what can be done is done and answered"


def test_a_program_that_repeats_itself_is_left_alone_sooner(any_site: Site) -> None:
    anna, _, letter = turn_of(any_site)
    text = "We got your mail and will answer it soon"
    for _ in range(MOST_REPEATED):
        letter = replies(any_site, anna, letter, text)
        any_site.clock.advance(hours=2)
    mail = sends(any_site, anna, letter, text)
    assert mail.reason == "refused_before"
    replies(any_site, anna, letter, "a person who writes something else gets an answer")
    replies(any_site, anna, letter, text)


def test_a_mail_with_nothing_in_it_is_told_how_to_answer(site: Site) -> None:
    anna, _, letter = turn_of(site)
    answer = replies(site, anna, letter, "")
    assert answer.facts["refused"] == REFUSALS["empty"]


def test_a_stranger_can_make_the_one_move_and_nothing_else(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    stranger = "mallory@example.net"
    for text in ("resign", "resign yes", "say I am Anna", "note x", "mail off", "back"):
        sends(site, anna, letter, text, sender=stranger)
    sends(site, anna, letter, "keep pigments else high", sender=stranger)
    sends(site, anna, letter, "away 5 Mar - 9 Mar", sender=stranger)
    seat = seat_of(site, game_id)
    assert (seat.resigned_at, seat.note, seat.wishes) == (None, "", [])
    account = anna.get("/v1/me").json
    assert account is not None
    assert "turns" not in account["mail"]
    assert person(site).absences == []
    assert anna.get(f"/v1/games/{game_id}/messages").json["items"] == []  # type: ignore[index]
    assert not log_of(anna, game_id)
    sends(site, anna, letter, "1\nsay ha!", sender=stranger)
    assert len(log_of(anna, game_id)) == 1
    assert anna.get(f"/v1/games/{game_id}/messages").json["items"] == []  # type: ignore[index]
    answers = answers_to(site, anna)
    assert {letter.to for letter in answers} == {"anna@example.org"}
    assert site.letters(stranger) == []


def test_an_address_that_was_unreachable_is_good_again_when_it_writes(site: Site) -> None:
    anna, _, letter = turn_of(site)
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Person)
                .where(Person.email == "anna@example.org")
                .values(unreachable_since=site.clock())
            )
        )
    sends(site, anna, letter, "1", sender="mallory@example.net")
    assert person(site).unreachable_since is not None
    sends(site, anna, letter, "2")
    assert person(site).unreachable_since is None


def test_a_game_that_is_frozen_cancelled_or_over_says_so(site: Site) -> None:
    anna, game_id, letter = turn_of(site)
    states: list[tuple[dict[str, Any], str]] = [
        ({"frozen_at": site.clock()}, "game_frozen"),
        ({"frozen_at": None, "status": "cancelled"}, "not_running"),
        ({"status": "finished"}, "game_over"),
    ]
    for values, code in states:
        with site.app.app_context():
            transact(
                lambda values=values: db.session.execute(  # type: ignore[misc]
                    update(Game).where(Game.id == game_id).values(**values)
                )
            )
        site.clock.advance(hours=2)
        mail = sends(site, anna, letter, "1")
        assert (mail.reason, mail.result) == ("refused", code)


def test_a_reply_that_waits_for_the_worker_is_done_with_all_it_says_or_not_at_all(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, game_id, letter = turn_of(any_site)

    def fails(*_: object) -> None:
        raise RuntimeError("the lights went out")

    with monkeypatch.context() as patched:
        patched.setattr(handlers, "say", fails)
        mail = sends(any_site, anna, letter, "1\nsay hello")
    assert mail.state == "pending"
    assert not log_of(anna, game_id)
    assert answers_to(any_site, anna) == []
    any_site.clock.advance(minutes=5)
    process(any_site)
    assert incoming(any_site, mail.id).state == "done"
    assert len(log_of(anna, game_id)) == 1
    assert len(answers_to(any_site, anna)) == 1


def test_a_reply_of_which_we_can_do_nothing_is_answered_when_it_is_given_up(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, game_id, letter = turn_of(site)

    def fails(*_: object) -> None:
        raise RuntimeError("the lights went out")

    monkeypatch.setattr(handlers, "play", fails)
    mail = sends(site, anna, letter, "1")
    for _ in range(5):
        assert answers_to(site, anna) == []
        site.clock.advance(hours=3)
        process(site)
        if incoming(site, mail.id).state == "dead":
            break
    [answer] = answers_to(site, anna)
    assert answer.facts["refused"] == REFUSALS["given_up"]
    assert answer.decision == letter.decision, "it asks again what is open"
    site.clock.advance(hours=3)
    process(site)
    assert len(answers_to(site, anna)) == 1
    assert not log_of(anna, game_id)


# The words


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_sentence_is_in_every_catalogue_with_the_same_facts(language: str) -> None:
    """Some are shared with other texts, and stand in the catalogue of those."""
    catalogues = {}
    for path in (CATALOGUES / language).glob("*.po"):
        with path.open("rb") as file:
            catalogues[path.stem] = {
                (m.context, m.id): m for m in read_po(file, locale=language) if m.id
            }
    found = catalogues["replies"]
    said = [*REFUSALS.values(), *MAIL_CHOICES.values(), *RECEIPTS.values(), *written_in_commands()]
    wanted: set[tuple[str | None, str]] = {(None, sentence) for sentence in said}
    wanted |= {(reply_texts.REPLY, words) for words in (", else ", *COMMAND_WORDS)}
    assert set(found) <= wanted <= set().union(*catalogues.values())
    for message in found.values():
        assert message.string
        assert not list(message.check())


def written_in_commands() -> list[str]:
    """The sentences that stand in the code."""
    trees = [
        ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for module in (move_handlers, handlers, seat_handlers, move_texts, reply_results)
    ]
    return [
        node.args[0].value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("writer.say", "say", "self.writer.say")
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_that_is_named_means_the_same_in_every_language(language: str) -> None:
    for word in COMMAND_WORDS:
        said = Words(language)("%(word)s", word=Word(word))
        if word in ("say", "note"):
            assert said in (SAY if word == "say" else NOTE)
        else:
            assert COMMANDS[folded(said)] == COMMANDS[word]
    for mode, word in MAIL_WORDS.items():
        assert COMMANDS[word] == MailChoice(mode)


PLACEHOLDERS = ("wish", "wunsch", "deseo")  # of a list that no game knows


def commands_in_help(language: str) -> list[str]:
    """What the help in this language says that can be written."""
    known = "de" if language == ENGLISH else language
    with (CATALOGUES / known / "letters.po").open("rb") as file:
        told = [m for m in read_po(file, locale=known) if m.context == "command"]
    return [str(m.id if language == ENGLISH else m.string) for m in told]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_of_the_help_is_understood(language: str) -> None:
    told = commands_in_help(language)
    assert len(told) > 10
    for command in told:
        if not any(word in command.lower() for word in PLACEHOLDERS):
            assert read_commands(command, GAME_TYPES[0], ["keep ash-1"] * 3, TODAY), command


def test_every_command_of_the_document_is_understood() -> None:
    text = (ROOT / "docs" / "mail.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*) \|$", text, re.MULTILINE)
    told = [command for row in rows for command in re.findall(r"`([^`]+)`", row)]
    assert len(told) > 50
    for command in told:
        assert read_commands(command, GAME_TYPES[0], ["keep ash-1"] * 3, TODAY), command


def test_every_problem_that_a_reply_can_meet_has_a_sentence() -> None:
    told = {
        code
        for code in PROBLEM_TYPES
        if PROBLEM_TYPES[code].status in (403, 409, 422, 429) and code in REFUSALS
    }
    assert told >= {
        *("unreadable_move", "ambiguous_move", "illegal_move", "not_your_decision"),
        *("decision_closed", "game_over", "not_running", "game_frozen", "resigned"),
        *("seat_away", "too_many_messages", "too_many_absences", "not_seated"),
    }
