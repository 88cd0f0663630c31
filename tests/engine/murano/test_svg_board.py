"""The board as a picture."""

import json
import random
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from engine import murano
from engine.chance import SETUP, Chance, seed_from_text
from engine.contract import Event, may_see
from engine.murano import svg_ring
from engine.murano.board import Board, boards, own_boards, read_board
from engine.murano.svg_board import LAGOON
from engine.murano.svg_scene import HUES, SHAPES, seat_styles
from engine.murano.svg_symbols import (
    BEAD_STROKES,
    CUSTOMER_STROKES,
    RED,
    RED_SHIP,
    SHIP,
    SHOP_STROKES,
    SYMBOL_STROKES,
)
from engine.play import Line
from engine.policies import simulate
from engine.svg import Strokes
from tests.engine.murano.table import gondoliers, having, laid, table

DEFAULT = own_boards()[-1]

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["Anna", "Ben", "Chiara", "Žofie"]
ALLOWED = {"svg", "g", "path", "rect", "text", "title", "desc"}
LIVERIES = [seat_styles(DEFAULT.colours)[colour] for colour in DEFAULT.colours]
Element = ElementTree.Element


def game(seats: int, seed: str, policy: str = "random") -> tuple[Line, ...]:
    return simulate(murano, seats, {}, seed_from_text(seed), policy).lines


def drawn(state: Any, seat: int | None, changed: list[Event] | None = None) -> Element:
    return read(picture(state, seat, changed))


def picture(state: Any, seat: int | None, changed: list[Event] | None = None) -> str:
    names = NAMES[: len(state.players)]
    return murano.board_svg(murano.view(state, seat), names, changed or [])


def read(svg: str) -> Element:
    return ElementTree.fromstring(svg)  # noqa: S314


