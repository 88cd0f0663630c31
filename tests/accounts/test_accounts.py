"""People: signing in by mail, settings, what others see of a player, and leaving for good."""

import json
import re
from dataclasses import replace

import pytest
from sqlalchemy import Table, select
from werkzeug.test import TestResponse

from engine.contract import Json
from service.accounts.sign_in import MOST_FAILURES, find_link
from service.accounts.traces import FORMER
from service.core.config import Limits
from service.core.signing import sign_id
from service.db.models import Event, KeptAnswer, Letter, Message, Person, Seat, SignIn
from service.db.session import Base, db, transact
from service.mail.outgoing.reply_address import GOOD_FOR
from service.notify.channels.deliveries import write_deliveries
from tests.support.autoplay import answer_automatically
from tests.support.browser import Browser
from tests.support.incoming import arrives, mail, our_address
from tests.support.limited import LimitedSites
from tests.support.post import arrived, mail_arrives, wants
from tests.support.rewinding import all_rows
from tests.support.site import FIRST_GAME, Caller, Site

ALICE = "alice@example.org"


def ask(site: Site, email: str = ALICE) -> tuple[str, str]:
    """Ask for a mail; the code and the link's secret in it."""
    site.clock.advance(seconds=1)
    asked = site.stranger.post("/v1/sign-ins", {"email": email})
    assert asked.status_code == 202, asked.json
    letter = site.letters(email.lower())[-1]
    link = re.search(r"/sign-in/(\S+)", str(letter.text))
    assert link is not None
    return str(letter.subject)[:9], link[1]


def enter(site: Site, **said: str) -> TestResponse:
    return site.stranger.post("/v1/sessions", said)


def wrong(answer: TestResponse) -> bool:
    return answer.status_code == 422 and (answer.json or {})["code"] == "wrong_code"


def test_somebody_new_signs_up_with_the_mailed_code(any_site: Site) -> None:
    code, _ = ask(any_site, "Alice@Example.org")
    entered = enter(any_site, email="ALICE@example.org", code=code, name="Alice")
    assert entered.status_code == 201
    assert entered.json is not None
    account = entered.json["account"]
    assert (account["name"], account["email"]) == ("Alice", ALICE)
    alice = Caller(any_site.client, entered.json["token"])
    assert alice.get("/v1/me").json == account


def test_the_link_signs_in_as_well_and_to_the_same_account(site: Site) -> None:
    known = site.person("Alice").id()
    _, link = ask(site)
    entered = enter(site, link=link)
    assert entered.status_code == 201
    assert entered.json is not None
    assert entered.json["account"]["id"] == known


def test_a_code_may_be_typed_with_or_without_its_blank(site: Site) -> None:
    code, _ = ask(site)
    assert enter(site, email=ALICE, code=code.replace(" ", "")).status_code == 201


def test_code_and_link_of_a_mail_work_once_together(site: Site) -> None:
    code, link = ask(site)
    assert enter(site, email=ALICE, code=code).status_code == 201
    assert wrong(enter(site, email=ALICE, code=code))
    assert wrong(enter(site, link=link))
    code, link = ask(site)
    assert enter(site, link=link).status_code == 201
    assert wrong(enter(site, link=link))
    assert wrong(enter(site, email=ALICE, code=code))


def test_code_and_link_are_good_for_a_quarter_of_an_hour(site: Site) -> None:
    code, link = ask(site)
    site.clock.advance(minutes=15)
    assert wrong(enter(site, email=ALICE, code=code))
    assert wrong(enter(site, link=link))
    code, _ = ask(site)
    site.clock.advance(minutes=14, seconds=59)
    assert enter(site, email=ALICE, code=code).status_code == 201


def test_a_code_is_for_the_address_it_was_mailed_to(site: Site) -> None:
    code, _ = ask(site)
    ask(site, "bob@example.org")
    assert wrong(enter(site, email="bob@example.org", code=code))


def test_after_five_wrong_codes_the_right_one_is_dead_and_the_answer_says_so(
    any_site: Site,
) -> None:
    code, link = ask(any_site)
    bad = f"{(int(code.replace(' ', '')) + 1) % 10**8:08d}"
    for _ in range(MOST_FAILURES - 1):
        assert wrong(enter(any_site, email=ALICE, code=bad))
    for tried in (bad, code):
        refused = enter(any_site, email=ALICE, code=tried)
        assert refused.status_code == 422
        assert refused.json is not None
        assert refused.json["code"] == "dead_code"
        assert "Request a new one" in refused.json["detail"]
    assert enter(any_site, link=link).status_code == 201, "the link has no attempts to use up"
    fresh, _ = ask(any_site)
    assert enter(any_site, email=ALICE, code=fresh).status_code == 201


