"""The bot: it rates moves by the view of its seat, never by the state.

It rates each offered move in points: gold has a price, an action counts with its probable gain, a
character with its current score on the best island.
"""

from collections.abc import Iterable
from functools import cached_property

from engine.contract import Json
from engine.murano.board import boards
from engine.murano.board_checks import CUSTOMERS
from engine.murano.characters import worth
from engine.murano.moves import BEADS, Move, move_from_json
from engine.murano.tiles import EMPTY, STREET_CODE, Facts, building_code, facts

GOLD = 0.4  # points that a coin is worth while there are few
GOLD_TO_SPARE = 0.15  # and of those beyond the first
PURSE = 10
STREET = 0.4
CARD = {
    "basilica": 5.0, "crane-noble": 3.0, "crane-trade": 3.0, "harbour-tavern": 2.5, "inn": 3.5,
    "hostel": 3.0, "bank": 2.5, "harbour": 2.5, "assembly-hall": 2.0, "guild-hall": 2.0,
    "counting-house": 1.5, "lighthouse": 1.5,
}  # fmt: skip
STUDIO = 1.5
AVERAGE_CARD = 4.0
AVERAGE_CHARACTER = 8.5
GROWTH = 0.35  # of what a character could bring at most that it may still come to
BEST_OF_CHARACTER = 12.0
BEAD = 2.2  # a bead that is kept


def ranked(view: Json) -> list[int]:
    """The indices of the offered moves, the highest estimate first."""
    mind = _Mind(view)
    estimates = [mind.estimate(priced) for priced in view["decision"]["moves"]]
    return sorted(range(len(estimates)), key=lambda number: -estimates[number])


def bot_move(view: Json) -> Move:
    """The best of the offered moves."""
    return move_from_json(view["decision"]["moves"][ranked(view)[0]]["move"])


