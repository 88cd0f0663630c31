"""Moves: their effects, and the next seat."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.chance import Chance
from engine.contract import NOBODY, Event, Json, Step
from engine.murano.final_scoring import final_scoring
from engine.murano.legal import (
    fleet,
    free_docks,
    hire_price,
    income,
    kind_of,
    letter_of,
    recruit_price,
    stack_of,
)
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
from engine.murano.state import (
    AT_ONCE,
    BUILD,
    CARD,
    LAY,
    NOT_MOVED,
    RECRUIT,
    RETURN,
    SAIL,
    SELL,
    TAKE,
    State,
    board_of,
)
from engine.murano.tiles import STREET_NAME, building_code

BASILICA = "basilica"
STACKS = ("streets", "shops", "palaces", "glassworks", "specials")
STACK_OF_TILE = {"street": "streets", "shop": "shops", "palace": "palaces",
                 "glassworks": "glassworks", "special": "specials"}  # fmt: skip
RUN_OUT_AT_END = 2
CRANE = {"palace": "crane-noble", "special": "crane-noble",
         "shop": "crane-trade", "glassworks": "crane-trade"}  # fmt: skip


def pending(state: State) -> tuple[int, ...]:
    return () if state.reason is not None else (state.mover,)


def revisable(state: State) -> tuple[int, ...]:
    """None: moves are open and final."""
    return ()


def decision(state: State, seat: int) -> str:
    """The id as `t12.3.build.s1`: turn, step, kind, seat."""
    return f"t{state.turn}.{state.step}.{state.phase}.s{seat}"


def within_turn(state: State, seat: int) -> bool:
    """Whether the seat has sailed already."""
    return state.step > 1


def scores(state: State) -> tuple[int, ...]:
    return tuple(player.vp for player in state.players)


def apply(state: State, seat: int, move: Move, chance: Chance) -> Step:
    """Play a legal move."""
    events: list[Event] = []
    after = _APPLY[type(move)](_Turn(state, seat, chance, events), move)
    return Step(after, events)


class _Turn:
    """The context of a move: the state before it, and its events."""

    def __init__(self, state: State, seat: int, chance: Chance, events: list[Event]) -> None:
        self.state, self.seat, self.chance, self.events = state, seat, chance, events
        self.figures: Json = board_of(state).figures
        self.player = state.players[seat]

    def tell(self, what: str, /, **facts: Any) -> None:
        self.events.append({"type": what, "seat": self.seat, **facts})

    def tell_self(self, what: str, /, **facts: Any) -> None:
        self.tell(what, **facts, seen_by=[self.seat])

    def score(self, points: int, cause: str) -> None:
        """Score points for the seat; negative ones are lost."""
        if points:
            self.player = self.player._replace(vp=self.player.vp + points)
            self.events.append(
                {"type": "points", "seat": self.seat, "points": points, "for": cause}
            )

    def pay(self, gold: int) -> None:
        self.player = self.player._replace(gold=self.player.gold - gold)

    def now(self, **changes: Any) -> State:
        """The state with the changed player, one step on."""
        state = self.state
        players = (*state.players[: self.seat], self.player, *state.players[self.seat + 1 :])
        return state._replace(players=players, step=state.step + 1, **changes)

    def over(self, **changes: Any) -> State:
        """End the turn; the next seat's begins, or the game ends."""
        state = self.now(**changes)
        following = (self.seat + 1) % len(state.players)
        if state.trigger == following:
            return final_scoring(state, self.events)
        player = state.players[following]
        player = player._replace(active=len(player.cards))
        return state._replace(
            turn=state.turn + 1,
            step=1,
            mover=following,
            phase=SAIL,
            moved=0,
            at=NOT_MOVED,
            built=0,
            shown=(),
            owes_bead=False,
            players=(*state.players[:following], player, *state.players[following + 1 :]),
        )

    def special(self, card: str, fact: str, without: int = 0) -> int:
        """A figure of a special card in force for the seat, else the default."""
        return int(self.figures["special_cards"][card][fact]) if self.player.has(card) else without


# Sailing


def _voyage(turn: _Turn, move: Sail | Pass) -> dict[str, Any]:
    """The ships after the movement, as changes of the state."""
    ring = board_of(turn.state).ring
    before = fleet(turn.state)
    start, to = ring.index(move.start), ring.index(move.to)
    after = before.sailed(start, to, move.red)
    return {"ships": after.ships, "red": after.red, "at": to}


