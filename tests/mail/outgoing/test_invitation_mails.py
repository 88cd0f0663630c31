"""Invitation mails: limits by person and by recipient, refusing them, and what they may quote."""

import re
from dataclasses import replace

import pytest
from sqlalchemy import select

from service.core.config import Limits
from service.db.models import Invitation, Letter, LetterState, Person
from service.db.session import db, transact
from service.mail.inbound.processor import process_some
from service.mail.outgoing.mime import headers_of
from service.mail.outgoing.sender import send_letters
from tests.support.browser import opened, pressed, somewhere
from tests.support.incoming import arrives, mail, our_address
from tests.support.limited import LimitedSites
from tests.support.post import wants
from tests.support.rewinding import all_rows
from tests.support.site import FIRST_GAME, NOON, Caller, Site

STRANGER = "stranger@example.org"
ONE_CLICK = {"List-Unsubscribe": "One-Click"}
PLENTY = "100000 per minute"


def roomy(**limits: int) -> Limits:
    """These limits, and as many requests as a test needs."""
    return replace(Limits(requests=PLENTY, anonymous_requests=PLENTY), **limits)  # type: ignore[arg-type]


def bot_of(owner: Caller, name: str = "Robot") -> tuple[str, Caller]:
    """A new bot account: its id, and a caller with its token."""
    bot = owner.post("/v1/bots", {"name": name}).json
    assert bot is not None
    scopes = ["tables:seek", "games:read", "games:play", "webhooks:write"]
    made = owner.post(f"/v1/bots/{bot['id']}/tokens", {"name": "t", "scopes": scopes})
    assert made.status_code == 201, made.json
    return bot["id"], Caller(owner.client, made.json["secret"], name)  # type: ignore[index]


def invites(host: Caller, table: str, email: str = STRANGER) -> str:
    """Invite an address; the id of the invitation."""
    made = host.post(f"/v1/games/{table}/invitations", {"email": email})
    assert made.status_code == 201, made.json
    return str(made.json["id"])  # type: ignore[index]


def mailed(site: Site, to: str = STRANGER) -> list[Letter]:
    """Invitation mails to an address that were sent or wait to be sent."""
    with site.app.app_context():
        send_letters()
    return [letter for letter in site.letters(to) if letter.state == LetterState.sent]


def why_not_mailed(site: Site, to: str = STRANGER) -> list[str | None]:
    return [one.reason for one in site.letters(to) if one.state == LetterState.skipped]


def refusal_link(letter: Letter) -> str:
    found = re.search(r"/mail/no-invitations/\S+", str(letter.text))
    assert found is not None
    return found[0]


def test_bots_invite_on_their_owners_account_also_after_they_are_deleted(
    limited: LimitedSites,
) -> None:
    site = limited(roomy(invitations_per_day=4))
    anna = site.person("Anna")
    for number in range(2):
        bot_id, bot = bot_of(anna, f"Robot {number}")
        table = bot.opens(seats=4)["id"]
        for friend in range(2):
            invites(bot, table, f"friend{number}{friend}@example.org")
        assert anna.delete(f"/v1/bots/{bot_id}").status_code == 204
    for inviter in (anna, bot_of(anna)[1]):
        table = inviter.opens(seats=4)["id"]
        refused = inviter.post(f"/v1/games/{table}/invitations", {"email": STRANGER})
        assert (refused.status_code, refused.json["code"]) == (409, "too_many_invitations")  # type: ignore[index]
    ben = site.person("Ben")
    invites(ben, ben.opens(seats=2)["id"])


def test_open_tables_and_running_games_count_with_those_of_ones_bots(
    limited: LimitedSites,
) -> None:
    site = limited(roomy(open_tables=2, running_games=2))
    anna = site.person("Anna")
    robot = bot_of(anna)[1]
    anna.opens()
    robot.opens()
    for caller in (anna, robot):
        refused = caller.post("/v1/games", {"game": FIRST_GAME, "seats": 2})
        assert refused.json["code"] == "too_many_tables"  # type: ignore[index]
    other = limited(roomy(running_games=2))
    ben = other.person("Ben")
    robot = bot_of(ben)[1]
    ben.opens(bots=1)
    robot.opens(bots=1)
    for caller in (ben, robot):
        refused = caller.post("/v1/games", {"game": FIRST_GAME, "seats": 2, "bots": 1})
        assert refused.json["code"] == "too_many_games"  # type: ignore[index]


