"""One ranking, by the engine: page, replay, mail, API, profile and agreed end read the same."""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import select

from engine.contract import Json
from engine.options import complete_options
from engine.registry import game_type_by_key
from service.access.credentials import Key
from service.access.games import access_seat
from service.core.ids import digest
from service.db.migrations import downgrade, upgrade
from service.db.models import Game
from service.db.session import db, table, transact
from service.games.audit import audit_game
from service.games.moves import answer
from tests.support.browser import Browser
from tests.support.post import mail_arrives
from tests.support.site import Caller, Site

REPLAYS = Path(__file__).parents[1] / "engine" / "murano" / "golden" / "replays"
GOLD_BREAKS_THE_TIE = REPLAYS / "end-by-a-street-and-gold-breaks-the-tie.jsonl"


def replayed(
    site: Site,
    players: list[Caller],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    last: int | None = None,
) -> str:
    """The game of a record, played by these people from its seed; its id."""
    header, *lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    seed = bytes.fromhex(header["seed"])
    monkeypatch.setattr("service.games.tables.secrets", SimpleNamespace(token_bytes=lambda _: seed))
    # The record was made on a version of the board that new games no longer have.
    monkeypatch.setattr("service.games.table_creation.new_options", complete_options)
    game_id = site.game_of(*players, game=header["game"], options=header["options"])
    with site.app.app_context():
        for line in lines[:last]:
            if line.get("via") == "player":
                transact(partial(_play, game_id, players[line["seat"]], line, site))
    return game_id


def _play(game_id: str, player: Caller, line: Json, site: Site) -> None:
    access = access_seat(Key(digest(player.token or "")), "games:play", game_id)
    answer(access, line["decision"], [line["move"]], site.clock())


def events_of(player: Caller) -> list[Json]:
    """The whole log of events of a player."""
    found: list[Json] = []
    while True:
        after = found[-1]["number"] if found else 0
        page: Json = player.get(f"/v1/events?after={after}&limit=200").json  # type: ignore[assignment]
        if not page["items"]:
            return found
        found += page["items"]


def page_of(site: Site, person: Caller, path: str) -> str:
    browser = Browser(site)
    assert person.token is not None
    browser.client.set_cookie(site.settings.session_cookie, person.token)
    return browser.open(path).text


def test_a_tie_broken_by_gold_reads_the_same_everywhere(
    site: Site, anna: Caller, ben: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = replayed(site, [anna, ben], GOLD_BREAKS_THE_TIE, monkeypatch)
    mail_arrives(site)

    outcome = {"scores": [10, 10], "winners": [0], "ranking": [1, 2], "reason": "tiles"}
    assert anna.sees(game_id)["outcome"] == outcome
    assert anna.get(f"/v1/games/{game_id}/statistics").json["outcome"] == outcome  # type: ignore[index]
    listed = anna.get(f"/v1/people/{anna.id()}/games").json["items"]  # type: ignore[index]
    assert [game["outcome"] for game in listed] == [outcome]
    ended = [event["data"] for event in events_of(anna) if event["type"] == "game.finished"]
    assert ended == [{"outcome": outcome}]
    for player, wins in ((anna, 1), (ben, 0)):
        profile: Json = site.stranger.get(f"/v1/people/{player.id()}").json  # type: ignore[assignment]
        assert profile["finished"] == {"games": 1, "wins": wins}

    assert "Anna won" in page_of(site, ben, f"/games/{game_id}")
    assert "1. Anna won 10 2. Ben (you) 10" in page_of(site, ben, f"/games/{game_id}/replay")
    for player, places in (
        (anna, ["1. Anna (you) 10", "2. Ben 10"]),
        (ben, ["1. Anna 10", "2. Ben (you) 10"]),
    ):
        address = f"{player.name.lower()}@example.org"
        [letter] = [one for one in site.letters(address) if one.kind == "finished"]
        table = [line for line in str(letter.text).splitlines() if line[:2] in ("1.", "2.")]
        assert [line.partition(":")[0] for line in table] == places


def test_an_agreed_end_is_ranked_by_the_game(
    site: Site, anna: Caller, ben: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have as many points after the first move as before it, and differ in gold."""
    game_id = replayed(site, [anna, ben], GOLD_BREAKS_THE_TIE, monkeypatch, last=2)
    gold = [player["gold"] for player in anna.sees(game_id)["position"]["players"]]
    assert gold[0] != gold[1]
    for player in (anna, ben):
        assert player.put(f"/v1/games/{game_id}/end-offer").status_code == 200
    richer = gold.index(max(gold))
    outcome = anna.sees(game_id)["outcome"]
    assert outcome["scores"][0] == outcome["scores"][1]
    assert outcome["winners"] == [richer]
    assert outcome["ranking"] == [2 - (seat == richer) for seat in (0, 1)]
    mail_arrives(site)
    [letter] = [one for one in site.letters("anna@example.org") if one.kind == "finished"]
    assert ("You won" in str(letter.text)) == (richer == 0)


def test_the_audit_follows_the_same_ranking(
    site: Site, anna: Caller, ben: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for last in (None, 2):
        game_id = replayed(site, [anna, ben], GOLD_BREAKS_THE_TIE, monkeypatch, last=last)
        if last is not None:
            for player in (anna, ben):
                assert player.put(f"/v1/games/{game_id}/end-offer").status_code == 200
        with site.app.app_context():
            assert not audit_game(game_id, site.clock()).differences


def test_the_stored_ranking_is_that_of_the_engine(
    site: Site, anna: Caller, ben: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = replayed(site, [anna, ben], GOLD_BREAKS_THE_TIE, monkeypatch)
    with site.app.app_context():
        row = db.session.get_one(Game, game_id)
        game = game_type_by_key(row.game, row.rules)
        assert row.state is not None
        assert row.outcome is not None
        assert row.outcome["ranking"] == list(game.ranking(game.load(row.state)))


def test_outcomes_of_the_first_release_get_their_ranking(
    site: Site, anna: Caller, ben: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = replayed(site, [anna, ben], GOLD_BREAKS_THE_TIE, monkeypatch)
    agreed = replayed(site, [anna, ben], GOLD_BREAKS_THE_TIE, monkeypatch, last=2)
    for player in (anna, ben):
        assert player.put(f"/v1/games/{agreed}/end-offer").status_code == 200
    before = [anna.sees(game_id)["outcome"] for game_id in (over, agreed)]
    with site.app.app_context(), db.engine.begin() as connection:
        downgrade(connection, "0001")
        game = table(Game)
        told = connection.execute(select(game.c.id, game.c.outcome)).all()
        assert {tuple(sorted(row.outcome)) for row in told} == {("reason", "scores", "winners")}
        assert {row.id: row.outcome["winners"] for row in told} == {over: [0], agreed: [0, 1]}
        upgrade(connection)
    assert [anna.sees(game_id)["outcome"] for game_id in (over, agreed)] == before
