"""Replies that come twice, too late, for something else, or from somebody else."""

import smtplib
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from service.core.config import MailSource
from service.db.models import Decision, Incoming, Letter, Move
from service.db.session import db, transact
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
from tests.support.autoplay import answer_automatically
from tests.support.post import arrived, decision_of, is_asked, mail_arrives, pair, wants
from tests.support.site import Caller, Site

pytestmark = pytest.mark.usefixtures("without_pictures")

OPEN = {"options": {"variant": "tactical"}}  # one after the other: what is played is decided


def asked(site: Site, **kwargs: object) -> tuple[Caller, Caller, str, Letter]:
    """Two players, their game, and the mail with the first turn."""
    anna, ben, game_id = pair(site, **kwargs)
    first, other = (anna, ben) if is_asked(anna, game_id) else (ben, anna)
    mail_arrives(site)
    return first, other, game_id, arrived(site, first, "turn")[-1]


def moves_of(site: Site, game_id: str) -> list[Move]:
    with site.app.app_context():
        query = select(Move).where(Move.game_id == game_id, Move.via != "auto").order_by(Move.n)
        return list(db.session.scalars(query).all())


def texts(site: Site, game_id: str, caller: Caller) -> list[str]:
    log = caller.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    return [line["text"] for line in log["items"] if line["via"] != "auto"]


def time_out_is_played(site: Site, game_id: str, decision: str) -> bool:
    """What the worker does when time is up; whether it did."""
    with site.app.app_context():
        played = transact(lambda: answer_automatically(game_id, decision, site.clock()))
        return played is not None


def test_the_same_mail_twice_is_done_and_answered_once(any_site: Site) -> None:
    anna, _, game_id, letter = asked(any_site, **OPEN)
    to = reply_address(any_site, letter)
    mail = plain_reply("1\nsay once", letter.to, to, str(letter.text))
    first = hand_in(any_site, letter, mail, letter.to)
    assert hand_in(any_site, letter, mail, letter.to) == first
    process(any_site)
    assert hand_in(any_site, letter, mail, letter.to) == first
    process(any_site)
    assert len(moves_of(any_site, game_id)) == 1
    said = anna.get(f"/v1/games/{game_id}/messages").json
    assert said is not None
    assert len(said["items"]) == 1
    assert len(answers_to(any_site, anna)) == 1


def test_of_two_different_answers_to_one_decision_the_first_counts(any_site: Site) -> None:
    anna, _, game_id, letter = asked(any_site, **OPEN)
    to = reply_address(any_site, letter)
    for text in ("1", "2"):
        hand_in(any_site, letter, plain_reply(text, letter.to, to), letter.to)
        any_site.clock.advance(seconds=1)
    process(any_site)
    chosen = letter.facts["choices"][0]
    assert texts(any_site, game_id, anna)[0] == chosen
    answers = answers_to(any_site, anna)
    assert sorted(bool(answer.facts["refused"]) for answer in answers) == [False, True]
    [refused] = [answer.facts["refused"] for answer in answers if answer.facts["refused"]]
    before, _, _ = REFUSALS["closed_by_player"].partition("%")
    assert refused.startswith(before)
    assert refused.endswith(f"Played: 1, {letter.facts['labels'][0]}.")


def test_of_two_different_picks_that_are_still_secret_the_second_counts(site: Site) -> None:
    anna, _, game_id, letter = asked(site)
    to = reply_address(site, letter)
    for text in ("1", "2"):
        hand_in(site, letter, plain_reply(text, letter.to, to), letter.to)
        site.clock.advance(seconds=1)
    process(site)
    assert texts(site, game_id, anna) == [letter.facts["choices"][1]]
    assert [answer.facts["refused"] for answer in answers_to(site, anna)] == [None, None]


