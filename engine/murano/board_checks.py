"""Validation of board files; errors name the path of the wrong entry."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

ACTIONS = (
    "gold", "glassworks", "shop", "palace", "special", "recruit", "gondolier", "build", "income",
    "production", "crew",
)  # fmt: skip
BEADS = ("red", "blue", "green")
CUSTOMERS = ("red", "blue", "grey")
BUILDINGS = ("glassworks", "shop", "palace", "special")
STREETS = (
    "blank", *CUSTOMERS, "red+red", "blue+blue", "grey+grey", "red+blue", "red+grey", "blue+grey",
)  # fmt: skip
SHIPS = 8
MOST_SEATS = 4
# Conditions of characters, with the further entries of each.
CHARACTERS: Mapping[str, tuple[str, ...]] = {
    "per": ("vp",),
    "only_owner_of": ("vp",),
    "gold_table": ("needs",),
    "red_and_blue_customers_at_most": ("vp",),
    "at_least_one_of": ("vp",),
    "customers_table": (),
    "per_own_building": ("per_other_building",),
    "equal": ("minimum", "vp"),
    "own_buildings_equal_all_others": ("vp",),
    "crests_exactly": ("vp",),
    "own_buildings_at_least": ("vp", "island"),
    "own_gondoliers_at_least": ("vp", "island"),
    "bead": ("vp_each", "at_most", "island"),
}
COUNTED = (*BUILDINGS, *CUSTOMERS, "crest")
PER = (*BUILDINGS, "crest", *(f"{colour} shop" for colour in CUSTOMERS))
CARDS: Mapping[str, tuple[str, ...]] = {
    "bank": ("gold",),
    "inn": ("rebate",),
    "harbour-tavern": ("vp",),
    "crane-noble": ("vp",),
    "crane-trade": ("vp",),
    "harbour": ("prices",),
    "guild-hall": ("vp",),
    "hostel": ("shown",),
    "basilica": ("vp",),
    "studio-red-green": ("beads",),
    "studio-blue-green": ("beads",),
    "studio-red-blue": ("beads",),
    "counting-house": ("extra_beads",),
    "lighthouse": (),
    "assembly-hall": ("dismiss_pays", "hire"),
}
PRICES: Mapping[str, int] = {
    "glassworks": 1, "shop": 2, "palace": 2, "special": 1, "gondolier": 2, "hire": 1,
    "dismiss_pays": 1,
}  # fmt: skip
NUMBERS_OF_ACTIONS = (
    "gold", "pass_gold", "tiles_per_build", "characters_shown", "special_cards_shown",
    "vp_per_produced_bead", "gondoliers_at_most", "recruit_price", "unused_gondolier_vp",
)  # fmt: skip
TABLES = ("gold", "all_customers", "coloured_customers")


class BadBoard(ValueError):
    """Invalid figures; the text begins with the path of the wrong entry."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path


def check(figures: Any) -> None:
    """Check the figures; raises BadBoard for the first wrong entry."""
    _Checker(_object("", figures)).run()


