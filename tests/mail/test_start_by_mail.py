"""People start and live by mail alone: from an address that the server has never seen, by the
answer to an invitation, and with the settings of their account. Mails come in by LMTP."""

import re
import smtplib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from service.access.accounts import person_with
from service.core.config import Limits
from service.db.models import Game, Incoming, Invitation, Letter, Move, Person, Status
from service.db.session import db, transact
from service.mail.inbound.intake import receive
from service.mail.inbound.processor import process_some
from service.ops import incoming_admin
from service.ops.retention import purge
from tests.mail.letterbox import Letterbox, text_of
from tests.mail.test_game_by_mail import DOMAIN, open_for_mail
from tests.servers.guarded import ROOT
from tests.support.incoming import mail
from tests.support.site import Site
from tests.support.together import at_once

ANNA, BEN, ZOE = "anna@example.org", "ben@example.org", "zoe@example.net"


@pytest.fixture(params=["sqlite", "postgresql"])
def any_box(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Letterbox]:
    url = request.getfixturevalue(f"{request.param}_url")
    with open_for_mail(tmp_path, url) as (site, sink, port):
        yield Letterbox(site, sink, port, DOMAIN)


@pytest.fixture
def box(sqlite_url: str, tmp_path: Path) -> Iterator[Letterbox]:
    with open_for_mail(tmp_path, sqlite_url) as (site, sink, port):
        yield Letterbox(site, sink, port, DOMAIN)


def count(box: Letterbox, model: Any) -> int:
    with box.site.app.app_context():
        db.session.remove()
        return db.session.execute(select(func.count()).select_from(model)).scalar_one()


def person(box: Letterbox, email: str) -> Person | None:
    with box.site.app.app_context():
        db.session.remove()
        return person_with(email)


def known(box: Letterbox, email: str) -> Person:
    found = person(box, email)
    assert found is not None
    return found


def limited(site: Site, **limits: Any) -> None:
    site.app.config["LAGUNA"] = replace(site.settings, limits=replace(Limits(), **limits))


def changed(site: Site, **settings: Any) -> None:
    site.app.config["LAGUNA"] = replace(site.settings, **settings)


# From an address that the server has never seen


def test_a_stranger_starts_a_game_and_plays_the_first_move_by_mail(any_box: Letterbox) -> None:
    asks = any_box.answered(
        lambda: any_box.sends(ZOE, "Play Mille Fiori with 2 bots, please!", name="Zoë Z.")
    )
    assert asks["To"] == ZOE
    assert "yes" in asks["Subject"]
    assert "Mille Fiori" in text_of(asks)
    assert person(any_box, ZOE) is None, "nobody has agreed to anything"
    turn = any_box.answered(lambda: any_box.replies(asks, "Yes please!"))
    zoe = known(any_box, ZOE)
    assert (zoe.name, zoe.language) == ("Zoë Z.", "en")
    assert "Your game of Mille Fiori has begun" in text_of(turn)
    assert "  1  " in text_of(turn), "the choices of the first turn"
    any_box.replies(turn, "1")
    any_box.works()
    with any_box.site.app.app_context():
        [via] = set(db.session.scalars(select(Move.via).where(Move.seat == 0)))
        assert via == "player"
        [game] = db.session.scalars(select(Game)).all()
        assert (game.status, game.game, game.seats) == (Status.running, "millefiori", 3)


@pytest.mark.parametrize(
    ("text", "language", "yes"),
    [
        ("spiele mille fiori gegen einen bot", "de", "Ja gerne!"),
        ("Quiero jugar a Mille Fiori con 2 bots", "es", "Sí, encantada"),
    ],
)
def test_the_language_of_a_stranger_is_that_of_the_command(
    box: Letterbox, text: str, language: str, yes: str
) -> None:
    asks = box.answered(lambda: box.sends(ZOE, text))
    assert asks["Content-Language"] == language
    box.answered(lambda: box.replies(asks, yes))
    assert known(box, ZOE).language == language


