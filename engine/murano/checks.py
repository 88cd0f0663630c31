"""Invariants of a state, for tests and audits."""

from collections import Counter
from collections.abc import Iterator

from engine.murano.legal import islands
from engine.murano.moves import BEADS
from engine.murano.setup import ALL_SEATS, Counts
from engine.murano.state import CARD, LAY, PHASES, RECRUIT, State, board_of
from engine.murano.tiles import EMPTY, STREET_CODES, TILE


def faults(state: State) -> list[str]:
    """A sentence for each broken invariant; empty for a sound state."""
    return [*_tiles(state), *_cards(state), *_people(state), *_places(state), *_course(state)]


def _tiles(state: State) -> Iterator[str]:
    """Every tile is in its stack, with a player, or laid."""
    counts = Counts(board_of(state).figures, len(state.players))
    laid = Counter(TILE[code][:2] for code in state.spaces if code != EMPTY)
    players = state.players
    streets = Counter(TILE[code].kind for code in state.streets)
    if state.phase == LAY and state.reason is None:
        streets[TILE[str(state.shown[0])].kind] += 1
    for (tile, kind), count in laid.items():
        if tile == "street":
            streets[kind] += count
    if streets != Counter(counts.listed("streets")):
        yield "Streets were lost or gained."
    shops = Counter(state.shops + "".join(player.shops for player in players))
    palaces = Counter(state.palaces + "".join(player.palaces for player in players))
    for (tile, kind), count in laid.items():
        if tile == "shop":
            shops[kind[0]] += count
        elif tile == "palace":
            palaces[kind] += count
    if shops != Counter(kind[0] for kind in counts.listed("shops")):
        yield "Shops were lost or gained."
    wanted = len(counts.listed("palaces")) - counts.removed("palaces_at_random")
    if sum(palaces.values()) != wanted or palaces - Counter(counts.listed("palaces")):
        yield "Palaces were lost or gained."
    for tile, name in (("glassworks", "glassworks"), ("special", "specials")):
        there = getattr(state, name) + sum(getattr(player, name) for player in players)
        if there + laid[tile, ""] != board_of(state).figures[name] - counts.removed(name):
            yield f"Of {name} some were lost or gained."
    for number, colour in enumerate(BEADS):
        total = state.bag[number] + sum(player.beads[number] for player in players)
        if total != board_of(state).figures["beads"][colour]:
            yield f"Beads ({colour}) were lost or gained."


def _cards(state: State) -> Iterator[str]:
    """Every character and special card is in one place."""
    figures = board_of(state).figures
    shown = state.shown if state.reason is None else ()
    cards = [*state.cards, *(card for player in state.players for card in player.cards)]
    people = [*state.characters, *(one for player in state.players for one in player.characters)]
    if state.phase == CARD:
        cards += [str(card) for card in shown]
    if state.phase == RECRUIT:
        people += [int(one) for one in shown]
    if sorted(cards) != sorted(figures["special_cards"]):
        yield "Special cards were lost or gained."
    in_game = Counts(figures, len(state.players)).characters()
    wanted = len(in_game) - figures["characters_removed_at_random"]
    if len(people) != wanted or len(set(people)) != wanted or not set(people) <= set(in_game):
        yield "Characters were lost or gained."


def _people(state: State) -> Iterator[str]:
    figures = board_of(state).figures["player"]
    own = figures["gondoliers_at_hand"] + figures["gondoliers_in_supply"]
    for seat, player in enumerate(state.players):
        if player.hand + player.supply + state.docks.count(str(seat)) != own:
            yield f"Seat {seat} has lost or gained gondoliers."
        if min(player.gold, player.vp, player.hand, player.supply, *player.beads) < 0:
            yield f"Seat {seat} has less than nothing of something."
        if not 0 <= player.active <= len(player.cards):
            yield f"Of seat {seat} more cards work than it has."


def _places(state: State) -> Iterator[str]:
    board, in_play = board_of(state), islands(state)
    for space, code in zip(board.spaces, state.spaces):
        if code == EMPTY:
            continue
        if space.island not in in_play:
            yield f"{space.name} is not in play."
        if (code in STREET_CODES) != space.street:
            yield f"{space.name} has {TILE[code].tile} on it."
        if not space.street and not any(state.spaces[n] in STREET_CODES for n in space.beside):
            yield f"{space.name} touches no street."
    if len(set(state.ships)) != len(state.ships):
        yield "Two ships that are not red share a space."


def _course(state: State) -> Iterator[str]:
    if state.phase not in PHASES or not 0 <= state.mover < len(state.players) <= ALL_SEATS:
        yield f"Nobody can be asked: {state.phase}, seat {state.mover}."
    if (state.trigger is not None) != (_empty_stacks(state) > 1):
        yield "The last round has begun too early or not at all."


def _empty_stacks(state: State) -> int:
    stacks = (state.streets, state.shops, state.palaces, state.glassworks, state.specials)
    return sum(not stack for stack in stacks)