class _Checker:
    def __init__(self, figures: Mapping[str, Any]) -> None:
        self.figures = figures

    def part(self, name: str) -> Any:
        if name not in self.figures:
            raise BadBoard(name, "is missing")
        return self.figures[name]

    def run(self) -> None:
        _text("title", self.part("title"))
        self.check_player()
        self.check_ring()
        self.check_islands()
        self.check_tiles()
        self.check_prices()
        self.check_cards()
        self.check_characters()
        self.check_tables()

    def check_player(self) -> None:
        player = _object("player", self.part("player"))
        colours = _texts("player.colours", _field("player", player, "colours"))
        if len(colours) != MOST_SEATS or len(set(colours)) != MOST_SEATS:
            raise BadBoard("player.colours", f"must be {MOST_SEATS} different colours")
        for number, colour in enumerate(colours):
            if not (colour.isascii() and colour.isalpha() and colour.islower()):
                raise BadBoard(f"player.colours[{number}]", "a colour is a word of small letters")
        for name in ("gold", "vp", "gondoliers_at_hand", "gondoliers_in_supply"):
            _number(f"player.{name}", _field("player", player, name))
        actions = _object("actions", self.part("actions"))
        for name in NUMBERS_OF_ACTIONS:
            _number(f"actions.{name}", _field("actions", actions, name))
        own = player["gondoliers_at_hand"] + player["gondoliers_in_supply"]
        if own > actions["gondoliers_at_most"]:
            raise BadBoard("player", f"{own} gondoliers are more than actions.gondoliers_at_most")

    def check_ring(self) -> None:
        ring = _list("ring", self.part("ring"))
        anchors = 0
        for number, space in enumerate(ring, start=1):
            path = f"ring[{number - 1}]"
            if _field(path, _object(path, space), "id") != f"A{number}":
                raise BadBoard(f"{path}.id", f"must be A{number}: spaces stand in their order")
            _one_of(f"{path}.action", _field(path, space, "action"), ACTIONS)
            if type(space.get("anchor", False)) is not bool:
                raise BadBoard(f"{path}.anchor", "is true, false or left out")
            anchors += space.get("anchor", False)
        if anchors != SHIPS:
            raise BadBoard("ring", f"has {anchors} anchors for {SHIPS} ships")
        if len(ring) <= SHIPS:
            raise BadBoard("ring", f"with {len(ring)} spaces no ship could move")
        if len(ring) > 99:
            raise BadBoard("ring", "has more than 99 spaces")
        missing = [action for action in ACTIONS if all(one["action"] != action for one in ring)]
        if missing:
            raise BadBoard("ring", f"has no space for {missing[0]}")

    def check_islands(self) -> None:
        islands = _object("islands", self.part("islands"))
        colours = self.figures["player"]["colours"]
        for code, island in islands.items():
            path = f"islands.{code}"
            if len(code) != 2 or not code.isascii() or not code.isalpha() or not code.isupper():
                raise BadBoard(path, "an island's code is two capital letters")
            _text(f"{path}.name", _field(path, _object(path, island), "name"))
            _check_grid(f"{path}.grid", _texts(f"{path}.grid", _field(path, island, "grid")))
            docks = _texts(f"{path}.docks", _field(path, island, "docks"))
            for dock in docks:
                _one_of(f"{path}.docks", dock, colours)
            if len(set(docks)) != len(docks):
                raise BadBoard(f"{path}.docks", "one dock of a colour, no more")
        left_out = _texts("only_with_4_players", self.part("only_with_4_players"))
        for code in left_out:
            _one_of("only_with_4_players", code, islands)
        if len(islands) - len(left_out) < 1:
            raise BadBoard("only_with_4_players", "leaves no island")

    def check_tiles(self) -> None:
        streets = _counts("streets", self.part("streets"), STREETS)
        shops = _counts("shops", self.part("shops"), CUSTOMERS)
        palaces = _counts("palaces", self.part("palaces"), ("1", "2", "3"))
        _counts("beads", self.part("beads"), BEADS)
        removed = _object("removed_with_2_or_3_players", self.part("removed_with_2_or_3_players"))
        path = "removed_with_2_or_3_players"
        for name, whole, kinds in (("streets", streets, STREETS), ("shops", shops, CUSTOMERS)):
            gone = _counts(f"{path}.{name}", _field(path, removed, name), kinds, complete=False)
            for kind, count in gone.items():
                if count > whole[kind]:
                    raise BadBoard(f"{path}.{name}.{kind}", f"{count} of {whole[kind]}")
            if sum(gone.values()) >= sum(whole.values()):
                raise BadBoard(f"{path}.{name}", "leaves none")
        for name in ("glassworks", "specials"):
            if _number(f"{path}.{name}", _field(path, removed, name)) >= _number(
                name, self.part(name), least=1
            ):
                raise BadBoard(f"{path}.{name}", "leaves none")
        at_random = _number(f"{path}.palaces_at_random", _field(path, removed, "palaces_at_random"))
        if at_random >= sum(palaces.values()):
            raise BadBoard(f"{path}.palaces_at_random", "leaves none")
        self.check_room(streets, removed["streets"])

    def check_room(self, streets: Mapping[str, int], removed: Mapping[str, int]) -> None:
        """Check that a drawn street can always be laid."""
        islands, left_out = self.figures["islands"], self.figures["only_with_4_players"]
        spaces = {
            code: sum(line.count("S") for line in island["grid"])
            for code, island in islands.items()
        }
        all_streets = sum(streets.values())
        few = all_streets - sum(removed.values())
        room = sum(spaces.values())
        room_for_few = room - sum(spaces[code] for code in left_out)
        if all_streets > room or few > room_for_few:
            raise BadBoard("streets", f"{all_streets} ({few}) for {room} ({room_for_few}) spaces")

    def check_prices(self) -> None:
        prices = _object("prices", self.part("prices"))
        for name, steps in PRICES.items():
            value = _field("prices", prices, name)
            if steps == 1:
                _number(f"prices.{name}", value)
            else:
                _numbers(f"prices.{name}", value, steps)
        points = _object("build_vp", self.part("build_vp"))
        for name in BUILDINGS:
            _number(f"build_vp.{name}", _field("build_vp", points, name))
        _numbers("sale_gold", self.part("sale_gold"), 4)

    def check_cards(self) -> None:
        cards = _object("special_cards", self.part("special_cards"))
        for key, card in cards.items():
            path = f"special_cards.{key}"
            _one_of(path, key, CARDS)
            if set(_object(path, card)) != set(CARDS[key]):
                raise BadBoard(path, f"must say {', '.join(CARDS[key]) or 'nothing'}")
            for name, value in card.items():
                if name == "beads":
                    beads = _texts(f"{path}.beads", value)
                    if sorted(beads) != sorted(key.split("-")[1:]):
                        raise BadBoard(f"{path}.beads", "must be those in its name")
                elif name == "prices":
                    _numbers(f"{path}.prices", value, 2)
                else:
                    _number(f"{path}.{name}", value)
        if not cards:
            raise BadBoard("special_cards", "there must be some")
        if cards.get("counting-house", {}).get("extra_beads", 1) > 1:
            raise BadBoard("special_cards.counting-house.extra_beads", "one goes back, so 1 or 0")

    def check_characters(self) -> None:
        characters = _object("characters", self.part("characters"))
        for number, character in characters.items():
            path = f"characters.{number}"
            if not number.isdecimal() or not 1 <= int(number) <= 99 or number != str(int(number)):
                raise BadBoard(path, "characters are numbered from 1 to 99")
            self.check_character(path, _object(path, character))
        removed = _list(
            "removed_with_2_or_3_players.characters",
            _field(
                "removed_with_2_or_3_players",
                self.figures["removed_with_2_or_3_players"],
                "characters",
            ),
        )
        for place, number in enumerate(removed):
            path = f"removed_with_2_or_3_players.characters[{place}]"
            _one_of(path, str(_number(path, number)), characters)
            if number in removed[:place]:
                raise BadBoard(path, f"{number} stands there twice")
        left_out = self.figures["only_with_4_players"]
        for number, character in characters.items():
            if int(number) in removed:
                continue
            if "players" in character:
                raise BadBoard(
                    f"characters.{number}.players", "is not in removed_with_2_or_3_players"
                )
            if character.get("island") in left_out:
                reason = "is left out with 2 or 3 players, the character is not"
                raise BadBoard(f"characters.{number}.island", reason)
        at_random = _number(
            "characters_removed_at_random", self.part("characters_removed_at_random")
        )
        if len(characters) - len(removed) - at_random < 1:
            raise BadBoard("characters_removed_at_random", "leaves none")

    def check_character(self, path: str, character: Mapping[str, Any]) -> None:
        kinds = [kind for kind in CHARACTERS if kind in character]
        if len(kinds) != 1:
            raise BadBoard(path, f"must say exactly one of {', '.join(CHARACTERS)}")
        kind = kinds[0]
        allowed = {kind, *CHARACTERS[kind], "players"}
        if unknown := sorted(set(character) - allowed):
            raise BadBoard(f"{path}.{unknown[0]}", f"does not belong to {kind}")
        for name in CHARACTERS[kind]:
            _field(path, character, name)
        for name, value in character.items():
            self.check_fact(f"{path}.{name}", name, value)

    def check_fact(self, path: str, name: str, value: Any) -> None:
        if name == "island":
            _one_of(path, value, self.figures["islands"])
        elif name == "per":
            _one_of(path, value, PER)
        elif name == "only_owner_of":
            _one_of(path, value, ("glassworks", "shop"))
        elif name == "bead":
            _one_of(path, value, BEADS)
        elif name == "customers_table":
            _one_of(path, value, ("all", *CUSTOMERS))
        elif name in ("at_least_one_of", "equal"):
            for one in _texts(path, value):
                _one_of(path, one, COUNTED)
        elif name == "needs":
            for thing, count in _object(path, value).items():
                _one_of(path, thing, COUNTED)
                _number(f"{path}.{thing}", count)
        elif name in ("gold_table", "own_buildings_equal_all_others"):
            if value is not True:
                raise BadBoard(path, "is true or left out")
        else:
            _number(path, value)

    def check_tables(self) -> None:
        tables = _object("tables", self.part("tables"))
        for name in TABLES:
            table = _object(f"tables.{name}", _field("tables", tables, name))
            steps = []
            for step, value in table.items():
                if not step.isdecimal():
                    raise BadBoard(f"tables.{name}.{step}", "steps are numbers")
                steps.append((int(step), _number(f"tables.{name}.{step}", value)))
            if not steps or steps != sorted(steps) or len(dict(steps)) != len(steps):
                raise BadBoard(f"tables.{name}", "steps must rise")


