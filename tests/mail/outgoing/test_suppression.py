"""Mails that come back: who cannot be reached gets no more, and everybody concerned knows."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from engine.contract import Json
from service.accounts.sign_in import Requester, ask_to_sign_in, use_code
from service.db.models import Bounce, Decision, Incoming, Letter, Person, Picture, Seat
from service.db.session import db, transact
from service.mail.inbound.processor import process_some
from service.mail.outgoing.reply_address import BOUNCE, REPLY
from service.mail.outgoing.suppression import GRACE, lift_suppression, note_bounce, note_refusal
from service.notify.reminders import times
from service.ops.retention import purge
from tests.support.incoming import (
    ANN,
    arrives,
    incoming,
    mail,
    our_address,
    returned,
    sent_letter,
)
from tests.support.post import arrived, skipped, wants, work
from tests.support.site import Caller, Site

SOON = {"kind": "flat", "hours": 24}


@pytest.fixture
def ann(site: Site) -> Caller:
    return site.person("Ann")


def comes_back(site: Site, status: str = "5.1.1", **kwargs: Any) -> str:
    """A letter to Ann comes back; the id of the letter."""
    letter = sent_letter(site)
    _returns(site, letter, status, **kwargs)
    return letter


def _returns(site: Site, letter: str, status: str, **kwargs: Any) -> None:
    to = our_address(site, letter, BOUNCE)
    arrives(site, returned(to, status, **kwargs), to, sender="")
    process(site)


def process(site: Site) -> None:
    with site.app.app_context():
        while process_some(site.clock(), 10):
            pass


def stopped_since(site: Site, email: str = ANN) -> datetime | None:
    with site.app.app_context():
        db.session.remove()
        query = select(Person.unreachable_since).where(Person.email == email)
        return db.session.execute(query).scalar_one()


def told(caller: Caller, kind: str) -> list[Json]:
    events = caller.get("/v1/events?after=0").json
    assert events is not None
    return [event["data"] for event in events["items"] if event["type"] == kind]


def bounces(site: Site) -> int:
    with site.app.app_context():
        return db.session.scalar(select(func.count()).select_from(Bounce)) or 0


# When mails stop


def test_two_hard_bounces_suspend_mail(any_site: Site) -> None:
    ann = any_site.person("Ann")
    comes_back(any_site)
    assert stopped_since(any_site) is None
    any_site.clock.advance(days=6)
    comes_back(any_site)
    assert stopped_since(any_site) == any_site.clock()
    assert told(ann, "mail.stopped") == [{"reason": "bounced"}]
    shown = ann.get("/v1/me").json
    assert shown is not None
    assert shown["mail_stopped_since"] == any_site.clock().isoformat()


def test_five_soft_bounces_in_a_week_suspend_mail(site: Site, ann: Caller) -> None:
    for _ in range(4):
        comes_back(site, "4.2.2")
        site.clock.advance(days=1)
    assert stopped_since(site) is None
    site.clock.advance(days=4)
    comes_back(site, "4.2.2")
    assert stopped_since(site) is None, "the first of them are long ago"
    for _ in range(3):
        comes_back(site, "4.2.2")
    assert stopped_since(site) is not None


def test_old_bounces_do_not_count(site: Site, ann: Caller) -> None:
    comes_back(site)
    site.clock.advance(days=7)
    comes_back(site)
    assert stopped_since(site) is None


def test_a_person_who_complains_gets_no_more_at_once(site: Site, ann: Caller) -> None:
    comes_back(site, kind="arf")
    assert stopped_since(site) is not None
    assert told(ann, "mail.stopped") == [{"reason": "complained"}]


def test_a_mail_that_is_only_late_has_not_come_back(site: Site, ann: Caller) -> None:
    for _ in range(6):
        comes_back(site, "4.4.1", action="delayed")
    assert stopped_since(site) is None
    assert bounces(site) == 0
    assert {one.reason for one in incoming(site)} == {"not_failed"}


def test_what_a_server_returns_without_a_report_counts_a_little(site: Site, ann: Caller) -> None:
    for number in range(5):
        assert stopped_since(site) is None, number
        to = our_address(site, sent_letter(site), BOUNCE)
        raw = mail(to, "Sorry, I could not deliver this.", sender="daemon@mx.example.org")
        arrives(site, raw, to, sender="")
        process(site)
    assert stopped_since(site) is not None


def test_a_note_of_somebody_on_holiday_has_not_come_back(site: Site, ann: Caller) -> None:
    for _ in range(6):
        to = our_address(site, sent_letter(site), BOUNCE)
        raw = mail(to, "I am in Rome.", Auto_Submitted="auto-replied")
        arrives(site, raw, to, sender="")
    for _ in range(6):
        to = our_address(site, sent_letter(site), BOUNCE)
        arrives(site, mail(to, "What is this?"), to, sender="stranger@example.org")
    process(site)
    assert bounces(site) == 0
    assert stopped_since(site) is None


# What is forged


def test_a_letter_comes_back_once_however_often_it_is_returned(site: Site, ann: Caller) -> None:
    letter = comes_back(site)
    for _ in range(5):
        _returns(site, letter, "5.1.1")
    assert stopped_since(site) is None
    assert bounces(site) == 1
    assert [one.reason for one in incoming(site)].count("counted_before") == 5


def test_a_person_who_knows_only_where_to_reply_cannot_return_a_letter(
    site: Site, ann: Caller
) -> None:
    for _ in range(3):
        to = our_address(site, sent_letter(site), REPLY)
        arrives(site, returned(to), to, sender="")
    process(site)
    assert bounces(site) == 0


def test_it_counts_for_the_address_the_letter_went_to_whatever_the_report_says(
    site: Site, ann: Caller
) -> None:
    site.person("Ben")
    for _ in range(2):
        letter = sent_letter(site, to="ben@example.org")
        _returns(site, letter, "5.1.1")  # the report names Ann
    assert stopped_since(site) is None
    assert stopped_since(site, "ben@example.org") is not None


def test_a_letter_to_somebody_who_is_nobody_here_may_come_back(site: Site) -> None:
    for _ in range(3):
        letter = sent_letter(site, to="new@example.org", kind="invitation")
        _returns(site, letter, "5.1.1")
    assert bounces(site) == 3
    assert {one.state for one in incoming(site)} == {"done"}


# Refused at once


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ("550 5.1.1 no such user", True),
        ("550 5.2.1 disabled", True),
        ("553 sorry, no mailbox here by that name", True),
        ("550 5.7.1 your mail looks like spam", False),
        ("552 5.2.2 mailbox full", False),
        ("554 5.6.0 I do not like this mail", False),
        ("the server takes no such address", False),
    ],
)
def test_a_server_that_refuses_the_recipient_counts(
    site: Site, ann: Caller, said: str, counts: bool
) -> None:
    for _ in range(2):
        letter = sent_letter(site)
        with site.app.app_context():
            row = db.session.get_one(Letter, letter)
            note_refusal(row, said, site.clock())
    assert bounces(site) == (2 if counts else 0)
    assert (stopped_since(site) is not None) == counts


# What follows


def stop(site: Site) -> None:
    comes_back(site)
    comes_back(site)


def test_the_table_sees_who_cannot_be_reached(any_site: Site) -> None:
    ann, ben = any_site.people("Ann", "Ben")
    game = any_site.game_of(ann, ben)
    before = ben.sees(game)
    stop(any_site)
    after = ben.sees(game)
    assert [seat["unreachable"] for seat in before["seats"]] == [False, False]
    assert [seat["unreachable"] for seat in after["seats"]] == [True, False]
    assert after["version"] == before["version"] + 1, "whoever kept it must ask again"
    assert told(ben, "seat.unreachable") == [{"seat": 0, "name": "Ann"}]
    listed = ben.get("/v1/games").json
    assert listed is not None
    assert [seat["unreachable"] for seat in listed["items"][0]["seats"]] == [True, False]


def test_what_is_asked_waits_three_days_and_no_longer(any_site: Site) -> None:
    ann, ben = any_site.people("Ann", "Ben")
    game = any_site.game_of(ann, ben, clock=SOON)
    of_ben = _due(any_site, game, 1)
    any_site.clock.advance(hours=20)
    stop(any_site)
    assert _due(any_site, game, 0) == any_site.clock() + GRACE
    assert _due(any_site, game, 1) == of_ben, "others wait no longer for themselves"


def _due(site: Site, game: str, seat: int) -> datetime | None:
    with site.app.app_context():
        db.session.remove()
        return db.session.scalars(
            select(Decision.due_at).where(
                Decision.game_id == game, Decision.seat == seat, Decision.closed_at.is_(None)
            )
        ).one_or_none()


def test_a_person_who_has_longer_anyway_gets_no_more_time(site: Site, ann: Caller) -> None:
    game = site.game_of(ann, site.person("Ben"), clock={"kind": "flat", "hours": 120})
    due = _due(site, game, 0)
    stop(site)
    assert _due(site, game, 0) == due


def test_time_is_given_once_however_often_mails_stop(site: Site, ann: Caller) -> None:
    game = site.game_of(ann, site.person("Ben"), clock=SOON)
    stop(site)
    due = _due(site, game, 0)
    site.clock.advance(days=1)
    with site.app.app_context():
        transact(lambda: lift_suppression(_id(ANN), site.clock()))
    stop(site)
    assert stopped_since(site) == site.clock()
    assert _due(site, game, 0) == due


def _id(email: str) -> str:
    return db.session.execute(select(Person.id).where(Person.email == email)).scalar_one()


def test_the_time_that_is_given_is_not_stored_up(site: Site, ann: Caller) -> None:
    bank = {"kind": "bank", "start_hours": 10, "increment_hours": 2, "cap_hours": 20}
    game = site.game_of(ann, site.person("Ben"), clock=bank)
    site.clock.advance(hours=11)  # of 12
    stop(site)
    site.clock.advance(hours=48)
    assert ann.plays(game).status_code == 200
    with site.app.app_context():
        bank_of_ann = db.session.scalars(select(Seat.bank).where(Seat.number == 0)).one()
    assert bank_of_ann == 12 * 3600, "what the decision began with"


def test_reminders_are_as_the_new_time_wants_them(site: Site, ann: Caller) -> None:
    site.game_of(ann, site.person("Ben"), clock=SOON)
    work(site)
    site.clock.advance(hours=1)
    stop(site)
    with site.app.app_context():
        decision = db.session.scalars(select(Decision).where(Decision.seat == 0)).one()
        person = db.session.get_one(Person, _id(ANN))
        assert decision.due_at is not None
        expected = times(person, decision.opened_at, decision.due_at)
    assert decision.remind_at == expected[0]


def test_a_game_that_is_over_or_left_does_not_hear_of_it(site: Site, ann: Caller) -> None:
    ben = site.person("Ben")
    game = site.game_of(ann, ben)
    assert ann.post(f"/v1/games/{game}/resign", {}).status_code in (200, 204)
    stop(site)
    assert told(ben, "seat.unreachable") == []
    assert ben.sees(game)["seats"][0]["unreachable"] is False


# How it ends


HERE = Requester(client="127.0.0.1")  # as the clients of tests


def code_for(site: Site) -> str:
    """Ask for a code to sign in; it is mailed all the same."""
    with site.app.app_context():
        transact(lambda: ask_to_sign_in(ANN, site.clock(), HERE))
        letter = db.session.scalars(
            select(Letter).where(Letter.kind == "sign_in").order_by(Letter.created_at.desc())
        ).first()
        assert letter is not None
        assert letter.text is not None
        digits = "".join(one for one in letter.text.split("code")[1] if one.isdigit())
        return digits[:8]


def test_signing_in_by_mail_proves_the_address(any_site: Site) -> None:
    ann, ben = any_site.people("Ann", "Ben")
    game = any_site.game_of(ann, ben)
    stop(any_site)
    code = code_for(any_site)
    signed_in = any_site.stranger.post("/v1/sessions", {"email": ANN, "code": code})
    assert signed_in.status_code == 201, signed_in.json
    assert signed_in.json is not None
    assert signed_in.json["account"]["mail_stopped_since"] is None
    assert stopped_since(any_site) is None
    assert told(ben, "seat.reachable") == [{"seat": 0, "name": "Ann"}]
    assert ben.sees(game)["seats"][0]["unreachable"] is False
    comes_back(any_site)
    assert stopped_since(any_site) is None, "what came back before counts no more"


def test_a_wrong_code_proves_nothing(site: Site, ann: Caller) -> None:
    stop(site)
    code = code_for(site)
    wrong = f"{(int(code) + 1) % 10**8:08d}"
    with site.app.app_context():
        assert transact(lambda: use_code(ANN, wrong, HERE, site.clock())).sign_in is None
    assert stopped_since(site) is not None


def test_a_reply_proves_the_address(site: Site, ann: Caller) -> None:
    game = site.game_of(ann, site.person("Ben"))
    stop(site)
    to = our_address(site, sent_letter(site, game_id=game))
    arrives(site, mail(to, "help"), to)
    process(site)
    assert stopped_since(site) is None


def is_reached(site: Site, caller: Caller) -> None:
    """Their address is proven."""
    number = caller.id()
    with site.app.app_context():
        transact(lambda: lift_suppression(number, site.clock()))


def open_letters(site: Site, caller: Caller) -> list[Letter]:
    """The letters with all that is open which arrived."""
    site.clock.advance(minutes=5)
    work(site)
    return arrived(site, caller, "digest")


def test_a_person_who_can_be_reached_again_is_told_once_what_is_open(any_site: Site) -> None:
    ann, ben = any_site.people("Ann", "Ben")
    stop(any_site)
    games = [any_site.game_of(ann, ben, title=f"Round {n}") for n in (1, 2)]
    assert open_letters(any_site, ann) == []
    assert ("turn", "unreachable") in skipped(any_site, ann)
    for _ in range(2):
        is_reached(any_site, ann)
    [letter] = open_letters(any_site, ann)
    assert all(f"/games/{game}#decision" in str(letter.text) for game in games)
    assert len(open_letters(any_site, ann)) == 1


@pytest.mark.parametrize("turns", ["off", "urgent"])
def test_a_person_who_wants_no_mails_about_turns_is_not_told_what_is_open(
    site: Site, ann: Caller, turns: str
) -> None:
    wants(ann, turns=turns)
    stop(site)
    site.game_of(ann, site.person("Ben"))
    is_reached(site, ann)
    assert "digest" not in {one.kind for one in site.letters(ANN)}


def test_a_person_who_is_asked_nothing_gets_no_letter_when_they_can_be_reached(
    site: Site, ann: Caller
) -> None:
    stop(site)
    is_reached(site, ann)
    assert "digest" not in {one.kind for one in site.letters(ANN)}


def test_the_account_changes_its_version_so_that_nobody_keeps_the_old_one(
    site: Site, ann: Caller
) -> None:
    tag = ann.get("/v1/me").headers["ETag"]
    stop(site)
    assert ann.get("/v1/me", headers={"If-None-Match": tag}).status_code == 200


def test_a_person_who_cannot_be_reached_gets_no_letters(site: Site, ann: Caller) -> None:
    stop(site)
    site.game_of(ann, site.person("Ben"))
    work(site)
    site.clock.advance(minutes=5)
    work(site)
    reasons = {reason for _, reason in skipped(site, ann)}
    assert "unreachable" in reasons


def test_deleting_an_account_deletes_its_bounces(site: Site, ann: Caller) -> None:
    stop(site)
    assert ann.delete("/v1/me").status_code == 204
    assert bounces(site) == 0
    assert incoming(site) == []


def test_two_that_come_back_at_once_are_both_counted(any_site: Site) -> None:
    any_site.person("Ann")
    letters = [sent_letter(any_site) for _ in range(2)]
    with any_site.app.app_context():
        for letter in letters:
            row = db.session.get_one(Letter, letter)
            assert transact(
                lambda row=row: note_bounce(row, True, "5.1.1", "\0", any_site.clock())  # type: ignore[misc]
            )
    assert stopped_since(any_site) is not None


def test_what_came_in_is_part_of_what_somebody_may_ask_for(site: Site, ann: Caller) -> None:
    comes_back(site)
    to = our_address(site, sent_letter(site))
    arrives(site, mail(to, "My secret plan"), to)
    held = ann.get("/v1/me/export").json
    assert held is not None
    assert {one["text"] for one in held["mails_received"]} >= {"My secret plan"}
    assert [one["status"] for one in held["mails_returned"]] == ["5.1.1"]
    assert to not in str(held["mails_received"]), "it is as good as a token"


# What is forgotten


def test_what_letters_and_mails_say_is_forgotten_but_replies_are_still_understood(
    any_site: Site,
) -> None:
    any_site.person("Ann")
    letter = sent_letter(any_site, html="<p>Play.</p>", picture="d" * 64, facts={"choices": ["a"]})
    to = our_address(any_site, letter)
    arrives(any_site, mail(to), to)
    comes_back(any_site)
    with any_site.app.app_context():
        transact(lambda: db.session.add_all(_pictures(any_site.clock())))
        transact(lambda: db.session.execute(update(Incoming).values(next_try_at=None)))
    any_site.clock.advance(days=30, seconds=1)
    with any_site.app.app_context():
        purge(any_site.clock())
        db.session.remove()
        old = db.session.get_one(Letter, letter)
        assert (old.html, old.picture, old.facts) == (None, None, {"choices": ["a"]})
        assert "Play" not in (old.text or "")
        assert db.session.scalars(select(Picture)).all() == []
    assert {one.raw for one in incoming(any_site)} == {None}
    assert bounces(any_site) == 0
    assert arrives(any_site, mail(to), to).new, "a late reply finds its letter"
    any_site.clock.advance(days=73)
    with any_site.app.app_context():
        transact(lambda: db.session.execute(update(Incoming).values(next_try_at=None)))
        purge(any_site.clock())
        purge(any_site.clock())
        assert db.session.get(Letter, letter) is None
    assert incoming(any_site) == []


def _pictures(at: datetime) -> list[Picture]:
    return [
        Picture(digest="d" * 64, png=b"1", made_at=at),
        Picture(digest="e" * 64, png=b"2", made_at=at),
    ]


def test_what_waits_to_be_read_is_not_forgotten(site: Site) -> None:
    to = our_address(site, sent_letter(site))
    arrives(site, mail(to), to)
    site.clock.advance(seconds=timedelta(days=31).total_seconds())
    with site.app.app_context():
        purge(site.clock())
    [waiting] = incoming(site)
    assert waiting.raw is not None
