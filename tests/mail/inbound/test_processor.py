"""Mails that were stored are read once, each in one transaction with all that follows from it."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from service.db.models import Incoming, IncomingState, Letter, Seat
from service.db.session import db, run, transact
from service.db.statements import Prepared
from service.mail.inbound import processor
from service.mail.inbound.classify import Reading
from service.mail.inbound.processor import BACK_OFF, process_some
from service.mail.inbound.replies import Outcome
from service.mail.outgoing.reply_address import BOUNCE, OFF
from tests.support.house import House
from tests.support.incoming import (
    ANN,
    arrives,
    incoming,
    mail,
    our_address,
    returned,
    sent_letter,
)
from tests.support.post import wants
from tests.support.together import at_once

Answer = Callable[[Any, Any, Reading, datetime], Outcome]


class Answering:
    """Stands for what is done about replies; it notes what it was asked, and does as it is told."""

    def __init__(self, does: Callable[[], object] = lambda: None) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.does = does

    def __call__(self, mail: Any, letter: Any, read: Reading, at: datetime) -> Outcome:
        self.asked.append((mail.id, letter.id, read.text))
        self.does()
        return Outcome(IncomingState.done, None, f"did {read.text}")


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    found = Answering()
    monkeypatch.setattr(processor, "answer_reply", found)
    return found


def process(house: House, most: int = 50) -> int:
    with house.app.app_context():
        return process_some(house.clock(), most)


def replies(house: House, text: str = "1", letter: str | None = None, **kwargs: Any) -> str:
    """A reply arrives; the id of the mail."""
    to = our_address(house, letter or sent_letter(house))
    return arrives(house, mail(to, text), to, **kwargs).id


def states(house: House) -> list[tuple[str, str | None]]:
    return [(one.state, one.reason) for one in incoming(house)]


def gone() -> None:
    """A database that is away."""
    raise OperationalError("SELECT 1", {}, Exception("gone"))


def test_a_reply_is_read_and_answered_once(any_house: House, answering: Answering) -> None:
    letter = sent_letter(any_house)
    number = replies(any_house, "3, else 1\n\n> 1 or 3?", letter)
    assert process(any_house) == 1
    assert process(any_house) == 0
    assert answering.asked == [(number, letter, "3, else 1")]
    [done] = incoming(any_house)
    assert (done.state, done.result, done.next_try_at) == ("done", "did 3, else 1", None)
    assert done.done_at == any_house.clock()
    assert done.attempts == 1


def test_mails_are_read_in_the_order_in_which_they_came(house: House, answering: Answering) -> None:
    expected = []
    for number in range(3):
        expected.append(replies(house, str(number)))
        house.clock.advance(seconds=1)
    assert [process(house, most=2), process(house, most=2)] == [2, 1]
    assert [asked[0] for asked in answering.asked] == expected


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Auto_Submitted": "auto-replied"}, "auto"),
        ({"Precedence": "bulk"}, "auto"),
        ({"Message_ID": "<abc.letter@localhost>"}, "own"),
    ],
)
def test_what_nobody_wrote_is_dropped(
    house: House, answering: Answering, headers: dict[str, str], reason: str
) -> None:
    for purpose in ("turn", OFF):
        to = our_address(house, sent_letter(house), purpose)
        arrives(house, mail(to, **headers), to)
    assert process(house) == 2
    assert states(house) == [("dropped", reason)] * 2
    assert answering.asked == []


def test_of_a_dropped_mail_only_its_headers_are_kept(house: House, answering: Answering) -> None:
    to = our_address(house, sent_letter(house))
    arrives(house, mail(to, "On holiday until May.", Auto_Submitted="auto-replied"), to)
    process(house)
    [dropped] = incoming(house)
    assert dropped.raw is not None
    assert b"Auto-Submitted: auto-replied" in dropped.raw
    assert b"holiday" not in dropped.raw


def test_a_reply_of_nobody_is_dropped(house: House, answering: Answering) -> None:
    replies(house, sender="<>")
    process(house)
    assert states(house) == [("dropped", "no_sender")]


def test_a_report_at_an_address_for_replies_counts_for_nothing(
    house: House, answering: Answering
) -> None:
    house.person("Ann")
    for _ in range(3):
        letter = sent_letter(house)
        to = our_address(house, letter)
        arrives(house, returned(to), to, sender="MAILER-DAEMON@mx.example.org")
        arrives(house, returned(to, kind="arf"), to, sender="fbl@provider.example")
    process(house)
    assert set(states(house)) == {("dropped", "bounce"), ("dropped", "complaint")}
    assert answering.asked == []


def test_a_mail_can_say_that_no_more_are_wanted_about_a_game(house: House) -> None:
    ann, ben = house.people("Ann", "Ben")
    game = house.game_of(ann, ben)
    to = our_address(house, sent_letter(house, game_id=game), OFF)
    arrives(house, mail(to, ""), to, sender="another@example.org")
    process(house)
    assert states(house) == [("done", "off")]
    with house.app.app_context():
        seats = db.session.execute(select(Seat.name, Seat.quiet).order_by(Seat.number)).all()
    assert [tuple(seat) for seat in seats] == [("Ann", True), ("Ben", False)]


def test_what_a_reply_does_is_kept_with_it_or_not_at_all(
    any_house: House, answering: Answering
) -> None:
    written = sent_letter(any_house, to="other@example.org")

    def write_and_fail() -> None:
        db.session.execute(update(Letter).where(Letter.id == written).values(subject="changed"))
        raise ValueError("half done")

    replies(any_house)
    answering.does = write_and_fail
    with capture_logs() as said:
        assert process(any_house) == 1
    assert [line["event"] for line in said if line["log_level"] == "error"] == [
        "mail_not_processed"
    ]
    with any_house.app.app_context():
        assert db.session.get_one(Letter, written).subject == "Your turn"
    assert states(any_house) == [("pending", None)]
    answering.does = lambda: None
    any_house.clock.advance(seconds=BACK_OFF[0].total_seconds())
    assert process(any_house) == 1
    assert states(any_house) == [("done", None)]


def test_a_mail_that_cannot_be_read_is_tried_again_and_given_up_and_others_go_on(
    house: House, answering: Answering
) -> None:
    bad = replies(house, "bad")

    def fail_for_bad() -> None:
        if answering.asked[-1][0] == bad:
            raise ValueError("no")

    answering.does = fail_for_bad
    tried = []
    with capture_logs() as said:
        for pause in BACK_OFF:
            good = replies(house, "good")
            process(house)
            tried.append(good in [asked[0] for asked in answering.asked])
            assert process(house) == 0, "not before its time"
            house.clock.advance(seconds=pause.total_seconds())
        process(house)
    assert all(tried)
    by_id = {one.id: one for one in incoming(house)}
    assert (by_id[bad].state, by_id[bad].reason, by_id[bad].attempts) == (
        "dead",
        "failed",
        len(BACK_OFF),
    )
    assert by_id[bad].raw is not None, "somebody may want to look at it"
    events = [line["event"] for line in said if line["log_level"] == "error"]
    assert events == ["mail_not_processed"] * len(BACK_OFF) + ["mail_given_up"]


def test_a_mail_that_ends_whoever_reads_it_is_set_aside(house: House, answering: Answering) -> None:
    """As a process that is killed: it comes back to nothing, and notes nothing."""

    def die() -> None:
        raise SystemExit

    replies(house)
    answering.does = die
    for pause in BACK_OFF:
        with pytest.raises(SystemExit):
            process(house)
        assert process(house) == 0
        house.clock.advance(seconds=pause.total_seconds())
    assert process(house) == 1
    assert states(house) == [("dead", "failed")]


def test_a_worker_that_dies_in_between_loses_nothing_and_does_nothing_twice(
    any_house: House, answering: Answering
) -> None:
    def die() -> None:
        raise SystemExit

    replies(any_house)
    answering.does = die
    with pytest.raises(SystemExit):
        process(any_house)
    answering.does = lambda: None
    any_house.clock.advance(minutes=1)
    assert process(any_house) == 1
    assert states(any_house) == [("done", None)]


def test_a_database_that_is_away_stops_the_round_and_loses_nothing(
    house: House, answering: Answering
) -> None:
    replies(house)
    answering.does = gone
    with pytest.raises(OperationalError):
        process(house)
    answering.does = lambda: None
    house.clock.advance(minutes=1)
    process(house)
    assert states(house) == [("done", None)]


def test_however_often_the_database_is_away_no_mail_is_given_up_for_it(
    any_house: House, answering: Answering
) -> None:
    replies(any_house)
    answering.does = gone
    for _ in range(2 * len(BACK_OFF)):
        with pytest.raises(OperationalError):
            process(any_house)
        assert process(any_house) == 0, "not at once again"
        any_house.clock.advance(minutes=1)
    assert [one.attempts for one in incoming(any_house)] == [0]
    answering.does = lambda: None
    process(any_house)
    assert states(any_house) == [("done", None)]


def test_what_was_tried_counts_where_nothing_can_be_written_about_it(
    house: House, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies(house)
    answering.does = gone

    def running(statement: Prepared, *facts: Any) -> Any:
        return gone() if statement is processor._NOT_COUNTED else run(statement, *facts)

    monkeypatch.setattr(processor, "run", running)
    with pytest.raises(OperationalError):
        process(house)
    assert [(one.attempts, one.state) for one in incoming(house)] == [(1, "pending")]


def test_two_workers_read_every_mail_once(any_house: House, answering: Answering) -> None:
    numbers = {replies(any_house, sender=f"{n}@example.org") for n in range(8)}
    assert sum(at_once([partial(process, any_house)] * 3)) == 8
    assert sorted(asked[0] for asked in answering.asked) == sorted(numbers)
    with any_house.app.app_context():
        done = select(func.count()).where(Incoming.state == IncomingState.done)
        assert db.session.scalar(done) == 8


def test_a_letter_that_was_deleted_meanwhile_takes_its_mails_with_it(
    any_house: House, answering: Answering
) -> None:
    any_house.person("Ann")
    replies(any_house)
    with any_house.app.app_context():
        transact(lambda: db.session.delete(db.session.scalars(select(Letter)).one()))
    assert incoming(any_house) == []
    assert process(any_house) == 0


def test_who_wants_it_is_answered_for_only_from_their_own_address(house: House) -> None:
    ann, ben = house.people("Ann", "Ben")
    game = house.game_of(ann, ben)
    wants(ann, check_sender=True)
    question = ann.sees(game)["decision"]
    letter = sent_letter(
        house,
        game_id=game,
        decision=question["id"],
        facts={"choices": [move["text"] for move in question["moves"]]},
    )
    to = our_address(house, letter)
    for _ in range(3):
        arrives(house, mail(to, "1", sender="other@example.org"), to, sender="other@example.org")
    process(house)
    assert ann.sees(game)["decision"]["id"] == question["id"]
    assert [one.result for one in incoming(house)] == ["wrong_sender"] * 3
    answers = [one for one in house.letters() if one.kind == "answer"]
    assert [one.to for one in answers] == [ANN], "once an hour, and never to the stranger"
    arrives(house, mail(to, "1"), to)
    process(house)
    assert incoming(house)[-1].state == "done"
    after = ann.sees(game)["decision"]
    assert after is None or after["id"] != question["id"] or after["revising"]


def test_rubbish_is_read_without_harm(house: House) -> None:
    """Deep and broken mails get an answer to the account, or none; none of them stops the rest."""
    house.person("Ann")
    deep = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n)
        for n in range(2000)
    )
    rubbish = [
        b"",
        b"\xff" * 1000,
        b"From: \xff\xfe\r\nContent-Type: text/plain; charset=nonsense\r\n\r\n\xff\r\n",
        b"Content-Transfer-Encoding: base64\r\n\r\n=====\r\n",
        b"From: ann@example.org\r\n" + deep,
    ]
    for purpose in ("turn", OFF, BOUNCE):
        for raw in rubbish:
            to = our_address(house, sent_letter(house), purpose)
            arrives(house, raw, to, sender=ANN)
    process(house)
    assert {one.state for one in incoming(house)} <= {"done", "dropped"}
