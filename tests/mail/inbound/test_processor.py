"""Mails that were stored are read once, each in one transaction with all that follows from it."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from service.db.lease_queue import Lease
from service.db.models import Incoming, IncomingState, Letter, Seat
from service.db.session import db, transact
from service.mail.inbound import processor
from service.mail.inbound.classify import Reading
from service.mail.inbound.processor import BACK_OFF, process_some
from service.mail.inbound.replies import Outcome
from service.mail.outgoing.reply_address import BOUNCE, OFF
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
from tests.support.site import Site
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


def process(site: Site, most: int = 50) -> int:
    with site.app.app_context():
        return process_some(site.clock(), most)


def replies(site: Site, text: str = "1", letter: str | None = None, **kwargs: Any) -> str:
    """A reply arrives; the id of the mail."""
    to = our_address(site, letter or sent_letter(site))
    return arrives(site, mail(to, text), to, **kwargs).id


def states(site: Site) -> list[tuple[str, str | None]]:
    return [(one.state, one.reason) for one in incoming(site)]


def gone() -> None:
    """A database that is away."""
    raise OperationalError("SELECT 1", {}, Exception("gone"))


def test_a_reply_is_read_and_answered_once(any_site: Site, answering: Answering) -> None:
    letter = sent_letter(any_site)
    number = replies(any_site, "3, else 1\n\n> 1 or 3?", letter)
    assert process(any_site) == 1
    assert process(any_site) == 0
    assert answering.asked == [(number, letter, "3, else 1")]
    [done] = incoming(any_site)
    assert (done.state, done.result, done.next_try_at) == ("done", "did 3, else 1", None)
    assert done.done_at == any_site.clock()
    assert done.attempts == 1


def test_mails_are_read_in_the_order_in_which_they_came(site: Site, answering: Answering) -> None:
    expected = []
    for number in range(3):
        expected.append(replies(site, str(number)))
        site.clock.advance(seconds=1)
    assert [process(site, most=2), process(site, most=2)] == [2, 1]
    assert [asked[0] for asked in answering.asked] == expected


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Auto_Submitted": "auto-replied"}, "auto"),
        ({"Precedence": "bulk"}, "auto"),
        ({"Message_ID": "<abc.letter@localhost>"}, "own"),
    ],
)
def test_automatic_mails_are_dropped(
    site: Site, answering: Answering, headers: dict[str, str], reason: str
) -> None:
    for purpose in ("turn", OFF):
        to = our_address(site, sent_letter(site), purpose)
        arrives(site, mail(to, **headers), to)
    assert process(site) == 2
    assert states(site) == [("dropped", reason)] * 2
    assert answering.asked == []


def test_of_a_dropped_mail_only_its_headers_are_kept(site: Site, answering: Answering) -> None:
    to = our_address(site, sent_letter(site))
    arrives(site, mail(to, "On holiday until May.", Auto_Submitted="auto-replied"), to)
    process(site)
    [dropped] = incoming(site)
    assert dropped.raw is not None
    assert b"Auto-Submitted: auto-replied" in dropped.raw
    assert b"holiday" not in dropped.raw


def test_a_reply_of_nobody_is_dropped(site: Site, answering: Answering) -> None:
    replies(site, sender="<>")
    process(site)
    assert states(site) == [("dropped", "no_sender")]


def test_a_report_at_an_address_for_replies_counts_for_nothing(
    site: Site, answering: Answering
) -> None:
    site.person("Ann")
    for _ in range(3):
        letter = sent_letter(site)
        to = our_address(site, letter)
        arrives(site, returned(to), to, sender="MAILER-DAEMON@mx.example.org")
        arrives(site, returned(to, kind="arf"), to, sender="fbl@provider.example")
    process(site)
    assert set(states(site)) == {("dropped", "bounce"), ("dropped", "complaint")}
    assert answering.asked == []


def test_a_mail_can_say_that_no_more_are_wanted_about_a_game(site: Site) -> None:
    ann, ben = site.people("Ann", "Ben")
    game = site.game_of(ann, ben)
    to = our_address(site, sent_letter(site, game_id=game), OFF)
    arrives(site, mail(to, ""), to, sender="another@example.org")
    process(site)
    assert states(site) == [("done", "off")]
    with site.app.app_context():
        seats = db.session.execute(select(Seat.name, Seat.quiet).order_by(Seat.number)).all()
    assert [tuple(seat) for seat in seats] == [("Ann", True), ("Ben", False)]


def test_what_a_reply_does_is_kept_with_it_or_not_at_all(
    any_site: Site, answering: Answering
) -> None:
    written = sent_letter(any_site, to="other@example.org")

    def write_and_fail() -> None:
        db.session.execute(update(Letter).where(Letter.id == written).values(subject="changed"))
        raise ValueError("half done")

    replies(any_site)
    answering.does = write_and_fail
    with capture_logs() as said:
        assert process(any_site) == 1
    assert [line["event"] for line in said if line["log_level"] == "error"] == [
        "mail_not_processed"
    ]
    with any_site.app.app_context():
        assert db.session.get_one(Letter, written).subject == "Your turn"
    assert states(any_site) == [("pending", None)]
    answering.does = lambda: None
    any_site.clock.advance(seconds=BACK_OFF[0].total_seconds())
    assert process(any_site) == 1
    assert states(any_site) == [("done", None)]


def test_a_mail_that_cannot_be_read_is_tried_again_and_given_up_and_others_go_on(
    site: Site, answering: Answering
) -> None:
    bad = replies(site, "bad")

    def fail_for_bad() -> None:
        if answering.asked[-1][0] == bad:
            raise ValueError("no")

    answering.does = fail_for_bad
    tried = []
    with capture_logs() as said:
        for pause in BACK_OFF:
            good = replies(site, "good")
            process(site)
            tried.append(good in [asked[0] for asked in answering.asked])
            assert process(site) == 0, "not before its time"
            site.clock.advance(seconds=pause.total_seconds())
        process(site)
    assert all(tried)
    by_id = {one.id: one for one in incoming(site)}
    assert (by_id[bad].state, by_id[bad].reason, by_id[bad].attempts) == (
        "dead",
        "failed",
        len(BACK_OFF),
    )
    assert by_id[bad].raw is not None, "somebody may want to look at it"
    events = [line["event"] for line in said if line["log_level"] == "error"]
    assert events == ["mail_not_processed"] * len(BACK_OFF) + ["mail_given_up"]


def test_a_mail_that_ends_whoever_reads_it_is_set_aside(site: Site, answering: Answering) -> None:
    """As a process that is killed: it comes back to nothing, and notes nothing."""

    def die() -> None:
        raise SystemExit

    replies(site)
    answering.does = die
    for pause in BACK_OFF:
        with pytest.raises(SystemExit):
            process(site)
        assert process(site) == 0
        site.clock.advance(seconds=pause.total_seconds())
    assert process(site) == 1
    assert states(site) == [("dead", "failed")]


def test_a_worker_that_dies_in_between_loses_nothing_and_does_nothing_twice(
    any_site: Site, answering: Answering
) -> None:
    def die() -> None:
        raise SystemExit

    replies(any_site)
    answering.does = die
    with pytest.raises(SystemExit):
        process(any_site)
    answering.does = lambda: None
    any_site.clock.advance(minutes=1)
    assert process(any_site) == 1
    assert states(any_site) == [("done", None)]


def test_a_database_that_is_away_stops_the_round_and_loses_nothing(
    site: Site, answering: Answering
) -> None:
    replies(site)
    answering.does = gone
    with pytest.raises(OperationalError):
        process(site)
    answering.does = lambda: None
    site.clock.advance(minutes=1)
    process(site)
    assert states(site) == [("done", None)]


def test_however_often_the_database_is_away_no_mail_is_given_up_for_it(
    any_site: Site, answering: Answering
) -> None:
    replies(any_site)
    answering.does = gone
    for _ in range(2 * len(BACK_OFF)):
        with pytest.raises(OperationalError):
            process(any_site)
        assert process(any_site) == 0, "not at once again"
        any_site.clock.advance(minutes=1)
    assert [one.attempts for one in incoming(any_site)] == [0]
    answering.does = lambda: None
    process(any_site)
    assert states(any_site) == [("done", None)]


def test_what_was_tried_counts_where_nothing_can_be_written_about_it(
    site: Site, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies(site)
    answering.does = gone

    record = Lease.record

    def away_for_attempts(self: Any, row_id: str, **values: Any) -> Any:
        return gone() if "attempts" in values else record(self, row_id, **values)

    monkeypatch.setattr(Lease, "record", away_for_attempts)
    with pytest.raises(OperationalError):
        process(site)
    assert [(one.attempts, one.state) for one in incoming(site)] == [(1, "pending")]


def test_two_workers_read_every_mail_once(any_site: Site, answering: Answering) -> None:
    numbers = {replies(any_site, sender=f"{n}@example.org") for n in range(8)}
    assert sum(at_once([partial(process, any_site)] * 3)) == 8
    assert sorted(asked[0] for asked in answering.asked) == sorted(numbers)
    with any_site.app.app_context():
        done = select(func.count()).where(Incoming.state == IncomingState.done)
        assert db.session.scalar(done) == 8


def test_a_letter_that_was_deleted_meanwhile_takes_its_mails_with_it(
    any_site: Site, answering: Answering
) -> None:
    any_site.person("Ann")
    replies(any_site)
    with any_site.app.app_context():
        transact(lambda: db.session.delete(db.session.scalars(select(Letter)).one()))
    assert incoming(any_site) == []
    assert process(any_site) == 0


def test_check_sender_refuses_replies_from_other_addresses(site: Site) -> None:
    ann, ben = site.people("Ann", "Ben")
    game = site.game_of(ann, ben)
    wants(ann, check_sender=True)
    question = ann.sees(game)["decision"]
    letter = sent_letter(
        site,
        game_id=game,
        decision=question["id"],
        facts={"choices": [move["text"] for move in question["moves"]]},
    )
    to = our_address(site, letter)
    for _ in range(3):
        arrives(site, mail(to, "1", sender="other@example.org"), to, sender="other@example.org")
    process(site)
    assert ann.sees(game)["decision"]["id"] == question["id"]
    assert [one.result for one in incoming(site)] == ["wrong_sender"] * 3
    answers = [one for one in site.letters() if one.kind == "answer"]
    assert {one.to for one in answers} == {ANN}, "never to the stranger"
    arrives(site, mail(to, "1"), to)
    process(site)
    assert incoming(site)[-1].state == "done"
    after = ann.sees(game)["decision"]
    assert after is None or after["id"] != question["id"] or after["revising"]


def test_garbage_is_parsed_without_errors(site: Site) -> None:
    """Deep and broken mails get an answer to the account, or none; none of them stops the rest."""
    site.person("Ann")
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
            to = our_address(site, sent_letter(site), purpose)
            arrives(site, raw, to, sender=ANN)
    process(site)
    assert {one.state for one in incoming(site)} <= {"done", "dropped"}
