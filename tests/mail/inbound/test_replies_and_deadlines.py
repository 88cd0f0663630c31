"""Replies that come twice, too late, for something else, or from somebody else."""

import smtplib
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from service.core.config import MailSource
from service.db.models import Decision, Incoming, Letter, Move
from service.db.session import db, transact
from service.games.moves import answer_for_absent
from service.mail.inbound.classify import read_mail
from service.mail.inbound.intake import NotTaken
from service.mail.inbound.reply_texts import REFUSALS
from service.mail.inbound.smtp_server import Listeners, listening_socket
from service.mail.outgoing.mime import mail_of
from tests.mail.correspondent import (
    answers_to,
    hand_in,
    plain_reply,
    process,
    replies,
    reply_address,
    sends,
)
from tests.support.house import Caller, House
from tests.support.post import arrived, decision_of, is_asked, mail_arrives, pair, wants

pytestmark = pytest.mark.usefixtures("without_pictures")

OPEN = {"options": {"variant": "tactical"}}  # one after the other: what is played is decided


def asked(house: House, **kwargs: object) -> tuple[Caller, Caller, str, Letter]:
    """Two players, their game, and the mail with the first turn."""
    anna, ben, game_id = pair(house, **kwargs)
    first, other = (anna, ben) if is_asked(anna, game_id) else (ben, anna)
    mail_arrives(house)
    return first, other, game_id, arrived(house, first, "turn")[-1]


def moves_of(house: House, game_id: str) -> list[Move]:
    with house.app.app_context():
        query = select(Move).where(Move.game_id == game_id, Move.via != "auto").order_by(Move.n)
        return list(db.session.scalars(query).all())


def texts(house: House, game_id: str, caller: Caller) -> list[str]:
    log = caller.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    return [line["text"] for line in log["items"] if line["via"] != "auto"]


def house_plays(house: House, game_id: str, decision: str) -> bool:
    """What the worker does when time is up; whether it did."""
    with house.app.app_context():
        played = transact(lambda: answer_for_absent(game_id, decision, house.clock()))
        return played is not None


def test_the_same_mail_twice_is_done_and_answered_once(any_house: House) -> None:
    anna, _, game_id, letter = asked(any_house, **OPEN)
    to = reply_address(any_house, letter)
    mail = plain_reply("1\nsay once", letter.to, to, str(letter.text))
    first = hand_in(any_house, letter, mail, letter.to)
    assert hand_in(any_house, letter, mail, letter.to) == first
    process(any_house)
    assert hand_in(any_house, letter, mail, letter.to) == first
    process(any_house)
    assert len(moves_of(any_house, game_id)) == 1
    said = anna.get(f"/v1/games/{game_id}/messages").json
    assert said is not None
    assert len(said["items"]) == 1
    assert len(answers_to(any_house, anna)) == 1


def test_of_two_different_answers_to_one_decision_the_first_counts(any_house: House) -> None:
    anna, _, game_id, letter = asked(any_house, **OPEN)
    to = reply_address(any_house, letter)
    for text in ("1", "2"):
        hand_in(any_house, letter, plain_reply(text, letter.to, to), letter.to)
        any_house.clock.advance(seconds=1)
    process(any_house)
    chosen = letter.facts["choices"][0]
    assert texts(any_house, game_id, anna)[0] == chosen
    answers = answers_to(any_house, anna)
    assert sorted(bool(answer.facts["refused"]) for answer in answers) == [False, True]
    [refused] = [answer.facts["refused"] for answer in answers if answer.facts["refused"]]
    before, _, _ = REFUSALS["closed_by_player"].partition("%")
    assert refused.startswith(before)
    assert refused.endswith(f". [{chosen}]")


def test_of_two_different_picks_that_are_still_secret_the_second_counts(house: House) -> None:
    anna, _, game_id, letter = asked(house)
    to = reply_address(house, letter)
    for text in ("1", "2"):
        hand_in(house, letter, plain_reply(text, letter.to, to), letter.to)
        house.clock.advance(seconds=1)
    process(house)
    assert texts(house, game_id, anna) == [letter.facts["choices"][1]]
    assert [answer.facts["refused"] for answer in answers_to(house, anna)] == [None, None]