def test_a_command_may_be_the_subject_and_the_game_may_come_later(box: Letterbox) -> None:
    asks = box.answered(lambda: box.sends(ZOE, "", subject="play"))
    assert "Mille Fiori" in text_of(asks)
    box.answered(lambda: box.replies(asks, "Mille Fiori"))
    assert person(box, ZOE) is not None
    assert count(box, Game) == 1


def test_nothing_is_stored_of_a_stranger_who_does_not_answer(any_box: Letterbox) -> None:
    any_box.answered(lambda: any_box.sends(ZOE, "play murano"))
    any_box.site.clock.advance(days=1, hours=1)
    with any_box.site.app.app_context():
        purge(any_box.site.clock())
    assert [count(any_box, model) for model in (Letter, Incoming, Person)] == [0, 0, 0]


def test_a_confirmation_that_is_repeated_creates_one_account_and_one_game(
    any_box: Letterbox,
) -> None:
    asks = any_box.answered(lambda: any_box.sends(ZOE, "play murano"))
    for _ in range(2):
        any_box.replies(asks, "yes")

    def process() -> int:
        with any_box.site.app.app_context():
            return process_some(any_box.site.clock(), 1)

    assert sum(at_once([process, process])) > 0
    any_box.works()
    any_box.replies(asks, "yes")
    any_box.works()
    assert (count(any_box, Person), count(any_box, Game)) == (1, 1)


def test_an_unclear_reply_is_asked_back_and_a_program_is_not_answered_for_ever(
    box: Letterbox,
) -> None:
    last = box.answered(lambda: box.sends(ZOE, "play murano"))
    asked = 0
    while True:
        box.replies(last, "Thank you for your mail, which is important to us and to all")
        box.works()
        mails = box.new_mails(ZOE)
        if not mails:
            break
        [last] = mails
        asked += 1
    assert asked == 5
    assert person(box, ZOE) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"List_Id": "<news.example.net>"},
        {"X_Spam_Flag": "YES"},
        {"Authentication_Results": "mx.games.example; dmarc=fail header.from=example.net"},
    ],
)
def test_programs_lists_and_forged_senders_are_not_answered(
    box: Letterbox, headers: dict[str, str]
) -> None:
    box.sends(ZOE, "play murano", **headers)
    box.works()
    assert box.new_mails() == []
    assert [state for state, _ in box.outcomes()] == ["dropped"]


def test_null_senders_other_envelopes_and_advertisements_are_not_answered(box: Letterbox) -> None:
    box.sends(ZOE, "play murano", envelope="")
    box.sends(ZOE, "play murano", envelope="bounces@example.com")
    box.sends(ZOE, "Cheap watches at http://example.com/watches")
    box.sends(f"laguna@{DOMAIN}", "play murano")
    box.works()
    assert box.new_mails() == []


def test_a_person_who_writes_something_else_learns_what_to_write(box: Letterbox) -> None:
    asks = box.answered(lambda: box.sends(ZOE, "Hello, a friend told me about your site."))
    assert "Murano" in text_of(asks)


def test_a_thousand_strangers_get_no_more_mails_than_the_limits_allow(site: Site) -> None:
    limited(site, confirmation_mails_per_day=25, mails_to_own_address_per_day=2000)
    with site.app.app_context():
        for number in range(1000):
            sender = f"zoe{number}@example.net"
            raw = mail("laguna@localhost", "play murano", sender)
            receive(raw, "laguna@localhost", sender, "lmtp", site.clock())
        while process_some(site.clock(), 100):
            pass
    assert len(site.letters()) == 25


def test_a_mailbox_gets_two_confirmations_a_day_whatever_its_tags(box: Letterbox) -> None:
    for number in range(4):
        box.sends(f"zoe+{number}@example.net", "play murano")
        box.works()
    assert len(box.new_mails()) == 2
    box.site.clock.advance(days=1)
    box.sends(ZOE, "play murano")
    box.works()
    assert len(box.new_mails(ZOE)) == 1


