"""The course of a game, as plainly as it can be written."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.engine.murano.referee.scoring import (
    Board,
    Docks,
    Scene,
    best_total,
    customers,
    handfuls,
    interchangeable,
)
from tests.engine.murano.referee.tables import (
    ACTION,
    BEADS,
    COLOURS,
    FIGURES,
    GONDOLIERS,
    RING,
    beside,
    island_codes,
    island_of,
    spaces_of,
    tiles_without_kind,
)

Move = dict[str, Any]
Payment = tuple[int, str, int]  # seat, cause, points
Ships = tuple[str, tuple[str, ...]]  # the space of the red ship, and those of the others


class Player:
    def __init__(self) -> None:
        start = FIGURES["player"]
        self.gold: int = start["gold"]
        self.hand: int = start["gondoliers_at_hand"]
        self.supply: int = start["gondoliers_in_supply"]
        self.tiles: list[tuple[str, str]] = []  # owned and not yet built: tile and its kind
        self.beads: Counter[str] = Counter()
        self.characters: list[int] = []
        self.cards: list[str] = []
        self.working: list[str] = []  # the cards that may be used in this turn


class Game:
    """The state of one game, what it waits for and the moves it allows."""

    def __init__(
        self,
        seats: int,
        start: int,
        red_ship: str,
        ships: list[str],
        stacks: dict[str, list[str]],
        characters: list[int],
        special_cards: list[str],
    ) -> None:
        self.seats = seats
        self.islands = island_codes(seats)
        self.red = red_ship
        self.others = ships
        self.stacks = dict(stacks)
        self.stacks["glassworks"] = [""] * tiles_without_kind("glassworks", seats)
        self.stacks["special"] = [""] * tiles_without_kind("specials", seats)
        self.characters = characters
        self.special_cards = special_cards
        self.bag: Counter[str] = Counter(FIGURES["beads"])
        self.board: Board = {}
        self.docks: Docks = {}
        self.players = [Player() for _ in range(seats)]
        self.scores = [int(FIGURES["player"]["vp"])] * seats

        self.mover = start
        self.turn = 0
        self.step = 1  # of this turn
        self.phase = "over"
        self.moved = 0
        self.at = ""  # the space of the last ship moved
        self.tiles_built = 0
        self.street = ""  # drawn and not yet laid
        self.shown: list[Any] = []
        self.just_bought: tuple[str, str] = ("", "")
        self.building_at_once = False
        self.must_return = False
        self.only_selling = False
        self.useful: dict[tuple[str, int], bool] = {}  # which actions do something, for this move

        self.ended_by: int | None = None
        self.turns_left: int | None = None  # that will follow this one
        self.begin_turn(start)

    # -- turns

    def begin_turn(self, seat: int) -> None:
        self.mover = seat
        self.turn += 1
        self.step = 1
        self.phase = "sail"
        self.moved = 0
        self.at = ""
        self.tiles_built = 0
        self.just_bought = ("", "")
        self.building_at_once = False
        self.must_return = False
        self.only_selling = False
        player = self.players[seat]
        player.working = list(player.cards)

    def end_turn(self) -> list[Payment]:
        if self.turns_left == 0:
            self.phase = "over"
            return self.score_at_the_end()
        if self.turns_left is not None:
            self.turns_left -= 1
        self.begin_turn((self.mover + 1) % self.seats)
        return []

    def watch_the_stacks(self) -> None:
        """Whether the second of the five stacks has just run out."""
        if self.ended_by is None and sum(not stack for stack in self.stacks.values()) >= 2:
            self.ended_by = self.mover
            self.turns_left = self.seats - 1

    def me(self) -> Player:
        return self.players[self.mover]

    def has(self, card: str) -> bool:
        return card in self.me().working

    def number(self, card: str, what: str) -> Any:
        return FIGURES["special_cards"][card][what]

    # -- ships

    def ships(self) -> Ships:
        return self.red, tuple(self.others)

    def sails(self, ships: Ships, passing: bool = False) -> list[tuple[str, str, bool]]:
        """The voyages of single ships: from where, to where, and whether it is the red one."""
        red, others = ships
        taken = {red, *others}
        found = []
        for is_red, start in [(True, red)] + [(False, other) for other in others]:
            place = RING.index(start)
            for distance in range(1, len(RING)):
                space = RING[(place + distance) % len(RING)]
                if space in taken:
                    if is_red and not passing and self.has("lighthouse"):
                        found.append((start, space, True))
                    break
                found.append((start, space, is_red))
        return found

    def after_sail(self, ships: Ships, voyage: tuple[str, str, bool]) -> Ships:
        (red, others), (start, to, is_red) = ships, voyage
        if is_red:
            return to, others
        moved = list(others)
        moved.remove(start)
        return red, tuple(sorted([*moved, to]))

    def can_be_completed(
        self, ships: Ships, at: str, moved: int, gold: int, seen: set[tuple[Ships, str, int, int]]
    ) -> bool:
        """Whether the action here does something, or any further sails lead to one that does."""
        if self.does_something(at, gold):
            return True
        if (ships, at, moved, gold) in seen:
            return False
        seen.add((ships, at, moved, gold))
        return gold >= moved and any(
            self.can_be_completed(
                self.after_sail(ships, voyage), voyage[1], moved + 1, gold - moved, seen
            )
            for voyage in self.sails(ships)
        )

    def does_something(self, at: str, gold: int) -> bool:
        question = (ACTION[at], gold)
        if question not in self.useful:
            self.useful[question] = bool(self.actions(*question))
        return self.useful[question]

    def voyage_move(self, name: str, voyage: tuple[str, str, bool]) -> Move:
        start, to, is_red = voyage
        move: Move = {"type": name, "from": start, "to": to}
        if is_red and start in self.others:
            move["red"] = True
        return move

    def sail_moves(self) -> list[Move]:
        self.useful = {}
        gold = self.me().gold
        if gold < self.moved:
            return []
        return [
            self.voyage_move("sail", voyage)
            for voyage in self.sails(self.ships())
            if self.can_be_completed(
                self.after_sail(self.ships(), voyage),
                voyage[1],
                self.moved + 1,
                gold - self.moved,
                set(),
            )
        ]

    def pass_moves(self) -> list[Move]:
        return [
            self.voyage_move("pass", voyage) for voyage in self.sails(self.ships(), passing=True)
        ]

    # -- what may be done

    def legal_moves(self) -> list[Move]:
        if self.phase == "sail":
            if self.moved == 0:
                return self.sail_moves() + self.pass_moves()
            return self.actions(ACTION[self.at], self.me().gold) + self.sail_moves()
        if self.phase == "take":
            kinds = dict.fromkeys(self.stacks[self.just_bought[0]])
            return [{"type": "take", "kind": kind} for kind in kinds]
        if self.phase == "recruit":
            choices: list[Move] = [{"type": "choose", "character": one} for one in self.shown]
            return [*choices, {"type": "decline"}]
        if self.phase == "card":
            return [{"type": "choose", "card": card} for card in self.shown]
        if self.phase == "lay":
            return [{"type": "lay", "at": space} for space in self.free_spaces("S")]
        if self.phase == "build":
            return [*self.build_moves(), {"type": "done"}]
        if self.phase == "at once":
            return [*self.ways_to_build([self.just_bought]), {"type": "done"}]
        if self.phase == "sell":
            return self.sell_moves()
        if self.phase == "return":
            return [{"type": "return", "bead": bead} for bead in BEADS if self.me().beads[bead]]
        return []

    def asks_anyway(self) -> bool:
        """Whether a lone possibility is asked for all the same: to go on would tell what nobody
        else may know."""
        if self.phase == "take":
            return len(self.stacks[self.just_bought[0]]) > 1
        return self.phase == "at once"

    def actions(self, action: str, gold: int) -> list[Move]:
        """The moves that carry out the action of a space, with so much gold."""
        prices = FIGURES["prices"]
        me = self.me()
        if action == "gold":
            return [{"type": "gold"}]
        if action in ("glassworks", "special"):
            affordable = bool(self.stacks[action]) and gold >= prices[action]
            return [{"type": "buy", "tile": action}] if affordable else []
        if action in ("shop", "palace"):
            names = ["buy", "search"] if self.stacks[action] else []
            return [
                {"type": name, "tile": action}
                for name, price in zip(names, prices[action])
                if gold >= price
            ]
        if action == "recruit":
            affordable = bool(self.characters) and gold >= self.recruit_price()
            return [{"type": "recruit"}] if affordable else []
        if action == "gondolier":
            return [
                {"type": "gondolier", "island": island, "dock": dock}
                for island in self.islands
                for dock in FIGURES["islands"][island]["docks"]
                if me.hand and (island, dock) not in self.docks and gold >= self.dock_price(dock)
            ]
        if action == "build":
            return self.build_moves()
        if action == "income":
            return [
                {"type": "income", "island": island}
                for island in self.islands
                if self.income(island) > 0
            ]
        if action == "production":
            return self.produce_moves()
        assert action == "crew"
        moves: list[Move] = []
        if me.hand:
            moves.append({"type": "dismiss"})
        employed = me.hand + list(self.docks.values()).count(self.mover)
        if me.supply and employed < GONDOLIERS and gold >= self.hire_price():
            moves.append({"type": "hire"})
        return moves

    def recruit_price(self) -> int:
        price = FIGURES["actions"]["recruit_price"] + len(self.me().characters)
        return int(max(0, price - (self.number("inn", "rebate") if self.has("inn") else 0)))

    def dock_price(self, dock: str) -> int:
        harbour = self.has("harbour")
        prices = self.number("harbour", "prices") if harbour else FIGURES["prices"]["gondolier"]
        return int(prices[0] if dock == COLOURS[self.mover] else prices[1])

    def hire_price(self) -> int:
        card = "assembly-hall"
        return int(self.number(card, "hire") if self.has(card) else FIGURES["prices"]["hire"])

    def dismissal(self) -> int:
        card, what = "assembly-hall", "dismiss_pays"
        return int(self.number(card, what) if self.has(card) else FIGURES["prices"][what])

    def free_spaces(self, letter: str) -> list[str]:
        return [
            space
            for island in self.islands
            for space in spaces_of(island, letter)
            if space not in self.board
        ]

    def build_moves(self) -> list[Move]:
        moves: list[Move] = []
        if self.stacks["street"] and self.free_spaces("S"):
            moves.append({"type": "street"})
        return moves + self.ways_to_build(list(dict.fromkeys(self.me().tiles)))

    def ways_to_build(self, tiles: list[tuple[str, str]]) -> list[Move]:
        laid = [space for space, (name, _, _) in self.board.items() if name == "street"]
        spaces = [
            space
            for space in self.free_spaces("B")
            if any(neighbour in laid for neighbour in beside(space))
        ]
        return [
            {"type": "build", "tile": tile} | ({"kind": kind} if kind else {}) | {"at": space}
            for tile, kind in tiles
            for space in spaces
        ]

    def income(self, island: str) -> int:
        own_shops = {
            kind
            for space, (name, kind, owner) in self.board.items()
            if island_of(space) == island and name == "shop" and owner == self.mover
        }
        there: Counter[str] = Counter()
        for space, (name, kind, _) in self.board.items():
            if island_of(space) == island and name == "street":
                there += customers(kind)
        return sum(there[colour] for colour in own_shops)

    def produce_moves(self) -> list[Move]:
        built = sum(
            name == "glassworks" and owner == self.mover for name, _, owner in self.board.values()
        )
        price = FIGURES["actions"]["vp_per_produced_bead"]
        most = min(built, self.scores[self.mover] // price, self.bag.total())
        least = 0 if self.me().beads.total() else 1
        return [{"type": "produce", "count": count} for count in range(least, most + 1)]

    def sell_moves(self) -> list[Move]:
        me = self.me()
        most = len(FIGURES["sale_gold"]) - 1
        if self.must_return:
            most = min(most, me.beads.total() - 1)
        moves: list[Move] = []
        for bead in BEADS:
            for beads in handfuls(me.beads, interchangeable(bead, me.working), most):
                move: Move = {"type": "sell", "beads": beads}
                if move not in moves:
                    moves.append(move)
        return moves if self.only_selling else [*moves, {"type": "keep"}]

    # -- what the moves do

    def make(self, move: Move, drawn: dict[str, list[Any]]) -> list[Payment]:
        """Make a move, with the outcomes of chance; returns what it paid."""
        self.step += 1
        name = str(move["type"])
        if name in ("sail", "pass"):
            return self.make_voyage(name, move)
        if name in ("buy", "search", "take"):
            return self.make_purchase(name, move, drawn)
        if name in ("recruit", "decline") or "character" in move:
            return self.make_recruiting(name, move)
        if name in ("street", "lay", "build", "done") or "card" in move:
            return self.make_building(name, move)
        if name in ("produce", "sell", "keep", "return"):
            return self.make_production(name, move, drawn)
        payments: list[Payment] = []
        me = self.me()
        if name == "gold":
            me.gold += FIGURES["actions"]["gold"]
            me.gold += self.number("bank", "gold") if self.has("bank") else 0
        elif name == "gondolier":
            me.gold -= self.dock_price(move["dock"])
            me.hand -= 1
            self.docks[move["island"], move["dock"]] = self.mover
            if self.has("harbour-tavern"):
                payments.append(self.pay("special", self.number("harbour-tavern", "vp")))
        elif name == "income":
            me.gold += self.income(move["island"])
        elif name == "hire":
            me.gold -= self.hire_price()
            me.supply -= 1
            me.hand += 1
        else:
            assert name == "dismiss"
            me.gold += self.dismissal()
            me.hand -= 1
            me.supply += 1
        return payments + self.end_turn()

    def pay(self, cause: str, points: int, seat: int | None = None) -> Payment:
        seat = self.mover if seat is None else seat
        self.scores[seat] += points
        return seat, cause, points

    def make_voyage(self, name: str, move: Move) -> list[Payment]:
        start, to = move["from"], move["to"]
        is_red = move.get("red", start == self.red and start not in self.others)
        self.red, others = self.after_sail(self.ships(), (start, to, is_red))
        self.others = list(others)
        if name == "pass":
            self.me().gold += FIGURES["actions"]["pass_gold"]
            return self.end_turn()
        self.me().gold -= self.moved
        self.moved += 1
        self.at = to
        return []

    def make_purchase(self, name: str, move: Move, drawn: dict[str, list[Any]]) -> list[Payment]:
        me = self.me()
        if name == "take":
            tile, kind = self.just_bought[0], move["kind"]
            self.stacks[tile].remove(kind)
            self.stacks[tile] = drawn[f"{tile}s"]
        else:
            tile = move["tile"]
            price = FIGURES["prices"][tile]
            if isinstance(price, list):
                price = price[0] if name == "buy" else price[1]
            me.gold -= price
            if name == "search":
                self.just_bought = (tile, "")
                self.phase = "take"
                return []
            kind = self.stacks[tile].pop(0)
        self.just_bought = (tile, kind)
        me.tiles.append(self.just_bought)
        self.watch_the_stacks()
        if self.ended_by is None:
            return self.end_turn()
        self.phase = "at once"
        return []

    def make_recruiting(self, name: str, move: Move) -> list[Payment]:
        if name == "recruit":
            hostel = self.has("hostel")
            many = FIGURES["actions"]["characters_shown"]
            many = self.number("hostel", "shown") if hostel else many
            self.shown, self.characters = self.characters[:many], self.characters[many:]
            self.phase = "recruit"
            return []
        if name == "choose":
            self.me().gold -= self.recruit_price()
            self.me().characters.append(move["character"])
            self.shown.remove(move["character"])
        self.characters = self.characters + self.shown
        return self.end_turn()

    def make_building(self, name: str, move: Move) -> list[Payment]:
        if name == "done":
            return self.end_turn()
        if name == "street":
            self.street = self.stacks["street"].pop(0)
            self.watch_the_stacks()
            self.phase = "lay"
            return []
        payments: list[Payment] = []
        if name == "lay":
            self.board[move["at"]] = ("street", self.street, None)
            self.street = ""
        elif name == "build":
            payments = self.put_building(move)
            if move["tile"] == "special" and self.special_cards:
                many = FIGURES["actions"]["special_cards_shown"]
                self.shown, self.special_cards = (
                    self.special_cards[:many],
                    self.special_cards[many:],
                )
                self.phase = "card"
                return payments
        else:
            payments = self.take_card(move["card"])
        self.tiles_built += 1
        if self.building_at_once or self.tiles_built == FIGURES["actions"]["tiles_per_build"]:
            return payments + self.end_turn()
        self.phase = "build"
        return payments

    def put_building(self, move: Move) -> list[Payment]:
        tile, kind = move["tile"], move.get("kind", "")
        self.building_at_once = self.phase == "at once"
        self.me().tiles.remove((tile, kind))
        owner = self.mover if tile in ("glassworks", "shop") else None
        self.board[move["at"]] = (tile, kind, owner)
        payments = [self.pay("build", FIGURES["build_vp"][tile])]
        crane = "crane-trade" if tile in ("glassworks", "shop") else "crane-noble"
        if self.has(crane):
            payments.append(self.pay("special", self.number(crane, "vp")))
        return payments

    def take_card(self, card: str) -> list[Payment]:
        self.me().cards.append(card)
        self.shown.remove(card)
        self.special_cards = self.special_cards + self.shown
        if card == "basilica":
            return [self.pay("special", self.number(card, "vp"))]
        return []

    def make_production(self, name: str, move: Move, drawn: dict[str, list[Any]]) -> list[Payment]:
        me = self.me()
        payments: list[Payment] = []
        if name == "produce":
            count = move["count"]
            self.only_selling = count == 0
            self.phase = "sell"
            if count == 0:
                return []
            price = FIGURES["actions"]["vp_per_produced_bead"]
            payments.append(self.pay("production", -price * count))
            beads = drawn["beads"]
            self.bag -= Counter(beads)
            me.beads += Counter(beads)
            self.must_return = len(beads) > count
            if self.has("guild-hall"):
                payments.append(self.pay("special", self.number("guild-hall", "vp")))
            return payments
        if name == "sell":
            me.gold += FIGURES["sale_gold"][sum(move["beads"].values())]
            me.beads -= Counter(move["beads"])
            self.bag += Counter(move["beads"])
        elif name == "return":
            me.beads[move["bead"]] -= 1
            self.bag[move["bead"]] += 1
        if name != "return" and self.must_return:
            self.phase = "return"
            return []
        return self.end_turn()

    def beads_to_draw(self, move: Move) -> int:
        """How many beads a production draws."""
        count = int(move["count"])
        if count and self.has("counting-house"):
            extra = int(self.number("counting-house", "extra_beads"))
            return min(count + extra, self.bag.total())
        return count

    # -- the end

    def score_at_the_end(self) -> list[Payment]:
        """Characters and idle gondoliers; which is which is left open, so it is one payment."""
        payments = []
        for seat, player in enumerate(self.players):
            points, gold = best_total(
                self.scene(seat), player.characters, player.beads, player.gold, player.working
            )
            player.gold = gold
            payments.append(self.pay("character", points, seat))
        return payments

    def scene(self, seat: int) -> Scene:
        return Scene(self.board, self.docks, seat, self.islands)

    def seats_in_scoring_order(self) -> list[int]:
        assert self.ended_by is not None
        return [(self.ended_by + step) % self.seats for step in range(self.seats)]

    def winners(self) -> list[int]:
        standing = [(self.scores[s], self.players[s].gold) for s in range(self.seats)]
        return [seat for seat in range(self.seats) if standing[seat] == max(standing)]

    # -- nothing may get lost

    def gondoliers_of(self, seat: int) -> int:
        player = self.players[seat]
        return player.hand + player.supply + list(self.docks.values()).count(seat)

    def all_beads(self) -> Counter[str]:
        return sum((player.beads for player in self.players), self.bag)

    def tiles_anywhere(self) -> Counter[str]:
        """How many tiles of each sort are in stacks, before players and on the board."""
        tiles = Counter(name for name, _, _ in self.board.values())
        for player in self.players:
            tiles += Counter(name for name, _ in player.tiles)
        for name, stack in self.stacks.items():
            tiles[name] += len(stack)
        tiles["street"] += self.phase == "lay"
        return tiles