def elsewhere(site: Site, address: str = "198.51.100.7") -> Caller:
    """A client at another network address."""
    client = site.app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return Caller(client)


@pytest.mark.parametrize("by", ["address", "request"])
def test_wrong_codes_of_a_stranger_use_up_nobody_elses_attempts(any_site: Site, by: str) -> None:
    site = any_site
    asked = site.stranger.post("/v1/sign-ins", {"email": ALICE}).json
    assert asked is not None
    code = str(site.letters(ALICE)[-1].subject)[:9]
    stranger = elsewhere(site)
    said = {"request": "req_" + "a" * 52} if by == "request" else {}
    for _ in range(MOST_FAILURES + 1):
        tried = stranger.post("/v1/sessions", {"email": ALICE, "code": "0000 0001", **said})
        assert wrong(tried)
    own = {"request": asked["request"]} if by == "request" else {}
    assert enter(site, email=ALICE, code=code, **own).status_code == 201


def test_a_code_works_for_the_one_who_asked_for_it_only(any_site: Site) -> None:
    asked = any_site.stranger.post("/v1/sign-ins", {"email": ALICE}).json
    assert asked is not None
    code = str(any_site.letters(ALICE)[-1].subject)[:9]
    said = {"email": ALICE, "code": code}
    moved = elsewhere(any_site)
    assert wrong(moved.post("/v1/sessions", said))
    assert wrong(moved.post("/v1/sessions", said | {"request": "req_" + "b" * 52}))
    entered = moved.post("/v1/sessions", said | {"request": asked["request"]})
    assert entered.status_code == 201, "a phone may have another address by now"


def test_signing_in_voids_all_other_codes_and_links_of_the_address(any_site: Site) -> None:
    first_code, first_link = ask(any_site)
    second_code, second_link = ask(any_site)
    assert enter(any_site, link=first_link).status_code == 201
    for said in ({"link": second_link}, {"email": ALICE, "code": second_code}):
        assert wrong(enter(any_site, **said))
    assert wrong(enter(any_site, email=ALICE, code=first_code))
    third_code, third_link = ask(any_site)
    bobs_code, _ = ask(any_site, "bob@example.org")
    assert enter(any_site, email=ALICE, code=third_code).status_code == 201
    assert wrong(enter(any_site, link=third_link))
    assert enter(any_site, email="bob@example.org", code=bobs_code).status_code == 201


def test_nobody_can_keep_a_person_from_signing_in_by_asking_for_mails(site: Site) -> None:
    """A stranger asks as often as possible; the newest mail is always good, by its link."""
    site.person("Alice")
    for number in range(12):
        stranger = elsewhere(site, f"198.51.100.{number}")
        for _ in range(7):
            assert stranger.post("/v1/sign-ins", {"email": ALICE}).status_code == 202
        assert site.stranger.post("/v1/sign-ins", {"email": ALICE}).status_code == 202
        newest = re.search(r"/sign-in/(\S+)", str(site.letters(ALICE)[-1].text))
        assert newest is not None
        with site.app.app_context():
            assert find_link(newest[1], site.clock()) is not None
        site.clock.advance(minutes=4, seconds=59)
    assert len(site.letters(ALICE)) <= 5 + 3, "in an hour"


def test_tags_of_one_mailbox_share_its_mails_but_not_those_of_an_account(
    limited: LimitedSites,
) -> None:
    site = limited(Limits(sign_ins_per_address_and_hour=2))
    for tag in ("", "+1", "+2", "+3"):
        asked = site.stranger.post("/v1/sign-ins", {"email": f"bomb{tag}@example.org"})
        assert asked.status_code == 202
    assert len(site.letters()) == 2
    site.person("Bomb")
    _, link = ask(site, "bomb@example.org")
    assert enter(site, link=link).status_code == 201, "the tags did not use up the account's"