def test_a_late_reply_gets_the_move_of_the_time_out(any_site: Site) -> None:
    anna, _, game_id, letter = asked(any_site, **OPEN)
    due = decision_of(any_site, game_id, anna).due_at
    assert due is not None
    any_site.clock.at = due
    any_site.clock.advance(hours=1)
    assert time_out_is_played(any_site, game_id, str(letter.decision))
    [played] = texts(any_site, game_id, anna)[:1]
    answer = replies(any_site, anna, letter, "1")
    before, _, _ = REFUSALS["closed_by_timeout"].partition("%")
    number = letter.facts["choices"].index(played)
    label = letter.facts["labels"][number]
    assert answer.facts["refused"] == f"{before}Played: {number + 1}, {label}."
    assert texts(any_site, game_id, anna)[:1] == [played]


def test_an_answer_that_came_in_time_counts_though_it_is_read_later(any_site: Site) -> None:
    anna, _, game_id, letter = asked(any_site, **OPEN)
    due = decision_of(any_site, game_id, anna).due_at
    assert due is not None
    any_site.clock.at = due
    any_site.clock.advance(seconds=-1)
    received = any_site.clock()
    to = reply_address(any_site, letter)
    hand_in(any_site, letter, plain_reply("2", letter.to, to), letter.to)
    any_site.clock.advance(seconds=30)
    assert not time_out_is_played(any_site, game_id, str(letter.decision)), (
        "the grace period is not over"
    )
    process(any_site)
    [move] = moves_of(any_site, game_id)[:1]
    assert (move.via, move.at) == ("player", received)
    with any_site.app.app_context():
        closed = select(Decision.closed_at, Decision.via).where(Decision.id == letter.decision)
        assert tuple(db.session.execute(closed).one()) == (received, "player")


def test_an_answer_that_came_in_time_counts_even_if_nobody_read_mails_for_an_hour(
    any_site: Site,
) -> None:
    anna, _, game_id, letter = asked(any_site, **OPEN)
    due = decision_of(any_site, game_id, anna).due_at
    assert due is not None
    any_site.clock.at = due
    any_site.clock.advance(seconds=-1)
    to = reply_address(any_site, letter)
    hand_in(any_site, letter, plain_reply("2", letter.to, to), letter.to)
    any_site.clock.advance(hours=1)
    assert not time_out_is_played(any_site, game_id, str(letter.decision)), (
        "there is an answer to read"
    )
    process(any_site)
    assert texts(any_site, game_id, anna)[0] == letter.facts["choices"][1]


def mentioned(site: Site, caller: Caller, other: Caller, game_id: str) -> Letter:
    """A mail about the game that asks nothing."""
    other.post(f"/v1/games/{game_id}/messages", {"text": f"@{caller.name} hurry up"})
    mail_arrives(site)
    [letter] = arrived(site, caller, "mention")
    assert (letter.game_id, letter.decision) == (game_id, None)
    return letter


def test_an_unread_reply_to_a_mention_also_stops_autoplay(any_site: Site) -> None:
    anna, ben, game_id, turn = asked(any_site, **OPEN)
    mention = mentioned(any_site, anna, ben, game_id)
    due = decision_of(any_site, game_id, anna).due_at
    assert due is not None
    any_site.clock.at = due
    any_site.clock.advance(seconds=-1)
    received = any_site.clock()
    chosen = turn.facts["choices"][1]
    to = reply_address(any_site, mention)
    hand_in(any_site, mention, plain_reply(chosen, mention.to, to), mention.to)
    any_site.clock.advance(hours=1)
    assert not time_out_is_played(any_site, game_id, str(turn.decision)), (
        "there is an answer to read"
    )
    process(any_site)
    [move] = moves_of(any_site, game_id)[:1]
    assert (move.via, move.at) == ("player", received)
    assert texts(any_site, game_id, anna)[0] == chosen


def test_a_reply_is_no_answer_to_what_was_asked_after_it_came(site: Site) -> None:
    anna, ben, game_id, turn = asked(site, **OPEN)
    mention = mentioned(site, anna, ben, game_id)
    chosen = turn.facts["choices"][1]
    to = reply_address(site, mention)
    hand_in(site, mention, plain_reply(chosen, mention.to, to), mention.to)
    site.clock.advance(hours=1)
    anna.plays(game_id)
    while not is_asked(anna, game_id):
        ben.plays(game_id)
    before = texts(site, game_id, anna)
    process(site)
    assert texts(site, game_id, anna) == before
    assert answers_to(site, anna)[-1].facts["refused"].startswith(REFUSALS["nothing_asked"])