def test_a_stranger_who_writes_stop_never_hears_from_us(box: Letterbox) -> None:
    asks = box.answered(lambda: box.sends(ZOE, "play murano"))
    box.replies(asks, "STOP")
    box.works()
    box.sends(ZOE, "play murano")
    anna = box.site.person("Anna")
    anna.opens(seats=2, invite=[ZOE])
    box.works()
    assert box.new_mails(ZOE) == []


def test_a_forged_stop_keeps_no_invitation_from_an_address_that_got_no_mail(
    box: Letterbox,
) -> None:
    box.sends(ZOE, "stop")
    box.works()
    box.site.person("Anna").opens(seats=2, invite=[ZOE])
    box.works()
    assert len(box.new_mails(ZOE)) == 1
    box.sends(ZOE, "stop")
    box.works()
    box.site.person("Ben").opens(seats=2, invite=[ZOE])
    box.works()
    assert box.new_mails(ZOE) == []


@pytest.mark.parametrize(("sign_up", "word"), [("closed", "no new"), ("invited", "invites")])
def test_a_server_without_sign_up_says_so(box: Letterbox, sign_up: str, word: str) -> None:
    changed(box.site, sign_up=sign_up)
    answer = box.answered(lambda: box.sends(ZOE, "play murano"))
    assert word in text_of(answer)
    assert person(box, ZOE) is None


def test_sign_up_may_close_before_the_stranger_confirms(box: Letterbox) -> None:
    asks = box.answered(lambda: box.sends(ZOE, "play murano"))
    changed(box.site, sign_up="closed")
    refusal = box.answered(lambda: box.replies(asks, "yes"))
    assert "no new players" in text_of(refusal)
    assert person(box, ZOE) is None


@pytest.mark.parametrize(
    "name",
    [
        "=?utf-8?q?Eve=0D=0ABcc:_ben@example.org?=",
        "=?utf-8?q?Cheap_watches_at_www=2Eexample=2Ecom?=",
        "=?utf-8?q?laguna@laguna=2Eexample?=",
    ],
)
def test_the_name_of_a_writer_carries_nothing_into_the_mails_of_others(
    box: Letterbox, name: str
) -> None:
    raw = f"From: {name} <{ZOE}>\r\nTo: {box.own}\r\nMessage-ID: <1@example.net>\r\n\r\nplay murano"
    with smtplib.LMTP("127.0.0.1", box.port) as server:
        server.sendmail(ZOE, [box.own], raw.encode())
    box.works()
    [asks] = box.new_mails()
    assert asks["To"] == ZOE
    assert asks["Bcc"] is None
    box.replies(asks, "yes")
    box.works()
    assert known(box, ZOE).name == "Zoe"
    assert {mail["To"] for mail in box.new_mails()} == {ZOE}


def test_deeply_nested_mails_to_the_own_address_are_not_answered(box: Letterbox) -> None:
    head = f"From: {ZOE}\r\nTo: {box.own}\r\nMessage-ID: <2@example.net>\r\n"
    nested = "Content-Type: message/rfc822\r\n\r\n" * 500
    with smtplib.LMTP("127.0.0.1", box.port) as server:
        server.sendmail(ZOE, [box.own], f"{head}{nested}play murano".encode())
    box.works()
    assert box.new_mails() == []
    assert [state for state, _ in box.outcomes()] == ["dropped"]


@pytest.mark.parametrize("text", ["stop", "play murano", "tables", "delete my account"])
def test_an_envelope_of_another_address_learns_of_no_account(box: Letterbox, text: str) -> None:
    box.site.person("Anna")
    for address in (ANNA, ZOE):
        box.sends(address, text, envelope="eve@example.com")
    box.works()
    assert {mail["To"] for mail in box.new_mails()} <= {ANNA}


# People with an account


def test_a_known_address_plays_against_bots_at_once(any_box: Letterbox) -> None:
    any_box.site.person("Anna")
    turn = any_box.answered(lambda: any_box.sends(ANNA, "play mille fiori"))
    assert "has begun" in text_of(turn)
    assert "Reply-To" in turn
    assert count(any_box, Game) == 1


