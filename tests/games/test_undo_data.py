"""Moves that were taken back, as data: exported, kept, repaired, and shown to each reader."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from engine.languages import LANGUAGES
from service.accounts.traces import FORMER
from service.db.models import Move, UndoneMove
from service.db.session import db, transact
from service.games.repair import repair
from service.ops.retention import purge
from tests.games.test_undo import Turn
from tests.support.post import leaves
from tests.support.site import Site


@pytest.fixture
def turn(any_site: Site) -> Turn:
    """A turn of which one step was taken back."""
    turn = Turn(any_site)
    turn.sails()
    turn.undoes()
    return turn


def kept(turn: Turn) -> int:
    with turn.site.app.app_context():
        return db.session.execute(select(func.count()).select_from(UndoneMove)).scalar_one()


def test_the_export_has_the_own_moves_that_were_taken_back(turn: Turn) -> None:
    held = json.loads(turn.player.get("/v1/me/export").data)
    [line] = held["moves_taken_back"]
    assert line["game_id"] == turn.game_id
    assert line["move"] == turn.log()["undone"][0]["move"]
    assert not {"events", "withdrawn"} & line.keys()
    assert held["moves"] == []
    assert json.loads(turn.other.get("/v1/me/export").data)["moves_taken_back"] == []


def test_after_the_account_is_deleted_they_name_nobody(turn: Turn) -> None:
    name = turn.player.name
    assert name in turn.log(turn.other)["undone"][0]["summary"]
    leaves(turn.site, turn.player)
    [line] = turn.log(turn.other)["undone"]
    assert FORMER in line["summary"]
    assert name not in json.dumps(line)


def test_they_are_kept_as_long_as_the_log(turn: Turn) -> None:
    for player in (turn.player, turn.other):
        assert player.put(f"{turn.path}/end-offer").status_code == 200
    with turn.site.app.app_context():
        purge(turn.site.clock() + timedelta(days=4000))
    assert kept(turn) == 1


def test_a_repair_keeps_them(turn: Turn) -> None:
    turn.sails()
    before = turn.log()
    wrong = update(Move).values(scores=[7, 7])
    with turn.site.app.app_context():
        transact(lambda: db.session.execute(wrong))
        assert repair(turn.game_id, turn.site.clock())
    turn.is_sound()
    assert turn.log() == before
    turn.undoes()
    assert kept(turn) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_log_says_in_every_language_what_was_taken_back(turn: Turn, language: str) -> None:
    beginning = {"en": "Taken back: ", "de": "Zurückgenommen: ", "es": "Deshecho: "}[language]
    log = turn.other.get(f"{turn.path}/log?language={language}").json
    assert log is not None
    [line] = log["undone"]
    assert line["summary"] == beginning + " ".join(line["sentences"])
    assert turn.player.name in line["summary"]


def test_of_a_secret_move_the_log_says_only_that_it_was_taken_back(turn: Turn) -> None:
    """No game type has such a move so far: its events are seen by its player alone."""
    with turn.site.app.app_context():
        [line] = db.session.scalars(select(UndoneMove)).all()
        secret = [event | {"seen_by": [turn.seat]} for event in line.events]
        transact(lambda: db.session.execute(update(UndoneMove).values(events=secret)))
    [shown] = turn.log(turn.other)["undone"]
    assert shown["sentences"] == []
    assert shown["summary"] == f"{turn.player.name} took back a move."
    assert turn.log()["undone"][0]["summary"].startswith("Taken back: ")
