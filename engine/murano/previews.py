"""Previews: the points of a move without playing it. Final scoring is left out: it depends on what
others hold."""

from engine.contract import Points, Preview
from engine.murano.moves import Build, ChooseCard, Gondolier, Move, Produce
from engine.murano.state import State, board_of
from engine.murano.turns import BASILICA, CRANE


def preview(state: State, seat: int, move: Move) -> Preview:
    """The points of a move, by cause, in the order in which they are scored."""
    figures, player = board_of(state).figures, state.players[seat]

    def special(card: str) -> int:
        return int(figures["special_cards"][card]["vp"]) if player.has(card) else 0

    scored: list[tuple[int, str]] = []
    match move:
        case Build(tile, _, _):
            scored = [(figures["build_vp"][tile], "build"), (special(CRANE[tile]), "special")]
        case ChooseCard(card) if card == BASILICA:
            scored = [(figures["special_cards"][BASILICA]["vp"], "special")]
        case Gondolier():
            scored = [(special("harbour-tavern"), "special")]
        case Produce(count) if count:
            lost = count * figures["actions"]["vp_per_produced_bead"]
            scored = [(-lost, "production"), (special("guild-hall"), "special")]
    return Preview(tuple(Points(seat, points, cause) for points, cause in scored if points))