def test_games_against_bots_are_limited_by_day(box: Letterbox) -> None:
    limited(box.site, mail_commands_per_person_and_day=2)
    box.site.person("Anna")
    for _ in range(4):
        box.sends(ANNA, "play murano")
        box.works()
    assert count(box, Game) == 2


def test_tables_are_listed_and_joined_by_the_number_of_that_list(any_box: Letterbox) -> None:
    ben, _ = any_box.site.person("Ben"), any_box.site.person("Anna")
    first = ben.opens(seats=2)["id"]
    listed = any_box.answered(lambda: any_box.sends(ANNA, "tables"))
    assert "1. Mille Fiori with Ben" in text_of(listed)
    ben.opens(seats=3)
    any_box.replies(listed, "join 1")
    any_box.works()
    assert ben.sees(first)["status"] == "running"
    assert any("You have a seat" in text_of(mail) for mail in any_box.new_mails(ANNA))


def test_a_number_in_reply_to_the_list_joins_that_table(box: Letterbox) -> None:
    ben, _ = box.site.person("Ben"), box.site.person("Anna")
    table = ben.opens(seats=2)["id"]
    listed = box.answered(lambda: box.sends(ANNA, "tables"))
    box.replies(listed, "1 please")
    box.works()
    assert ben.sees(table)["status"] == "running"


def test_a_stranger_lists_the_tables_and_joins_one(any_box: Letterbox) -> None:
    ben = any_box.site.person("Ben")
    table = ben.opens(seats=2)["id"]
    listed = any_box.answered(lambda: any_box.sends(ZOE, "tables", name="Zoe"))
    assert "1. Mille Fiori with Ben" in text_of(listed)
    assert "Reply 'join 1', and your account is made." in text_of(listed)
    assert person(any_box, ZOE) is None
    refusal = any_box.answered(lambda: any_box.replies(listed, "join 7"))
    assert person(any_box, ZOE) is None, "a wrong number makes no account"
    for _ in range(2):
        any_box.replies(refusal, "1")
        any_box.works()
    assert [seat["name"] for seat in ben.sees(table)["seats"]] == ["Ben", "Zoe"]
    assert count(any_box, Person) == 2


def test_workers_at_the_same_time_keep_the_limit_of_confirmations(any_box: Letterbox) -> None:
    limited(any_box.site, confirmation_mails_per_day=2)
    for number in range(6):
        any_box.sends(f"zoe{number}@example.net", "play murano")

    def process() -> int:
        with any_box.site.app.app_context():
            return process_some(any_box.site.clock(), 2)

    at_once([process, process, process])
    any_box.works()
    assert len(any_box.new_mails()) == 2


def test_to_invite_people_the_account_confirms_it_once(box: Letterbox) -> None:
    box.site.person("Anna")
    asks = box.answered(lambda: box.sends(ANNA, f"play murano with {BEN}"))
    assert asks["To"] == ANNA
    assert count(box, Game) == 0
    for _ in range(2):
        box.replies(asks, "yes")
        box.works()
    assert count(box, Game) == 1
    assert [mail["To"] for mail in box.new_mails() if "invite" in mail["Subject"]] == [BEN]


@pytest.mark.parametrize(
    "text",
    [f"play murano with {ZOE}", "join 1", "stop", "delete my account", "name Eve", "deutsch"],
)
def test_whoever_forges_an_address_changes_nothing_and_sees_nothing(
    box: Letterbox, text: str
) -> None:
    anna, ben = box.site.people("Anna", "Ben")
    table = ben.opens(seats=2)["id"]
    before = known(box, ANNA)
    box.sends(ANNA, text)
    box.works()
    assert {mail["To"] for mail in box.new_mails()} <= {ANNA}
    after = known(box, ANNA)
    for column in ("name", "language", "mail", "deleted_at"):
        assert getattr(after, column) == getattr(before, column)
    assert ben.sees(table)["status"] == "open"
    assert (count(box, Invitation), count(box, Game)) == (0, 1)
    assert anna.get("/v1/me").status_code == 200