class _Mind:
    """A position in the view of the bot."""

    def __init__(self, view: Json) -> None:
        self.view = view
        self.seat: int = view["you"]["seat"]
        self.own: Json = view["players"][self.seat]
        self.board = boards()[view["board"]]
        self.figures = self.board.figures
        self.prices = self.figures["prices"]
        self.cards = {card["card"] for card in self.own["cards"] if card["active"]}

    # Moves

    def estimate(self, priced: Json) -> float:
        move = priced["move"]
        points: float = sum(item["points"] for item in priced["points"])
        return points + float(getattr(self, "_" + move["type"])(move))

    def _sail(self, move: Json) -> float:
        paid = self.view["moved"]
        action = self.board.actions[self.board.ring.index(move["to"])]
        return self.action(action, self.own["gold"] - paid) - self.gold(paid)

    def _pass(self, move: Json) -> float:
        return self.gold(self.figures["actions"]["pass_gold"]) - 0.2

    def _gold(self, move: Json) -> float:
        return self.action("gold", self.own["gold"])

    def _buy(self, move: Json) -> float:
        return self.tile(move["tile"])

    def _search(self, move: Json) -> float:
        top, search = self.prices[move["tile"]]
        better = 0.8 if move["tile"] == "palace" else 0.5
        return self.tile(move["tile"]) + better - self.gold(search - top)

    def _take(self, move: Json) -> float:
        if self.view["you"]["shown"]["tile"] == "palace":
            return float(move["kind"]) / 10
        return max(self.shop_income(move["kind"], code) for code in self.islands)

    def _recruit(self, move: Json) -> float:
        return self.recruiting(self.own["gold"])

    def _choose(self, move: Json) -> float:
        if "card" in move:
            return CARD.get(move["card"], STUDIO) if move["card"] != "basilica" else 0.0
        return self.character(move["character"]) - self.gold(self.view["you"]["recruit_price"])

    def _decline(self, move: Json) -> float:
        return 0.0

    def _gondolier(self, move: Json) -> float:
        own = move["dock"] == self.own["colour"]
        prices = self.prices["gondolier"]
        if "harbour" in self.cards:
            prices = self.figures["special_cards"]["harbour"]["prices"]
        return self.place(move["island"]) - self.gold(prices[0 if own else 1])

    def _street(self, move: Json) -> float:
        return STREET if self.building_spaces or not self.tiles_at_hand else 2.0

    def _lay(self, move: Json) -> float:
        """The value of a street by its customers: for own shops, and for characters that count
        them."""
        code = move["at"][:2]
        shown = self.view["street"].split("+")
        here = self.islands[code]
        gain = 0.0
        for colour in shown:
            if colour in CUSTOMERS and here.shops[CUSTOMERS.index(colour)][self.seat]:
                gain += 0.5
        return gain + self.change(code, move["at"], STREET_CODE[self.view["street"]]) * 0.5

    def _build(self, move: Json) -> float:
        tile, kind, code = move["tile"], move.get("kind", ""), move["at"][:2]
        gain = self.change(code, move["at"], building_code(tile, kind, self.seat)) * 0.6
        if tile == "shop":
            gain += 0.5 * self.shop_income(kind, code)
        elif tile == "special":
            gain += AVERAGE_CARD if self.view["stacks"]["special_cards"] else 0.0
        elif tile == "glassworks":
            gain += 1.5 if self.view["last_round"] is None else 0.0
        return gain + 0.3

    def _done(self, move: Json) -> float:
        return 0.0

    def _income(self, move: Json) -> float:
        return self.gold(self.islands[move["island"]].income(self.seat))

    def _produce(self, move: Json) -> float:
        """The probable value of the beads, sold or kept."""
        beads = list(self.own["beads"].values())
        count = move["count"]
        likely = max(beads) + (count + 1) // 2
        return self.sale(likely) + 0.8 * float(count)

    def _sell(self, move: Json) -> float:
        sold = sum(move["beads"].values())
        wanted = sum(self.wanted_beads.get(colour, 0) for colour in move["beads"])
        kept = 5.0 * min(sold, wanted) if wanted else BEAD * sold * 0.5
        return self.sale(sold) - float(kept)

    def _keep(self, move: Json) -> float:
        return 0.0

    def _return(self, move: Json) -> float:
        have, wanted = self.own["beads"][move["bead"]], self.wanted_beads[move["bead"]]
        return float(have - 9 * min(have, wanted))

    def _hire(self, move: Json) -> float:
        return self.action("crew", self.own["gold"])

    def _dismiss(self, move: Json) -> float:
        return self.gold(self.dismissal) - (0.8 if self.spare_gondoliers else 4.0)

    # Actions

    def action(self, name: str, gold: int) -> float:
        """The value of a space's action with so much gold left."""
        figures, prices = self.figures, self.prices
        if name == "gold":
            bank = figures["special_cards"]["bank"]["gold"] if "bank" in self.cards else 0
            return self.gold(figures["actions"]["gold"] + bank)
        if name in ("glassworks", "special"):
            stack = self.view["stacks"][name]
            return self.tile(name) if stack and gold >= prices[name] else -1.0
        if name in ("shop", "palace"):
            stack = self.view["stacks"][name]
            return self.tile(name) if stack and gold >= prices[name][0] else -1.0
        if name == "recruit":
            return self.recruiting(gold)
        if name == "gondolier":
            return self.placing(gold)
        if name == "build":
            return self.building
        if name == "income":
            return self.gold(max(here.income(self.seat) for here in self.islands.values()))
        if name == "production":
            return self.producing
        hire = self.hiring(gold)
        return max(hire, self.gold(self.dismissal) - (0.8 if self.spare_gondoliers else 4.0))

    def tile(self, tile: str) -> float:
        """The value of a bought tile, which must still be built, up to three in a turn."""
        price = self.prices[tile]
        cost = self.gold(price if isinstance(price, int) else price[0])
        many = len(self.tiles_at_hand)
        points = float(self.figures["build_vp"][tile])
        if tile == "special":
            points += AVERAGE_CARD if self.view["stacks"]["special_cards"] else 0.0
        elif tile == "glassworks":
            points += 1.6 if self.own_glassworks + self.own["tiles"]["glassworks"] < 3 else 0.3
        elif tile == "shop":
            points += 1.5
        return points - cost - 0.3 * max(many - 1, 0)

    def recruiting(self, gold: int) -> float:
        price = self.view["you"]["recruit_price"]
        if gold < price or not self.view["stacks"]["characters"]:
            return -1.0
        gondoliers = self.own["gondoliers"]
        if gondoliers["hand"] + gondoliers["placed"] <= len(self.view["you"]["characters"]):
            return -1.0
        return AVERAGE_CHARACTER - self.gold(price) - 1.5

    def placing(self, gold: int) -> float:
        best = -1.0
        if not self.own["gondoliers"]["hand"]:
            return best
        own, other = self.prices["gondolier"]
        if "harbour" in self.cards:
            own, other = self.figures["special_cards"]["harbour"]["prices"]
        tavern = 1.0 if "harbour-tavern" in self.cards else 0.0
        for code, island in self.view["islands"].items():
            for colour, seat in island["docks"].items():
                price = own if colour == self.own["colour"] else other
                if seat is None and price <= gold:
                    best = max(best, self.place(code) + tavern - self.gold(price))
        return best

    def place(self, code: str) -> float:
        """One more gondolier at an island: the best of the characters that has none yet."""
        placed = self.own["gondoliers"]["placed"]
        waiting = len(self.view["you"]["characters"]) - placed
        best = max((self.on_island(one, code) for one in self.view["you"]["characters"]), default=0)
        return 1.0 + (0.75 * best if waiting > 0 else 0.1 * best)

    @cached_property
    def building(self) -> float:
        """Up to three tiles: those at hand, then streets."""
        points = sorted((self.tile_points(tile) for tile in self.tiles_at_hand), reverse=True)
        room = min(3, len(self.building_spaces) + bool(self.view["stacks"]["street"]))
        ready = points[:room]
        streets = min(3 - len(ready), self.view["stacks"]["street"])
        return float(sum(ready) + STREET * streets)

    def tile_points(self, tile: str) -> float:
        points = float(self.figures["build_vp"][tile]) + 0.5
        if tile == "special" and self.view["stacks"]["special_cards"]:
            points += AVERAGE_CARD
        elif tile == "glassworks":
            points += 1.5
        elif tile == "shop":
            points += 0.6
        return points

    @cached_property
    def producing(self) -> float:
        beads = self.own["beads"].values()
        works = min(self.own_glassworks, self.own["score"] // 2, sum(self.view["bag"].values()))
        with_sale = self.sale(max(beads))
        if not works:
            return with_sale
        likely = max(beads) + (works + 1) // 2
        return max(with_sale, self.sale(likely) - 1.2 * float(works))

    def hiring(self, gold: int) -> float:
        price = self.prices["hire"]
        if "assembly-hall" in self.cards:
            price = self.figures["special_cards"]["assembly-hall"]["hire"]
        if not self.own["gondoliers"]["supply"] or gold < price:
            return -1.0
        return 3.0 - self.gold(price) if self.lacks_gondoliers else 0.2 - self.gold(price)

    # Facts

    def gold(self, coins: int) -> float:
        """Value of coins that come or go, with the current gold."""
        have = self.own["gold"]
        dear = min(coins, max(PURSE - have, 0)) if coins > 0 else coins
        last = 0.3 if self.view["last_round"] is not None else 1.0
        return (GOLD * dear + GOLD_TO_SPARE * (coins - dear)) * last

    def sale(self, beads: int) -> float:
        return self.gold(self.figures["sale_gold"][min(beads, 3)])

    @cached_property
    def dismissal(self) -> int:
        if "assembly-hall" in self.cards:
            return int(self.figures["special_cards"]["assembly-hall"]["dismiss_pays"])
        return int(self.prices["dismiss_pays"])

    @cached_property
    def spare_gondoliers(self) -> bool:
        return bool(self.view["last_round"] is not None and self.own["gondoliers"]["hand"])

    @cached_property
    def lacks_gondoliers(self) -> bool:
        mine = self.own["gondoliers"]
        return bool(len(self.view["you"]["characters"]) > mine["hand"] + mine["placed"])

    @cached_property
    def tiles_at_hand(self) -> list[str]:
        return [tile for tile, count in self.own["tiles"].items() for _ in range(count)]

    @cached_property
    def strings(self) -> dict[str, str]:
        """The spaces of each island in the short form of the rules."""
        return {code: self._string(code, island) for code, island in self.view["islands"].items()}

    def _string(self, code: str, island: Json) -> str:
        number = next(n for n, one in enumerate(self.board.islands) if one.code == code)
        names = [self.board.spaces[place].name for place in self.board.islands[number].spaces]
        return "".join(_code(island["spaces"].get(name)) for name in names)

    @cached_property
    def islands(self) -> dict[str, Facts]:
        return {code: facts(spaces) for code, spaces in self.strings.items()}

    @cached_property
    def own_glassworks(self) -> int:
        return sum(here.glassworks[self.seat] for here in self.islands.values())

    @cached_property
    def building_spaces(self) -> list[str]:
        found = []
        for island in self.board.islands:
            spaces = self.view["islands"].get(island.code, {}).get("spaces")
            if spaces is None:
                continue
            for place in island.spaces:
                space = self.board.spaces[place]
                laid = any(self.board.spaces[n].name in spaces for n in space.beside)
                if not space.street and space.name not in spaces and laid:
                    found.append(space.name)
        return found

    @cached_property
    def wanted_beads(self) -> dict[str, int]:
        """Beads that characters would take."""
        wanted: dict[str, int] = dict.fromkeys(BEADS, 0)
        for number in self.view["you"]["characters"]:
            character = self.figures["characters"][str(number)]
            if "bead" in character:
                wanted[character["bead"]] += character["at_most"]
        return wanted

    # Characters

    def gondoliers_at(self, code: str) -> int:
        docks: Iterable[int | None] = self.view["islands"][code]["docks"].values()
        return sum(seat == self.seat for seat in docks)

    def on_island(self, number: int, code: str, here: Facts | None = None, more: int = 1) -> float:
        """The points of a character on an island now, with one more gondolier there."""
        gondoliers = self.gondoliers_at(code) + more
        found = worth(self.board, number, code, here or self.islands[code], self.seat, gondoliers)
        if found.for_gold:
            return 5.0
        if found.bead is not None:
            have = self.own["beads"][BEADS[found.bead]]
            return float(found.per_bead * min(have + 0.4, found.most_beads))
        return float(found.points)

    def character(self, number: int) -> float:
        """The possible points of a character: its best island now, and room to grow."""
        now = max(self.on_island(number, code) for code in self.islands)
        return now + GROWTH * max(BEST_OF_CHARACTER - now, 0.0) - 1.5

    def change(self, code: str, at: str, tile: str) -> float:
        """The gain of the own characters from this tile on an island."""
        before = self.strings[code]
        island = next(one for one in self.board.islands if one.code == code)
        names = [self.board.spaces[place].name for place in island.spaces]
        place = names.index(at)
        after = facts(before[:place] + tile + before[place + 1 :])
        here = self.islands[code]
        present = self.gondoliers_at(code)
        gain = 0.0
        for number in self.view["you"]["characters"]:
            difference = self.on_island(number, code, after, 0) - self.on_island(
                number, code, here, 0
            )
            gain += difference if present else 0.3 * difference
        return gain

    def shop_income(self, kind: str, code: str) -> float:
        here = self.islands[code]
        colour = CUSTOMERS.index(kind)
        if here.shops[colour][self.seat]:
            return 0.0
        return self.gold(here.customers[colour]) + 0.2


def _code(tile: Json | None) -> str:
    if tile is None:
        return EMPTY
    if tile["tile"] == "street":
        return STREET_CODE[tile["kind"]]
    return building_code(tile["tile"], tile.get("kind", ""), tile.get("seat", 0))
