"""Indistinguishable states: the same game with other secrets."""

from collections.abc import Sequence
from typing import Any

from engine.chance import Chance
from engine.murano.legal import kind_of, letter_of, stack_of
from engine.murano.moves import Build, ChooseCard, Move
from engine.murano.setup import Counts
from engine.murano.state import AT_ONCE, CARD, RECRUIT, TAKE, State, board_of
from engine.murano.turns import STACK_OF_TILE

STACKS_WITH_KINDS = ("shop", "palace")


def imagine(
    state: State, seats: Sequence[int], chance: Chance, mover: int, move: Move | None
) -> State:
    """A state with other secrets, with everything that these seats have seen unchanged, and with
    what the mover needs for the move."""
    streets = "".join(chance.shuffled("imagined", state.streets))
    state = state._replace(streets=streets)
    for tile in STACKS_WITH_KINDS:
        state = _other_tiles(state, seats, chance, mover, move, tile)
    state = _other_characters(state, seats, chance)
    return _other_cards(state, seats, chance, move)


def _other_tiles(
    state: State,
    seats: Sequence[int],
    chance: Chance,
    mover: int,
    move: Move | None,
    tile: str,
) -> State:
    """Hidden tiles of the others and the stack are mixed. A seat that has looked through the stack
    since the beginning knows its tiles, but not their order."""
    name = STACK_OF_TILE[tile]
    stack = stack_of(state, tile)
    if any(getattr(state.players[seat].seen, name) for seat in seats) or (
        state.phase == TAKE and state.mover in seats
    ):
        reordered: dict[str, Any] = {name: "".join(chance.shuffled("imagined", stack))}
        return state._replace(**reordered)
    pinned = ""
    if isinstance(move, Build) and move.tile == tile and mover not in seats:
        pinned = letter_of(tile, move.kind)
    holders = [seat for seat in range(len(state.players)) if seat not in seats]
    pool = [*stack, *"".join(getattr(state.players[seat], name) for seat in holders)]
    if pinned:
        pool.remove(pinned)
    dealt = iter(chance.shuffled("imagined", pool))
    players = list(state.players)
    for seat in holders:
        count = len(getattr(players[seat], name)) - (bool(pinned) and seat == mover)
        letters = [next(dealt) for _ in range(count)] + [pinned] * (seat == mover)
        letters.sort(key="rbg123".find)
        own: dict[str, Any] = {name: "".join(letters)}
        players[seat] = players[seat]._replace(**own)
    changes: dict[str, Any] = {name: "".join(dealt), "players": tuple(players)}
    if state.phase == AT_ONCE and state.shown[0] == tile and state.mover in holders:
        held = getattr(players[state.mover], name)
        letter = pinned or held[0]
        kind = move.kind if isinstance(move, Build) and pinned else kind_of(tile, letter)
        changes["shown"] = (tile, kind)
    return state._replace(**changes)


def _other_characters(state: State, seats: Sequence[int], chance: Chance) -> State:
    """The characters that the seats neither have nor have seen, including those out of the game."""
    known = {one for seat in seats for one in state.players[seat].characters}
    known |= {one for seat in seats for one in state.players[seat].seen.characters}
    hidden_shown = state.phase == RECRUIT and state.mover not in seats
    if state.phase == RECRUIT and not hidden_shown:
        known |= {int(one) for one in state.shown}
    in_game = Counts(board_of(state).figures, len(state.players)).characters()
    others = iter(chance.shuffled("imagined", [one for one in in_game if one not in known]))

    def dealt(characters: Sequence[int]) -> tuple[int, ...]:
        return tuple(one if one in known else next(others) for one in characters)

    players = [
        player if seat in seats else player._replace(characters=dealt(player.characters))
        for seat, player in enumerate(state.players)
    ]
    shown = state.shown
    if hidden_shown:
        shown = dealt([int(one) for one in shown])
    return state._replace(players=tuple(players), characters=dealt(state.characters), shown=shown)


def _other_cards(state: State, seats: Sequence[int], chance: Chance, move: Move | None) -> State:
    known = {card for seat in seats for card in state.players[seat].seen.cards}
    if isinstance(move, ChooseCard):
        known.add(move.card)
    hidden_shown = state.phase == CARD and state.mover not in seats
    loose = [*state.cards, *(state.shown if hidden_shown else ())]
    others = iter(chance.shuffled("imagined", [card for card in loose if card not in known]))

    def dealt(cards: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(card if card in known else next(others) for card in cards)

    shown = dealt(state.shown) if hidden_shown else state.shown
    return state._replace(cards=dealt(state.cards), shown=shown)
