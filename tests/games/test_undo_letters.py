"""Letters about a question that its player withdrew by taking a step back."""

from service.db.models import Letter
from service.mail.inbound.reply_texts import REFUSALS
from tests.games.test_undo import Turn
from tests.mail.correspondent import replies
from tests.mail.inbound.test_replies import played_in
from tests.mail.outgoing.test_answer_links import signed
from tests.support.browser import opened, pressed
from tests.support.post import FLAT, arrived, decision_of, mail_arrives, skipped, work
from tests.support.site import Site


def withdrawn(turn: Turn) -> Letter:
    """The letter about the question that followed from a step, which was taken back since."""
    turn.sails()
    mail_arrives(turn.site)
    letter = arrived(turn.site, turn.player, "turn")[-1]
    assert letter.decision == turn.decision["id"]
    turn.site.clock.advance(minutes=10)
    turn.undoes()
    mail_arrives(turn.site)
    return letter


def test_a_reply_to_a_withdrawn_question_is_refused_with_the_question_of_now(
    any_site: Site,
) -> None:
    turn = Turn(any_site, FLAT)
    first = turn.decision["id"]
    letter = withdrawn(turn)
    answer = replies(any_site, turn.player, letter, "1")
    assert answer.facts["refused"] == REFUSALS["taken_back"]
    assert answer.decision == first
    assert played_in(turn.player, turn.game_id) == []
    replies(any_site, turn.player, answer, "1")
    assert played_in(turn.player, turn.game_id) == [answer.facts["choices"][0]]


def test_a_link_to_a_withdrawn_question_says_that_it_was_taken_back(any_site: Site) -> None:
    turn = Turn(any_site, FLAT)
    link = f"/answer/{signed(any_site, withdrawn(turn))}"
    for page in (opened(any_site, link), opened(any_site, f"{link}/1"), pressed(any_site, link)):
        assert "You have taken this back" in page.text
        assert not page.forms
    assert "You have taken this back" in pressed(any_site, f"{link}/1").text
    assert played_in(turn.player, turn.game_id) == []


def test_an_old_letter_stays_refused_when_the_same_question_comes_up_again(any_site: Site) -> None:
    """Its numbers may stand for other choices by now."""
    turn = Turn(any_site, FLAT)
    old = withdrawn(turn)
    played = turn.sails(1)["played"][0]["text"]
    assert turn.decision["id"] == old.decision
    mail_arrives(any_site)
    assert "You have taken this back" in opened(any_site, f"/answer/{signed(any_site, old)}").text
    assert replies(any_site, turn.player, old, "1").facts["refused"] == REFUSALS["taken_back"]
    new = arrived(any_site, turn.player, "turn")[-1]
    assert new.decision == old.decision
    replies(any_site, turn.player, new, "1")
    assert played_in(turn.player, turn.game_id)[:2] == [played, new.facts["choices"][0]]


def test_a_planned_letter_about_a_withdrawn_question_is_not_sent(any_site: Site) -> None:
    turn = Turn(any_site, FLAT)
    first = turn.decision["id"]
    turn.sails()
    work(any_site)
    turn.undoes()
    mail_arrives(any_site)
    assert ("turn", "taken_back") in skipped(any_site, turn.player)
    assert {letter.decision for letter in arrived(any_site, turn.player, "turn")} == {first}


def test_reminders_are_of_the_question_that_is_open_again(any_site: Site) -> None:
    """They count from when the player was told of it again."""
    turn = Turn(any_site, FLAT)
    mail_arrives(any_site)
    first = decision_of(any_site, turn.game_id, turn.player)
    withdrawn(turn)
    again = decision_of(any_site, turn.game_id, turn.player)
    assert again.id == first.id
    assert first.remind_at is not None
    assert again.remind_at is not None
    assert again.due_at is not None
    assert first.remind_at < again.remind_at < again.due_at
    any_site.clock.at = again.remind_at
    work(any_site)
    [reminder] = arrived(any_site, turn.player, "reminder")
    assert reminder.decision == first.id
    any_site.clock.at = again.due_at
    work(any_site)
    assert {one.decision for one in arrived(any_site, turn.player, "reminder")} == {first.id}