def test_tokens_and_messages_count_with_those_of_ones_bots(limited: LimitedSites) -> None:
    site = limited(roomy(tokens=2, messages_per_game_and_hour=2))
    anna = site.person("Anna")
    bot_id, robot = bot_of(anna)
    game_id = site.game_of(anna, robot)
    anna.post(f"/v1/games/{game_id}/messages", {"text": "one"})
    robot.post(f"/v1/games/{game_id}/messages", {"text": "two"})
    for caller in (anna, robot):
        refused = caller.post(f"/v1/games/{game_id}/messages", {"text": "three"})
        assert refused.json["code"] == "too_many_messages"  # type: ignore[index]
    anna.token_with("games:read")
    wanted = {"name": "t", "scopes": ["games:read"]}
    for path in ("/v1/tokens", f"/v1/bots/{bot_id}/tokens"):
        assert anna.post(path, wanted).json["code"] == "too_many_tokens"  # type: ignore[index]


def test_webhooks_count_with_those_of_ones_bots(limited: LimitedSites) -> None:
    site = limited(roomy(webhooks=2))
    anna = site.person("Anna")
    robot = bot_of(anna)[1]
    for caller in (anna, robot):
        assert caller.post("/v1/webhooks", {"url": "https://8.8.8.8/"}).status_code == 201
    for caller in (anna, robot):
        refused = caller.post("/v1/webhooks", {"url": "https://8.8.8.8/"})
        assert refused.json["code"] == "too_many_webhooks"  # type: ignore[index]


def test_one_address_gets_so_many_invitation_mails_a_day_whoever_invites(
    limited: LimitedSites,
) -> None:
    site = limited(roomy(invitation_mails_per_recipient_and_day=2))
    anna, ben = site.people("Anna", "Ben")
    answers = []
    for host in (anna, ben, anna):
        table = host.opens(seats=3)["id"]
        made = host.post(f"/v1/games/{table}/invitations", {"email": STRANGER})
        answers.append((made.status_code, sorted(made.json or {})))
    tagged = ben.opens(seats=3)["id"]
    invites(ben, tagged, "stranger+games@example.org")
    assert len({str(answer) for answer in answers}) == 1, "nobody learns what others sent"
    assert len(mailed(site)) == 2
    assert why_not_mailed(site) == ["too_many_for_recipient"]
    assert mailed(site, "stranger+games@example.org") == [], "the same mailbox"
    site.clock.advance(days=1, seconds=1)
    invites(anna, anna.opens(seats=3)["id"])
    assert len(mailed(site)) == 3


def test_to_withdraw_and_invite_again_resets_nothing(limited: LimitedSites) -> None:
    site = limited(roomy(invitation_mails_per_recipient_and_day=2, invitations_per_day=4))
    anna = site.person("Anna")
    table = anna.opens(seats=3)["id"]
    for _ in range(4):
        invitation = invites(anna, table)
        mailed(site)
        anna.delete(f"/v1/games/{table}/invitations/{invitation}")
    assert len(mailed(site)) == 2
    refused = anna.post(f"/v1/games/{table}/invitations", {"email": STRANGER})
    assert refused.json["code"] == "too_many_invitations"  # type: ignore[index]


def test_an_invitation_that_is_withdrawn_before_it_is_sent_is_not_mailed(site: Site) -> None:
    anna = site.person("Anna")
    table = anna.opens(seats=3)["id"]
    invitation = invites(anna, table)
    anna.delete(f"/v1/games/{table}/invitations/{invitation}")
    assert mailed(site) == []
    assert why_not_mailed(site) == ["withdrawn"]


