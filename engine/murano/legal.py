"""Legal moves."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product

from engine.murano.board import Board, boards
from engine.murano.moves import (
    BEADS,
    Beads,
    Build,
    Buy,
    ChooseCard,
    ChooseCharacter,
    Decline,
    Dismiss,
    Done,
    Gold,
    Gondolier,
    Hire,
    Income,
    Keep,
    Lay,
    Move,
    Pass,
    Produce,
    Recruit,
    Return,
    Sail,
    Search,
    Sell,
    Street,
    Take,
)
from engine.murano.ships import Fleet, can_end, voyages
from engine.murano.state import (
    AT_ONCE,
    BUILD,
    CARD,
    LAY,
    RECRUIT,
    RETURN,
    SAIL,
    SELL,
    TAKE,
    Player,
    State,
    board_of,
    island_spaces,
)
from engine.murano.tiles import EMPTY, SHOP_COLOUR, SHOP_LETTER, STREET_CODES, facts

MOST_SOLD = 3


def legal_moves(state: State, seat: int) -> list[Move]:
    """The legal moves of a seat, in a fixed order."""
    if state.reason is not None or seat != state.mover:
        return []
    return list(_moves(state))


@lru_cache(maxsize=256)
def _moves(state: State) -> tuple[Move, ...]:
    """Cached: the engine asks several times for the moves of a state."""
    return tuple(_MOVES[state.phase](state))


def accepts(state: State, seat: int, move: Move) -> bool:
    return move in legal_moves(state, seat)


def premoves(state: State, seat: int, move: Move) -> tuple[Move, ...]:
    """None: all decisions of a turn are made in it."""
    return ()


def asks(state: State, seat: int) -> bool:
    """Whether a seat with a single move is asked all the same: a seat that may build a bought tile
    at once, even without a place for it, and a seat that looked through a stack of equal tiles.
    An automatic move would reveal these facts."""
    if state.phase == TAKE:
        return len(stack_of(state, str(state.shown[0]))) > 1
    return state.phase == AT_ONCE


# Sailing, and the action of the destination


def fleet(state: State) -> Fleet:
    return Fleet(len(board_of(state).ring), state.ships, state.red)


def _sailing(state: State) -> Iterator[Move]:
    board, player = board_of(state), state.players[state.mover]
    ships = fleet(state)
    if state.moved:
        yield from _actions(state, board.actions[state.at])
    yield from _sails(state, board, player, ships)
    if not state.moved:
        for start, to, red in voyages(ships, lighthouse=False):
            yield Pass(board.ring[start], board.ring[to], red)


def _sails(state: State, board: Board, player: Player, ships: Fleet) -> Iterator[Sail]:
    gold = player.gold - state.moved
    if gold < 0:
        return
    needs, lighthouse = action_needs(state), player.has("lighthouse")
    moved = state.moved + 1
    for start, to, red in voyages(ships, lighthouse):
        need = needs.get(board.actions[to])
        if (need is not None and need <= gold) or can_end(
            ships.sailed(start, to, red), board.actions, needs, gold, moved, lighthouse
        ):
            yield Sail(board.ring[start], board.ring[to], red)


def action_needs(state: State) -> dict[str, int]:
    """The gold that each possible action needs."""
    figures, player = board_of(state).figures, state.players[state.mover]
    prices = figures["prices"]
    needs = {"gold": 0}
    if state.glassworks:
        needs["glassworks"] = prices["glassworks"]
    if state.shops:
        needs["shop"] = prices["shop"][0]
    if state.palaces:
        needs["palace"] = prices["palace"][0]
    if state.specials:
        needs["special"] = prices["special"]
    if state.characters:
        needs["recruit"] = recruit_price(state)
    if player.hand and (docks := [dock.price for dock in free_docks(state)]):
        needs["gondolier"] = min(docks)
    if state.streets or any(True for _ in _buildings(state)):
        needs["build"] = 0
    if any(income(state, island) for island in islands(state)):
        needs["income"] = 0
    if most_produced(state) or any(player.beads):
        needs["production"] = 0
    if player.hand:
        needs["crew"] = 0
    elif can_hire(state):
        needs["crew"] = hire_price(state)
    return needs


def _actions(state: State, action: str) -> Iterator[Move]:
    """The moves of the action of the reached space."""
    figures, player = board_of(state).figures, state.players[state.mover]
    gold, prices = player.gold, figures["prices"]
    if action == "gold":
        yield Gold()
    elif action == "glassworks":
        if state.glassworks and gold >= prices["glassworks"]:
            yield Buy("glassworks")
    elif action == "special":
        if state.specials and gold >= prices["special"]:
            yield Buy("special")
    elif action in ("shop", "palace"):
        top, search = prices[action]
        if stack_of(state, action) and gold >= top:
            yield Buy(action)
        if stack_of(state, action) and gold >= search:
            yield Search(action)
    elif action == "recruit":
        if state.characters and gold >= recruit_price(state):
            yield Recruit()
    elif action == "gondolier":
        if player.hand:
            for dock in free_docks(state):
                if dock.price <= gold:
                    yield Gondolier(dock.island, dock.colour)
    elif action == "build":
        yield from _tiles_to_build(state)
    elif action == "income":
        for island in islands(state):
            if income(state, island):
                yield Income(board_of(state).islands[island].code)
    elif action == "production":
        first = 0 if any(player.beads) else 1
        for count in range(first, most_produced(state) + 1):
            yield Produce(count)
    else:
        if can_hire(state) and gold >= hire_price(state):
            yield Hire()
        if player.hand:
            yield Dismiss()


# Buying


def stack_of(state: State, tile: str) -> str:
    """The stack of shops or of palaces."""
    return state.shops if tile == "shop" else state.palaces


def kind_of(tile: str, letter: str) -> str:
    """The name of a tile of a stack or of a player."""
    return SHOP_COLOUR[letter] if tile == "shop" else letter


def letter_of(tile: str, kind: str) -> str:
    return SHOP_LETTER[kind] if tile == "shop" else kind


def _taking(state: State) -> Iterator[Move]:
    tile = str(state.shown[0])
    for letter in dict.fromkeys(sorted(stack_of(state, tile), key="rbg123".index)):
        yield Take(kind_of(tile, letter))


# Recruiting


def recruit_price(state: State) -> int:
    figures, player = board_of(state).figures, state.players[state.mover]
    price: int = figures["actions"]["recruit_price"] + len(player.characters)
    if player.has("inn"):
        price -= figures["special_cards"]["inn"]["rebate"]
    return max(price, 0)


def _recruiting(state: State) -> Iterator[Move]:
    for character in state.shown:
        yield ChooseCharacter(int(character))
    yield Decline()


# Gondoliers


class FreeDock:
    """A free dock, and its price for the mover."""

    __slots__ = ("colour", "island", "number", "price")

    def __init__(self, number: int, island: str, colour: str, price: int) -> None:
        self.number, self.island, self.colour, self.price = number, island, colour, price


def free_docks(state: State) -> list[FreeDock]:
    board, player = board_of(state), state.players[state.mover]
    own, other = board.figures["prices"]["gondolier"]
    if player.has("harbour"):
        own, other = board.figures["special_cards"]["harbour"]["prices"]
    colour = board.colours[state.mover]
    in_play = islands(state)
    return [
        FreeDock(
            number,
            board.islands[dock.island].code,
            dock.colour,
            own if dock.colour == colour else other,
        )
        for number, dock in enumerate(board.docks)
        if state.docks[number] == EMPTY and dock.island in in_play
    ]


def can_hire(state: State) -> bool:
    """Whether the seat may hire; placed gondoliers count, too."""
    player = state.players[state.mover]
    employed = player.hand + state.docks.count(str(state.mover))
    most: int = board_of(state).figures["actions"]["gondoliers_at_most"]
    return player.supply > 0 and employed < most


def hire_price(state: State) -> int:
    figures = board_of(state).figures
    if state.players[state.mover].has("assembly-hall"):
        return int(figures["special_cards"]["assembly-hall"]["hire"])
    return int(figures["prices"]["hire"])


# Building


def islands(state: State) -> tuple[int, ...]:
    """The islands in play."""
    return _islands(board_of(state).key, len(state.players))


@lru_cache(maxsize=32)
def _islands(key: str, seats: int) -> tuple[int, ...]:
    return boards()[key].islands_for(seats)


def _tiles_to_build(state: State) -> Iterator[Move]:
    if state.streets:
        yield Street()
    yield from _buildings(state)


def _buildings(state: State) -> Iterator[Build]:
    """Every tile of the seat on every space where a building may stand."""
    player = state.players[state.mover]
    owned = _owned_tiles(player)
    if not owned:
        return
    for space in building_spaces(state):
        for tile, kind in owned:
            yield Build(tile, kind, space)


def _owned_tiles(player: Player) -> list[tuple[str, str]]:
    found = [("glassworks", "")] if player.glassworks else []
    found += [("shop", SHOP_COLOUR[letter]) for letter in dict.fromkeys(player.shops)]
    found += [("palace", letter) for letter in dict.fromkeys(player.palaces)]
    return [*found, ("special", "")] if player.specials else found


def building_spaces(state: State) -> tuple[str, ...]:
    """Free building spaces next to a laid street, by name."""
    return _building_spaces(state.board, state.spaces)


@lru_cache(maxsize=20_000)
def _building_spaces(key: str, spaces: str) -> tuple[str, ...]:
    return tuple(
        space.name
        for number, space in enumerate(boards()[key].spaces)
        if not space.street
        and spaces[number] == EMPTY
        and any(spaces[beside] in STREET_CODES for beside in space.beside)
    )


def _laying(state: State) -> Iterator[Move]:
    in_play = islands(state)
    for number, space in enumerate(board_of(state).spaces):
        if space.street and state.spaces[number] == EMPTY and space.island in in_play:
            yield Lay(space.name)


def _building(state: State) -> Iterator[Move]:
    yield from _tiles_to_build(state)
    yield Done()


def _building_at_once(state: State) -> Iterator[Move]:
    tile, kind = str(state.shown[0]), str(state.shown[1])
    for space in building_spaces(state):
        yield Build(tile, kind, space)
    yield Done()


def _choosing_card(state: State) -> Iterator[Move]:
    for card in state.shown:
        yield ChooseCard(str(card))


# Income and production


def income(state: State, island: int) -> int:
    """The income of the mover on the island."""
    return facts(island_spaces(state, island)).income(state.mover)


def most_produced(state: State) -> int:
    """The number of glassworks that may produce: each needs points to lose and a bead to draw."""
    player, figures = state.players[state.mover], board_of(state).figures
    price: int = figures["actions"]["vp_per_produced_bead"]
    built = sum(
        facts(island_spaces(state, island)).glassworks[state.mover] for island in islands(state)
    )
    affordable = player.vp // price if price else built
    return min(built, affordable, sum(state.bag))


def _selling(state: State) -> Iterator[Move]:
    player = state.players[state.mover]
    most = min(MOST_SOLD, sum(player.beads) - state.owes_bead)
    for beads in sales(player.beads, bead_groups(board_of(state).figures, player), most):
        yield Sell(beads)
    if state.shown[0]:
        yield Keep()


def bead_groups(
    figures: Mapping[str, Mapping[str, Mapping[str, list[str]]]], player: Player
) -> tuple[frozenset[int], ...]:
    """The colours that count as one, as numbers of BEADS; several studios join theirs."""
    groups = [{number} for number in range(len(BEADS))]
    for card in player.cards[: player.active]:
        colours = figures["special_cards"][card].get("beads", ())
        joined = [group for group in groups if any(BEADS[number] in colours for number in group)]
        if len(joined) > 1:
            groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return tuple(sorted((frozenset(group) for group in groups), key=min))


def sales(beads: Beads, groups: tuple[frozenset[int], ...], most: int) -> list[Beads]:
    """Every set of 1 to so many beads that count as of one colour."""
    found = [
        (red, blue, green)
        for red, blue, green in product(*(range(min(count, most) + 1) for count in beads))
        if 1 <= red + blue + green <= most
        and any(
            all(n in group for n, count in enumerate((red, blue, green)) if count)
            for group in groups
        )
    ]
    return sorted(found, key=lambda sold: (sum(sold), [-count for count in sold]))


def _returning(state: State) -> Iterator[Move]:
    for colour, count in zip(BEADS, state.players[state.mover].beads):
        if count:
            yield Return(colour)


_MOVES = {
    SAIL: _sailing,
    TAKE: _taking,
    RECRUIT: _recruiting,
    BUILD: _building,
    LAY: _laying,
    CARD: _choosing_card,
    SELL: _selling,
    RETURN: _returning,
    AT_ONCE: _building_at_once,
}