def test_a_reply_from_another_address_confirms_nothing(box: Letterbox) -> None:
    box.site.person("Anna")
    asks = box.answered(lambda: box.sends(ANNA, "name Eve"))
    box.replies(asks, "yes", sender=ZOE)
    box.works()
    assert known(box, ANNA).name == "Anna"


def test_questions_to_an_account_are_limited(box: Letterbox) -> None:
    box.site.person("Anna")
    for number in range(8):
        box.sends(ANNA, "name Eve", envelope=f"eve{number}@example.com")
        box.works()
    assert len(box.new_mails(ANNA)) == 3


def test_a_suspended_account_gets_no_answer(box: Letterbox) -> None:
    box.site.person("Anna")
    with box.site.app.app_context():

        def suspend() -> None:
            found = person_with(ANNA)
            assert found is not None
            found.suspended_at = box.site.clock()

        transact(suspend)
    box.sends(ANNA, "play murano")
    box.works()
    assert box.new_mails() == []
    assert count(box, Game) == 0


# Invitations


def invitation(box: Letterbox, to: str = BEN, **kwargs: Any) -> Any:
    """Anna invites somebody; the mail, and the id of the table."""
    anna = box.site.person("Anna")
    table = anna.opens(seats=2, invite=[to], **kwargs)["id"]
    box.works()
    [mail] = box.new_mails(to)
    return mail, table, anna


def test_an_invitation_is_accepted_by_a_reply(any_box: Letterbox) -> None:
    mail, table, anna = invitation(any_box, visibility="invitation")
    assert 'Reply "yes"' in text_of(mail)
    any_box.replies(mail, "Ja gerne!", name="Ben B.")
    any_box.works()
    ben = known(any_box, BEN)
    assert (ben.name, ben.language) == ("Ben B.", "de")
    assert anna.sees(table)["status"] == "running"
    assert any("Platz" in text_of(answer) for answer in any_box.new_mails(BEN))


def test_two_acceptances_at_once_take_one_seat(any_box: Letterbox) -> None:
    mail, table, anna = invitation(any_box)
    for _ in range(2):
        any_box.replies(mail, "yes")

    def process() -> int:
        with any_box.site.app.app_context():
            return process_some(any_box.site.clock(), 1)

    at_once([process, process])
    any_box.works()
    assert [seat["name"] for seat in anna.sees(table)["seats"]] == ["Anna", "Ben"]
    assert count(any_box, Person) == 2


def test_an_invitation_is_declined_by_a_reply(box: Letterbox) -> None:
    mail, table, anna = invitation(box)
    answer = box.answered(lambda: box.replies(mail, "Nein danke"))
    assert answer["To"] == BEN
    assert person(box, BEN) is None
    assert anna.get(f"/v1/games/{table}/invitations").json["items"] == []
    refusal = box.answered(lambda: box.replies(mail, "yes"))
    assert "no longer good" in text_of(refusal)


def test_stop_in_reply_to_an_invitation_refuses_all_of_them(box: Letterbox) -> None:
    mail, _, anna = invitation(box)
    box.replies(mail, "stop")
    box.works()
    anna.opens(seats=2, invite=[BEN])
    box.works()
    assert box.new_mails(BEN) == []


def test_an_invitation_lets_in_where_only_invited_people_may_sign_up(box: Letterbox) -> None:
    mail, table, anna = invitation(box)
    changed(box.site, sign_up="closed")
    assert "no new players" in text_of(box.answered(lambda: box.replies(mail, "yes")))
    changed(box.site, sign_up="invited")
    box.replies(mail, "I'm in")
    box.works()
    assert anna.sees(table)["status"] == "running"


def test_a_forwarded_invitation_is_not_accepted_from_another_address(box: Letterbox) -> None:
    mail, table, anna = invitation(box)
    answer = box.answered(lambda: box.replies(mail, "yes", sender=ZOE))
    assert answer["To"] == BEN
    assert anna.sees(table)["status"] == "open"


# The account by mail