def _sail(turn: _Turn, move: Sail) -> State:
    state = turn.state
    changes = _voyage(turn, move)
    red = changes["red"] != state.red
    turn.tell("sail", **{"from": move.start}, to=move.to, red=red, paid=state.moved)
    turn.pay(state.moved)
    return turn.now(**changes, moved=state.moved + 1)


def _pass(turn: _Turn, move: Pass) -> State:
    gold = turn.figures["actions"]["pass_gold"]
    changes = _voyage(turn, move)
    red = changes["red"] != turn.state.red
    turn.tell("pass", **{"from": move.start}, to=move.to, red=red, gold=gold)
    turn.pay(-gold)
    return turn.over(**changes)


# Gold, gondoliers


def _gold(turn: _Turn, move: Gold) -> State:
    gold = turn.figures["actions"]["gold"] + turn.special("bank", "gold")
    turn.tell("gold", gold=gold)
    turn.pay(-gold)
    return turn.over()


def _gondolier(turn: _Turn, move: Gondolier) -> State:
    dock = next(
        dock
        for dock in free_docks(turn.state)
        if (dock.island, dock.colour) == (move.island, move.dock)
    )
    turn.tell("gondolier", island=move.island, dock=move.dock, paid=dock.price)
    turn.pay(dock.price)
    turn.player = turn.player._replace(hand=turn.player.hand - 1)
    turn.score(turn.special("harbour-tavern", "vp"), "special")
    docks = turn.state.docks
    return turn.over(docks=docks[: dock.number] + str(turn.seat) + docks[dock.number + 1 :])


def _hire(turn: _Turn, move: Hire) -> State:
    paid = hire_price(turn.state)
    turn.tell("hire", paid=paid)
    turn.pay(paid)
    player = turn.player
    turn.player = player._replace(hand=player.hand + 1, supply=player.supply - 1)
    return turn.over()


def _dismiss(turn: _Turn, move: Dismiss) -> State:
    gold = turn.special("assembly-hall", "dismiss_pays", turn.figures["prices"]["dismiss_pays"])
    turn.tell("dismiss", gold=gold)
    turn.pay(-gold)
    player = turn.player
    turn.player = player._replace(hand=player.hand - 1, supply=player.supply + 1)
    return turn.over()


# Tiles: buying and searching


def _buy(turn: _Turn, move: Buy) -> State:
    state, tile = turn.state, move.tile
    price = turn.figures["prices"][tile]
    paid = price if isinstance(price, int) else price[0]
    turn.tell("buy", tile=tile, paid=paid)
    turn.pay(paid)
    if tile in ("glassworks", "special"):
        name = STACK_OF_TILE[tile]
        changes: dict[str, Any] = {name: getattr(state, name) - 1}
        turn.player = turn.player._replace(**{name: getattr(turn.player, name) + 1})
        return _bought(turn, tile, "", changes)
    stack = stack_of(state, tile)
    kind = kind_of(tile, stack[0])
    turn.tell_self("bought", tile=tile, kind=kind)
    return _taken(turn, tile, kind, stack[1:])


def _search(turn: _Turn, move: Search) -> State:
    paid = turn.figures["prices"][move.tile][1]
    turn.tell("search", tile=move.tile, paid=paid)
    turn.pay(paid)
    return turn.now(phase=TAKE, shown=(move.tile,))


def _take(turn: _Turn, move: Take) -> State:
    tile = str(turn.state.shown[0])
    stack = stack_of(turn.state, tile)
    letter = letter_of(tile, move.kind)
    rest = stack.replace(letter, "", 1)
    name = STACK_OF_TILE[tile]
    kinds = [kind_of(tile, one) for one in _sorted_letters(rest)]
    order = turn.chance.shuffled(name, kinds, seen_by=NOBODY)
    turn.tell("taken", tile=tile)
    turn.tell_self("bought", tile=tile, kind=move.kind)
    memory: dict[str, Any] = {name: (turn.state.turn, _sorted_letters(rest))}
    seen = turn.player.seen._replace(**memory)
    turn.player = turn.player._replace(seen=seen)
    return _taken(turn, tile, move.kind, "".join(letter_of(tile, kind) for kind in order))


def _sorted_letters(letters: str) -> str:
    return "".join(sorted(letters, key="rbg123".index))


def _taken(turn: _Turn, tile: str, kind: str, stack: str) -> State:
    """A shop or a palace lies in front of the seat, hidden from the others."""
    name = STACK_OF_TILE[tile]
    own: dict[str, Any] = {
        name: _sorted_letters(getattr(turn.player, name) + letter_of(tile, kind))
    }
    turn.player = turn.player._replace(**own)
    return _bought(turn, tile, kind, {name: stack})