def test_a_stranger_refuses_invitations_for_good(any_site: Site) -> None:
    site = any_site
    anna, ben = site.people("Anna", "Ben")
    invites(anna, anna.opens(seats=3)["id"])
    (letter,) = mailed(site)
    link = refusal_link(letter)
    page = opened(site, link)
    assert [button[2] for form in page.forms for button in form.buttons] == ["No more invitations"]
    for _ in range(2):
        page = pressed(site, link)
        assert page.status == 200
        assert "You get no more invitations" in page.text
    site.clock.advance(days=20)
    made = ben.post(f"/v1/games/{ben.opens(seats=3)['id']}/invitations", {"email": STRANGER})
    assert made.status_code == 201
    assert [one.id for one in mailed(site)] == [letter.id]
    assert why_not_mailed(site) == ["refused"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_scanner_that_opens_the_link_refuses_nothing(site: Site, method: str) -> None:
    anna = site.person("Anna")
    invites(anna, anna.opens(seats=3)["id"])
    link = refusal_link(mailed(site)[0])
    before = all_rows(site)
    assert somewhere(site).open(link, method=method).status_code == 200
    assert all_rows(site) == before


def test_a_mail_program_refuses_by_one_click_without_a_cookie(site: Site) -> None:
    anna = site.person("Anna")
    invites(anna, anna.opens(seats=3)["id"])
    (letter,) = mailed(site)
    for _ in range(2):
        answer = somewhere(site).post(refusal_link(letter), data=ONE_CLICK)
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
    invites(anna, anna.opens(seats=3)["id"])
    assert len(mailed(site)) == 1


def test_a_person_who_refused_may_allow_invitations_again_after_signing_in(site: Site) -> None:
    anna = site.person("Anna")
    invites(anna, anna.opens(seats=3)["id"])
    somewhere(site).post(refusal_link(mailed(site)[0]), data=ONE_CLICK)
    zoe = site.person("Zoe", STRANGER)
    account = zoe.get("/v1/me").json
    assert account is not None
    assert account["mail"] == {"invitations": False}, "to sign in is not to want invitations"
    invites(anna, anna.opens(seats=3)["id"])
    assert len(mailed(site)) == 1
    wants(zoe, invitations=True)
    invites(anna, anna.opens(seats=3)["id"])
    assert len(mailed(site)) == 2


def test_a_refusal_outlives_the_account(site: Site) -> None:
    anna = site.person("Anna")
    zoe = site.person("Zoe", STRANGER)
    wants(zoe, invitations=False)
    assert zoe.delete("/v1/me").status_code == 204
    invites(anna, anna.opens(seats=3)["id"])
    assert mailed(site) == []
    assert why_not_mailed(site) == ["refused"]


@pytest.mark.parametrize("chosen", [{"turns": "off"}, {"invitations": False}])
def test_people_who_switched_mails_off_are_told_on_the_page_only(
    site: Site, chosen: dict[str, object]
) -> None:
    anna, ben = site.people("Anna", "Ben")
    wants(ben, **chosen)
    table = anna.opens(seats=3, visibility="invitation")["id"]
    invites(anna, table, "ben@example.org")
    assert mailed(site, "ben@example.org") == []
    events = ben.get("/v1/events").json
    assert events is not None
    assert [event["type"] for event in events["items"]] == ["table.invited"]
    assert ben.joins(table)["id"] == table


@pytest.mark.parametrize(
    "text",
    [
        "CLICK evil.example NOW",
        "www.evil",
        "https://evil.example/x",
        "mail me@evil.example",
        "evil\uff0eexample",
        "evil\u3002example",
        "hxxp://1.2.3.4/x",
        "1.2.3.4",
        "J.R.R.Tolkien",
    ],
)
def test_what_looks_like_a_web_address_stays_out_of_invitation_mails(site: Site, text: str) -> None:
    """Also for names that were given before this was so: it is looked at when the mail is
    written."""
    anna = site.person("Anna")
    anna_id = anna.id()
    with site.app.app_context():
        transact(lambda: setattr(db.session.get_one(Person, anna_id), "name", text))
    table = anna.opens(seats=3, title=text)["id"]
    invites(anna, table)
    (letter,) = mailed(site)
    for part in (letter.subject, letter.text, letter.html):
        assert text not in str(part)
        assert "evil" not in str(part)
    assert letter.subject == "You are invited to a game of Mille Fiori"


@pytest.mark.parametrize(
    "text", ["Dr. Who", "Rialto, 8 p.m.", "3.5", "Anna...", "Änna 🦁", "A. B."]
)
def test_ordinary_names_and_titles_are_quoted(site: Site, text: str) -> None:
    anna = site.person("Anna")
    anna.patch("/v1/me", {"name": text}, headers={"If-Match": "*"})
    invites(anna, anna.opens(seats=3, title=text)["id"])
    (letter,) = mailed(site)
    assert letter.subject == f"{text} invites you to a game of Mille Fiori"
    assert f"({text})" in " ".join(str(letter.text).split())


def test_the_mail_of_a_stranger_has_the_headers_of_one_click(
    site: Site,
) -> None:
    anna = site.person("Anna")
    invites(anna, anna.opens(seats=3)["id"])
    (letter,) = mailed(site)
    secure = replace(site.settings, public_url="https://laguna.example")
    headers = dict(headers_of(letter, secure, NOON))
    assert headers["List-Unsubscribe"].startswith("<https://laguna.example/mail/no-invitations/")
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_a_mail_to_the_address_for_unsubscribing_refuses_too(site: Site) -> None:
    anna = site.person("Anna")
    invites(anna, anna.opens(seats=3)["id"])
    (letter,) = mailed(site)
    assert letter.sent_at is not None
    to = our_address(site, letter.id, "off", letter.sent_at)
    arrives(site, mail(to, "unsubscribe", sender=STRANGER), to, sender=STRANGER)
    with site.app.app_context():
        assert process_some(site.clock(), 10)
    invites(anna, anna.opens(seats=3)["id"])
    assert len(mailed(site)) == 1


def test_the_link_of_another_purpose_refuses_nothing(site: Site) -> None:
    anna = site.person("Anna")
    invites(anna, anna.opens(seats=3)["id"])
    (letter,) = mailed(site)
    link = refusal_link(letter)
    broken = link[:-1] + ("a" if link[-1] != "a" else "b")
    before = all_rows(site)
    assert somewhere(site).post(broken, data=ONE_CLICK).status_code == 404
    off = link.replace("/mail/no-invitations/", "/mail/off/")
    assert somewhere(site).post(off, data=ONE_CLICK).status_code == 404
    assert all_rows(site) == before
    with site.app.app_context():
        assert db.session.scalars(select(Invitation.mailbox)).all() == [STRANGER]


def test_an_invitation_is_not_mailed_after_its_host_deleted_the_account(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    table = anna.opens(seats=3)["id"]
    ben.joins(table)
    invites(anna, table)
    assert anna.delete("/v1/me").status_code == 204
    assert mailed(site) == []
    assert why_not_mailed(site) == ["gone"]


def test_an_invitation_refused_before_it_is_sent_is_not_mailed(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    invites(anna, anna.opens(seats=3)["id"], "ben@example.org")
    wants(ben, invitations=False)
    assert mailed(site, "ben@example.org") == []
    assert why_not_mailed(site, "ben@example.org") == ["refused"]


def test_the_text_of_an_invitation_that_release_0_1_0_queued_is_sent_as_it_is(site: Site) -> None:
    anna = site.person("Anna")
    invitation = invites(anna, anna.opens(seats=3)["id"])

    def written_before() -> None:
        (letter,) = db.session.scalars(select(Letter).where(Letter.to == STRANGER))
        letter.subject, letter.text, letter.html = "Come", "to play\n", "<p>to play</p>"
        letter.facts = {"language": "en", "invitation": invitation}

    with site.app.app_context():
        transact(written_before)
    (letter,) = mailed(site)
    assert (letter.subject, letter.text, letter.html) == ("Come", "to play\n", "<p>to play</p>")


def test_the_export_hides_the_link_of_an_invitation(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    invites(anna, anna.opens(seats=3)["id"], "ben@example.org")
    for _ in range(2):  # before it is sent, and afterwards
        assert "/invitations/inv_" not in ben.get("/v1/me/export").text
        assert site.letters("ben@example.org")[0].facts["link"]
        mailed(site, "ben@example.org")
