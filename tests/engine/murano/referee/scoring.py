"""What characters are worth, and the best way to bring them to the islands."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.engine.murano.referee.tables import BEADS, CUSTOMERS, FIGURES, island_of

Tile = tuple[str, str, int | None]  # street, shop, ..; its kind; the seat whose marker it carries
Board = dict[str, Tile]
Docks = dict[tuple[str, str], int]  # island and colour -> seat of the gondolier


@dataclass
class Scene:
    """The board at the end of the game, as the characters of one seat look at it."""

    board: Board
    docks: Docks
    seat: int
    islands: list[str]

    def tiles(self, island: str) -> list[Tile]:
        return [tile for space, tile in self.board.items() if island_of(space) == island]

    def count(self, island: str, what: str) -> int:
        """How many of something an island has: buildings, customers of a colour, or crests."""
        tiles = self.tiles(island)
        if what in CUSTOMERS:
            return sum(kind.split("+").count(what) for name, kind, _ in tiles if name == "street")
        if what == "crest":
            return sum(int(kind) for name, kind, _ in tiles if name == "palace")
        if what.endswith(" shop"):
            colour = what.split(" ")[0]
            return sum(name == "shop" and kind == colour for name, kind, _ in tiles)
        return sum(name == what for name, _, _ in tiles)

    def marked(self, island: str, own: bool, only: str = "") -> int:
        """How many buildings carry the seat's marker, or that of somebody else."""
        return sum(
            owner is not None and (owner == self.seat) == own and only in ("", name)
            for name, _, owner in self.tiles(island)
        )

    def gondoliers(self, island: str) -> int:
        return sum(code == island and s == self.seat for (code, _), s in self.docks.items())


def highest_step(table: dict[str, int], number: int) -> int:
    return max((value for step, value in table.items() if number >= int(step)), default=0)


def plain_points(scene: Scene, character: int, island: str) -> int:
    """What a character brings on an island without spending anything."""
    card: dict[str, Any] = FIGURES["characters"][str(character)]
    vp = card.get("vp", 0)
    if card.get("island", island) != island:
        return 0
    if "per" in card:
        return int(vp * scene.count(island, card["per"]))
    if "per_own_building" in card:
        own = card["per_own_building"] * scene.marked(island, True)
        return int(own + card["per_other_building"] * scene.marked(island, False))
    if "customers_table" in card:
        colour = card["customers_table"]
        if colour == "all":
            all_of_them = sum(scene.count(island, one) for one in CUSTOMERS)
            return highest_step(FIGURES["tables"]["all_customers"], all_of_them)
        table = FIGURES["tables"]["coloured_customers"]
        return highest_step(table, scene.count(island, colour))
    if "gold_table" in card or "bead" in card:
        return 0
    return int(vp) if fulfilled(scene, card, island) else 0


def fulfilled(scene: Scene, card: dict[str, Any], island: str) -> bool:
    if "only_owner_of" in card:
        what = card["only_owner_of"]
        return scene.marked(island, True, what) >= 1 and scene.marked(island, False, what) == 0
    if "red_and_blue_customers_at_most" in card:
        both = scene.count(island, "red") + scene.count(island, "blue")
        return both <= int(card["red_and_blue_customers_at_most"])
    if "at_least_one_of" in card:
        return all(scene.count(island, what) >= 1 for what in card["at_least_one_of"])
    if "equal" in card:
        numbers = {scene.count(island, what) for what in card["equal"]}
        return len(numbers) == 1 and min(numbers) >= int(card["minimum"])
    if "own_buildings_equal_all_others" in card:
        return scene.marked(island, True) == scene.marked(island, False)
    if "crests_exactly" in card:
        return scene.count(island, "crest") == int(card["crests_exactly"])
    if "own_buildings_at_least" in card:
        return scene.marked(island, True) >= int(card["own_buildings_at_least"])
    assert "own_gondoliers_at_least" in card
    return scene.gondoliers(island) >= int(card["own_gondoliers_at_least"])


def interchangeable(colour: str, cards: list[str]) -> list[str]:
    """The colours that count as this one, with the studios among these cards."""
    group = {colour}
    for _ in BEADS:
        for card in cards:
            if card.startswith("studio-") and group & set(card.split("-")[1:]):
                group |= set(card.split("-")[1:])
    return [bead for bead in BEADS if bead in group]


def handfuls(owned: dict[str, int], colours: list[str], at_most: int) -> list[dict[str, int]]:
    """Every way to take one to `at_most` beads of these colours."""
    ways: list[dict[str, int]] = [{}]
    for colour in colours:
        ways = [
            way | ({colour: number} if number else {})
            for way in ways
            for number in range(owned.get(colour, 0) + 1)
        ]
    return [way for way in ways if 1 <= sum(way.values()) <= at_most]


Spending = tuple[int, dict[str, int], int]  # points, beads spent, gold spent


def ways_to_score(
    scene: Scene, character: int, island: str, beads: dict[str, int], gold: int, cards: list[str]
) -> list[Spending]:
    """All that a character could do on an island with what is left."""
    card: dict[str, Any] = FIGURES["characters"][str(character)]
    if card.get("island", island) != island:
        return []
    if "bead" in card:
        colours = interchangeable(card["bead"], cards)
        return [
            (card["vp_each"] * sum(way.values()), way, 0)
            for way in handfuls(beads, colours, card["at_most"])
        ]
    if "gold_table" in card:
        if any(scene.count(island, what) < number for what, number in card["needs"].items()):
            return []
        steps = FIGURES["tables"]["gold"]
        return [(value, {}, int(step)) for step, value in steps.items() if gold >= int(step)]
    points = plain_points(scene, character, island)
    return [(points, {}, 0)] if points else []


def best_total(
    scene: Scene, characters: list[int], beads: dict[str, int], gold: int, cards: list[str]
) -> tuple[int, int]:
    """The most points of characters and idle gondoliers, and the most gold left with them."""

    @cache
    def best(
        index: int, free: tuple[int, ...], left: tuple[int, ...], gold: int
    ) -> tuple[int, int]:
        if index == len(characters):
            return sum(free) * FIGURES["actions"]["unused_gondolier_vp"], gold
        found = best(index + 1, free, left, gold)
        stock = dict(zip(BEADS, left))
        for number, island in enumerate(scene.islands):
            if free[number] == 0:
                continue
            fewer = tuple(count - (n == number) for n, count in enumerate(free))
            character = characters[index]
            for points, spent, paid in ways_to_score(scene, character, island, stock, gold, cards):
                rest = tuple(stock[bead] - spent.get(bead, 0) for bead in BEADS)
                total, remaining = best(index + 1, fewer, rest, gold - paid)
                found = max(found, (points + total, remaining))
        return found

    free = tuple(scene.gondoliers(island) for island in scene.islands)
    return best(0, free, tuple(beads.get(bead, 0) for bead in BEADS), gold)


def customers(kind: str) -> Counter[str]:
    """The customers on a street of this kind."""
    return Counter(colour for colour in kind.split("+") if colour in CUSTOMERS)