def test_an_answer_after_the_deadline_is_told_what_the_house_played(any_house: House) -> None:
    anna, _, game_id, letter = asked(any_house, **OPEN)
    due = decision_of(any_house, game_id, anna).due_at
    assert due is not None
    any_house.clock.at = due
    any_house.clock.advance(hours=1)
    assert house_plays(any_house, game_id, str(letter.decision))
    [played] = texts(any_house, game_id, anna)[:1]
    answer = replies(any_house, anna, letter, "1")
    before, _, _ = REFUSALS["closed_by_timeout"].partition("%")
    assert answer.facts["refused"].startswith(f"{before}{anna.name} ")
    assert answer.facts["refused"].endswith(f". [{played}]")
    assert texts(any_house, game_id, anna)[:1] == [played]


def test_an_answer_that_came_in_time_counts_though_it_is_read_later(any_house: House) -> None:
    anna, _, game_id, letter = asked(any_house, **OPEN)
    due = decision_of(any_house, game_id, anna).due_at
    assert due is not None
    any_house.clock.at = due
    any_house.clock.advance(seconds=-1)
    received = any_house.clock()
    to = reply_address(any_house, letter)
    hand_in(any_house, letter, plain_reply("2", letter.to, to), letter.to)
    any_house.clock.advance(seconds=30)
    assert not house_plays(any_house, game_id, str(letter.decision)), "the house waits a little"
    process(any_house)
    [move] = moves_of(any_house, game_id)[:1]
    assert (move.via, move.at) == ("player", received)
    with any_house.app.app_context():
        closed = select(Decision.closed_at, Decision.via).where(Decision.id == letter.decision)
        assert tuple(db.session.execute(closed).one()) == (received, "player")


def test_an_answer_that_came_in_time_counts_even_if_nobody_read_mails_for_an_hour(
    any_house: House,
) -> None:
    anna, _, game_id, letter = asked(any_house, **OPEN)
    due = decision_of(any_house, game_id, anna).due_at
    assert due is not None
    any_house.clock.at = due
    any_house.clock.advance(seconds=-1)
    to = reply_address(any_house, letter)
    hand_in(any_house, letter, plain_reply("2", letter.to, to), letter.to)
    any_house.clock.advance(hours=1)
    assert not house_plays(any_house, game_id, str(letter.decision)), "there is an answer to read"
    process(any_house)
    assert texts(any_house, game_id, anna)[0] == letter.facts["choices"][1]


def mentioned(house: House, caller: Caller, other: Caller, game_id: str) -> Letter:
    """A mail about the game that asks nothing."""
    other.post(f"/v1/games/{game_id}/messages", {"text": f"@{caller.name} hurry up"})
    mail_arrives(house)
    [letter] = arrived(house, caller, "mention")
    assert (letter.game_id, letter.decision) == (game_id, None)
    return letter


def test_so_does_one_to_a_mail_that_asked_nothing(any_house: House) -> None:
    anna, ben, game_id, turn = asked(any_house, **OPEN)
    mention = mentioned(any_house, anna, ben, game_id)
    due = decision_of(any_house, game_id, anna).due_at
    assert due is not None
    any_house.clock.at = due
    any_house.clock.advance(seconds=-1)
    received = any_house.clock()
    chosen = turn.facts["choices"][1]
    to = reply_address(any_house, mention)
    hand_in(any_house, mention, plain_reply(chosen, mention.to, to), mention.to)
    any_house.clock.advance(hours=1)
    assert not house_plays(any_house, game_id, str(turn.decision)), "there is an answer to read"
    process(any_house)
    [move] = moves_of(any_house, game_id)[:1]
    assert (move.via, move.at) == ("player", received)
    assert texts(any_house, game_id, anna)[0] == chosen