def test_a_person_who_is_asked_next_has_their_whole_time_however_long_a_mail_was_not_read(
    any_site: Site,
) -> None:
    _, _, game_id, letter = asked(any_site, **OPEN)
    received = any_site.clock()
    to = reply_address(any_site, letter)
    hand_in(any_site, letter, plain_reply("1", letter.to, to), letter.to)
    any_site.clock.advance(hours=150)
    process(any_site)
    assert moves_of(any_site, game_id)[0].at == received
    with any_site.app.app_context():
        opened = select(Decision).where(Decision.game_id == game_id, Decision.closed_at.is_(None))
        [decision] = db.session.scalars(opened).all()
    assert decision.opened_at == any_site.clock()
    assert decision.due_at is not None
    assert decision.due_at > any_site.clock()


def test_a_mail_of_ours_is_known_again_whatever_domain_it_is_sent_from(site: Site) -> None:
    _, _, _, letter = asked(site)
    sender = "Laguna <laguna@example.org>"
    settings = replace(site.settings, mail_from=sender, mail_domain="mail.laguna.example")
    mail = mail_of(letter, settings, site.clock())
    assert read_mail(mail, settings.mail_domain).kind == "own"


def test_an_unread_reply_delays_a_time_out_only_for_a_while(
    site: Site,
) -> None:
    anna, _, game_id, letter = asked(site, **OPEN)
    due = decision_of(site, game_id, anna).due_at
    assert due is not None
    to = reply_address(site, letter)
    hand_in(site, letter, plain_reply("what?", letter.to, to), letter.to)
    process(site)
    site.clock.at = due
    site.clock.advance(hours=1)
    assert time_out_is_played(site, game_id, str(letter.decision)), "it was read, and says nothing"


def test_an_answer_after_the_game_says_that_it_is_over(site: Site) -> None:
    anna, ben, game_id, letter = asked(site)
    site.play_to_the_end(game_id, anna, ben)
    answer = replies(site, anna, letter, "1")
    assert answer.facts["refused"] == REFUSALS["game_over"]
    [finished] = arrived(site, anna, "finished")
    site.clock.advance(hours=2)
    answer = replies(site, anna, finished, "say That was fun")
    assert answer.facts["refused"] is None


def test_with_the_address_of_another_seat_nobody_plays_their_own(site: Site) -> None:
    """Whoever has a mail can answer what it asked, for the seat that it asked."""
    anna, ben, game_id, letter = asked(site)
    sends(site, ben, letter, "2", sender="ben@example.org")
    [move] = moves_of(site, game_id)
    assert move.seat == anna.sees(game_id)["your_seat"]
    assert answers_to(site, ben) == []
    [answer] = answers_to(site, anna)
    assert answer.to == "anna@example.org"


def test_a_changed_address_is_refused_before_the_mail_is_sent(site: Site) -> None:
    _, _, game_id, letter = asked(site)
    to = reply_address(site, letter)
    local, _, domain = to.partition("@")
    sock = listening_socket(MailSource("smtp", "127.0.0.1", 0, "", "", ""))
    port = sock.getsockname()[1]
    with Listeners(site.app, [("smtp", sock)]), smtplib.SMTP("127.0.0.1", port) as server:
        server.ehlo()
        server.mail("anna@example.org")
        for place in range(len("turn+"), len(local)):
            other = "a" if local[place] != "a" else "b"
            changed = f"{local[:place]}{other}{local[place + 1 :]}@{domain}"
            assert server.rcpt(changed)[0] == 550, place
        for wrong in (f"{local}a@{domain}", f"off{local[4:]}@{domain}", f"turn+@{domain}"):
            assert server.rcpt(wrong)[0] == 550, wrong
        assert server.rcpt(f"{local.upper()}@{domain}")[0] == 250, "hosts change the case"
    with site.app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Incoming)) == 0
    assert moves_of(site, game_id) == []