@pytest.mark.parametrize(
    "email",
    [
        '"bomb"@example.org',
        '"b\\omb"@example.org',
        '"a@evil.example>,<b"@example.org',
        "a@[127.0.0.1]",
        "a@127.0.0.1",
        "a@intranet",
        "a@printer.local",
        "a@x.internal",
        "\uff41lice@example.org",
        "alice@ex\uff41mple.org",
        ".alice@example.org",
        "alice..b@example.org",
        f"{'a' * 65}@example.org",
    ],
)
def test_addresses_that_mail_servers_read_differently_are_refused(site: Site, email: str) -> None:
    alice = site.person("Alice")
    table = alice.opens(seats=2)["id"]
    for path in ("/v1/sign-ins", f"/v1/games/{table}/invitations"):
        refused = alice.post(path, {"email": email})
        assert refused.status_code == 422, email
        assert refused.json is not None
        assert [place["pointer"] for place in refused.json["errors"]] == ["/email"]


@pytest.mark.parametrize(
    "email", ["o'neil+x@example.co.uk", "a_b-c@xn--bcher-kva.example", "ünal@bücher.example"]
)
def test_ordinary_addresses_are_accepted(site: Site, email: str) -> None:
    assert site.stranger.post("/v1/sign-ins", {"email": email}).status_code == 202


def test_two_spellings_of_a_domain_are_one_account(site: Site) -> None:
    for email in ("anna@xn--bcher-kva.example", "anna@bücher.example"):
        site.stranger.post("/v1/sign-ins", {"email": email})
    assert {letter.to for letter in site.letters()} == {"anna@bücher.example"}


@pytest.mark.parametrize(("smtp", "status"), [(None, 202), ("smtp://127.0.0.1:25", 422)])
def test_localhost_is_an_address_only_where_no_mail_is_sent(
    site: Site, smtp: str | None, status: int
) -> None:
    site.app.config["LAGUNA"] = replace(site.settings, smtp_url=smtp)
    asked = site.stranger.post("/v1/sign-ins", {"email": "newcomer@localhost"})
    assert asked.status_code == status


@pytest.mark.parametrize(
    "name",
    [
        "\u00ad\u200d\u3164",
        "An\u00adna",
        "An\u200dna",
        "\u2800",
        "An\ufe0fna",
        "...",
        "\U000e0041",
        "🦁",
    ],
)
def test_names_that_cannot_be_seen_or_read_are_refused(site: Site, name: str) -> None:
    alice = site.person("Alice")
    answers = [
        alice.patch("/v1/me", {"name": name}, headers={"If-Match": "*"}),
        alice.post("/v1/bots", {"name": name}),
    ]
    for answer in answers:
        assert answer.status_code == 422, ascii(name)
        assert answer.json is not None
        assert [place["pointer"] for place in answer.json["errors"]] == ["/name"]


@pytest.mark.parametrize("title", ["\u00ad", "\u3164\u3164", "\u200d", "Anna\u202e"])
def test_titles_that_cannot_be_seen_are_refused(site: Site, title: str) -> None:
    alice = site.person("Alice")
    answer = alice.post("/v1/games", {"game": FIRST_GAME, "seats": 2, "title": title})
    assert answer.status_code == 422
    assert answer.json is not None
    assert [place["pointer"] for place in answer.json["errors"]] == ["/title"]


@pytest.mark.parametrize("name", ["李", "Ánna 🦁", "O'Neil-3", "علي", "7", "नमस्ते"])
def test_names_of_all_scripts_are_names(site: Site, name: str) -> None:
    alice = site.person("Alice")
    answer = alice.patch("/v1/me", {"name": name}, headers={"If-Match": "*"})
    assert answer.status_code == 200, answer.json


def test_the_time_zone_of_a_new_account_is_the_one_its_client_tells(any_site: Site) -> None:
    code, _ = ask(any_site)
    entered = enter(any_site, email=ALICE, code=code, time_zone="Europe/Rome")
    assert entered.json is not None
    assert entered.json["account"]["time_zone"] == "Europe/Rome"
    code, _ = ask(any_site)
    entered = enter(any_site, email=ALICE, code=code, time_zone="Asia/Tokyo")
    assert entered.json is not None
    assert entered.json["account"]["time_zone"] == "Europe/Rome", "it was chosen before"
    code, _ = ask(any_site)
    refused = enter(any_site, email=ALICE, code=code, time_zone="Mars/Olympus")
    assert refused.status_code == 422
    assert refused.json is not None
    assert [place["pointer"] for place in refused.json["errors"]] == ["/time_zone"]


