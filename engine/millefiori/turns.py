"""The course of the game: dealing, keeping, passing, whose turn it is, and the end."""

from collections.abc import Mapping

from engine.chance import Chance
from engine.contract import NOBODY, Event, Outcome, Step
from engine.millefiori.board import RESERVE
from engine.millefiori.cards import CARD, DECK, DISPLAY_AT_START, HAND, NAME, PLAYS_PER_ROUND
from engine.millefiori.moves import Discard, Keep, Move, Play
from engine.millefiori.playing import play_card, replaced
from engine.millefiori.state import Board, Cards, State, new_board


def new_game(seats: int, options: Mapping[str, str], chance: Chance) -> Step:
    """Draw the start player, shuffle, lay out the display, deal the first round."""
    start = chance.below("start", seats)
    names = chance.shuffled("deck", _names(DECK), seen_by=NOBODY)
    deck = tuple([CARD[name] for name in names])
    on_display = DISPLAY_AT_START[seats]
    state = State(
        tactical=options["variant"] == "tactical",
        round=0,
        turn=0,
        start=start,
        mover=None,
        extras=0,
        deck=deck[on_display:],
        hands=((),) * seats,
        kept=(None,) * seats,
        passed=(),
        display=tuple(sorted(deck[:on_display])),
        discard=(),
        board=new_board(seats),
        reason=None,
    )
    laid_out = {"type": "display", "cards": _names(state.display)}
    return _deal(state, start, [laid_out])


def pending(state: State) -> tuple[int, ...]:
    """The seats that owe a choice: all that have not kept yet, or the one that plays."""
    if state.reason is not None:
        return ()
    if state.mover is not None:
        return (state.mover,)
    return tuple([seat for seat, card in enumerate(state.kept) if card is None])


def revisable(state: State) -> tuple[int, ...]:
    """A kept card may be changed until the last one is chosen."""
    if state.mover is not None or state.reason is not None:
        return ()
    return tuple([seat for seat, card in enumerate(state.kept) if card is not None])


def decision(state: State, seat: int) -> str:
    """As `r2.t3.keep.s1`: round, turn, what for, seat; extra cards are counted."""
    kind = "keep" if state.mover is None else f"extra{state.extras}" if state.extras else "play"
    return f"r{state.round}.t{state.turn}.{kind}.s{seat}"


def outcome(state: State) -> Outcome | None:
    if state.reason is None:
        return None
    scores = state.board.scores
    best = max(scores)
    winners = tuple(seat for seat, score in enumerate(scores) if score == best)
    return Outcome(scores, winners, state.reason)


def scores(state: State) -> tuple[int, ...]:
    return state.board.scores


def apply(state: State, seat: int, move: Move, chance: Chance) -> Step:
    """Play a move that is known to be legal. After the deal this game needs no more chance."""
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
        return _turn_over(after, events)
    if type(move) is Discard:
        after = _card_used(state, seat, move.card, state.board)
        return _turn_over(after, [{"type": "discard", "seat": seat, "card": NAME[move.card]}])
    after = state._replace(mover=_next_seat(state, seat), extras=0)
    return _turn_over(after, [{"type": "decline", "seat": seat}])


def _keep(state: State, seat: int, move: Keep) -> Step:
    hands, kept, mover = state.hands, state.kept, None
    events = [{"type": "keep", "seat": seat, "card": NAME[move.card], "seen_by": [seat]}]
    if kept[seat] is None:
        events.append({"type": "chosen", "seat": seat})
    kept = replaced(kept, seat, move)
    if None not in kept:
        hands = tuple([_without(hand, keep.card) for hand, keep in zip(hands, kept) if keep])
        mover = state.start
    return Step(
        _changed(state, mover, hands, kept, state.display, state.discard, state.board), events
    )


def _card_used(state: State, seat: int, card: int, board: Board) -> State:
    """The card goes from where it was to the discard pile, and the turn to the next seat."""
    hands, kept, display = state.hands, state.kept, state.display
    if state.extras:
        display = _without(display, card)
    elif state.tactical:
        hands = replaced(hands, seat, _without(hands[seat], card))
    else:
        kept = replaced(kept, seat, None)
    discard = (*state.discard, card)
    return _changed(state, _next_seat(state, seat), hands, kept, display, discard, board)


def _changed(
    state: State,
    mover: int | None,
    hands: tuple[Cards, ...],
    kept: tuple[Keep | None, ...],
    display: Cards,
    discard: Cards,
    board: Board,
) -> State:
    """What a move changes within a turn. Every move passes here, hence not by `_replace`."""
    tactical, round_, turn, start, _, _, deck, _, _, passed, _, _, _, reason = state
    return State(
        tactical, round_, turn, start, mover, 0, deck, hands, kept, passed, display, discard, board,
        reason,
    )  # fmt: skip


def _next_seat(state: State, seat: int) -> int:
    return (seat + 1) % len(state.hands)


def _without(cards: Cards, card: int) -> Cards:
    index = cards.index(card)
    return cards[:index] + cards[index + 1 :]


def _turn_over(state: State, events: list[Event]) -> Step:
    """The turn has gone to the next seat; when that is the start player, all have played."""
    if state.mover != state.start:
        return Step(state, events)
    if min(state.board.left) <= RESERVE:
        return _end_game(state, "diamonds", events)
    if state.turn < PLAYS_PER_ROUND[len(state.hands)]:
        return _pass_hands(state, events)
    return _end_round(state, events)


def _pass_hands(state: State, events: list[Event]) -> Step:
    """Everybody takes up the hand of the seat before."""
    hands = (state.hands[-1], *state.hands[:-1])
    events.append({"type": "pass", "round": state.round, "turn": state.turn + 1})
    state = state._replace(
        turn=state.turn + 1,
        mover=state.start if state.tactical else None,
        extras=0,
        hands=hands,
        passed=(*state.passed, state.hands),
    )
    return Step(state, events)


def _end_round(state: State, events: list[Event]) -> Step:
    """The cards left over join the display; the next player starts a round, or it is over."""
    display = list(state.display)
    for seat, hand in enumerate(state.hands):
        events.append({"type": "left-over", "seat": seat, "cards": _names(hand)})
        display += hand
    state = state._replace(display=tuple(sorted(display)), hands=((),) * len(state.hands))
    if not state.deck:
        return _end_game(state, "deck", events)
    return _deal(state, _next_seat(state, state.start), events)


def _deal(state: State, start: int, events: list[Event]) -> Step:
    """Five consecutive cards to each seat, beginning with the start player."""
    seats = len(state.hands)
    hands: list[Cards] = [()] * seats
    for place in range(seats):
        dealt = state.deck[HAND * place : HAND * (place + 1)]
        hands[(start + place) % seats] = tuple(sorted(dealt))
    events.append({"type": "round", "round": state.round + 1, "start": start})
    state = state._replace(
        round=state.round + 1,
        turn=1,
        start=start,
        mover=start if state.tactical else None,
        extras=0,
        deck=state.deck[HAND * seats :],
        hands=tuple(hands),
        passed=(),
    )
    return Step(state, events)


def _end_game(state: State, reason: str, events: list[Event]) -> Step:
    state = state._replace(mover=None, extras=0, reason=reason)
    final = outcome(state)
    assert final is not None
    events.append({"type": "end", "reason": reason, "winners": list(final.winners)})
    return Step(state, events)


def _names(cards: Cards) -> list[str]:
    return [NAME[card] for card in cards]
