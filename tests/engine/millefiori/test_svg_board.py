"""The board as a picture."""

import random
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from engine import millefiori
from engine.chance import Chance, seed_from_text
from engine.contract import Event, Json
from engine.decisions import seat_view
from engine.millefiori.board import PLACE_NAME, PLACES_BY_AREA, SPACES
from engine.millefiori.svg_shapes import LIVERIES
from engine.play import Line, begin
from engine.policies import simulate
from engine.svg import short_name

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["Anna", "Ben", "Chiara", "Žofie"]
SETTINGS = [(seats, variant) for seats in (2, 3, 4) for variant in ("standard", "tactical")]
ALLOWED = {"svg", "g", "path", "rect", "text", "title", "desc"}
Element = ElementTree.Element


def game(seats: int, variant: str, seed: str, policy: str = "random") -> tuple[Line, ...]:
    options = {"variant": variant}
    return simulate(millefiori, seats, options, seed_from_text(seed), policy).lines


def drawn(state: Any, seat: int | None, changed: list[Event] | None = None) -> Element:
    return read(picture(state, seat, changed))


def picture(state: Any, seat: int | None, changed: list[Event] | None = None) -> str:
    names = NAMES[: len(state.hands)]
    return millefiori.board_svg(seat_view(millefiori, state, seat, names), names, changed or [])


def read(svg: str) -> Element:
    return ElementTree.fromstring(svg)  # noqa: S314