def test_four_wrong_codes_are_forgiven(site: Site) -> None:
    code, _ = ask(site)
    bad = f"{(int(code.replace(' ', '')) + 1) % 10**8:08d}"
    for _ in range(MOST_FAILURES - 1):
        assert wrong(enter(site, email=ALICE, code=bad))
    assert enter(site, email=ALICE, code=code).status_code == 201


def test_responses_do_not_reveal_whether_an_address_is_known(site: Site) -> None:
    site.person("Alice")
    answers = []
    for email in (ALICE, "nobody@example.org"):
        asked = site.stranger.post("/v1/sign-ins", {"email": email})
        refused = enter(site, email=email, code="0000 0000")
        told = (asked.json or {}) | {"request": "a new one each time"}
        answers.append((asked.status_code, told, refused.status_code, refused.data))
        assert len(site.letters(email)) == 1
    assert answers[0] == answers[1]


def test_a_name_given_at_sign_in_is_only_for_somebody_new(site: Site) -> None:
    alice = site.person("Alice")
    code, _ = ask(site)
    etag = alice.get("/v1/me").headers["ETag"]
    entered = enter(site, email=ALICE, code=code, name="Mallory")
    assert entered.json is not None
    assert entered.json["account"]["name"] == "Alice"
    assert alice.get("/v1/me").headers["ETag"] == etag


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"email": ALICE},
        {"code": "12345678"},
        {"email": ALICE, "code": "12345678", "link": "in_" + "a" * 20},
        {"email": ALICE, "code": "1234567"},
        {"email": "nobody", "code": "12345678"},
    ],
)
def test_a_sign_in_needs_the_code_or_link(site: Site, said: dict[str, str]) -> None:
    refused = enter(site, **said)
    assert refused.status_code == 422
    assert refused.json is not None
    assert refused.json["code"] == "invalid_request"


def test_an_address_that_no_mailbox_can_have_is_refused(any_site: Site) -> None:
    """The first is longer in small letters, as addresses are kept, than any can be."""
    alice = any_site.person("Alice")
    table = alice.opens(seats=2)["id"]
    for email in (f"{'İ' * 240}@example.org", '"\x01"@example.org', "alice@ex\u200bample.org"):
        for path in ("/v1/sign-ins", f"/v1/games/{table}/invitations"):
            answer = alice.post(path, {"email": email})
            assert answer.status_code == 422
            assert answer.json is not None
            assert [place["pointer"] for place in answer.json["errors"]] == ["/email"]


def test_codes_mailed_to_an_address_are_limited(limited: LimitedSites) -> None:
    """The answer stays the same: a refusal would keep the person of the address out."""
    site = limited(Limits(sign_ins_per_address_and_hour=2))
    answers = [
        site.stranger.post("/v1/sign-ins", {"email": email})
        for email in (ALICE, ALICE.upper(), ALICE)
    ]
    assert [answer.status_code for answer in answers] == [202] * 3
    assert len(site.letters()) == 2


def test_codes_mailed_for_one_client_are_limited(limited: LimitedSites) -> None:
    site = limited(Limits(sign_ins_per_client="2 per hour"))
    for number in range(2):
        asked = site.stranger.post("/v1/sign-ins", {"email": f"{number}@example.org"})
        assert asked.status_code == 202
        assert "Retry-After" not in asked.headers
    refused = site.stranger.post("/v1/sign-ins", {"email": "2@example.org"})
    assert refused.status_code == 429
    assert refused.json is not None
    assert refused.json["code"] == "too_many_sign_ins"
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert len(site.letters()) == 2


def test_too_many_sign_ins_get_retry_after(limited: LimitedSites) -> None:
    site = limited(Limits(requests="3 per hour", anonymous_requests="2 per hour"))
    alice, bob = site.people("Alice", "Bob")
    for caller, most in ((site.stranger, 2), (alice, 3)):
        for number in range(most):
            answer = caller.get("/v1/catalogue")
            assert answer.status_code == 200
            assert "Retry-After" not in answer.headers
            assert f"r={most - number - 1}" in answer.headers["RateLimit"]
        refused = caller.get("/v1/catalogue")
        assert refused.status_code == 429
        assert refused.json is not None
        assert refused.json["code"] == "too_many_requests"
        assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert bob.get("/v1/catalogue").status_code == 200


