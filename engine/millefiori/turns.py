"""Moves: keeping and playing a card, and the next seat."""

from engine.chance import Chance
from engine.contract import Step
from engine.millefiori.card_play import play_card
from engine.millefiori.cards import NAME
from engine.millefiori.moves import Discard, Keep, Move, Play
from engine.millefiori.rounds import next_seat, turn_over
from engine.millefiori.state import Board, Cards, State
from engine.millefiori.tuples import replaced, without


def pending(state: State) -> tuple[int, ...]:
    """The seats that owe a decision: all that have not kept a card yet, or the one that plays."""
    if state.reason is not None:
        return ()
    if state.mover is not None:
        return (state.mover,)
    return tuple([seat for seat, card in enumerate(state.kept) if card is None])


def revisable(state: State) -> tuple[int, ...]:
    """The seats that may change their kept card: all until the last one chooses."""
    if state.mover is not None or state.reason is not None:
        return ()
    return tuple([seat for seat, card in enumerate(state.kept) if card is not None])


def decision(state: State, seat: int) -> str:
    """The id as `r2.t3.keep.s1`: round, turn, kind, seat; with a count of extra cards."""
    kind = "keep" if state.mover is None else f"extra{state.extras}" if state.extras else "play"
    return f"r{state.round}.t{state.turn}.{kind}.s{seat}"


def within_turn(state: State, seat: int) -> bool:
    """Whether the seat has played its card and earned an extra one."""
    return state.extras > 0


def scores(state: State) -> tuple[int, ...]:
    return state.board.scores


def apply(state: State, seat: int, move: Move, chance: Chance) -> Step:
    """Play a legal move. This game type draws chance only when it deals."""
    if type(move) is Keep:
        return _keep(state, seat, move)
    if type(move) is Play:
        board, events, extra_card = play_card(state.board, seat, move)
        after = _card_used(state, seat, move.card, board)
        if extra_card:
            if after.display:
                events.append({"type": "extra-card", "seat": seat})
                return Step(after._replace(mover=seat, extras=state.extras + 1), events)
            events.append({"type": "extra-card-lapsed", "seat": seat})
        return turn_over(after, events)
    if type(move) is Discard:
        after = _card_used(state, seat, move.card, state.board)
        return turn_over(after, [{"type": "discard", "seat": seat, "card": NAME[move.card]}])
    after = state._replace(mover=next_seat(state, seat), extras=0)
    return turn_over(after, [{"type": "decline", "seat": seat}])


def _keep(state: State, seat: int, move: Keep) -> Step:
    hands, kept, mover = state.hands, state.kept, None
    events = [{"type": "keep", "seat": seat, "card": NAME[move.card], "seen_by": [seat]}]
    if kept[seat] is None:
        events.append({"type": "chosen", "seat": seat})
    kept = replaced(kept, seat, move)
    if None not in kept:
        hands = tuple([without(hand, keep.card) for hand, keep in zip(hands, kept) if keep])
        mover = state.start
    return Step(
        _changed(state, mover, hands, kept, state.display, state.discard, state.board), events
    )


def _card_used(state: State, seat: int, card: int, board: Board) -> State:
    """Move the card to the discard pile, and the turn to the next seat."""
    hands, kept, display = state.hands, state.kept, state.display
    if state.extras:
        display = without(display, card)
    elif state.tactical:
        hands = replaced(hands, seat, without(hands[seat], card))
    else:
        kept = replaced(kept, seat, None)
    discard = (*state.discard, card)
    return _changed(state, next_seat(state, seat), hands, kept, display, discard, board)


def _changed(
    state: State,
    mover: int | None,
    hands: tuple[Cards, ...],
    kept: tuple[Keep | None, ...],
    display: Cards,
    discard: Cards,
    board: Board,
) -> State:
    """The state with the changes of a move within a turn. Every move uses it, hence without
    `_replace`."""
    tactical, round_, turn, start, _, _, deck, _, _, passed, _, _, _, reason = state
    return State(
        tactical, round_, turn, start, mover, 0, deck, hands, kept, passed, display, discard, board,
        reason,
    )  # fmt: skip