def texts(root: Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def by(root: Element, attribute: str) -> dict[str, Element]:
    found = [element for element in root.iter() if attribute in element.attrib]
    values = {element.attrib[attribute]: element for element in found}
    assert len(values) == len(found), f"a value of {attribute} is drawn twice"
    return values


def by_spot(root: Element, kind: str = "") -> dict[str, Element]:
    """What can be touched, without the name of its kind; the last of equal ones."""
    found = [element for element in root.iter() if element.get("data-spot", "").startswith(kind)]
    return {e.attrib["data-spot"].removeprefix(kind): e for e in found if "data-spot" in e.attrib}


def shapes(element: Element) -> list[str | None]:
    return [part.attrib.get("d") for part in element.iter()]


def shows(element: Element, strokes: Strokes) -> bool:
    looks = {(part.attrib.get("d"), part.attrib.get("fill")) for part in element.iter()}
    return {(d, fill or "none") for d, fill in strokes} <= looks


def marks(root: Element) -> set[str]:
    return set(by(root, "data-changed"))


def late(seats: int = 4) -> Any:
    return game(seats, "late", "greedy")[-9].state


# Well formed, alone, and readable


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_view_of_random_games_is_a_well_formed_picture(seats: int) -> None:
    seed = f"{random.random()}"
    lines = game(seats, seed)
    for line in [*lines[::25], lines[-1]]:
        for seat in [None, *range(seats)]:
            events = [one for one in line.events if may_see(one.get("seen_by"), seat)]
            root = drawn(line.state, seat, events)
            assert root.attrib["role"] == "img", seed
            assert re.fullmatch(r"0 0 1000 \d+", root.attrib["viewBox"])
            assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ALLOWED


def test_nothing_in_it_needs_or_disturbs_the_page_around_it() -> None:
    root = drawn(late(), 1)
    for element in root.iter():
        assert not set(element.attrib) & {"id", "class", "style", "href"}
        assert not any(key.startswith("on") for key in element.attrib)
    assert "url(" not in picture(late(), 1)


def test_it_has_a_text_alternative() -> None:
    root = drawn(late(), None)
    assert root[0].tag == f"{SVG}title"
    assert root[1].tag == f"{SVG}desc"
    for player in murano.view(late(), None)["players"]:
        assert f"{NAMES[player['seat']]} {player['score']}" in (root[1].text or "")


@pytest.mark.parametrize(
    "name", ["<b>&\"'", "</text><script>alert(1)</script>", "]]>", "\x00\x0b\u202e\ud800"]
)
def test_hostile_names_are_only_text(name: str) -> None:
    lines = game(3, "over", "greedy")
    for line in (lines[-1], lines[20]):
        svg = murano.board_svg(murano.view(line.state, 0), [name] * 3, [])
        assert {element.tag.removeprefix(SVG) for element in read(svg).iter()} <= ALLOWED
        assert "<script" not in svg
        assert "\u202e" not in svg
        svg.encode()


def test_long_names_are_cut() -> None:
    svg = murano.board_svg(murano.view(late(), 0), ["x" * 500] * 4, [])
    assert "x" * 20 not in svg


def test_equal_input_gives_equal_bytes() -> None:
    lines = game(4, "same", "greedy")
    events = [event for line in lines[60:70] for event in line.events]
    assert picture(lines[70].state, 1, events) == picture(lines[70].state, 1, list(events))


# What is told apart by colour is told apart by shape


def different(looks: Mapping[str, Strokes]) -> bool:
    """Whether the outlines differ, whatever their colours."""
    return len({tuple(d for d, _ in strokes) for strokes in looks.values()}) == len(looks)


def test_colours_are_never_the_only_difference() -> None:
    assert len(set(SHAPES)) == 4
    for looks in (CUSTOMER_STROKES, SHOP_STROKES, BEAD_STROKES, {"ship": SHIP, "red": RED_SHIP}):
        assert different(looks)
    assert different({action: SYMBOL_STROKES[action] for action in set(DEFAULT.actions)})
    assert len({style.colour for style in LIVERIES}) == 4


# What lies where


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_spaces_and_docks_are_those_of_the_view(seats: int) -> None:
    for line in game(seats, "spaces", "greedy")[5::40]:
        view = murano.view(line.state, 0)
        root = drawn(line.state, 0)
        names = {
            space.name
            for space in DEFAULT.spaces
            if DEFAULT.islands[space.island].code in view["islands"]
        }
        places, docks = by_spot(root), by_spot(root, "dock:")
        assert {spot for spot in places if re.match("[A-Z]{2}-", spot)} == names
        assert set(by_spot(root, "island:")) == set(view["islands"])
        for code, island in view["islands"].items():
            for colour, seat in island["docks"].items():
                assert_looks_owned(docks.pop(f"{code}-{colour}"), seat, LIVERIES[_seat(colour)])
            for name in names:
                if name.startswith(f"{code}-"):
                    assert name.partition("-")[2] in texts(places[name])
                    tile = island["spaces"].get(name)
                    assert_looks_owned(places[name], tile and tile.get("seat"))
        assert not docks


def _seat(colour: str) -> int:
    return DEFAULT.colours.index(colour)


def assert_looks_owned(element: Element, owner: int | None, empty: Any = None) -> None:
    """The shape of the owner and of nobody else; without one, that of an empty dock's colour."""
    assert element.attrib.get("data-owner") == (None if owner is None else str(owner))
    shown = {shape for shape in shapes(element) if shape in SHAPES}
    expected = empty if owner is None else LIVERIES[owner]
    assert shown == ({expected.shape} if expected else set())


def test_what_was_laid_and_built_looks_like_it() -> None:
    state = laid(
        table(),
        SD_a2="street blank",
        SD_b2="street red+blue",
        SD_c2="street grey+grey",
        SD_a1="shop grey 1",
        SD_b1="palace 3",
        SD_c1="glassworks 2",
        SD_d1="special",
    )
    places = by_spot(drawn(state, None))

    def customers(name: str) -> list[str]:
        looks = {strokes[0][0]: colour for colour, strokes in CUSTOMER_STROKES.items()}
        return [looks[shape] for shape in shapes(places[name]) if shape in looks]

    assert customers("SD-a2") == []
    assert customers("SD-b2") == ["red", "blue"]
    assert customers("SD-c2") == ["grey", "grey"]
    assert shows(places["SD-a1"], SHOP_STROKES["grey"])
    assert not shows(places["SD-a1"], SHOP_STROKES["red"])
    crest = SYMBOL_STROKES["crest"][0][0]
    assert shapes(places["SD-b1"]).count(crest) == 3
    assert shows(places["SD-c1"], SYMBOL_STROKES["glassworks"])
    assert shows(places["SD-d1"], SYMBOL_STROKES["special"])
    titles = {name: place.findtext(f"{SVG}title") for name, place in places.items()}
    assert titles["SD-a1"] == "SD-a1: a grey shop, Ben"
    assert titles["SD-b2"] == "SD-b2: street with a red and a blue customer"


def test_a_gondolier_looks_like_its_owner_not_like_the_dock() -> None:
    docks = by_spot(drawn(gondoliers(table(), 2, "SD white"), None), "dock:")
    assert_looks_owned(docks["SD-white"], 2)
    assert_looks_owned(docks["SD-brown"], None, LIVERIES[1])


def test_ships_stand_where_they_are_two_on_a_shared_space() -> None:
    state = table()
    state = state._replace(red=state.ships[0])
    ships = by_spot(drawn(state, None), "ship:")
    view = murano.view(state, None)
    assert set(ships) == {*view["ships"], "red"}
    assert len(ships) == 8
    for name, ship in ships.items():
        assert (RED in {part.attrib.get("fill") for part in ship.iter()}) == (name == "red")
    spaces = by_spot(drawn(state, None))
    assert [spot for spot in spaces if re.fullmatch(r"A\d+", spot)] == list(DEFAULT.ring)
    for name, action in zip(DEFAULT.ring, DEFAULT.actions):
        assert shows(spaces[name], SYMBOL_STROKES[action])


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_players_and_stacks_have_the_numbers_of_the_view(seats: int) -> None:
    for line in game(seats, "table", "greedy")[3::30]:
        view = murano.view(line.state, 1)
        root = drawn(line.state, 1)
        for player in view["players"]:
            row = by(root, "data-player")[str(player["seat"])]
            crew = player["gondoliers"]
            numbers = [*player["beads"].values(), *player["tiles"].values(), player["characters"]]
            assert texts(row)[1:] == [
                *(str(player["score"]), str(player["gold"]), f"{crew['hand']}+{crew['supply']}"),
                *(str(number) for number in numbers if number),
                *texts_of_cards(player["cards"]),
            ]
        stacks = {name: texts(stack) for name, stack in by_spot(root, "stack:").items()}
        assert stacks == {name: [str(count)] for name, count in view["stacks"].items()}


def texts_of_cards(cards: list[dict[str, Any]]) -> list[str]:
    plain = {"crane-noble": "crane for palaces", "crane-trade": "crane for shops"}
    return [plain.get(card["card"], _spoken(card["card"])) for card in cards]


def _spoken(card: str) -> str:
    if card.startswith("studio-"):
        return f"{card.removeprefix('studio-')} studio"
    return card.replace("-", " ")


def test_a_drawn_street_lies_open() -> None:
    lines = game(3, "street")
    state = next(line.state for line in lines if line.state.phase == "lay")
    street = murano.view(state, None)["street"]
    assert list(by(drawn(state, None), "data-street")) == [street]
    assert "drawn" in texts(drawn(state, None))
    assert "drawn" not in texts(drawn(lines[0].state, None))


def test_all_special_cards_of_the_game_fit_into_a_row() -> None:
    state = having(table(4), 1, cards=tuple(DEFAULT.figures["special_cards"]))
    row = by(drawn(state, None), "data-player")["1"]
    cards = by(row, "data-topic")
    assert set(cards) == {f"card-{card}" for card in DEFAULT.figures["special_cards"]}
    for card in cards.values():
        placed = re.fullmatch(r"translate\((.+) (.+)\)scale\((.+)\)", card.attrib["transform"])
        assert placed
        x, y, scale = map(float, placed.groups())
        pill = {key: float(card[0].attrib[key]) for key in ("x", "y", "width", "height")}
        assert x + (pill["x"] + pill["width"]) * scale <= 970
        assert y + (pill["y"] + pill["height"]) * scale <= 31


# What only one seat may see


def own(state: Any, seat: int | None, kind: str) -> list[str]:
    found = [element.get("data-spot", "") for element in drawn(state, seat).iter()]
    return [spot.removeprefix(kind) for spot in found if spot.startswith(kind)]


def test_a_seat_sees_its_tiles_and_characters() -> None:
    state = having(table(), 0, shops="rg", palaces="3", characters=(7, 32))
    assert own(state, 0, "tile:") == ["shop-red", "shop-grey", "palace-3"]
    assert own(state, 0, "character:") == ["7", "32"]
    for other in (None, 1):
        assert not own(state, other, "tile:")
        assert not own(state, other, "character:")


def test_every_character_can_be_drawn_in_symbols() -> None:
    for number, facts in DEFAULT.figures["characters"].items():
        state = having(table(4), 0, characters=(int(number),))
        card = by_spot(drawn(state, 0), "character:")[number]
        assert number in texts(card)
        assert facts.get("island", number) in texts(card)
        assert len(shapes(card)) > 5
    state = having(table(4), 0, characters=tuple(range(1, 41)), shops="rbg" * 4)
    assert len(own(state, 0, "character:")) == 40


@pytest.mark.parametrize(
    ("phase", "what", "key"),
    [
        ("recruit", "character:", "characters"),
        ("card", "card:", "cards"),
        ("take", "shown:", "stack"),
    ],
)
def test_a_seat_sees_what_it_chooses_from(phase: str, what: str, key: str) -> None:
    lines = [line for seed in "abc" for line in game(2, seed)]
    state = next(line.state for line in lines if line.state.phase == phase)
    view = murano.view(state, state.mover)
    shown = [str(one) for one in view["you"]["shown"][key]]
    if key == "stack":
        shown = [f"{view['you']['shown']['tile']}-{kind}" for kind in shown]
    assert own(state, state.mover, what) == shown
    assert not own(state, None, what)
    assert not own(state, 1 - state.mover, what)


def test_the_picture_of_a_seat_does_not_depend_on_what_it_may_not_know() -> None:
    chance = Chance(seed_from_text(f"{random.random()}"), "test")
    for line in game(3, "secret")[::40]:
        if not (pending := murano.pending(line.state)):
            continue
        for seat in (None, 0, 1, 2):
            knowing = [] if seat is None else [seat]
            other = murano.imagine(line.state, knowing, chance, pending[0], None)
            assert picture(other, seat) == picture(line.state, seat)


def test_a_finished_game_shows_the_result() -> None:
    state = game(3, "over", "greedy")[-1].state
    assert murano.outcome(state) is not None
    for seat in (None, 0):
        shown = texts(drawn(state, seat))
        assert "Result" in shown
        assert "1." in shown
        assert any(text.endswith(("wins", "share the win")) for text in shown)
        assert not own(state, seat, "character:")


# What has changed


def test_without_changes_nothing_is_marked() -> None:
    assert marks(drawn(late(), 0)) == set()
    assert "new" not in texts(drawn(late(), 0))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_exactly_what_the_events_touched_is_marked(seats: int) -> None:
    lines = game(seats, "marks", "greedy")
    for end in range(6, len(lines), 9):
        events = [
            event
            for line in lines[end - 6 : end + 1]
            for event in line.events
            if may_see(event.get("seen_by"), 0)
        ]
        root = drawn(lines[end].state, 0, events)
        over = murano.outcome(lines[end].state) is not None
        expected = set(expected_marks(events))
        if over:
            expected = {mark for mark in expected if not mark.startswith("character-")}
        assert marks(root) == expected
        assert ("new" in texts(root)) == bool(expected)


def expected_marks(events: list[Event]) -> Iterator[str]:
    sums: dict[str, int] = {}
    ships: set[str] = set()
    for event in events:
        kind, seat = event["type"], event.get("seat")
        if kind in ("lay", "build"):
            yield event["at"]
        elif kind == "gondolier":
            yield f"{event['island']}-{event['dock']}"
        elif kind in ("sail", "pass"):
            red = "-red" if event["red"] else ""
            ships.discard(f"ship-{event['from']}{red}")
            ships.add(f"ship-{event['to']}{red}")
        elif kind in ("hire", "dismiss"):
            yield f"gondoliers-{seat}"
        elif kind in ("beads", "sell", "return"):
            yield f"beads-{seat}"
        elif kind == "recruited":
            yield f"characters-{seat}"
        elif kind == "chosen":
            yield f"character-{event['character']}"
        elif kind == "card":
            yield f"card-{event['card']}"
        elif kind == "street":
            yield "stack-street"
        elif kind in ("buy", "taken"):
            yield f"stack-{event['tile']}"
            yield f"{event['tile']}-{seat}"
        elif kind == "points":
            sums[f"score-{seat}"] = sums.get(f"score-{seat}", 0) + event["points"]
        sign = -1 if kind == "character" else 1
        gold = sign * event.get("gold", 0) - event.get("paid", 0)
        sums[f"gold-{seat}"] = sums.get(f"gold-{seat}", 0) + gold
    yield from ships
    yield from (mark for mark, total in sums.items() if total)


def test_changed_scores_and_gold_tell_by_how_much() -> None:
    events: list[Event] = [
        {"type": "points", "seat": 2, "points": 1, "for": "special"},
        {"type": "points", "seat": 2, "points": -4, "for": "production"},
        {"type": "sell", "seat": 2, "beads": {"red": 1}, "gold": 5},
        {"type": "points", "seat": 1, "points": 2, "for": "build"},
        {"type": "points", "seat": 1, "points": -2, "for": "production"},
    ]
    root = drawn(late(), 0, events)
    assert {"-3", "+5"} <= set(texts(by(root, "data-player")["2"]))
    assert marks(root) == {"score-2", "gold-2", "beads-2"}


# Other boards


def other_board(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Board:
    board = read_board(json.dumps(DEFAULT.figures | changes))
    monkeypatch.setitem(boards(), board.key, board)
    return board


def start(board: Board, seats: int) -> Any:
    return murano.new_game(seats, {"board": board.key}, Chance(bytes(32), SETUP)).state


def corners(root: Element) -> dict[str, tuple[float, float, float]]:
    """Where spaces lie, and how large they are drawn."""
    found = {}
    for name, element in by_spot(root).items():
        if not re.match("[A-Z]{2}-", name):
            continue
        placed = re.fullmatch(
            r"translate\(([\d.]+) ([\d.]+)\)(?:scale\(([\d.]+)\))?", element.attrib["transform"]
        )
        assert placed
        x, y, scale = (float(value or 1) for value in placed.groups())
        found[name] = (x, y, scale)
    return found


@pytest.mark.parametrize("grid", [["SB" * 13] * 9, ["S"] * 9, ["S" * 26]])
def test_islands_of_any_size_lie_inside_the_ring(
    monkeypatch: pytest.MonkeyPatch, grid: list[str]
) -> None:
    islands = DEFAULT.figures["islands"]
    wide = islands | {"ZZ": {"name": "Z" * 80, "grid": grid, "docks": []}}
    room = svg_ring.inside(LAGOON)
    for seats in (2, 4):
        places = corners(drawn(start(other_board(monkeypatch, islands=wide), seats), 0))
        assert sum(name.startswith("ZZ") for name in places) == len("".join(grid))
        for x, y, scale in places.values():
            assert room.x <= x <= room.right - 42 * scale + 1
            assert room.y <= y <= room.bottom - 42 * scale + 1
        spots = [(x, y) for x, y, _ in places.values()]
        assert len(set(spots)) == len(spots)


@pytest.mark.parametrize("count", [11, 19, 40, 99])
def test_rings_of_any_length_go_around(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    actions = sorted(set(DEFAULT.actions))
    ring = [
        {"id": f"A{n + 1}", "action": actions[n % len(actions)], "anchor": n < 8}
        for n in range(count)
    ]
    root = drawn(start(other_board(monkeypatch, ring=ring), 4), None)
    assert len([spot for spot in by_spot(root) if re.fullmatch(r"A\d+", spot)]) == count
    spots = svg_ring.spots(count, LAGOON)
    for spot in spots:
        outline = spot.outline
        assert spot.x - outline.width * spot.size / 2 >= LAGOON.x
        assert spot.x + outline.width * spot.size / 2 <= LAGOON.right
    for row in {spot.y for spot in spots if spot.flat}:
        across = sorted(spot.x for spot in spots if spot.flat and spot.y == row)
        assert all(
            there - here >= svg_ring.FLAT.width * spots[0].size for here, there in pairwise(across)
        )


def test_players_may_have_colours_nobody_has_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    colours = ["mauve", "white", "teal", "black"]
    islands = {
        code: island | {"docks": ["teal", "white"]}
        for code, island in DEFAULT.figures["islands"].items()
    }
    player = DEFAULT.figures["player"] | {"colours": colours}
    board = other_board(monkeypatch, islands=islands, player=player)
    looks = seat_styles(board.colours)
    assert len({style.shape for style in looks.values()}) == 4
    assert looks["black"].colour == HUES["black"][0]
    docks = by_spot(drawn(start(board, 4), None), "dock:")
    assert len(docks) == 12
    assert looks["teal"].shape in shapes(docks["SD-teal"])


# Languages, and what every picture has


@pytest.mark.parametrize("language", ["de", "es"])
def test_the_picture_is_in_the_language_of_its_reader(language: str) -> None:
    lines = game(4, "words", "greedy")
    islands = {word for island in DEFAULT.islands for word in words_of(island.name)}
    for line in (lines[5], lines[60], lines[-1]):
        for seat in (None, line.state.mover):
            view = murano.view(line.state, seat)
            english, foreign = (
                read(murano.board_svg(view, NAMES, list(line.events), spoken))
                for spoken in ("en", language)
            )
            same = {w for text in texts(foreign) for w in words_of(text)} & {
                w for text in texts(english) for w in words_of(text)
            }
            # Some words are the same in both.
            assert same <= {*NAMES, *islands, "Murano", "production", "basilica", "bank"}


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d]{3,}", text)


def test_what_is_printed_on_the_board_is_the_same_in_every_position() -> None:
    lines = game(3, "board", "greedy")
    boards = [next(drawn(line.state, None).iter(f"{SVG}g")) for line in lines[:-1:20]]
    assert len({ElementTree.tostring(board) for board in boards}) == 1
    assert "Murano" in texts(boards[0])
    assert "SD-a1" not in by_spot(boards[0])


def test_what_can_be_touched_begins_with_its_outline() -> None:
    for name, element in by_spot(drawn(late(), 0)).items():
        first = next(part for part in element.iter() if part.tag in (f"{SVG}path", f"{SVG}rect"))
        assert first in element, f"the first shape of {name} lies deeper"
        assert first.tag == f"{SVG}rect" or "Z" in first.attrib["d"], name


def test_every_topic_of_the_guide_is_somewhere_in_the_picture() -> None:
    lines = game(3, "topics", "greedy")
    states = [line.state for line in lines[::10]]
    states += [having(table(4), 1, cards=tuple(DEFAULT.figures["special_cards"])), lines[-1].state]
    used = {topic for state in states for topic in topics(picture(state, 0))}
    about_all_of_it = {"own-board"}
    assert used == {topic.key for topic in murano.guide()} - about_all_of_it


def topics(svg: str) -> set[str]:
    return set(re.findall(' data-topic="([^"]*)"', svg))


def test_ships_go_counter_clockwise_with_production_at_the_bottom() -> None:
    """As on the printed board; the order of the spaces is the same."""
    places = svg_ring.spots(len(DEFAULT.ring), LAGOON)
    turning = sum(
        one.x * other.y - other.x * one.y for one, other in zip(places, [*places[1:], places[0]])
    )
    assert turning < 0, "with y downwards, clockwise would be positive"
    production = places[DEFAULT.actions.index("production")]
    assert production.y == max(spot.y for spot in places)