def test_changing_settings_needs_if_match(any_site: Site) -> None:
    alice = any_site.person("Alice")
    got = alice.get("/v1/me")
    before = all_rows_of(any_site)
    forgotten = alice.patch("/v1/me", {"name": "Alicia"})
    assert forgotten.status_code == 428
    assert all_rows_of(any_site) == before
    changes = {
        "name": "Ánna 🦁",
        "language": "de",
        "time_zone": "Europe/Rome",
        "sleep_from": "22:30",
        "sleep_to": "07:00",
        "mail": {"turns": "daily", "daily_hour": 18},
    }
    changed = alice.patch("/v1/me", changes, headers={"If-Match": got.headers["ETag"]})
    assert changed.status_code == 200
    assert changed.json is not None
    assert got.json is not None
    assert changed.json == got.json | changes
    late = alice.patch("/v1/me", {"name": "A"}, headers={"If-Match": got.headers["ETag"]})
    assert late.status_code == 412
    assert late.headers["ETag"] == changed.headers["ETag"]
    assert alice.get("/v1/me").json == changed.json
    held = alice.get("/v1/me", headers={"If-None-Match": changed.headers["ETag"]})
    assert held.status_code == 304


def all_rows_of(site: Site) -> list[tuple[str, int]]:
    with site.app.app_context():
        return [(row.name, row.version) for row in db.session.scalars(select(Person))]


def test_one_mail_preference_changes_and_the_others_stay(site: Site) -> None:
    alice = site.person("Alice")
    for chosen in ({"turns": "daily", "daily_hour": 7}, {"news": False}):
        answer = alice.patch("/v1/me", {"mail": chosen}, headers={"If-Match": "*"})
    assert answer.json is not None
    assert answer.json["mail"] == {"turns": "daily", "daily_hour": 7, "news": False}


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"name": " "}, "/name"),
        ({"name": "x" * 41}, "/name"),
        ({"name": "two\nlines"}, "/name"),
        ({"language": "tlh"}, "/language"),
        ({"time_zone": "Mars/Olympus"}, "/time_zone"),
        ({"sleep_from": "22:30"}, "/sleep_from"),
        ({"sleep_from": "24:00", "sleep_to": "07:00"}, "/sleep_from"),
        ({"mail": {"turns": "hourly"}}, "/mail/turns"),
        ({"mail": {"daily_hour": 24}}, "/mail/daily_hour"),
        ({"email": "other@example.org"}, "/email"),
    ],
)
def test_invalid_settings_are_refused_with_pointers(
    site: Site, changes: dict[str, object], pointer: str
) -> None:
    alice = site.person("Alice")
    before = all_rows(site)
    refused = alice.patch("/v1/me", changes, headers={"If-Match": "*"})
    assert refused.status_code == 422
    assert refused.json is not None
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]
    assert all_rows(site) == before