def _check_grid(path: str, grid: Sequence[str]) -> None:
    if not grid or len(grid) > 9:
        raise BadBoard(path, "has 1 to 9 rows")
    for number, line in enumerate(grid):
        if len(line) != len(grid[0]) or not 1 <= len(line) <= 26:
            raise BadBoard(f"{path}[{number}]", "is not as long as the first row")
        for cell in line:
            _one_of(f"{path}[{number}]", cell, ("S", "B", "."))
    if not any("S" in line for line in grid):
        raise BadBoard(path, "has no street space")
    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
            beside = [grid[r][c] for r, c in around if 0 <= r < len(grid) and 0 <= c < len(line)]
            if cell == "B" and "S" not in beside:
                place = f"{chr(ord('a') + column)}{row + 1}"
                raise BadBoard(f"{path}[{row}]", f"{place} touches no street space")


def _field(path: str, data: Mapping[str, Any], name: str) -> Any:
    if name not in data:
        raise BadBoard(f"{path}.{name}", "is missing")
    return data[name]


def _object(path: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadBoard(path, "must be an object")
    return value


def _list(path: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadBoard(path, "must be a list")
    return value


def _text(path: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 80:
        raise BadBoard(path, "must be a text of at most 80 characters")
    return value


def _texts(path: str, value: Any) -> list[str]:
    return [_text(f"{path}[{n}]", one) for n, one in enumerate(_list(path, value))]


def _number(path: str, value: Any, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= 99:
        raise BadBoard(path, f"must be a number from {least} to 99")
    return value


def _numbers(path: str, value: Any, count: int) -> list[int]:
    found = [_number(f"{path}[{n}]", one) for n, one in enumerate(_list(path, value))]
    if len(found) != count:
        raise BadBoard(path, f"must be {count} numbers")
    return found


def _counts(path: str, value: Any, kinds: Collection[str], complete: bool = True) -> dict[str, int]:
    found = {}
    for kind, count in _object(path, value).items():
        _one_of(path, kind, kinds)
        found[kind] = _number(f"{path}.{kind}", count)
    if missing := [kind for kind in kinds if complete and kind not in found]:
        raise BadBoard(f"{path}.{missing[0]}", "is missing")
    return found


def _one_of(path: str, value: Any, known: Collection[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise BadBoard(path, f"'{str(value)[:40]}' is none of {', '.join(known)}")