def _bought(turn: _Turn, tile: str, kind: str, changes: dict[str, Any]) -> State:
    """In the last round a bought tile may be built at once."""
    state = turn.now(**changes)
    trigger = _trigger(turn, state)
    if trigger is None:
        return turn.over(**changes)
    return state._replace(trigger=trigger, phase=AT_ONCE, shown=(tile, kind))


def _trigger(turn: _Turn, after: State) -> int | None:
    """The seat that triggered the last round, if any; adds events of empty stacks."""
    before = turn.state
    for name in STACKS:
        if getattr(before, name) and not getattr(after, name):
            turn.events.append({"type": "stack-empty", "stack": name})
    if before.trigger is None and _run_out(after) >= RUN_OUT_AT_END:
        turn.tell("last-round")
        return turn.seat
    return before.trigger


def _run_out(state: State) -> int:
    return sum(not getattr(state, name) for name in STACKS)


# Characters


def _recruit(turn: _Turn, move: Recruit) -> State:
    shown = turn.special("hostel", "shown", turn.figures["actions"]["characters_shown"])
    characters = turn.state.characters[:shown]
    turn.tell("recruit", shown=len(characters))
    turn.tell_self("characters", characters=list(characters))
    return turn.now(
        phase=RECRUIT, shown=characters, characters=turn.state.characters[len(characters) :]
    )


def _choose_character(turn: _Turn, move: ChooseCharacter) -> State:
    paid = recruit_price(turn.state)
    turn.tell("recruited", paid=paid)
    turn.tell_self("chosen", character=move.character)
    turn.pay(paid)
    turn.player = turn.player._replace(characters=(*turn.player.characters, move.character))
    return _under_the_stack(turn, move.character)


def _decline(turn: _Turn, move: Decline) -> State:
    turn.tell("decline")
    return _under_the_stack(turn, None)


def _under_the_stack(turn: _Turn, chosen: int | None) -> State:
    """Those not chosen go under the stack in the order shown, and are remembered."""
    others = tuple(int(one) for one in turn.state.shown if one != chosen)
    seen = turn.player.seen
    known = tuple(one for one in seen.characters if one not in turn.state.shown)
    turn.player = turn.player._replace(seen=seen._replace(characters=(*known, *others)))
    return turn.over(characters=(*turn.state.characters, *others))


# Building


def _street(turn: _Turn, move: Street) -> State:
    state = turn.state
    turn.tell("street", street=STREET_NAME[state.streets[0]])
    after = turn.now(phase=LAY, shown=(state.streets[0],), streets=state.streets[1:])
    return after._replace(trigger=_trigger(turn, after))


def _lay(turn: _Turn, move: Lay) -> State:
    code = str(turn.state.shown[0])
    turn.tell("lay", street=STREET_NAME[code], at=move.at)
    return _laid(turn, _with_tile(turn.state, move.at, code))


def _with_tile(state: State, at: str, code: str) -> str:
    spaces = board_of(state).spaces
    place = next(number for number, space in enumerate(spaces) if space.name == at)
    return state.spaces[:place] + code + state.spaces[place + 1 :]


def _build(turn: _Turn, move: Build) -> State:
    tile, kind = move.tile, move.kind
    turn.tell("build", tile=tile, **({"kind": kind} if kind else {}), at=move.at)
    turn.score(turn.figures["build_vp"][tile], "build")
    turn.score(turn.special(CRANE[tile], "vp"), "special")
    name = STACK_OF_TILE[tile]
    owned = getattr(turn.player, name)
    left = owned.replace(letter_of(tile, kind), "", 1) if kind else owned - 1
    turn.player = turn.player._replace(**{name: left})
    spaces = _with_tile(turn.state, move.at, building_code(tile, kind, turn.seat))
    if tile != "special":
        return _laid(turn, spaces)
    return _special_built(turn, spaces)


def _special_built(turn: _Turn, spaces: str) -> State:
    """A special building brings a card, as long as there are any."""
    state = turn.state
    shown = state.cards[: turn.figures["actions"]["special_cards_shown"]]
    if not shown:
        return _laid(turn, spaces)
    turn.tell("cards", shown=len(shown))
    turn.tell_self("cards-shown", cards=list(shown))
    built = (
        turn.figures["actions"]["tiles_per_build"] if state.phase == AT_ONCE else state.built + 1
    )
    return turn.now(
        phase=CARD, shown=shown, cards=state.cards[len(shown) :], spaces=spaces, built=built
    )


