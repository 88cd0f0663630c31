"""Opening a table: the one use case behind API and page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from service.access.credentials import Caller
from service.access.games import access_decided_game
from service.core.errors import Problem
from service.db.models import Status
from service.games.invitations import invite
from service.games.tables import TableSpec, open_table


@dataclass(frozen=True)
class CreatedTable:
    """A table that was opened; with bots on all other seats its game is running."""

    game_id: str
    running: bool


def create_table(
    host: Caller, spec: TableSpec, invitees: Sequence[str], at: datetime
) -> CreatedTable:
    """Open a table, take its first seat and invite these addresses, each of them once."""
    if invitees and spec.bots == spec.seats - 1:
        detail = "All seats are taken by bots; there is none for the people you invite."
        raise Problem("bad_setup", detail, errors=[{"pointer": "/invite", "detail": detail}])
    game_id = open_table(host, spec, at)
    row = access_decided_game(game_id)
    for address in dict.fromkeys(address.lower() for address in invitees):
        invite(host, row, address, at)
    return CreatedTable(game_id, row.status == Status.running)
