"""Which letters go out, with what, and how their headers look on the wire."""

import email
import email.policy
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from sqlalchemy import update
from structlog.testing import capture_logs

from engine.contract import GameType
from engine.registry import GAME_TYPES
from service.db.models import Letter, LetterState, Person, Picture, Seat
from service.db.session import db, transact
from service.mail.outgoing.compose import context
from service.mail.outgoing.mime import content_size
from service.mail.outgoing.reply_address import read_address
from service.ops.retention import purge
from tests.servers.ports import free_port
from tests.support.browser import Browser
from tests.support.mails import Looked
from tests.support.post import (
    after,
    arrived,
    is_asked,
    mail_arrives,
    pair,
    skipped,
    wants,
    work,
)
from tests.support.site import Caller, Site, settings_for


class Wire:
    """A mail server that keeps the very bytes it is sent."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, bytes]] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        self.mails.append((str(envelope.mail_from), envelope.content))
        return "250 OK"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def wire(port: int) -> Iterator[Wire]:
    wire = Wire()
    controller = Controller(wire, hostname="127.0.0.1", port=port)
    controller.start()
    yield wire
    controller.stop()


@pytest.fixture
def sending(sqlite_url: str, tmp_path: Path, port: int) -> Site:
    """A site that sends mails and takes replies."""
    return Site(
        settings_for(
            tmp_path,
            sqlite_url,
            smtp_url=f"smtp://127.0.0.1:{port}",
            public_url=f"https://{'long-' * 10}name.example",
            mail_from="Laguna <laguna@games.example>",
            mail_domain="in.games.example",
            mail_hook_secret="s" * 40,
        )
    )


def change(site: Site, statement: Any) -> None:
    with site.app.app_context():
        transact(lambda: db.session.execute(statement))


def of_seat(caller: Caller, game_id: str) -> Any:
    return update(Seat).where(Seat.game_id == game_id, Seat.person_id == caller.id())


def answers(site: Site, caller: Caller, game_id: str | None, **facts: Any) -> None:
    """Write the answer to a reply of somebody."""
    at, person = site.clock(), caller.id()
    letter = Letter(
        kind="answer",
        to=f"{caller.name.lower()}@example.org",
        person_id=person,
        game_id=game_id,
        facts={"said": [], "refused": None, "show": []} | facts,
        created_at=at,
        next_try_at=at,
    )
    with site.app.app_context():
        transact(lambda: db.session.add(letter))


# On the wire


def test_headers_are_whole_lines_on_the_wire(sending: Site, wire: Wire) -> None:
    anna, _, _ = pair(sending)
    mail_arrives(sending)
    [letter] = arrived(sending, anna)
    [(sender, raw)] = [mail for mail in wire.mails if b"\r\nTo: anna@example.org\r\n" in mail[1]]
    lines = raw.partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")
    found = dict(line.split(": ", 1) for line in lines)
    at = sending.clock()
    page = f"{sending.settings.public_url}/mail/off/[a-z2-7]+"
    by_mail = r"mailto:off\+[a-z2-7]+@in\.games\.example"
    assert re.fullmatch(f"<{page}>, <{by_mail}>", found["List-Unsubscribe"])
    assert found["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert found["List-Id"] == "Laguna <turns.in.games.example>"
    assert found["X-Auto-Response-Suppress"] == "All"
    assert read_address(sending.settings, found["Reply-To"], at) == ("turn", letter.id)
    assert read_address(sending.settings, sender, at) == ("bounce", letter.id)
    assert "=?" not in raw.partition(b"\r\n\r\n")[0].decode()
    mail = email.message_from_bytes(raw, policy=email.policy.SMTP)
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
    ]


def test_where_replies_do_not_reach_us_none_are_asked_for(
    sending: Site, wire: Wire, port: int
) -> None:
    deaf = Site(replace(sending.settings, mail_hook_secret=None))
    anna, _, game_id = pair(deaf)
    mail_arrives(deaf)
    [letter] = arrived(deaf, anna)
    [(sender, raw)] = [mail for mail in wire.mails if b"\r\nTo: anna@example.org\r\n" in mail[1]]
    assert sender == "laguna@games.example"
    assert b"\r\nReply-To" not in raw
    assert b"mailto:" not in raw
    assert "##-" not in str(letter.text)
    assert f"/games/{game_id}" in str(letter.text)


def test_the_deadline_comes_as_a_file_to_those_who_asked_for_it(sending: Site, wire: Wire) -> None:
    anna, ben = sending.people("Anna", "Ben")
    wants(anna, calendar=True)
    sending.game_of(anna, ben, clock={"kind": "flat", "hours": 50})
    mail_arrives(sending)
    kinds = {}
    for _, raw in wire.mails:
        mail = email.message_from_bytes(raw, policy=email.policy.SMTP)
        kinds[mail["To"]] = [part.get_content_type() for part in mail.walk()]
    assert kinds["anna@example.org"][0] == "multipart/mixed"
    assert kinds["anna@example.org"][-1] == "text/calendar"
    assert "text/calendar" not in kinds["ben@example.org"]


def test_what_was_sent_away_is_kept_as_text_only(sending: Site, wire: Wire) -> None:
    anna, _, _ = pair(sending)
    mail_arrives(sending)
    [letter] = arrived(sending, anna)
    assert letter.text
    assert letter.html is None
    assert letter.picture is not None
    with sending.app.app_context():
        assert db.session.get(Picture, letter.picture) is None


# What is not sent


def test_nothing_is_mailed_about_a_game_that_is_to_be_quiet(site: Site) -> None:
    anna, ben, game_id = pair(site)
    other = site.game_of(anna, ben)
    change(site, of_seat(anna, game_id).values(quiet=True))
    mail_arrives(site)
    assert {letter.game_id for letter in arrived(site, anna)} == {other}
    assert ("turn", "quiet") in skipped(site, anna)
    answers(site, anna, game_id, said=["Said."])
    work(site)
    assert [one.game_id for one in arrived(site, anna, "answer")] == [game_id]


def test_a_quiet_game_is_left_out_where_several_are_told(site: Site) -> None:
    anna, ben, game_id = pair(site)
    others = [site.game_of(anna, ben) for _ in range(2)]
    change(site, of_seat(anna, game_id).values(quiet=True))
    wants(anna, turns="batched", delay_minutes=5)
    work(site)
    after(site, minutes=5)
    [letter] = arrived(site, anna, "digest")
    assert game_id not in str(letter.text)
    assert all(other in str(letter.text) for other in others)


def test_only_codes_are_sent_to_who_cannot_be_reached(site: Site) -> None:
    anna, ben, game_id = pair(site)
    change(site, update(Person).where(Person.name == "Anna").values(unreachable_since=site.clock()))
    mail_arrives(site)
    answers(site, anna, game_id)
    table = ben.opens()["id"]
    ben.post(f"/v1/games/{table}/invitations", {"email": "anna@example.org"})
    site.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
    work(site)
    assert [letter.kind for letter in arrived(site, anna)] == ["sign_in"]
    assert {("turn", "unreachable"), ("answer", "unreachable"), ("invitation", "unreachable")} <= (
        set(skipped(site, anna))
    )


def test_a_turn_that_came_with_an_answer_is_not_mailed_again(site: Site) -> None:
    anna, _, game_id = pair(site)
    work(site)
    answers(site, anna, game_id, said=["Played."])
    work(site)
    [answer] = arrived(site, anna)
    assert (answer.kind, answer.decision) == ("answer", anna.sees(game_id)["decision"]["id"])
    after(site, minutes=2)
    assert len(arrived(site, anna)) == 1
    assert ("turn", "told_with_answer") in skipped(site, anna)


def test_answers_also_reach_people_who_want_no_mails(site: Site) -> None:
    anna, _, game_id = pair(site)
    wants(anna, turns="off")
    answers(site, anna, game_id, show=["help"])
    mail_arrives(site)
    [letter] = arrived(site, anna)
    assert letter.kind == "answer"


def test_what_was_chosen_and_can_be_changed_is_asked_again_only_on_demand(site: Site) -> None:
    anna, _, game_id = pair(site)
    anna.plays(game_id)
    revised = anna.sees(game_id)["decision"]
    assert revised["revising"]
    answers(site, anna, game_id, said=["Played."])
    answers(site, anna, game_id, show=["choices"])
    work(site)
    first, second = arrived(site, anna, "answer")
    assert (first.decision, second.decision) in (
        (None, revised["id"]),
        (revised["id"], None),
    )
    [asking] = [one for one in (first, second) if one.decision is not None]
    assert "You can change your choice until everybody has chosen." in str(asking.text)


# Pictures and size


def test_a_picture_that_cannot_be_drawn_keeps_no_letter_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(svg: str) -> None:
        raise ValueError("no drawing")

    monkeypatch.setattr("service.mail.outgoing.compose.game_context.picture_of", broken)
    anna, _, _ = pair(site)
    with capture_logs() as logs:
        mail_arrives(site)
    [letter] = arrived(site, anna)
    assert letter.picture is None
    assert Looked(str(letter.html)).all("img") == []
    assert "picture_not_drawn" in {line["event"] for line in logs}


def test_only_the_newest_letter_about_a_game_keeps_its_picture(site: Site) -> None:
    """Where mails are shown on a page; the others say the position in words."""
    anna, ben, game_id = pair(site)
    for _ in range(3):
        mail_arrives(site)
        for player in (anna, ben, anna, ben):
            if is_asked(player, game_id):
                player.plays(game_id)
    mail_arrives(site)
    letters = [one for one in arrived(site, anna) if one.game_id == game_id]
    assert len(letters) > 1
    assert [one.picture is not None for one in letters] == [False] * (len(letters) - 1) + [True]
    browser = Browser(site)
    page = browser.send(browser.open("/sign-in"), "/sign-in", email="anna@example.org")
    browser.send(page, "/sign-in/code", code=browser.code_for("anna@example.org"))
    old, new = (
        browser.client.get(f"/mailbox/{one.id}/mail.html").get_data(as_text=True)
        for one in (letters[0], letters[-1])
    )
    assert '<img src="data:image/png' in new
    assert "cid:" not in old
    assert "<img alt=" in old
    site.clock.advance(days=2)
    with site.app.app_context():
        purge(site.clock())
        shown = {one.picture for one in site.letters() if one.picture is not None}
        assert {one.digest for one in db.session.query(Picture)} == shown


def test_everybody_at_the_table_gets_the_same_picture(site: Site) -> None:
    anna, ben, _ = pair(site)
    mail_arrives(site)
    [to_anna], [to_ben] = arrived(site, anna), arrived(site, ben)
    assert to_anna.picture == to_ben.picture
    with site.app.app_context():
        assert db.session.query(Picture).count() == 1


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))
def test_points_say_what_all_of_them_came_from(site: Site, game: GameType) -> None:
    anna, ben, game_id = pair(site, game=game.meta.key)
    for _ in range(12):
        for player in (anna, ben):
            if is_asked(player, game_id):
                player.plays(game_id)
    while is_asked(anna, game_id):
        anna.plays(game_id)
    answers(site, anna, game_id, show=["board"])
    work(site)
    [letter] = arrived(site, anna, "answer")
    table = str(letter.html).partition("<caption>Points, and what they came from")[2]
    told = re.findall(r'<td class="n">(\d+)</td><td><small>(.*?)</small>', table)
    assert len(told) == 2
    for points, causes in told:
        assert sum(int(cause.split()[-1]) for cause in causes.split(", ") if cause) == int(points)


def test_a_letter_that_would_be_too_large_has_no_picture(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, _, _ = pair(site)
    mail_arrives(site)
    [whole] = arrived(site, anna)
    size = content_size(str(whole.text), str(whole.html), None)
    monkeypatch.setattr(context, "MOST_BYTES", size + 1000)
    site.clock.advance(minutes=10)
    change(
        site,
        update(Letter)
        .where(Letter.id == whole.id)
        .values(subject=None, state=LetterState.pending, next_try_at=site.clock(), sent_at=None),
    )
    work(site)
    [letter] = arrived(site, anna)
    assert whole.picture is not None
    assert letter.picture is None
    assert "<pre" in str(letter.html), "the board is text then"
    assert letter.facts["choices"] == whole.facts["choices"]


# To whom we do not know yet


def test_a_code_comes_in_the_language_of_the_account_or_else_of_the_browser(site: Site) -> None:
    anna = site.person("Anna")
    anna.patch("/v1/me", {"language": "es"}, headers={"If-Match": "*"})
    for name in ("anna", "emil"):
        browser = Browser(site)
        browser.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de-AT,de;q=0.9,en;q=0.8"
        browser.send(browser.open("/sign-in"), "/sign-in", email=f"{name}@example.org")
    [to_anna] = site.letters("anna@example.org")
    [to_emil] = site.letters("emil@example.org")
    assert "es tu código de Laguna" in str(to_anna.subject)
    assert "ist dein Code für Laguna" in str(to_emil.subject)


def test_an_invitation_comes_in_the_language_of_who_invites_unless_there_is_an_account(
    site: Site,
) -> None:
    anna, _ = site.people("Anna", "Ben")
    anna.patch("/v1/me", {"language": "de"}, headers={"If-Match": "*"})
    table = anna.opens(visibility="invitation")["id"]
    for name in ("ben", "emil"):
        anna.post(f"/v1/games/{table}/invitations", {"email": f"{name}@example.org"})
    work(site)
    assert "Anna invites you" in str(site.letters("ben@example.org")[-1].subject)
    assert "Anna lädt dich" in str(site.letters("emil@example.org")[-1].subject)


def test_an_invitation_that_is_good_for_nothing_any_more_is_not_mailed(site: Site) -> None:
    """As after hours in which the mail server was away."""
    anna, ben, carol = site.people("Anna", "Ben", "Carol")

    def invites(seats: int) -> dict[str, Any]:
        table = anna.opens(seats=seats)["id"]
        made = anna.post(f"/v1/games/{table}/invitations", {"email": "ben@example.org"})
        return dict(made.json or {})

    good, full, cancelled, accepted, withdrawn = map(invites, (2, 2, 2, 3, 2))
    carol.joins(full["game"])
    anna.post(f"/v1/games/{cancelled['game']}/cancel")
    ben.joins(accepted["game"])
    anna.delete(f"/v1/games/{withdrawn['game']}/invitations/{withdrawn['id']}")
    work(site)
    [mailed] = arrived(site, ben, "invitation")
    assert mailed.facts["invitation"] == good["id"]
    reasons = [reason for kind, reason in skipped(site, ben) if kind == "invitation"]
    assert sorted(map(str, reasons)) == ["accepted", "not_open", "not_open", "withdrawn"]
