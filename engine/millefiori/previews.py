"""Previews: the points of a move by player and cause, without playing it."""

from engine.contract import Preview
from engine.millefiori.card_play import play_card, points_of
from engine.millefiori.legal import plays
from engine.millefiori.moves import Keep, Move, Play
from engine.millefiori.state import Board, Cards, State


def preview(state: State, seat: int, move: Move) -> Preview:
    """The points of a play; for a keep, those of its premove (none if it is not possible now) or of
    the best play."""
    if isinstance(move, Play):
        # An extra card is taken from the display before a further one can be earned.
        return _of_play(state.board, seat, move, len(state.display) > (state.extras > 0))
    if not isinstance(move, Keep):
        return Preview()
    if move.then is None:
        return _best_play(state, seat, move.card)
    if move.then in plays(state.board, seat, move.card):
        planned = _of_play(state.board, seat, move.then, bool(state.display))
        return planned._replace(follow_up=move.then)
    return Preview()


def _of_play(board: Board, seat: int, move: Play, cards_on_display: bool) -> Preview:
    points, extra_card = points_of(board, seat, move)
    return Preview(tuple(points), extra_card and cards_on_display)


def _best_play(state: State, seat: int, card: int) -> Preview:
    """The play with the most points now, including those of an extra card; among equals one that
    earns a card, then the one with the fewest points for others."""
    board = state.board
    best: Preview | None = None
    best_gain = (0, False, 0)
    for move in plays(board, seat, card):
        if isinstance(move, Play):
            points, extra_card = points_of(board, seat, move)
            again = extra_card and bool(state.display)
            own = others = 0
            for owner, earned, *_ in points:
                if owner == seat:
                    own += earned
                else:
                    others += earned
            if again:
                own += _extra_points(play_card(board, seat, move)[0], seat, state.display)
            gain = (own, again, -others)
            if best is None or gain > best_gain:
                best, best_gain = Preview(tuple(points), again, move), gain
    return best or Preview()


def _extra_points(board: Board, seat: int, display: Cards) -> int:
    """The most points of one card of the display; further cards do not count."""
    most = 0
    for card in dict.fromkeys(display):
        for move in plays(board, seat, card):
            if isinstance(move, Play):
                points, _ = points_of(board, seat, move)
                most = max(most, sum(item.points for item in points if item.seat == seat))
    return most
