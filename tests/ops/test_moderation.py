"""What an operator does about people, games and messages, by commands as they are typed."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from service.db.models import Decision, Letter, LetterState, Person
from service.db.session import db
from service.mail.inbound.processor import process_some
from service.notify.channels.deliveries import due_deliveries, write_deliveries
from tests.support.browser import Browser, somewhere
from tests.support.commands import Said, set_environment
from tests.support.incoming import arrives, mail, our_address
from tests.support.post import arrived, mail_arrives
from tests.support.rewinding import all_rows
from tests.support.site import FIRST_GAME, Caller, Site

ANNA = "anna@example.org"


@pytest.fixture
def run(
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Said:
    """Commands on the database and by the clock of the site."""
    set_environment(monkeypatch, site.settings.database_url, tmp_path)
    monkeypatch.setenv("LAGUNA_SECRET_KEY", site.settings.secret_key)
    monkeypatch.setattr("service.cli.moderation.now", site.clock)
    return Said(capsys)


def code_of(caller: Caller, path: str = "/v1/games") -> str:
    answer = caller.get(path).json
    assert answer is not None
    return str(answer.get("code", ""))


def test_people_are_found_by_a_part_of_what_is_known(site: Site, run: Said) -> None:
    anna = site.person("Anna")
    site.person("Ben")
    for text in ("nn", "ANNA@", "example.org", anna.id()):
        assert ANNA in run.well("person", "find", text)
    assert "ben@" not in run.well("person", "find", "ann")
    assert "No name, address or id" in run.well("person", "find", "100%")
    found = json.loads(run.well("person", "find", "anna", "--json"))
    assert [(one["email"], one["state"]) for one in found] == [(ANNA, "active")]


def test_an_account_is_shown_without_what_it_does_in_games(site: Site, run: Said) -> None:
    anna, ben = site.people("Anna", "Ben")
    site.game_of(anna, ben)
    shown = json.loads(run.well("person", "show", ANNA, "--json"))
    assert (shown["running_games"], shown["sessions"], shown["state"]) == (1, 1, "active")
    assert "running_games:" in run.well("person", "show", anna.id())
    assert "person find" in run.wrong("person", "show", "nobody@example.org")


def test_a_suspended_person_can_do_nothing_and_is_mailed_nothing(site: Site, run: Said) -> None:
    anna, ben = site.people("Anna", "Ben")
    token = anna.token_with("games:read", "games:play")
    bot = anna.post("/v1/bots", {"name": "Robot"}).json
    assert bot is not None
    made = anna.post(f"/v1/bots/{bot['id']}/tokens", {"name": "t", "scopes": ["games:read"]}).json
    assert made is not None
    game = site.game_of(anna, ben)
    mail_arrives(site)
    letter = arrived(site, anna, "turn")[0]
    table = ben.opens(seats=3)["id"]
    anna.joins(table)
    calendar = anna.get("/v1/me/calendar").json
    assert calendar is not None
    with capture_logs() as logs:
        assert "Anna and their bot accounts are suspended" in run.well("person", "suspend", ANNA)
    lines = [line for line in logs if line["event"] == "operator_action"]
    assert [line["action"] for line in lines] == ["suspend"]
    for caller in (anna, token, Caller(site.client, made["secret"])):
        assert code_of(caller) == "suspended"
        assert code_of(caller, f"/v1/games/{game}") == "suspended"
    posted = anna.post(f"/v1/games/{game}/messages", {"text": "hello"})
    assert posted.json["code"] == "suspended"  # type: ignore[index]
    seat = ben.sees(game)["seats"][0]
    assert (seat["played_by_bot"], seat["resigned"]) == (True, False)
    assert [one["name"] for one in ben.sees(table)["seats"] if one["name"]] == ["Ben"]
    path = str(calendar["url"]).removeprefix("http://localhost:8000")
    assert somewhere(site).get(path).status_code == 404
    with site.app.app_context():
        open_ones = select(Decision.person_id).where(
            Decision.game_id == game, Decision.seat == 0, Decision.closed_at.is_(None)
        )
        assert set(db.session.scalars(open_ones)) <= {None}, "for a bot to answer"
    assert site.let_bots_play() > 0
    assert letter.sent_at is not None
    to = our_address(site, letter.id, at=letter.sent_at)
    before = ben.get(f"/v1/games/{game}/messages").json
    arrives(site, mail(to, "say hello"), to)
    with site.app.app_context():
        assert process_some(site.clock(), 10)
    assert ben.get(f"/v1/games/{game}/messages").json == before
    site.clock.advance(hours=1)
    mail_arrives(site)
    with site.app.app_context():
        later = select(Letter).where(
            Letter.to == ANNA, Letter.state == LetterState.sent, Letter.sent_at > letter.sent_at
        )
        assert db.session.scalars(later).all() == []


def test_webhooks_of_a_suspended_person_wait(site: Site, run: Said) -> None:
    anna, ben = site.people("Anna", "Ben")
    made = anna.post("/v1/webhooks", {"url": "https://hooks.example/anna"})
    assert made.status_code == 201, made.json
    site.game_of(anna, ben)

    def due() -> int:
        with site.app.app_context():
            write_deliveries(site.clock(), 10)
            return len(due_deliveries(site.clock(), 10, 10))

    before = due()
    assert before > 0
    run.well("person", "suspend", ANNA)
    assert due() == 0
    site.game_of(ben, bots=1)
    assert due() == 0
    run.well("person", "unsuspend", ANNA)
    assert due() >= before


def test_a_suspended_person_is_told_so_when_signing_in(site: Site, run: Said) -> None:
    site.person("Anna")
    run.well("person", "suspend", ANNA)
    browser = Browser(site)
    page = browser.send(browser.open("/sign-in"), "/sign-in", email=ANNA)
    page = browser.send(page, "/sign-in/code", code=browser.code_for(ANNA))
    assert page.status == 403
    assert "Account suspended" in page.text
    run.well("person", "unsuspend", ANNA)
    site.clock.advance(seconds=1)
    page = browser.send(browser.open("/sign-in"), "/sign-in", email=ANNA)
    assert browser.send(page, "/sign-in/code", code=browser.code_for(ANNA)).status == 200


def test_a_person_who_is_let_in_again_takes_the_seat_back(site: Site, run: Said) -> None:
    anna, ben = site.people("Anna", "Ben")
    game = site.game_of(anna, ben)
    for _ in range(2):
        run.well("person", "suspend", ANNA)
    run.well("person", "unsuspend", ANNA)
    assert anna.post(f"/v1/games/{game}/return").status_code < 300
    assert ben.sees(game)["seats"][0]["played_by_bot"] is False


def test_all_sessions_of_a_person_end_and_tokens_if_wanted(site: Site, run: Said) -> None:
    anna = site.person("Anna")
    token = anna.token_with("games:read")
    assert "1 session ended" in run.well("person", "sign-out", ANNA)
    assert (code_of(anna), code_of(token)) == ("revoked_token", "")
    assert "1 credential ended" in run.well("person", "sign-out", ANNA, "--tokens")
    assert code_of(token) == "revoked_token"


def test_an_account_is_deleted_only_if_it_is_meant(site: Site, run: Said) -> None:
    anna = site.person("Anna")
    before = all_rows(site)
    assert "Add --yes" in run.wrong("person", "delete", ANNA)
    assert all_rows(site) == before
    assert "is deleted" in run.well("person", "delete", ANNA, "--yes")
    assert code_of(anna) == "invalid_token"
    assert "There is no person" in run.wrong("person", "delete", ANNA, "--yes")


def test_a_table_or_a_game_is_cancelled_only_if_it_is_meant(site: Site, run: Said) -> None:
    anna, ben = site.people("Anna", "Ben")
    table, game = anna.opens(seats=3)["id"], site.game_of(anna, ben)
    shown = json.loads(run.well("game", "show", game, "--json"))
    assert shown["status"] == "running"
    assert [seat["name"] for seat in shown["seats"]] == ["Anna", "Ben"]
    assert not {"seed", "state"} & set(shown)
    assert "seats:" in run.well("game", "show", game)
    before = all_rows(site)
    for one in (table, game):
        assert "Add --yes" in run.wrong("game", "cancel", one)
    assert all_rows(site) == before
    assert "cancelled" in run.well("game", "cancel", table, "--yes")
    assert anna.sees(table)["status"] == "cancelled"
    assert "abandoned" in run.well("game", "cancel", game, "--yes")
    ended = anna.sees(game)
    assert (ended["status"], ended["outcome"]["reason"]) == ("finished", "abandoned")
    assert ended["outcome"]["winners"] == []
    mail_arrives(site)
    assert arrived(site, ben, "finished")
    assert "already" in run.wrong("game", "cancel", game, "--yes")
    assert "There is no game" in run.wrong("game", "show", "nothing")


def test_a_message_is_deleted_with_the_mail_that_quotes_it(site: Site, run: Said) -> None:
    anna, ben = site.people("Anna", "Ben")
    game = site.game_of(anna, ben)
    anna.post(f"/v1/games/{game}/messages", {"text": "@Ben you fool"})
    mail_arrives(site)
    assert "fool" in str([letter.text for letter in arrived(site, ben, "mention")])
    assert "Add --yes" in run.wrong("message", "delete", game, "1")
    assert anna.id() in run.well("message", "delete", game, "1", "--yes")
    assert "fool" not in ben.get(f"/v1/games/{game}/messages").text
    assert "fool" not in str([(one.text, one.html) for one in arrived(site, ben, "mention")])
    assert "no message 2" in run.wrong("message", "delete", game, "2", "--yes")


def test_a_bot_account_is_suspended_by_itself(site: Site, run: Said) -> None:
    anna = site.person("Anna")
    bot = anna.post("/v1/bots", {"name": "Robot"}).json
    assert bot is not None
    run.well("person", "suspend", bot["id"])
    with site.app.app_context():
        suspended = select(Person.name).where(Person.suspended_at.is_not(None))
        assert db.session.scalars(suspended).all() == ["Robot"]
    assert anna.post("/v1/games", {"game": FIRST_GAME, "seats": 2}).status_code == 201
