"""Views: the knowledge of a seat or a spectator, built from nothing, never a reduced state."""

from engine.contract import Json
from engine.millefiori.board import BONUS_AREAS, BONUS_POINTS, LINES, PLACES_BY_AREA, RESERVE
from engine.millefiori.cards import NAME, PLAYS_PER_ROUND, ROUNDS, card_names
from engine.millefiori.moves import move_to_json
from engine.millefiori.rounds import outcome
from engine.millefiori.space_sets import SHIP_SPACES, space_names
from engine.millefiori.state import Cards, State, held_cards, supply
from engine.millefiori.turns import pending


def view(state: State, seat: int | None) -> Json:
    """The view of a seat; `you` is None for a spectator."""
    seats = len(state.hands)
    ended = outcome(state)
    return {
        "seats": seats,
        "options": {"variant": "tactical" if state.tactical else "standard"},
        "round": state.round,
        "rounds": ROUNDS[seats],
        "turn": state.turn,
        "turns": PLAYS_PER_ROUND[seats],
        "start": state.start,
        "phase": phase(state),
        "pending": list(pending(state)),
        "players": [_player(state, player) for player in range(seats)],
        "spaces": _spaces(state),
        "harbor": _harbor(state),
        "bonuses": {
            area: [{"seat": taker, "points": points} for taker, points in zip(takers, BONUS_POINTS)]
            for area, takers in zip(BONUS_AREAS, state.board.bonuses)
        },
        "display": card_names(state.display),
        "discard": card_names(state.discard),
        "deck": len(state.deck),
        "you": None if seat is None else _own(state, seat),
        "outcome": ended and ended.to_json(),
    }


def phase(state: State) -> str:
    if state.reason is not None:
        return "over"
    if state.mover is None:
        return "keep"
    return "extra" if state.extras else "play"


def _player(state: State, seat: int) -> Json:
    board = state.board
    left = board.left[seat]
    return {
        "seat": seat,
        "score": board.scores[seat],
        "ship": board.ships[seat],
        "supply": supply(left),
        "reserve": min(left, RESERVE),
        "cards": len(state.hands[seat]),
        "chosen": state.kept[seat] is not None,
    }


def _spaces(state: State) -> dict[str, int]:
    """The owner of every filled space, in the order of the board; `_harbor` has the ships."""
    owners = {
        name: seat for seat, own in enumerate(state.board.diamonds) for name in space_names(own)
    }
    order = (name for spaces in PLACES_BY_AREA.values() for name in spaces)
    return {name: owners[name] for name in order if name in owners}


def _harbor(state: State) -> dict[str, list[int]]:
    """The owners of the ships of each line, from the left."""
    owners = [
        [
            seat
            for ship in SHIP_SPACES[line]
            for seat, own in enumerate(state.board.diamonds)
            if own & ship
        ]
        for line in range(LINES)
    ]
    return dict(zip(PLACES_BY_AREA["harbor"], owners))


def _own(state: State, seat: int) -> Json:
    """The seat's secrets. While kept cards are played, its next hand lies face down."""
    keep = state.kept[seat]
    return {
        "seat": seat,
        "hand": [] if _passing(state) else card_names(state.hands[seat]),
        "kept": None if keep is None else NAME[keep.card],
        "then": None if keep is None or keep.then is None else move_to_json(keep.then),
        "passed": _passed_on(state, seat),
    }


def _passing(state: State) -> bool:
    """Whether the hands lie face down before the next seat, while kept cards are played."""
    return not state.tactical and state.mover is not None


def _passed_on(state: State, seat: int) -> list[Json]:
    """The hands that this seat passed on this round: their holder and their cards.

    `left` is the current number of cards, `may_remain` the possible cards after those that were
    taken from it and played openly. In the last turn of a round no hand is passed: `now_with` is
    then the seat that still has it, until it joins the display.
    """
    seats = len(state.hands)
    sights = [hands[seat] for hands in state.passed]
    if _passing(state):
        sights.append(state.hands[seat])
    on_the_way = _passing(state) and state.turn < PLAYS_PER_ROUND[seats]
    found = []
    for turn, cards in enumerate(sights, start=1):
        holder = (seat + state.turn - turn) % seats
        found.append(
            {
                "turn": turn,
                "cards": card_names(cards),
                "now_with": (holder + on_the_way) % seats,
                "left": len(state.hands[holder]),
                "may_remain": card_names(_may_remain(state, holder, seat)),
            }
        )
    return found


def _may_remain(state: State, holder: int, seat: int) -> Cards:
    """The possible cards of a hand that the seat saw: it does not know the card that another seat
    kept from it."""
    return state.hands[holder] if holder == seat else tuple(sorted(held_cards(state, holder)))
