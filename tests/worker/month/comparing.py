"""What each person was told, when and how often, against what the rules say."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from service.accounts.public_profile import on_time
from service.accounts.traces import NO_TEXT
from service.db.models import Person
from service.db.session import db
from tests.worker.month.agenda import after_outages, instant, moment
from tests.worker.month.cast import Player
from tests.worker.month.expecting import Asked, Expected, Moved, Place
from tests.worker.month.posting import Letter, Posting
from tests.worker.month.reckoning import control_of
from tests.worker.month.simulation import Simulation

_MOVES = """
SELECT move.game_id, n, move.seat, decision, coalesce(decision.via, move.via), at
FROM move LEFT JOIN decision
  ON decision.game_id = move.game_id AND decision.id = move.decision
"""
_LETTERS = "SELECT number, kind, state, sent_at, text FROM letter WHERE person_id = ?"


class Reckoned(NamedTuple):
    """What one person should have been told, and in which way they were not."""

    player: Player
    expected: Expected
    letters: list[Letter]
    complaints: list[str]


def reckoned(simulation: Simulation, mail_delay: timedelta) -> list[Reckoned]:
    """Everybody who is still there at the end."""
    moves = {
        (game, n): Moved(seat, decision, via, instant(at))
        for game, n, seat, decision, via, at in simulation.peek.rows(_MOVES)
    }
    there = [player for player in simulation.cast.players.values() if player.gone is None]
    return [_reckoned(simulation, player, moves, mail_delay) for player in there]


def _reckoned(
    simulation: Simulation,
    player: Player,
    moves: dict[tuple[str, int], Moved],
    mail_delay: timedelta,
) -> Reckoned:
    expected = Expected(
        who=player.who,
        places=_places(simulation, player),
        moves=moves,
        worked=partial(after_outages, simulation.outages),
    )
    expected.follow(player.log)
    hosted = simulation.peek.rows("SELECT id FROM game WHERE host_id = ?", player.id)
    tables = {game_id for (game_id,) in hosted}
    posting = Posting(expected, tables, simulation.cast.mentioned, mail_delay)
    letters = list(posting.all(player.log))
    complaints = [
        *expected.complaints,
        *_wrong_letters(simulation, player, letters),
        *_wrong_standing(player, expected),
    ]
    return Reckoned(player, expected, letters, complaints)


def _places(simulation: Simulation, player: Player) -> dict[str, Place]:
    """The seats of a person, as the games began."""
    found = {}
    for game_id, seated in simulation.cast.games.items():
        if player.who in seated.table.players:
            control = control_of(seated.table.clock)
            number = seated.table.players.index(player.who)
            found[game_id] = Place(number, control, control.first_store())
    return found


def _wrong_letters(simulation: Simulation, player: Player, wanted: list[Letter]) -> Iterator[str]:
    """Letters that are missing, too many, sent at another instant, or say something else."""
    found: dict[tuple[int, str], list[Any]] = {}
    for number, kind, state, sent, text in simulation.peek.rows(_LETTERS, player.id):
        found.setdefault((number, kind), []).append((state, moment(sent), text))
    for letter in wanted:
        right = "skipped" if letter.sent is None else "sent", letter.sent
        same = found.pop((letter.number, letter.kind), [])
        if [one[:2] for one in same] != [right]:
            yield f"{player.who}: {letter} was {[one[:2] for one in same]}"
        for _, _, text in same:
            if text == NO_TEXT:
                continue  # it named a person who left for good
            for words in letter.says:
                if words not in (text or ""):
                    yield f"{player.who}: {letter} does not say '{words}'"
    for key, same in found.items():
        yield f"{player.who}: {key} {[one[:2] for one in same]} was one too many"


def _wrong_standing(player: Player, expected: Expected) -> Iterator[str]:
    """How reliable everybody may know them to be."""
    in_time = expected.in_time
    share = round(sum(in_time) / len(in_time), 4) if in_time else None
    told = on_time(db.session.get_one(Person, player.id))
    if told != share:
        yield f"{player.who.name} is on time {told}, not {share}"


def counted(found: list[Reckoned], outages: frozenset[datetime]) -> dict[str, int]:
    """How often what this month is to show was in it."""
    asked = [(one.player.who.zone, asked) for one in found for asked in one.expected.asked]
    return {
        "due moved by sleep": sum(one.slept for _, one in asked),
        "clock stood for an absence": sum(bool(one.stands) for _, one in asked),
        "clocks on the wall changed": sum(_changes(zone, one) for zone, one in asked),
        "answered too late": sum(one.expected.in_time.count(False) for one in found),
        "due while the worker was out": sum(one.closed in outages for _, one in asked),
        "kept by a bot": sum(len(one.expected.away_told) for one in found),
        "changed an automatic pick": sum(one.expected.changed_automatic_picks for one in found),
    }


def _changes(zone: str, asked: Asked) -> bool:
    """Whether clocks were put on or back while somebody had time to decide."""
    due, there = asked.due_when_told, ZoneInfo(zone)
    opened = asked.told.at.astimezone(there)
    return due is not None and due.astimezone(there).utcoffset() != opened.utcoffset()
