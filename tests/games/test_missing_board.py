"""A game whose board file is gone says so; everything else goes on."""

import json
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from engine import murano
from engine.murano.board import own_boards, read_board
from engine.options import complete_options
from service.games.audit import audit_game
from service.games.deadlines import attempt_each, overdue
from service.mail.inbound.unread import has_unread_reply
from tests.support.browser import Browser
from tests.support.post import mail_arrives
from tests.support.site import Caller, Site

*OLDER, DEFAULT = own_boards()

FLAT = {"kind": "flat", "hours": 24}


@pytest.fixture
def lost(site: Site, anna: Caller, ben: Caller) -> Iterator[str]:
    """A game on a board that the server no longer has."""
    murano.use_boards([read_board(json.dumps(DEFAULT.figures | {"sale_gold": [0, 4, 12, 20]}))])
    try:
        game_id = site.game_of(anna, ben, game="murano", clock=FLAT)
    finally:
        murano.use_boards([])
    yield game_id
    murano.use_boards([])


def page(site: Site, person: Caller, path: str) -> tuple[int, str]:
    browser = Browser(site)
    assert person.token is not None
    browser.client.set_cookie(site.settings.session_cookie, person.token)
    shown = browser.open(path)
    return shown.status, shown.text


@pytest.mark.parametrize("path", ["", "/board.svg", "/record"])
def test_the_api_refuses_with_board_missing(anna: Caller, lost: str, path: str) -> None:
    answer = anna.get(f"/v1/games/{lost}{path}")
    assert answer.json is not None
    assert (answer.status_code, answer.json["code"]) == (503, "board_missing")
    assert "Nothing is lost" in answer.json["detail"]


def test_a_move_is_refused_with_the_same_code(anna: Caller, ben: Caller, lost: str) -> None:
    for player in (anna, ben):
        answer = player.post(
            f"/v1/games/{lost}/moves", {"decision": "t1.1.sail.s0", "text": "sail A2 A3"}
        )
        assert answer.json is not None
        assert (answer.status_code, answer.json["code"]) == (503, "board_missing")


def test_pages_show_it_and_other_games_continue(
    site: Site, anna: Caller, ben: Caller, lost: str
) -> None:
    other = site.game_of(anna, ben, title="Another one")
    status, text = page(site, anna, f"/games/{lost}")
    assert status == 503
    assert "The board of this game is not installed" in text
    assert page(site, anna, f"/games/{lost}/replay")[0] == 503
    assert page(site, anna, f"/games/{other}")[0] == 200
    status, text = page(site, anna, "/")
    assert status == 200
    assert "Another one" in text


def test_mails_about_other_games_are_sent(site: Site, anna: Caller, ben: Caller, lost: str) -> None:
    other = site.game_of(anna, ben, clock=FLAT, title="Another one")
    with capture_logs() as logs:
        mail_arrives(site)
    sent = [one for one in site.letters() if one.state == "sent" and one.kind == "turn"]
    assert {one.game_id for one in sent} == {other}
    told = [entry for entry in logs if entry["event"] == "letter_not_written"]
    assert told
    assert all(entry["reason"] == "board_missing" for entry in told)
    assert not any("exc_info" in entry for entry in logs)


def test_worker_and_audit_skip_it_with_one_line(
    site: Site, anna: Caller, ben: Caller, lost: str
) -> None:
    other = site.game_of(anna, ben, clock=FLAT)
    site.clock.advance(hours=30)
    with site.app.app_context(), capture_logs() as logs:
        attempts = list(attempt_each(overdue(site.clock(), 10), has_unread_reply))
        assert audit_game(lost, site.clock()).unknown is not None
        assert audit_game(other, site.clock()).clean
    assert {one.waiting.game_id for one in attempts if not isinstance(one.came, Exception)} == {
        other
    }
    about = [entry["event"] for entry in logs if entry.get("game") == lost]
    assert about == ["not_answered", "game_not_audited"]


def test_no_new_game_begins_on_an_older_version_of_the_board(site: Site, anna: Caller) -> None:
    wanted = {"game": "murano", "seats": 2, "options": {"board": OLDER[0].key}}
    answer = anna.post("/v1/games", wanted)
    assert answer.json is not None
    assert (answer.status_code, answer.json["code"]) == (422, "bad_setup")


def test_a_rematch_of_a_game_on_an_older_version_is_played_on_the_newest(
    site: Site, anna: Caller, ben: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.games.table_creation.new_options", complete_options)
    old = site.game_of(anna, ben, game="murano", options={"board": OLDER[0].key})
    monkeypatch.undo()
    assert anna.sees(old)["position"]["board"] == OLDER[0].key
    for player in (anna, ben):
        assert player.put(f"/v1/games/{old}/end-offer").status_code == 200
    again = anna.post(f"/v1/games/{old}/rematch").json
    assert again is not None
    assert again["options"] == {"board": DEFAULT.key}
