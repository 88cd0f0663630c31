"""A move, the sweep and a mail reply race at the deadline: one of them wins."""

import random
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from service.core.time_control import GRACE
from service.db.models import Decision, Event, Letter, Move, Person
from service.db.session import db, transact
from service.mail.inbound.command_types import Play
from service.mail.inbound.handlers import carry_out
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Writer
from tests.support.autoplay import answer_automatically
from tests.support.site import Caller, Site
from tests.support.together import at_once

RACES = 200
MOMENT = 0.004  # seconds; the ways are of different length
LOST = "decision_closed", "game_over", "not_your_decision"


class Race:
    """One decision of a person, the last moment of its time, and three ways to answer it."""

    def __init__(self, site: Site, caller: Caller, game: dict[str, Any]) -> None:
        self.site, self.game_id, self.decision = site, game["id"], game["decision"]
        assert caller.token is not None
        self.person = Person(id=caller.id(), name=caller.name, language="en", time_zone="UTC")
        self.program = Caller(site.app.test_client(), caller.token, caller.name)

    def move(self) -> str:
        answered = {"decision": self.decision["id"], "move": self.decision["moves"][0]["move"]}
        response = self.program.post(f"/v1/games/{self.game_id}/moves", answered)
        return "won" if response.status_code == 200 else str((response.json or {})["code"])

    def time_out(self) -> str:
        with self.site.app.app_context():
            played = transact(
                lambda: answer_automatically(self.game_id, self.decision["id"], self.site.clock())
            )
        return "won" if played is not None else "decision_closed"

    def mail(self) -> str:
        """As a reply that is processed just now; it came after the time, so nobody waits for it."""
        letter = Letter(game_id=self.game_id, decision=self.decision["id"], facts={})
        present = self.site.clock()
        writer = Writer(self.person, letter, present, present, own_address=True)
        command = Play(((self.decision["moves"][-1]["text"],),))
        with self.site.app.app_context():
            try:
                refused = transact(lambda: carry_out(writer, command)).stopped
            except NotDone as not_done:
                refused = not_done
        if refused is None:
            return "won"
        return "decision_closed" if refused.code.startswith("closed_by") else refused.code


@pytest.mark.long
def test_a_move_a_time_out_and_a_reply_race_at_the_deadline(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    # Flat and in the open: who answers second finds the decision closed, there is no second pick.
    table = {"options": {"variant": "tactical"}, "clock": {"kind": "flat", "hours": 1}}
    winners = [0, 0, 0]
    generator = random.Random(4)
    game_id = any_site.game_of(alice, bob, **table)
    while sum(winners) < RACES:
        game = alice.sees(game_id)
        if game["status"] != "running":
            _was_whole(any_site, game_id)
            game_id = any_site.game_of(alice, bob, **table)
            continue
        if game["decision"] is None:
            bob.plays(game_id)
            continue
        race = Race(any_site, alice, game)
        any_site.clock.at += timedelta(hours=1) + GRACE
        head_starts = [generator.random() * MOMENT for _ in winners]
        said = at_once([race.move, race.time_out, race.mail], head_starts)
        assert said.count("won") == 1, said
        assert all(word == "won" or word in LOST for word in said), said
        winners[said.index("won")] += 1
        _takes_part(alice, game_id)
    _was_whole(any_site, game_id)
    assert min(winners) > 0, winners  # or it was no race


def _takes_part(caller: Caller, game_id: str) -> None:
    """Answer in time, so that no bot keeps the seat after three times."""
    game = caller.sees(game_id)
    if game["status"] == "running" and game["decision"] is not None:
        assert caller.plays(game_id).status_code == 200


def _was_whole(site: Site, game_id: str) -> None:
    """Every decision was closed by exactly one line of the log, and told of once."""
    with site.app.app_context():
        lines = db.session.execute(
            select(func.count(), func.count(Move.decision.distinct()), func.max(Move.n)).where(
                Move.game_id == game_id
            )
        ).one()
        assert lines[0] == lines[1] == lines[2]
        answered = db.session.execute(
            select(func.count())
            .select_from(Decision)
            .outerjoin(Move, (Move.game_id == Decision.game_id) & (Move.decision == Decision.id))
            .where(Decision.game_id == game_id, Decision.closed_at.is_not(None), Move.n.is_(None))
        ).scalar_one()
        assert answered == 0
        told = db.session.scalars(
            select(Event.data).where(Event.game_id == game_id, Event.type == "decision.opened")
        ).all()
        decisions = [data["decision"] for data in told]
        assert len(decisions) == len(set(decisions))