def test_a_reply_is_no_answer_to_what_was_asked_after_it_came(house: House) -> None:
    anna, ben, game_id, turn = asked(house, **OPEN)
    mention = mentioned(house, anna, ben, game_id)
    chosen = turn.facts["choices"][1]
    to = reply_address(house, mention)
    hand_in(house, mention, plain_reply(chosen, mention.to, to), mention.to)
    house.clock.advance(hours=1)
    anna.plays(game_id)
    while not is_asked(anna, game_id):
        ben.plays(game_id)
    before = texts(house, game_id, anna)
    process(house)
    assert texts(house, game_id, anna) == before
    assert answers_to(house, anna)[-1].facts["refused"].startswith(REFUSALS["nothing_asked"])


def test_who_is_asked_next_has_their_whole_time_however_long_a_mail_was_not_read(
    any_house: House,
) -> None:
    _, _, game_id, letter = asked(any_house, **OPEN)
    received = any_house.clock()
    to = reply_address(any_house, letter)
    hand_in(any_house, letter, plain_reply("1", letter.to, to), letter.to)
    any_house.clock.advance(hours=150)
    process(any_house)
    assert moves_of(any_house, game_id)[0].at == received
    with any_house.app.app_context():
        opened = select(Decision).where(Decision.game_id == game_id, Decision.closed_at.is_(None))
        [decision] = db.session.scalars(opened).all()
    assert decision.opened_at == any_house.clock()
    assert decision.due_at is not None
    assert decision.due_at > any_house.clock()


def test_a_mail_of_ours_is_known_again_whatever_domain_it_is_sent_from(house: House) -> None:
    _, _, _, letter = asked(house)
    sender = "Laguna <laguna@example.org>"
    settings = replace(house.settings, mail_from=sender, mail_domain="mail.laguna.example")
    mail = mail_of(letter, settings, house.clock())
    assert read_mail(mail, settings.mail_domain).kind == "own"


def test_a_mail_that_cannot_be_read_keeps_the_house_from_playing_only_so_long(
    house: House,
) -> None:
    anna, _, game_id, letter = asked(house, **OPEN)
    due = decision_of(house, game_id, anna).due_at
    assert due is not None
    to = reply_address(house, letter)
    hand_in(house, letter, plain_reply("what?", letter.to, to), letter.to)
    process(house)
    house.clock.at = due
    house.clock.advance(hours=1)
    assert house_plays(house, game_id, str(letter.decision)), "it was read, and says nothing"


def test_an_answer_after_the_game_says_that_it_is_over(house: House) -> None:
    anna, ben, game_id, letter = asked(house)
    house.play_to_the_end(game_id, anna, ben)
    answer = replies(house, anna, letter, "1")
    assert answer.facts["refused"] == REFUSALS["game_over"]
    [finished] = arrived(house, anna, "finished")
    house.clock.advance(hours=2)
    answer = replies(house, anna, finished, "say That was fun")
    assert answer.facts["refused"] is None


def test_with_the_address_of_another_seat_nobody_plays_their_own(house: House) -> None:
    """Whoever has a mail can answer what it asked, for the seat that it asked."""
    anna, ben, game_id, letter = asked(house)
    sends(house, ben, letter, "2", sender="ben@example.org")
    [move] = moves_of(house, game_id)
    assert move.seat == anna.sees(game_id)["your_seat"]
    assert answers_to(house, ben) == []
    [answer] = answers_to(house, anna)
    assert answer.to == "anna@example.org"


def test_a_changed_address_is_refused_before_the_mail_is_sent(house: House) -> None:
    _, _, game_id, letter = asked(house)
    to = reply_address(house, letter)
    local, _, domain = to.partition("@")
    sock = listening_socket(MailSource("smtp", "127.0.0.1", 0, "", "", ""))
    port = sock.getsockname()[1]
    with Listeners(house.app, [("smtp", sock)]), smtplib.SMTP("127.0.0.1", port) as server:
        server.ehlo()
        server.mail("anna@example.org")
        for place in range(len("turn+"), len(local)):
            other = "a" if local[place] != "a" else "b"
            changed = f"{local[:place]}{other}{local[place + 1 :]}@{domain}"
            assert server.rcpt(changed)[0] == 550, place
        for wrong in (f"{local}a@{domain}", f"off{local[4:]}@{domain}", f"turn+@{domain}"):
            assert server.rcpt(wrong)[0] == 550, wrong
        assert server.rcpt(f"{local.upper()}@{domain}")[0] == 250, "hosts change the case"
    with house.app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Incoming)) == 0
    assert moves_of(house, game_id) == []


