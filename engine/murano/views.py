"""Views: the knowledge of a seat or a spectator, built from nothing, never a reduced state."""

from engine.contract import Json
from engine.murano.board import Board
from engine.murano.final_scoring import outcome
from engine.murano.legal import islands, kind_of, recruit_price
from engine.murano.moves import BEADS
from engine.murano.state import (
    AT_ONCE,
    CARD,
    LAY,
    NOT_MOVED,
    RECRUIT,
    SELL,
    TAKE,
    Player,
    Seen,
    State,
    board_of,
)
from engine.murano.tiles import EMPTY, STREET_NAME, TILE


def view(state: State, seat: int | None) -> Json:
    """The view of a seat (None: a spectator)."""
    board = board_of(state)
    ended = outcome(state)
    own = None if seat is None else _own(state, seat)
    return {
        "board": board.key,
        "seats": len(state.players),
        "turn": state.turn,
        "phase": state.phase,
        "pending": [] if ended else [state.mover],
        "last_round": state.trigger,
        "ships": [board.ring[ship] for ship in state.ships],
        "red_ship": board.ring[state.red],
        "moved": state.moved,
        "at": None if state.at == NOT_MOVED else board.ring[state.at],
        "built": state.built,
        "street": _drawn_street(state),
        "islands": {
            board.islands[number].code: _island(state, board, number) for number in islands(state)
        },
        "stacks": {
            "street": len(state.streets),
            "shop": len(state.shops),
            "palace": len(state.palaces),
            "glassworks": state.glassworks,
            "special": state.specials,
            "characters": len(state.characters),
            "special_cards": len(state.cards),
        },
        "bag": dict(zip(BEADS, state.bag)),
        "players": [
            _player(state, board, number, player) for number, player in enumerate(state.players)
        ],
        "outcome": ended and ended.to_json(),
        "you": own,
    }


def _drawn_street(state: State) -> str | None:
    """A drawn street is open until it is laid."""
    drawn = state.phase == LAY and state.reason is None
    return STREET_NAME[str(state.shown[0])] if drawn else None


def _island(state: State, board: Board, number: int) -> Json:
    island = board.islands[number]
    spaces: Json = {}
    for place in island.spaces:
        code = state.spaces[place]
        if code != EMPTY:
            tile, kind, owner = TILE[code]
            spaces[board.spaces[place].name] = (
                {"tile": tile}
                | ({"kind": kind} if kind else {})
                | ({} if owner is None else {"seat": owner})
            )
    docks = {
        colour: None if code == EMPTY else int(code)
        for colour, code in zip(island.docks, state.docks[island.first_dock :])
    }
    return {"spaces": spaces, "docks": docks}


def _player(state: State, board: Board, seat: int, player: Player) -> Json:
    return {
        "seat": seat,
        "colour": board.colours[seat],
        "score": player.vp,
        "gold": player.gold,
        "gondoliers": {
            "hand": player.hand,
            "placed": state.docks.count(str(seat)),
            "supply": player.supply,
        },
        "beads": dict(zip(BEADS, player.beads)),
        "tiles": {
            "glassworks": player.glassworks,
            "special": player.specials,
            "shop": len(player.shops),
            "palace": len(player.palaces),
        },
        "characters": len(player.characters),
        "cards": [
            {"card": card, "active": number < player.active}
            for number, card in enumerate(player.cards)
        ],
    }


def _own(state: State, seat: int) -> Json:
    """The seat's secrets."""
    player = state.players[seat]
    return {
        "seat": seat,
        "shops": [kind_of("shop", letter) for letter in player.shops],
        "palaces": list(player.palaces),
        "characters": list(player.characters),
        "recruit_price": recruit_price(state._replace(mover=seat)),
        "shown": _shown(state) if seat == state.mover and state.reason is None else None,
        "seen": _seen(player.seen),
    }


def _shown(state: State) -> Json | None:
    """The subject of the seat's decision, as far as it is secret."""
    if state.phase == TAKE:
        tile = str(state.shown[0])
        stack = state.shops if tile == "shop" else state.palaces
        letters = sorted(stack, key="rbg123".index)
        return {"tile": tile, "stack": [kind_of(tile, letter) for letter in letters]}
    if state.phase == RECRUIT:
        return {"characters": list(state.shown)}
    if state.phase == CARD:
        return {"cards": list(state.shown)}
    if state.phase == AT_ONCE:
        return {"tile": state.shown[0], "kind": state.shown[1] or None}
    if state.phase == SELL:
        return {"produced": state.shown[0], "owes_bead": state.owes_bead}
    return None


def _seen(seen: Seen) -> Json:
    return {
        "shop": _seen_stack("shop", seen.shops),
        "palace": _seen_stack("palace", seen.palaces),
        "characters": list(seen.characters),
        "special_cards": list(seen.cards),
    }


def _seen_stack(tile: str, seen: tuple[int, str] | None) -> Json | None:
    if seen is None:
        return None
    turn, letters = seen
    return {"turn": turn, "left": [kind_of(tile, letter) for letter in letters]}
