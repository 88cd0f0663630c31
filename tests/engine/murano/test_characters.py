"""Each of the characters: where it scores, how much, and where it does not."""

from typing import Any

import pytest

from engine.murano.board import own_boards
from engine.murano.final_scoring import assignment
from engine.murano.state import State
from tests.engine.murano.table import gondoliers, having, laid, table

DEFAULT = own_boards()[-1]

Tiles = tuple[str, ...]


def on(state: State, island: str, tiles: Tiles) -> State:
    """The state with these tiles on an island, each on the next free space of its kind."""
    own = next(one for one in DEFAULT.islands if one.code == island)
    spaces = [DEFAULT.spaces[number] for number in own.spaces]
    streets = iter([space.name for space in spaces if space.street])
    buildings = iter([space.name for space in spaces if not space.street])
    places: dict[str, str] = {}
    for tile in tiles:
        space = next(streets if tile.startswith("street") else buildings)
        places[space.replace("-", "_")] = tile
    return laid(state, **places)


def brought(character: int, island: str, tiles: Tiles, placed: int = 1, **own: Any) -> int:
    """What a character brings seat 0, which has so many gondoliers there and nowhere else."""
    colours = DEFAULT.colours[:placed]
    state = gondoliers(table(4), 0, *(f"{island} {colour}" for colour in colours))
    state = having(on(state, island, tiles), 0, characters=(character,), **{"gold": 0, **own})
    found = assignment(state, 0)
    used = [scored for scored in found.scored if scored.points]
    assert found.idle == placed - len(used)
    assert found.points == sum(scored.points for scored in used) + found.idle
    return sum(scored.points for scored in used)


def streets(*kinds: str) -> Tiles:
    return tuple(f"street {kind}" for kind in kinds)


SHOP, SHOP_1, SHOP_2 = "shop red 0", "shop blue 1", "shop grey 2"
WORKS, WORKS_1 = "glassworks 0", "glassworks 1"

# Character, tiles on San Donato, points.
ANYWHERE: list[tuple[int, Tiles, int]] = [
    (1, (SHOP, SHOP_1, SHOP_2), 6),
    (1, (WORKS, "palace 3", "special"), 0),
    (2, ("palace 1", "palace 3"), 4),
    (2, (SHOP,), 0),
    (3, ("special", "special"), 6),
    (3, ("palace 1",), 0),
    (4, (WORKS, WORKS_1), 4),
    (4, (SHOP,), 0),
    (5, (WORKS, WORKS, SHOP_1), 12),
    (5, (WORKS, WORKS_1), 0),
    (5, (WORKS_1,), 0),
    (5, (), 0),
    (6, (SHOP, "shop blue 0", WORKS_1), 12),
    (6, (SHOP, SHOP_1), 0),
    (6, (SHOP_1,), 0),
    (6, (), 0),
    (9, (), 10),
    (9, streets("red", "blue+blue", "grey+grey", "grey"), 10),
    (9, streets("red+blue", "red+blue"), 0),
    (10, (*streets("red+blue", "grey"), SHOP_1, WORKS_1, "palace 1", "special"), 12),
    (10, (*streets("red+blue", "blank"), SHOP_1, WORKS_1, "palace 1", "special"), 0),
    (10, (*streets("red+blue", "grey"), SHOP_1, WORKS_1, "palace 1"), 0),
    (10, (*streets("red+blue", "grey"), SHOP_1, "palace 1", "special"), 0),
    (10, (*streets("red+blue", "grey"), WORKS_1, "palace 1", "special"), 0),
    (10, (*streets("red+blue", "grey"), SHOP_1, WORKS_1, "special"), 0),
    (15, ("palace 1", "palace 3", SHOP), 4),
    (15, (SHOP,), 0),
    (16, (SHOP, WORKS, SHOP_1, SHOP_2, "palace 3", "special"), 2 + 2 + 1 + 1),
    (16, ("palace 3", "special"), 0),
    (17, (SHOP, WORKS, SHOP_1, SHOP_2, WORKS_1, "palace 3", "special"), 1 + 1 + 2 + 2 + 2),
    (17, ("palace 3", "special"), 0),
    (18, (*streets("red", "blue+blue"), "special"), 12),
    (18, (*streets("red+red"), "special"), 0),
    (18, (*streets("red"), "special", "special"), 0),
    (18, (), 0),
    (19, (*streets("blue+grey", "blue"), "special", "special"), 12),
    (19, (*streets("red"), "special"), 0),
    (19, (), 0),
    (20, (*streets("grey+grey"), "special", "special"), 12),
    (20, (*streets("grey+grey"), "special"), 0),
    (20, (), 0),
    (21, (WORKS, SHOP_1, "palace 3"), 16),
    (21, (WORKS, WORKS_1, SHOP_1, SHOP_2, "palace 3", "palace 1", "special"), 16),
    (21, (WORKS, WORKS_1, SHOP_1, "palace 3"), 0),
    (21, ("special",), 0),
    (22, (SHOP, SHOP_1, "palace 2"), 12),
    (22, (SHOP, "palace 2"), 0),
    (22, (), 0),
    (23, (WORKS, WORKS_1, "palace 1", "palace 1"), 12),
    (23, (WORKS, "palace 3"), 0),
    (23, (), 0),
    (24, (), 12),
    (24, ("palace 3", "special"), 12),
    (24, (SHOP, WORKS, SHOP_1, SHOP_2), 12),
    (24, (SHOP, WORKS, SHOP_1), 0),
    (24, (SHOP, SHOP_1, SHOP_2), 0),
    (25, ("palace 1", SHOP), 12),
    (25, ("palace 2",), 0),
    (25, ("palace 1", "palace 1"), 0),
    (25, (), 0),
    (38, ("shop red 0", "shop red 1", "shop blue 0"), 8),
    (38, ("shop blue 0",), 0),
    (39, ("shop blue 0", "shop blue 1", "shop blue 2"), 12),
    (39, ("shop grey 0",), 0),
    (40, ("shop grey 3",), 4),
    (40, ("shop red 0",), 0),
]