def test_an_address_is_good_for_its_letter_only_as_long_as_it_says(site: Site) -> None:
    _, _, _, letter = asked(site)
    to = reply_address(site, letter)
    site.clock.advance(days=102)
    with pytest.raises(NotTaken):
        hand_in(site, letter, plain_reply("1", letter.to, to), letter.to)


def test_from_another_address_the_one_move_is_made_and_its_owner_hears_of_it(
    site: Site,
) -> None:
    """A mail that was forwarded: whoever has it can answer what it asks, and no more."""
    anna, _, game_id, letter = asked(site)
    text = f"2\n{letter.facts['choices'][0]}\nsay hello"
    mail = sends(site, anna, letter, text, sender="mallory@example.net")
    assert mail.state == "done"
    assert texts(site, game_id, anna) == [letter.facts["choices"][1]]
    [answer] = answers_to(site, anna)
    assert answer.to == "anna@example.org"
    assert answer.facts["refused"] == REFUSALS["other_address"]
    assert site.letters("mallory@example.net") == []
    said = anna.get(f"/v1/games/{game_id}/messages").json
    assert said is not None
    assert said["items"] == []


@pytest.mark.parametrize("by", ["operator", "herself"])
def test_where_senders_are_checked_another_address_makes_no_move(site: Site, by: str) -> None:
    anna, _, game_id, letter = asked(site)
    strict = Site(replace(site.settings, mail_check_sender=by == "operator"), site.clock)
    strict.clock = site.clock
    wants(anna, check_sender=by == "herself")
    mail = sends(strict, anna, letter, "2", sender="mallory@example.net")
    assert (mail.state, mail.reason, mail.result) == ("done", "refused", "wrong_sender")
    assert moves_of(site, game_id) == []
    [answer] = answers_to(site, anna)
    assert answer.to == "anna@example.org"
    assert answer.facts["refused"] == REFUSALS["wrong_sender"]
    sends(strict, anna, letter, "2", sender="Anna@Example.ORG")
    assert texts(site, game_id, anna) == [letter.facts["choices"][1]]


def test_a_reply_to_an_answer_is_read_like_any_other(site: Site) -> None:
    anna, _, game_id, letter = asked(site)
    answer = replies(site, anna, letter, "board")
    assert answer.decision == letter.decision
    replies(site, anna, answer, "3")
    assert texts(site, game_id, anna) == [answer.facts["choices"][2]]


def test_an_answer_that_asks_what_comes_next_saves_the_mail_of_the_turn(site: Site) -> None:
    anna, ben, game_id, _ = asked(site, **OPEN)
    for _ in range(60):  # until somebody is asked twice in a row
        player = anna if is_asked(anna, game_id) else ben
        mail_arrives(site)
        letter = [one for one in arrived(site, player) if one.decision is not None][-1]
        answer = replies(site, player, letter, "1")
        if is_asked(player, game_id):
            break
    assert answer.decision == player.sees(game_id)["decision"]["id"]
    mail_arrives(site)
    about = [one for one in arrived(site, player) if one.decision == answer.decision]
    assert [one.kind for one in about] == ["answer"]


def test_an_answer_of_long_ago_does_not_save_the_mail_of_a_question_that_is_asked_anew(
    site: Site,
) -> None:
    anna, ben, game_id, letter = asked(site, **OPEN)
    site.clock.advance(minutes=5)
    replies(site, anna, letter, "board")
    for player in (anna, ben):
        assert player.post(f"/v1/games/{game_id}/pause").status_code == 200
    site.clock.advance(days=2)
    assert anna.delete(f"/v1/games/{game_id}/pause").status_code == 204
    mail_arrives(site)
    about = [one for one in arrived(site, anna) if one.decision == letter.decision]
    assert [one.kind for one in about] == ["turn", "answer", "turn"]