def test_an_address_is_good_for_its_letter_only_as_long_as_it_says(house: House) -> None:
    _, _, _, letter = asked(house)
    to = reply_address(house, letter)
    house.clock.advance(days=102)
    with pytest.raises(NotTaken):
        hand_in(house, letter, plain_reply("1", letter.to, to), letter.to)


def test_from_another_address_the_one_move_is_made_and_its_owner_hears_of_it(
    house: House,
) -> None:
    """A mail that was forwarded: whoever has it can answer what it asks, and no more."""
    anna, _, game_id, letter = asked(house)
    text = f"2\n{letter.facts['choices'][0]}\nsay hello"
    mail = sends(house, anna, letter, text, sender="mallory@example.net")
    assert mail.state == "done"
    assert texts(house, game_id, anna) == [letter.facts["choices"][1]]
    [answer] = answers_to(house, anna)
    assert answer.to == "anna@example.org"
    assert answer.facts["refused"] == REFUSALS["other_address"]
    assert house.letters("mallory@example.net") == []
    said = anna.get(f"/v1/games/{game_id}/messages").json
    assert said is not None
    assert said["items"] == []


@pytest.mark.parametrize("by", ["the house", "herself"])
def test_where_senders_are_checked_another_address_makes_no_move(house: House, by: str) -> None:
    anna, _, game_id, letter = asked(house)
    strict = House(replace(house.settings, mail_check_sender=by == "the house"), house.clock)
    strict.clock = house.clock
    wants(anna, check_sender=by == "herself")
    mail = sends(strict, anna, letter, "2", sender="mallory@example.net")
    assert (mail.state, mail.reason, mail.result) == ("done", "refused", "wrong_sender")
    assert moves_of(house, game_id) == []
    [answer] = answers_to(house, anna)
    assert answer.to == "anna@example.org"
    assert answer.facts["refused"] == REFUSALS["wrong_sender"]
    sends(strict, anna, letter, "2", sender="Anna@Example.ORG")
    assert texts(house, game_id, anna) == [letter.facts["choices"][1]]


def test_a_reply_to_an_answer_is_read_like_any_other(house: House) -> None:
    anna, _, game_id, letter = asked(house)
    answer = replies(house, anna, letter, "board")
    assert answer.decision == letter.decision
    replies(house, anna, answer, "3")
    assert texts(house, game_id, anna) == [answer.facts["choices"][2]]


def test_an_answer_that_asks_what_comes_next_saves_the_mail_of_the_turn(house: House) -> None:
    anna, ben, game_id, _ = asked(house, **OPEN)
    for _ in range(60):  # until somebody is asked twice in a row
        player = anna if is_asked(anna, game_id) else ben
        mail_arrives(house)
        letter = [one for one in arrived(house, player) if one.decision is not None][-1]
        answer = replies(house, player, letter, "1")
        if is_asked(player, game_id):
            break
    assert answer.decision == player.sees(game_id)["decision"]["id"]
    mail_arrives(house)
    about = [one for one in arrived(house, player) if one.decision == answer.decision]
    assert [one.kind for one in about] == ["answer"]


def test_an_answer_of_long_ago_does_not_save_the_mail_of_a_question_that_is_asked_anew(
    house: House,
) -> None:
    anna, ben, game_id, letter = asked(house, **OPEN)
    house.clock.advance(minutes=5)
    replies(house, anna, letter, "board")
    for player in (anna, ben):
        assert player.post(f"/v1/games/{game_id}/pause").status_code == 200
    house.clock.advance(days=2)
    assert anna.delete(f"/v1/games/{game_id}/pause").status_code == 204
    mail_arrives(house)
    about = [one for one in arrived(house, anna) if one.decision == letter.decision]
    assert [one.kind for one in about] == ["turn", "answer", "turn"]