@pytest.mark.parametrize(("character", "tiles", "points"), ANYWHERE)
def test_a_character_on_an_island(character: int, tiles: Tiles, points: int) -> None:
    assert brought(character, "SD", tiles) == points


@pytest.mark.parametrize(
    ("customers", "points"),
    [(0, 0), (1, 2), (2, 2), (3, 4), (4, 4), (5, 6), (6, 6), (7, 9), (8, 9), (9, 12), (10, 12)],
)
def test_character_11_counts_all_customers(customers: int, points: int) -> None:
    kinds = ["red+blue"] * (customers // 2) + ["grey"] * (customers % 2)
    assert brought(11, "SD", streets(*kinds)) == points


@pytest.mark.parametrize(("character", "colour"), [(12, "red"), (13, "blue"), (14, "grey")])
@pytest.mark.parametrize(
    ("customers", "points"), [(0, 0), (1, 2), (2, 2), (3, 4), (4, 6), (5, 9), (6, 12), (7, 12)]
)
def test_characters_12_to_14_count_customers_of_a_colour(
    character: int, colour: str, customers: int, points: int
) -> None:
    other = "grey" if colour == "red" else "red"
    kinds = [f"{colour}+{colour}"] * (customers // 2) + [colour] * (customers % 2)
    assert brought(character, "SD", streets(*kinds, f"{other}+{other}")) == points


@pytest.mark.parametrize(("character", "colour"), [(7, "blue"), (8, "red")])
@pytest.mark.parametrize(
    ("gold", "points"),
    [(0, 0), (1, 0), (2, 1), (3, 1), (4, 3), (5, 3), (6, 6), (7, 8), (8, 10), (30, 10)],
)
def test_characters_7_and_8_take_gold(character: int, colour: str, gold: int, points: int) -> None:
    tiles = (*streets(f"{colour}+{colour}", "grey"), "palace 1", "special")
    # One point is not worth the gold: the gondolier brings that anyway.
    expected = points if points > 1 else 0
    assert brought(character, "SD", tiles, gold=gold) == expected


@pytest.mark.parametrize(("character", "colour"), [(7, "blue"), (8, "red")])
def test_characters_7_and_8_need_their_island(character: int, colour: str) -> None:
    whole = (*streets(f"{colour}+{colour}", "grey"), "palace 1", "special")
    for missing in whole:
        tiles = tuple(tile for tile in whole if tile != missing)
        assert brought(character, "SD", tiles, gold=8) == 0
    assert brought(character, "SD", (*streets(colour, "grey"), *whole[2:]), gold=8) == 0
    assert brought(character, "SD", (*whole, *whole), gold=8) == 10, "more is no harm"


@pytest.mark.parametrize(("character", "island"), [(26, "ST"), (27, "SM"), (28, "SC")])
def test_characters_26_to_28_want_three_own_buildings_on_their_island(
    character: int, island: str
) -> None:
    assert brought(character, island, (WORKS, SHOP, "shop red 0")) == 10
    assert brought(character, island, (WORKS, SHOP, SHOP_1, "palace 1", "special")) == 0
    assert brought(character, "SD", (WORKS, SHOP, "shop red 0")) == 0


@pytest.mark.parametrize(("character", "island"), [(29, "SD"), (30, "SS"), (31, "SP")])
def test_characters_29_to_31_want_two_own_gondoliers_on_their_island(
    character: int, island: str
) -> None:
    assert brought(character, island, (), placed=1) == 0
    assert brought(character, island, (), placed=2) == 10
    assert brought(character, island, (), placed=3) == 10
    assert brought(character, "SM", (), placed=2) == 0


@pytest.mark.parametrize(
    ("character", "island", "colour"),
    [(32, "SM", 1), (33, "ST", 1), (34, "SD", 0), (35, "SC", 0), (36, "SP", 2), (37, "SS", 2)],
)
def test_characters_32_to_37_take_up_to_three_beads(
    character: int, island: str, colour: int
) -> None:
    for beads, points in ((0, 0), (1, 7), (2, 14), (3, 21), (5, 21)):
        own = tuple(beads if number == colour else 0 for number in range(3))
        assert brought(character, island, (), beads=own) == points
    others = tuple(0 if number == colour else 3 for number in range(3))
    assert brought(character, island, (), beads=others) == 0, "other colours do not count"
    elsewhere = "SM" if island != "SM" else "SD"
    assert brought(character, elsewhere, (), beads=(3, 3, 3)) == 0


def test_every_character_was_tried() -> None:
    tried = {character for character, _, _ in ANYWHERE}
    tried |= {7, 8, *range(11, 15), *range(26, 38)}
    assert tried == set(range(1, 41)) == {int(one) for one in DEFAULT.figures["characters"]}


def test_without_a_gondolier_nobody_scores() -> None:
    state = having(on(table(4), "SD", (SHOP,)), 0, characters=(1, 6, 9))
    assert assignment(state, 0).points == 0


def test_one_gondolier_brings_one_character_to_one_island() -> None:
    state = on(on(table(), "SD", (SHOP,)), "SM", (SHOP_1, SHOP_2, "shop red 1"))
    state = having(gondoliers(state, 0, "SD white", "SM white"), 0, characters=(1, 6))
    found = assignment(state, 0)
    assert found.points == 12 + 6
    codes = {scored.character: DEFAULT.islands[scored.island].code for scored in found.scored}
    assert codes == {1: "SM", 6: "SD"}