def _choose_card(turn: _Turn, move: ChooseCard) -> State:
    turn.tell("card", card=move.card)
    if move.card == BASILICA:
        turn.score(turn.figures["special_cards"][BASILICA]["vp"], "special")
    others = tuple(str(card) for card in turn.state.shown if card != move.card)
    player, seen = turn.player, turn.player.seen
    known = tuple(card for card in seen.cards if card not in turn.state.shown)
    turn.player = player._replace(
        cards=(*player.cards, move.card), seen=seen._replace(cards=(*known, *others))
    )
    return _go_on_building(turn, turn.state.built, cards=(*turn.state.cards, *others))


def _laid(turn: _Turn, spaces: str) -> State:
    if turn.state.phase == AT_ONCE:
        return turn.over(spaces=spaces)
    return _go_on_building(turn, turn.state.built + 1, spaces=spaces)


def _go_on_building(turn: _Turn, built: int, **changes: Any) -> State:
    """After the last tile of a build the turn is over without asking."""
    if built >= turn.figures["actions"]["tiles_per_build"]:
        return turn.over(**changes)
    return turn.now(**changes, phase=BUILD, shown=(), built=built)


def _done(turn: _Turn, move: Done) -> State:
    turn.tell("done")
    return turn.over()


# Income and production


def _income(turn: _Turn, move: Income) -> State:
    codes = [island.code for island in board_of(turn.state).islands]
    gold = income(turn.state, codes.index(move.island))
    turn.tell("income", island=move.island, gold=gold)
    turn.pay(-gold)
    return turn.over()


def _produce(turn: _Turn, move: Produce) -> State:
    state, count = turn.state, move.count
    turn.tell("produce", count=count)
    if not count:
        return turn.now(phase=SELL, shown=(0,), owes_bead=False)
    in_bag = sum(state.bag)
    extra = min(turn.special("counting-house", "extra_beads"), in_bag - count)
    contents = [colour for colour, n in zip(BEADS, state.bag) for _ in range(n)]
    drawn = turn.chance.shuffled("beads", contents, count=count + extra)
    turn.score(-count * turn.figures["actions"]["vp_per_produced_bead"], "production")
    turn.tell("beads", beads=list(drawn))
    turn.score(turn.special("guild-hall", "vp"), "special")
    numbers = _counted(drawn)
    turn.player = turn.player._replace(beads=_sum(turn.player.beads, numbers))
    bag = _sum(state.bag, numbers, -1)
    return turn.now(phase=SELL, shown=(count,), owes_bead=extra > 0, bag=bag)


def _sell(turn: _Turn, move: Sell) -> State:
    gold = turn.figures["sale_gold"][sum(move.beads)]
    sold = {colour: n for colour, n in zip(BEADS, move.beads) if n}
    turn.tell("sell", beads=sold, gold=gold)
    turn.pay(-gold)
    turn.player = turn.player._replace(beads=_sum(turn.player.beads, move.beads, -1))
    return _sold(turn, bag=_sum(turn.state.bag, move.beads))


def _keep(turn: _Turn, move: Keep) -> State:
    turn.tell("keep")
    return _sold(turn)


def _sold(turn: _Turn, **changes: Any) -> State:
    if turn.state.owes_bead:
        return turn.now(**changes, phase=RETURN, shown=())
    return turn.over(**changes)


def _return(turn: _Turn, move: Return) -> State:
    turn.tell("return", bead=move.bead)
    one = _counted([move.bead])
    turn.player = turn.player._replace(beads=_sum(turn.player.beads, one, -1))
    return turn.over(bag=_sum(turn.state.bag, one))


def _counted(beads: Sequence[str]) -> Beads:
    red, blue, green = (beads.count(colour) for colour in BEADS)
    return red, blue, green


def _sum(one: Beads, other: Beads, sign: int = 1) -> Beads:
    return (one[0] + sign * other[0], one[1] + sign * other[1], one[2] + sign * other[2])


_APPLY: dict[type[Move], Callable[[_Turn, Any], State]] = {
    Sail: _sail,
    Pass: _pass,
    Gold: _gold,
    Buy: _buy,
    Search: _search,
    Take: _take,
    Recruit: _recruit,
    ChooseCharacter: _choose_character,
    ChooseCard: _choose_card,
    Decline: _decline,
    Gondolier: _gondolier,
    Street: _street,
    Lay: _lay,
    Build: _build,
    Done: _done,
    Income: _income,
    Produce: _produce,
    Sell: _sell,
    Keep: _keep,
    Return: _return,
    Hire: _hire,
    Dismiss: _dismiss,
}