def test_a_new_name_shows_where_one_plays_and_old_games_keep_the_old_one(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    over = site.game_of(alice, bob)
    for player in (alice, bob):
        player.put(f"/v1/games/{over}/end-offer")
    running = site.game_of(alice, bob)
    etag = bob.get(f"/v1/games/{running}").headers["ETag"]
    alice.patch("/v1/me", {"name": "Alicia"}, headers={"If-Match": "*"})
    fresh = bob.get(f"/v1/games/{running}", headers={"If-None-Match": etag})
    assert fresh.status_code == 200
    assert bob.sees(running)["seats"][0]["name"] == "Alicia"
    assert bob.sees(over)["seats"][0]["name"] == "Alice"


def lived(site: Site) -> tuple[Caller, Caller, str]:
    """Alice has done a bit of everything with Bob; the game they play."""
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    alice.put(f"/v1/games/{game_id}/note", {"text": "my little note"})
    alice.post(f"/v1/games/{game_id}/messages", {"text": "my little message"})
    alice.post("/v1/bots", {"name": "My little bot"})
    alice.post("/v1/webhooks", {"url": "https://8.8.8.8/my-little-hook"})
    alice.token_with("games:read")
    table = alice.opens(seats=3, title="my little table")["id"]
    alice.post(f"/v1/games/{table}/invitations", {"email": "my-little-friend@example.org"})
    ask(site)
    return alice, bob, game_id


def test_the_export_holds_everything_about_a_person(site: Site) -> None:
    alice, _, game_id = lived(site)
    export = alice.get("/v1/me/export")
    assert export.status_code == 200
    assert "attachment" in export.headers["Content-Disposition"]
    for own in ("note", "message", "hook", "friend"):
        assert re.search(f"my.little.{own}", export.text), own
    held = json.loads(export.data)
    assert held["account"]["email"] == ALICE
    assert game_id in {seat["game_id"] for seat in held["seats"]}
    for part in ("tokens_and_sessions", "bots", "decisions", "events", "webhooks", "mails"):
        assert held[part], part


def test_the_export_has_no_sign_in_secrets(site: Site) -> None:
    alice, _, _ = lived(site)
    code, link = ask(site)
    webhook = alice.post("/v1/webhooks", {"url": "https://8.8.8.8/"}).json
    export = alice.get("/v1/me/export").text
    assert webhook is not None
    for secret in (code, code.replace(" ", ""), link, webhook["secret"], alice.token):
        assert str(secret) not in export
    assert "digest" not in export


def test_the_export_has_no_open_invitation_secrets(site: Site) -> None:
    browser = Browser(site)
    page = browser.open("/sign-in?next=/invitations/inv_secret")
    browser.send(page, "/sign-in", email=ALICE)
    assert "inv_secret" not in site.person("Alice").get("/v1/me/export").text


def test_the_export_holds_moves_and_webhook_deliveries(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    hook = alice.post("/v1/webhooks", {"url": "https://8.8.8.8/"}).json
    assert hook is not None
    alice.post(f"/v1/webhooks/{hook['id']}/test")
    game_id = site.game_of(alice, bob)
    for player in (alice, bob):
        assert player.plays(game_id).status_code == 200
    held = json.loads(alice.get("/v1/me/export").data)
    assert [row["webhook_id"] for row in held["webhook_deliveries"]] == [hook["id"]]
    assert held["moves"]
    decisions = {row["id"] for row in held["decisions"]}
    assert {row["decision"] for row in held["moves"]} <= decisions, "and none of Bob's"
    assert all("chance" not in row and "events" not in row for row in held["moves"])


@pytest.mark.parametrize("scopes", [("account:read",), ("account:read", "games:read")])
def test_a_token_is_not_enough_for_the_export(site: Site, scopes: tuple[str, ...]) -> None:
    refused = site.person("Alice").token_with(*scopes).get("/v1/me/export")
    assert refused.status_code == 403
    assert refused.json is not None
    assert refused.json["code"] == "sessions_only"


def test_the_export_has_no_working_links_or_addresses(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    wants(anna, turns="every")
    site.game_of(anna, ben)
    mail_arrives(site)
    [letter] = arrived(site, anna, "turn")
    assert letter.sent_at is not None
    assert letter.html is not None
    to = our_address(site, letter.id, at=letter.sent_at)
    arrives(site, mail(to, f"say {to}"), to)
    until = letter.sent_at + GOOD_FOR
    seals = [sign_id(site.settings, name, letter.id, until) for name in ("answer", "off", "turn")]
    assert all(one in f"{letter.html} {to}" for one in seals), "they are in what is kept"
    export = anna.get("/v1/me/export").text
    for one in seals:
        assert one not in export.lower()
    assert "/answer/***/1" in export
    assert "turn+***@localhost" in export
    assert letter.id in export, "that there was a letter is no secret"


def test_the_export_holds_nothing_about_others(site: Site) -> None:
    alice, bob, game_id = lived(site)
    bob.put(f"/v1/games/{game_id}/note", {"text": "note of Bob"})
    bob.post(f"/v1/games/{game_id}/messages", {"text": "said by Bob"})
    export = alice.get("/v1/me/export").text
    for foreign in ("note of Bob", "said by Bob", "bob@example.org"):
        assert foreign not in export


def test_a_deleted_account_is_gone_and_its_games_go_on_to_the_end(any_site: Site) -> None:
    site = any_site
    alice, bob, game_id = lived(site)
    token = alice.token_with("games:read")
    person = alice.id()
    alice.post("/v1/games", {"game": "x"}, headers={"Idempotency-Key": "k"})
    alice.post(
        f"/v1/games/{game_id}/messages", {"text": "again"}, headers={"Idempotency-Key": "k2"}
    )
    assert alice.delete("/v1/me").status_code == 204
    for caller in (alice, token):
        answer = caller.get("/v1/games")
        assert answer.status_code == 401
    assert site.stranger.get(f"/v1/people/{person}").status_code == 404
    seat = bob.sees(game_id)["seats"][0]
    assert (seat["name"], seat["played_by_bot"], seat["resigned"]) == (FORMER, True, True)
    said = bob.get(f"/v1/games/{game_id}/messages").json
    assert said is not None
    assert {(item["name"], item["text"]) for item in said["items"]} == {(FORMER, "(deleted)")}
    with site.app.app_context():
        gone = db.session.get_one(Person, person)
        assert (gone.email, gone.name, gone.mail) == (None, FORMER, {})
        for kind, mine in (
            (Event, Event.person_id == person),
            (KeptAnswer, KeptAnswer.person_id == person),
            (Letter, Letter.to == ALICE),
            (SignIn, SignIn.email == ALICE),
            (Message, (Message.person_id == person) & (Message.text != "(deleted)")),
            (Seat, (Seat.person_id == person) & (Seat.note != "")),
        ):
            assert db.session.scalars(select(kind).where(mine)).all() == [], kind
    finished = played_on(site, game_id, bob)
    record = site.stranger.get(f"/v1/games/{game_id}/record").text
    assert "Alice" not in record
    assert "Alice" not in json.dumps(finished)


def test_the_name_of_a_deleted_account_is_removed_everywhere(any_site: Site) -> None:
    """Zaphira played with Bob, invited people, was mailed about and told to webhooks."""
    site = any_site
    zaphira, bob = site.people("Zaphira", "Bob")
    zaphira.patch("/v1/me", {"name": "Zaphira I"}, headers={"If-Match": "*"})
    bob.post("/v1/webhooks", {"url": "https://8.8.8.8/"})
    over = site.game_of(zaphira, bob, title="Zaphira I & friends")
    zaphira.patch("/v1/me", {"name": "Zaphira"}, headers={"If-Match": "*"})
    for player in (zaphira, bob):
        player.put(f"/v1/games/{over}/end-offer")
    zaphira.post(f"/v1/games/{over}/rematch")
    site.game_of(bob, zaphira, title="Zaphirasaurus")
    zaphira.post(f"/v1/games/{over}/messages", {"text": "hello @Bob"})
    table = zaphira.opens(seats=3)["id"]
    bob.joins(table)
    for email in ("friend@example.org", "bob@example.org"):
        zaphira.post(f"/v1/games/{table}/invitations", {"email": email})
    with site.app.app_context():
        write_deliveries(site.clock(), 100)
    mail_arrives(site)
    waiting = zaphira.opens(seats=3)["id"]
    zaphira.post(f"/v1/games/{waiting}/invitations", {"email": "late@example.org"})
    assert bob.get("/v1/events").text.count("Zaphira") > 2
    assert "Zaphira" in str([letter.text for letter in site.letters("bob@example.org")])
    assert zaphira.delete("/v1/me").status_code == 204
    mail_arrives(site)
    found = [
        (table.name, row)
        for table, rows in everything(site)
        for row in rows
        if re.search(r"Zaphira\b", str(row), re.IGNORECASE)
    ]
    assert found == []
    assert "Zaphirasaurus" in bob.get("/v1/games").text, "which is another word"
    assert site.letters("late@example.org")[0].sent_at is None


def everything(site: Site) -> list[tuple[Table, list[tuple[object, ...]]]]:
    """All rows of all tables."""
    with site.app.app_context():
        return [
            (table, [tuple(row) for row in db.session.execute(select(table))])
            for table in Base.metadata.sorted_tables
        ]


def test_another_player_of_the_same_name_keeps_it(site: Site) -> None:
    one, other, bob = (
        site.person(name, email)
        for name, email in (("Kim", "k1@example.org"), ("Kim", "k2@example.org"), ("Bob", None))
    )
    table = bob.opens(seats=4)["id"]
    one.joins(table)
    other.joins(table)
    one.delete("/v1/me")
    events = bob.get("/v1/events").json
    assert events is not None
    joined = [event["data"] for event in events["items"] if event["type"] == "table.joined"]
    assert joined == [{"seat": 1, "name": FORMER}, {"seat": 2, "name": "Kim"}]


def played_on(site: Site, game_id: str, last: Caller) -> Json:
    """The last person plays on against bots, to the end."""
    assert last.sees(game_id)["outcome"]["reason"] == "resigned"
    assert last.post(f"/v1/games/{game_id}/play-on").status_code == 204
    return site.play_to_the_end(game_id, last)


def test_a_deleted_address_can_sign_up_again(site: Site) -> None:
    alice, _, _ = lived(site)
    before = alice.id()
    alice.delete("/v1/me")
    again = site.person("Alice")
    assert again.id() != before
    games = again.get("/v1/games").json
    assert games is not None
    assert games["items"] == []


def test_notes_of_finished_games_go_with_the_account_too(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    alice.put(f"/v1/games/{game_id}/note", {"text": "for my eyes"})
    for player in (alice, bob):
        player.put(f"/v1/games/{game_id}/end-offer")
    alice.delete("/v1/me")
    with site.app.app_context():
        assert {seat.note for seat in db.session.scalars(select(Seat))} == {""}


def test_an_open_table_is_handed_on_or_cancelled(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    shared = alice.opens(seats=3)["id"]
    bob.joins(shared)
    alone = alice.opens(seats=3)["id"]
    alice.delete("/v1/me")
    table = bob.sees(shared)
    assert (table["status"], table["host"]) == ("open", bob.id())
    assert table["seats"][0]["kind"] == "free"
    assert bob.sees(alone)["status"] == "cancelled"


def test_a_deletion_ends_the_game_if_all_others_offered_it(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    bob.put(f"/v1/games/{game_id}/end-offer")
    alice.delete("/v1/me")
    assert bob.sees(game_id)["status"] == "finished"


def test_the_bots_of_a_deleted_account_leave_with_it(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    bot = alice.post("/v1/bots", {"name": "Furnace"}).json
    assert bot is not None
    wanted = {"name": "t", "scopes": ["games:read", "games:play", "tables:seek"]}
    token = alice.post(f"/v1/bots/{bot['id']}/tokens", wanted).json
    assert token is not None
    program = Caller(site.client, token["secret"])
    game_id = site.game_of(bob, program)
    alice.delete("/v1/me")
    assert program.get("/v1/games").status_code == 401
    assert bob.sees(game_id)["seats"][1]["played_by_bot"]
    played_on(site, game_id, bob)


def test_a_players_page_shows_games_results_and_how_reliably_they_answer(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    path = f"/v1/people/{alice.id()}"
    fresh = site.stranger.get(path).json
    assert fresh is not None
    assert (fresh["running"], fresh["on_time"]) == (0, None)
    assert fresh["finished"] == {"games": 0, "wins": 0}
    over = site.game_of(alice, bob)
    for player in (alice, bob):
        assert player.plays(over).status_code == 200
    for player in (alice, bob):
        player.put(f"/v1/games/{over}/end-offer")
    finished = alice.sees(over)
    running = site.game_of(alice, bob)
    hidden = alice.opens(seats=2, visibility="invitation")["id"]
    shown = site.stranger.get(path).json
    assert shown is not None
    assert (shown["name"], shown["kind"], shown["running"]) == ("Alice", "person", 1)
    wins = int(0 in finished["outcome"]["winners"])
    assert shown["finished"] == {"games": 1, "wins": wins}
    assert shown["on_time"] == 1.0
    games = site.stranger.get(f"{path}/games").json
    assert games is not None
    assert {game["id"] for game in games["items"]} == {over, running}
    assert hidden not in json.dumps(games)
    assert "@" not in json.dumps([shown, games])


def test_answers_that_came_too_late_count_against_being_on_time(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob, clock={"kind": "flat", "hours": 24})
    alice.plays(game_id)
    late = bob.sees(game_id)["decision"]["id"]
    site.clock.advance(hours=25)
    with site.app.app_context():
        transact(lambda: answer_automatically(game_id, late, site.clock()))
    for player in (alice, bob):
        player.put(f"/v1/games/{game_id}/end-offer")
    on_time = {}
    for player in (alice, bob):
        shown = site.stranger.get(f"/v1/people/{player.id()}").json
        assert shown is not None
        on_time[player.name] = shown["on_time"]
    assert on_time == {"Alice": 1.0, "Bob": 0.0}
