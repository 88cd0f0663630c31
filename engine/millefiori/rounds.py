"""Rounds: dealing, passing, left-over cards, and the end."""

from collections.abc import Mapping

from engine.chance import Chance
from engine.contract import NOBODY, Event, Outcome, Step
from engine.millefiori.board import RESERVE
from engine.millefiori.cards import CARD, DECK, DISPLAY_AT_START, HAND, PLAYS_PER_ROUND, card_names
from engine.millefiori.final_scoring import ranking
from engine.millefiori.state import Cards, State, new_board
from engine.toolkit.ranking import first


def new_game(seats: int, options: Mapping[str, str], chance: Chance) -> Step:
    """Draw the start player, shuffle, lay out the display, deal the first round."""
    start = chance.below("start", seats)
    names = chance.shuffled("deck", card_names(DECK), seen_by=NOBODY)
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
    laid_out = {"type": "display", "cards": card_names(state.display)}
    return _deal(state, start, [laid_out])


def next_seat(state: State, seat: int) -> int:
    return (seat + 1) % len(state.hands)


def turn_over(state: State, events: list[Event]) -> Step:
    """End the seat's turn; the hands pass when it comes to the start player again."""
    if state.mover != state.start:
        return Step(state, events)
    if min(state.board.left) <= RESERVE:
        return _end_game(state, "diamonds", events)
    if state.turn < PLAYS_PER_ROUND[len(state.hands)]:
        return _pass_hands(state, events)
    return _end_round(state, events)


def _pass_hands(state: State, events: list[Event]) -> Step:
    """Each seat takes the hand of the seat before it."""
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
    """Left-over cards join the display; the next player starts a round, or the game ends."""
    display = list(state.display)
    for seat, hand in enumerate(state.hands):
        events.append({"type": "left-over", "seat": seat, "cards": card_names(hand)})
        display += hand
    state = state._replace(display=tuple(sorted(display)), hands=((),) * len(state.hands))
    if not state.deck:
        return _end_game(state, "deck", events)
    return _deal(state, next_seat(state, state.start), events)


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


def outcome(state: State) -> Outcome | None:
    if state.reason is None:
        return None
    return Outcome(state.board.scores, first(ranking(state)), state.reason)