def texts(root: Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def by(root: Element, attribute: str) -> dict[str, Element]:
    found = [element for element in root.iter() if attribute in element.attrib]
    values = {element.attrib[attribute]: element for element in found}
    assert len(values) == len(found), f"a value of {attribute} is drawn twice"
    return values


def spots(root: Element, kind: str = "") -> list[str]:
    """What can be touched, in the order of the picture; of one kind without its name."""
    found = [
        element.attrib["data-spot"] for element in root.iter() if "data-spot" in element.attrib
    ]
    return [spot.removeprefix(kind) for spot in found if spot.startswith(kind)]


def by_spot(root: Element) -> dict[str, Element]:
    """The last of equal ones: cards may be there twice."""
    found = [element for element in root.iter() if "data-spot" in element.attrib]
    return {element.attrib["data-spot"]: element for element in found}


def colours(element: Element) -> set[str]:
    return {part.attrib["fill"] for part in element.iter() if "fill" in part.attrib}


def marks(root: Element) -> set[str]:
    return set(by(root, "data-changed"))


def late(seats: int = 4) -> Any:
    return game(seats, "standard", "late", "greedy")[-9].state


@pytest.mark.parametrize(("seats", "variant"), SETTINGS)
def test_every_view_of_random_games_is_a_well_formed_picture(seats: int, variant: str) -> None:
    seed = f"{random.random()}"
    lines = game(seats, variant, seed)
    for line in [*lines[::9], lines[-1]]:
        for seat in [None, *range(seats)]:
            root = drawn(line.state, seat, list(line.events))
            assert root.attrib["role"] == "img", seed
            assert root.attrib["viewBox"] == "0 0 1000 760"
            assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ALLOWED
            assert set(SPACES) <= set(texts(root)), seed


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
    for player in seat_view(millefiori, late(), None)["players"]:
        assert f"{NAMES[player['seat']]} {player['score']}" in (root[1].text or "")


@pytest.mark.parametrize(("seats", "variant"), SETTINGS)
def test_every_filled_space_is_drawn_as_its_owners(seats: int, variant: str) -> None:
    for line in game(seats, variant, "owners")[5::20]:
        view = seat_view(millefiori, line.state, 0)
        root = drawn(line.state, 0)
        assert sorted(spot for spot in spots(root) if ":" not in spot) == sorted(PLACE_NAME)
        places = by_spot(root)
        for name in SPACES:
            if name in PLACES_BY_AREA["harbor"]:
                continue
            owner = view["spaces"].get(name)
            shown = places[name].attrib.get("data-owner")
            assert shown == (None if owner is None else str(owner))
            assert_looks_owned(places[name], owner)
        berths = by(root, "data-ship-space")
        for name, owners in view["harbor"].items():
            for index in range(3):
                owner = owners[index] if index < len(owners) else None
                assert_looks_owned(berths[f"{name}-{index + 1}"], owner)


def assert_looks_owned(element: Element, owner: int | None) -> None:
    """The colour and the shape of the owner, and of nobody else."""
    shapes = {part.attrib.get("d") for part in element.iter()}
    for seat, style in enumerate(LIVERIES):
        assert (style.colour in colours(element)) == (seat == owner)
        assert (style.tint in colours(element)) == (seat == owner)
        assert (style.shape in shapes) == (seat == owner)


def test_players_differ_in_colour_and_in_shape() -> None:
    assert len({style.colour for style in LIVERIES}) == len(LIVERIES)
    assert len({style.tint for style in LIVERIES}) == len(LIVERIES)
    assert len({style.shape for style in LIVERIES}) == len(LIVERIES)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_ships_bonuses_scores_and_cards_are_those_of_the_view(seats: int) -> None:
    for line in game(seats, "standard", "table", "greedy")[3::15]:
        view = seat_view(millefiori, line.state, 1)
        root = drawn(line.state, 1)
        ships = by(root, "data-ship")
        for player in view["players"]:
            seat = str(player["seat"])
            assert ships[seat].attrib["data-at"] == str(player["ship"])
            row = texts(by(root, "data-player")[seat])
            assert str(player["score"]) in row
            assert f"{player['supply']} + {player['reserve']}" in row
        slots = by(root, "data-bonus")
        taken = {
            (f"{area}-{taker['points']}", str(taker["seat"]))
            for area, takers in view["bonuses"].items()
            for taker in takers
        }
        shown = {
            (slot, element.attrib["data-owner"])
            for slot, element in slots.items()
            if "data-owner" in element.attrib
        }
        assert shown == taken
        assert sorted(spots(root, "display:")) == sorted(view["display"])
        piles = f"{view['deck']} in the deck, {len(view['discard'])} discarded"
        assert piles in texts(root)


def test_a_seat_sees_its_hand_its_kept_card_and_its_plan() -> None:
    state = game(3, "standard", "plan")[0].state
    seat = millefiori.pending(state)[0]
    keep = millefiori.legal_moves(state, seat)[0]
    plan = millefiori.premoves(state, seat, keep)[0]
    state = millefiori.apply(state, seat, plan, Chance(bytes(32), "test")).state
    view = seat_view(millefiori, state, seat)
    root = drawn(state, seat)
    assert spots(root, "card:") == view["you"]["hand"]
    said = " ".join(texts(root))
    assert f"you keep {view['you']['kept']}, then " in said
    assert f"then {view['you']['then']['to'].replace('route', 'sail')}" in said
    assert not spots(drawn(state, None), "card:")


def test_a_finished_game_shows_the_result() -> None:
    state = game(3, "standard", "over", "greedy")[-1].state
    ended = millefiori.outcome(state)
    assert ended is not None
    for seat in (None, 0):
        shown = texts(drawn(state, seat))
        assert "Result" in shown
        assert "1." in shown
        assert any(text.endswith(("wins", "share the win")) for text in shown)


@pytest.mark.parametrize(
    "name", ["<b>&\"'", "</text><script>alert(1)</script>", "]]>", "\x00\x0b\u202e\ud800"]
)
def test_hostile_names_are_only_text(name: str) -> None:
    state = game(3, "standard", "over", "greedy")[-1].state
    for shown in (state, game(3, "standard", "over", "greedy")[20].state):
        view = seat_view(millefiori, shown, 0)
        svg = millefiori.board_svg(view, [name] * 3, [])
        root = read(svg)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ALLOWED
        assert "<script" not in svg
        assert "\u202e" not in svg
        svg.encode()


def test_long_names_are_cut_with_an_ellipsis() -> None:
    assert short_name("Ben", 8) == "Ben"
    assert short_name("Maximiliana Theodora", 8).endswith("…")
    assert len(short_name("W" * 100, 8)) < len(short_name("i" * 100, 8)) < 25
    view = seat_view(millefiori, late(), 0)
    assert "x" * 20 not in millefiori.board_svg(view, ["x" * 500] * 4, [])


@pytest.mark.parametrize("variant", ["standard", "tactical"])
def test_the_picture_of_a_seat_does_not_depend_on_what_it_may_not_know(variant: str) -> None:
    chance = Chance(seed_from_text(f"{random.random()}"), "test")
    for line in game(3, variant, "secret")[::7]:
        if not (pending := millefiori.pending(line.state)):
            continue
        for seat in (None, 0, 1, 2):
            knowing = [] if seat is None else [seat]
            other = millefiori.imagine(line.state, knowing, chance, pending[0], None)
            assert picture(other, seat) == picture(line.state, seat)


def test_a_picture_of_ones_own_secrets_does_depend_on_them() -> None:
    state = game(3, "standard", "secret")[0].state
    other = millefiori.imagine(state, [], Chance(bytes(32), "test"), 0, None)
    assert picture(other, 0) != picture(state, 0)


def test_without_changes_nothing_is_marked() -> None:
    assert marks(drawn(late(), 0)) == set()
    assert "new" not in texts(drawn(late(), 0))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_exactly_what_the_events_touched_is_marked(seats: int) -> None:
    lines = game(seats, "standard", "marks", "greedy")
    for end in range(4, len(lines), 5):
        events = [event for line in lines[end - 4 : end + 1] for event in line.events]
        view = seat_view(millefiori, lines[end].state, 0)
        root = drawn(lines[end].state, 0, events)
        assert marks(root) == set(expected_marks(view, events))
        assert ("new" in texts(root)) == bool(marks(root))


def expected_marks(view: Json, events: list[Event]) -> Iterator[str]:
    fresh: dict[str, int] = {}
    for event in events:
        if event["type"] == "place" and event["to"][0] != "H":
            yield event["to"]
        elif event["type"] == "place":
            fresh[event["to"]] = fresh.get(event["to"], 0) + 1
        elif event["type"] == "sail":
            yield f"ship-{event['seat']}"
        elif event["type"] == "points":
            yield f"score-{event['seat']}"
            if event["for"] == "bonus":
                yield f"bonus-{event['area']}-{event['seat']}"
        elif event["type"] == "left-over":
            for card in event["cards"]:
                fresh[card] = fresh.get(card, 0) + 1
    for name, count in fresh.items():
        if name in view["harbor"]:
            there = len(view["harbor"][name])
            yield from (f"{name}-{there - index}" for index in range(count))
        else:
            still = min(count, view["display"].count(name))
            yield from (f"display-{name}-{index + 1}" for index in range(still))


def test_a_changed_score_shows_the_difference() -> None:
    points = [{"type": "points", "seat": 2, "points": p, "for": "trade"} for p in (4, 15)]
    root = drawn(late(), 0, points)
    assert "+19" in texts(by(root, "data-player")["2"])
    assert marks(root) == {"score-2"}


def test_equal_input_gives_equal_bytes() -> None:
    lines = game(4, "standard", "same", "greedy")
    events = [event for line in lines[60:70] for event in line.events]
    assert picture(lines[70].state, 1, events) == picture(lines[70].state, 1, list(events))


def test_the_largest_display_stays_inside_its_panel() -> None:
    view = seat_view(millefiori, late(2), 0)
    deck = [f"{name}-{n}" for name in ("quartz", "key", "coin", "crab", "swans") for n in (1, 2, 3)]
    others = [f"{name}-2" for name in ("ash", "lime", "pigments", "lion", "cross", "fish", "shell")]
    others += [f"{name}-3" for name in ("glasses", "carafes", "jewelry", "ship") for _ in range(7)]
    view["display"] = deck + others
    root = read(millefiori.board_svg(view, NAMES[:2], []))
    assert sorted(spots(root, "display:")) == sorted(view["display"])
    fans = [fan for fan in root.iter(f"{SVG}g") if any(map(is_on_display, fan))]
    assert len(fans) == 16
    for fan in fans:
        placed = re.fullmatch(
            r"translate\(([\d.]+) ([\d.]+)\)(?:scale\(([\d.]+)\))?", fan.attrib["transform"]
        )
        assert placed
        x, y, scale = (float(value or 1) for value in placed.groups())
        [paper] = fan.iter(f"{SVG}rect")
        assert x + float(paper.attrib["width"]) * scale <= 676
        assert y + float(paper.attrib["height"]) * scale <= 752


def is_on_display(card: Element) -> bool:
    return card.attrib.get("data-spot", "").startswith("display:")


@pytest.mark.parametrize("language", ["de", "es"])
def test_the_picture_is_in_the_language_of_its_reader(language: str) -> None:
    lines = game(4, "tactical", "words", "greedy")
    for line in (lines[5], lines[60], lines[-1]):
        for seat in (None, 0):
            view = seat_view(millefiori, line.state, seat, NAMES)
            events = list(line.events)
            english, foreign = (
                read(millefiori.board_svg(view, NAMES, events, spoken))
                for spoken in ("en", language)
            )
            assert len(texts(english)) - len(texts(foreign)) in range(6)  # `bonus` may be left out
            words = {word for text in texts(foreign) for word in re.findall(r"[^\W\d]{3,}", text)}
            same = words & {w for text in texts(english) for w in re.findall(r"[^\W\d]{3,}", text)}
            assert same <= {*NAMES, "Mille", "Fiori", "Nobili", "Populi"}


def test_what_is_printed_on_the_board_is_the_same_in_every_position() -> None:
    lines = game(3, "standard", "board", "greedy")
    roots = [drawn(line.state, seat) for line in lines[:-1:20] for seat in (1, 2)]
    boards = [next(root.iter(f"{SVG}g")) for root in roots]
    assert len({ElementTree.tostring(board) for board in boards}) == 1
    assert "Mille Fiori" in texts(boards[0])
    assert not colours(boards[0]) & {style.colour for style in LIVERIES}


def test_what_can_be_touched_begins_with_its_outline() -> None:
    for name, element in by_spot(drawn(late(), 0)).items():
        first = next(part for part in element.iter() if part.tag in (f"{SVG}path", f"{SVG}rect"))
        assert first in element, f"the first shape of {name} lies deeper"
        assert first.tag == f"{SVG}rect" or "Z" in first.attrib["d"], name


def test_every_topic_of_the_guide_is_somewhere_in_the_picture() -> None:
    lines = game(3, "standard", "topics", "greedy")
    used = {topic for line in (lines[0], lines[-1]) for topic in topics(picture(line.state, 0))}
    assert used == {topic.key for topic in millefiori.guide()}


def topics(svg: str) -> set[str]:
    return set(re.findall(' data-topic="([^"]*)"', svg))


def test_a_place_belongs_to_the_topic_of_its_area() -> None:
    root = drawn(late(), 0)
    above = {child: element for element in root.iter() for child in element}
    for area, names in PLACES_BY_AREA.items():
        for name in names:
            element = by_spot(root)[name]
            while "data-topic" not in element.attrib:
                element = above[element]
            assert element.attrib["data-topic"] == area


def test_the_harbor_lies_left_of_trade_on_the_same_lines() -> None:
    """As on the printed board."""
    state = begin(millefiori, 4, {}, bytes(32)).state
    svg = millefiori.board_svg(millefiori.view(state, None), ["A", "B", "C", "D"], [])
    at = {
        name: (float(x), float(y))
        for name in ("H1", "H5", "G1", "S5")
        for x, y in re.findall(rf'<g transform="translate\((\S+) (\S+?)\)" data-spot="{name}"', svg)
    }
    assert at["H1"][0] < at["G1"][0] < at["S5"][0]
    assert at["H1"][1] == at["G1"][1]
    assert at["H5"][1] == at["S5"][1]
