"""Tiles as codes of one character, so that stacks and islands are strings.

The facts of an island are computed once for each string of its spaces, and cached.
"""

from functools import lru_cache
from typing import NamedTuple

from engine.murano.board_checks import CUSTOMERS, STREETS

EMPTY = "."
STREET_CODES = "0123456789"  # in the order of STREETS
SHOP_CODES = ("ABCD", "EFGH", "IJKL")  # by colour, then by seat
GLASSWORKS_CODES = "abcd"  # by seat
PALACE_CODES = "pqr"  # by crests
SPECIAL_CODE = "s"
CREST_KINDS = ("1", "2", "3")

STREET_NAME = dict(zip(STREET_CODES, STREETS))
STREET_CODE = {name: code for code, name in STREET_NAME.items()}

# Stacks and tiles in front of a player have no owner yet: the colour's first letter, or crests.
SHOP_LETTER = {"red": "r", "blue": "b", "grey": "g"}
SHOP_COLOUR = {letter: colour for colour, letter in SHOP_LETTER.items()}


class Tile(NamedTuple):
    """A tile on a space. Palaces and special buildings have no owner."""

    tile: str
    kind: str
    owner: int | None


def _customers(name: str) -> tuple[int, ...]:
    return tuple(name.split("+").count(colour) for colour in CUSTOMERS)


CUSTOMERS_OF = {code: _customers(name) for code, name in STREET_NAME.items()}
TILE: dict[str, Tile] = {
    **{code: Tile("street", name, None) for code, name in STREET_NAME.items()},
    **{
        code: Tile("shop", colour, seat)
        for colour, codes in zip(CUSTOMERS, SHOP_CODES)
        for seat, code in enumerate(codes)
    },
    **{code: Tile("glassworks", "", seat) for seat, code in enumerate(GLASSWORKS_CODES)},
    **{code: Tile("palace", kind, None) for kind, code in zip(CREST_KINDS, PALACE_CODES)},
    SPECIAL_CODE: Tile("special", "", None),
}


def building_code(tile: str, kind: str, seat: int) -> str:
    """The building as it lies on a space."""
    if tile == "shop":
        return SHOP_CODES[CUSTOMERS.index(kind)][seat]
    if tile == "glassworks":
        return GLASSWORKS_CODES[seat]
    if tile == "palace":
        return PALACE_CODES[CREST_KINDS.index(kind)]
    return SPECIAL_CODE


class Facts(NamedTuple):
    """The facts of an island. Shops: by colour, then by seat."""

    customers: tuple[int, ...]
    shops: tuple[tuple[int, ...], ...]
    glassworks: tuple[int, ...]
    palaces: int
    crests: int
    specials: int

    def own_buildings(self, seat: int) -> int:
        """Those with the seat's marker."""
        return self.glassworks[seat] + sum(of_colour[seat] for of_colour in self.shops)

    @property
    def marked_buildings(self) -> int:
        return sum(self.glassworks) + self.all_shops

    @property
    def all_shops(self) -> int:
        return sum(map(sum, self.shops))

    def count(self, what: str) -> int:
        """The number of things that a character counts."""
        if what in CUSTOMERS:
            return self.customers[CUSTOMERS.index(what)]
        if what.endswith(" shop"):
            return sum(self.shops[CUSTOMERS.index(what.removesuffix(" shop"))])
        return {
            "shop": self.all_shops,
            "glassworks": sum(self.glassworks),
            "palace": self.palaces,
            "special": self.specials,
            "crest": self.crests,
        }[what]

    def income(self, seat: int) -> int:
        """The income of the seat's shops: one shop of a colour counts."""
        return sum(customers for customers, shops in zip(self.customers, self.shops) if shops[seat])


@lru_cache(maxsize=20_000)
def facts(spaces: str) -> Facts:
    """The facts of an island with these spaces."""
    streets = [CUSTOMERS_OF[code] for code in spaces if code in CUSTOMERS_OF]
    crests = [spaces.count(code) for code in PALACE_CODES]
    return Facts(
        customers=tuple(sum(street[colour] for street in streets) for colour in range(3)),
        shops=tuple(tuple(spaces.count(code) for code in codes) for codes in SHOP_CODES),
        glassworks=tuple(spaces.count(code) for code in GLASSWORKS_CODES),
        palaces=sum(crests),
        crests=sum(number * count for number, count in enumerate(crests, start=1)),
        specials=spaces.count(SPECIAL_CODE),
    )
