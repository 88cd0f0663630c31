"""A game whose turns have several steps."""

from sqlalchemy import select, update

from engine import murano
from engine.murano.state import State
from service.db.models import Game
from service.db.session import db, transact
from tests.support.site import Site

KEY = murano.meta.key
A_TURN = ("sail A6 A7", "street", "lay SD-b2", "done")


def beginning(site: Site, game_id: str, gold: int | None = None) -> State:
    """The state before the first turn, with the given gold of the player to move."""
    with site.app.app_context():
        stored = str(db.session.scalar(select(Game.state).where(Game.id == game_id)))
        state = murano.load(stored)
        if gold is not None:
            players = list(state.players)
            players[state.mover] = players[state.mover]._replace(gold=gold)
            state = state._replace(players=tuple(players))
            changed = update(Game).where(Game.id == game_id).values(state=murano.dump(state))
            transact(lambda: db.session.execute(changed))
    return state