def test_settings_are_changed_by_a_reply_to_any_mail(box: Letterbox) -> None:
    box.site.person("Anna")
    turn = box.answered(lambda: box.sends(ANNA, "play mille fiori"))
    for text in ("name Annabel", "I live in Lisbon", "quiet hours 22:30 - 7", "Deutsch bitte"):
        box.replies(turn, text)
        box.works()
    anna = known(box, ANNA)
    assert (anna.name, anna.time_zone, anna.language) == ("Annabel", "Europe/Lisbon", "de")
    assert (anna.sleep_from, anna.sleep_to) == ("22:30", "07:00")


def test_a_place_with_several_time_zones_is_asked_back(box: Letterbox) -> None:
    box.site.person("Anna")
    turn = box.answered(lambda: box.sends(ANNA, "play mille fiori"))
    answer = box.answered(lambda: box.replies(turn, "I live in Canada"))
    assert "America/Toronto" in text_of(answer)
    assert known(box, ANNA).time_zone == "UTC"


def test_an_account_is_deleted_after_one_question(any_box: Letterbox) -> None:
    any_box.site.person("Anna")
    turn = any_box.answered(lambda: any_box.sends(ANNA, "play mille fiori"))
    asks = any_box.answered(lambda: any_box.replies(turn, "delete my account"))
    assert person(any_box, ANNA) is not None
    any_box.replies(asks, "yes", sender=ZOE)
    any_box.works()
    assert person(any_box, ANNA) is not None
    any_box.new_mails()
    farewell = any_box.answered(lambda: any_box.replies(asks, "yes"))
    assert (farewell["To"], farewell["Subject"]) == (ANNA, "Your account is deleted")
    assert person(any_box, ANNA) is None


# The operator


def test_mails_to_the_operator_are_stored_and_passed_on_but_not_answered(box: Letterbox) -> None:
    changed(box.site, operator_mail="root@example.com")
    for name in ("postmaster", "abuse"):
        box.sends(ZOE, "Your server sends me mails.", to=f"{name}@{DOMAIN}", subject="Spam?")
    box.works()
    passed_on = box.new_mails()
    assert [mail["To"] for mail in passed_on] == ["root@example.com"] * 2
    assert "Your server sends me mails." in text_of(passed_on[0])
    assert box.outcomes() == [("done", "passed_on")] * 2
    with box.site.app.app_context():
        listed = incoming_admin.mails(["pending", "dead"], 10, for_operator=True)
    assert [(mail.purpose, mail.sender) for mail in listed] == [("operator", ZOE)] * 2


def test_the_command_of_the_documentation_hands_a_mail_in(box: Letterbox) -> None:
    box.site.person("Anna")
    text = (ROOT / "docs/operations.md").read_text()
    [code] = re.findall(r"python3 -c '(import smtplib;.*?)'\n```", text, re.DOTALL)
    code = code.replace("2424", str(box.port)).replace("play.games.example", DOMAIN)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout == "{}\n"
    box.works()
    [answer] = box.new_mails(ANNA)
    assert "'tables'" in text_of(answer)


def test_a_large_reply_is_taken_and_its_photo_is_not_stored(box: Letterbox) -> None:
    box.site.person("Anna")
    turn = box.answered(lambda: box.sends(ANNA, "play mille fiori"))
    reply = partial(box.hands_in, envelope=ANNA)
    message = box.sends(ANNA, "note with a photo", to=str(turn["Reply-To"]))
    del message["Message-ID"]
    message["Message-ID"] = "<large@example.org>"
    message.add_attachment(b"\xff" * 7_200_000, "image", "jpeg", filename="photo.jpg")
    reply(message)
    box.works()
    with box.site.app.app_context():
        sizes = db.session.execute(
            select(Incoming.size, func.length(Incoming.raw)).order_by(Incoming.size.desc())
        ).all()
    assert sizes[0][0] > 9_700_000 > 10_000 > sizes[0][1]
    assert [reason for _, reason in box.outcomes()] == ["carried_out", None, None]
