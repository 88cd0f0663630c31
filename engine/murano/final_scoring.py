"""Final scoring: characters, unused gondoliers, and the winner."""

from collections.abc import Sequence

from engine.contract import Event, Outcome
from engine.murano.assignment import Assignment, AssignmentInput, Scored, best_assignment
from engine.murano.characters import worth
from engine.murano.legal import bead_groups, islands
from engine.murano.moves import BEADS, Beads
from engine.murano.state import SAIL, Player, State, board_of, island_spaces
from engine.murano.tiles import facts
from engine.toolkit.ranking import first, places

TILES_GONE = "tiles"  # why the game ends


def final_scoring(state: State, events: list[Event]) -> State:
    """Score the characters of all seats, beginning with the seat that triggered the end; the game
    is over then."""
    assert state.trigger is not None
    events.append({"type": "scoring"})
    seats = len(state.players)
    players = list(state.players)
    for place in range(seats):
        seat = (state.trigger + place) % seats
        players[seat] = _scored(state, seat, events)
    bag = _bag_after(state, players)
    over = state._replace(players=tuple(players), bag=bag, reason=TILES_GONE, shown=(), phase=SAIL)
    ended = outcome(over)
    assert ended is not None
    events.append({"type": "end", "reason": TILES_GONE, "winners": list(ended.winners)})
    return over


def _scored(state: State, seat: int, events: list[Event]) -> Player:
    player = state.players[seat]
    found = assignment(state, seat)
    for scored in found.scored:
        events.append(_told(state, seat, scored))
        events.append(_points(seat, scored.points, "character"))
    unused = [one for one in player.characters if one not in {s.character for s in found.scored}]
    if unused:
        events.append({"type": "unused", "seat": seat, "characters": unused})
    idle = found.idle * board_of(state).figures["actions"]["unused_gondolier_vp"]
    if idle:
        events.append(_points(seat, idle, "gondolier"))
    given = [sum(scored.beads.get(colour, 0) for scored in found.scored) for colour in BEADS]
    red, blue, green = (have - gone for have, gone in zip(player.beads, given))
    return player._replace(
        vp=player.vp + found.points, gold=player.gold - found.gold, beads=(red, blue, green)
    )


def _bag_after(state: State, players: Sequence[Player]) -> Beads:
    """The bag with the beads that were spent."""
    red, blue, green = (
        in_bag
        + sum(
            before.beads[colour] - after.beads[colour]
            for before, after in zip(state.players, players)
        )
        for colour, in_bag in enumerate(state.bag)
    )
    return red, blue, green


def _told(state: State, seat: int, scored: Scored) -> Event:
    event: Event = {
        "type": "character",
        "seat": seat,
        "character": scored.character,
        "island": board_of(state).islands[scored.island].code,
    }
    if scored.gold:
        event["gold"] = scored.gold
    if scored.beads:
        event["beads"] = scored.beads
    return event


def _points(seat: int, points: int, cause: str) -> Event:
    return {"type": "points", "seat": seat, "points": points, "for": cause}


def assignment(state: State, seat: int) -> Assignment:
    """The best use of the seat's characters on the current islands."""
    board, player = board_of(state), state.players[seat]
    in_play = islands(state)
    found = [facts(island_spaces(state, island)) for island in in_play]
    placed = [_gondoliers(state, seat, island) for island in in_play]
    values = {
        number: [
            worth(board, number, board.islands[island].code, here, seat, own)
            for island, here, own in zip(in_play, found, placed)
        ]
        for number in player.characters
    }
    return best_assignment(
        AssignmentInput(
            islands=in_play,
            gondoliers=tuple(placed),
            values=values,
            idle=board.figures["actions"]["unused_gondolier_vp"],
            gold=player.gold,
            gold_steps={int(step): vp for step, vp in board.figures["tables"]["gold"].items()},
            beads=player.beads,
            groups=bead_groups(board.figures, player),
        )
    )


def _gondoliers(state: State, seat: int, island: int) -> int:
    first = board_of(state).islands[island].first_dock
    docks = len(board_of(state).islands[island].docks)
    return state.docks[first : first + docks].count(str(seat))


def outcome(state: State) -> Outcome | None:
    """Most points; then most gold left; then the win is shared."""
    if state.reason is None:
        return None
    scores = tuple(player.vp for player in state.players)
    return Outcome(scores, first(ranking(state)), state.reason)


def ranking(state: State) -> tuple[int, ...]:
    """Places by points, then by gold."""
    return places([(player.vp, player.gold) for player in state.players])
