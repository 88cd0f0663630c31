"""Secrets of the viewer: hidden tiles, characters, items to choose from. And the
result at the end, which is for all."""

from collections.abc import Iterator, Sequence
from typing import Any

from engine.contract import Json
from engine.murano.board_checks import CHARACTERS
from engine.murano.descriptions import character_words
from engine.murano.guide import BUILDING_TOPICS, card_topic
from engine.murano.names import card_names
from engine.murano.paths import card_spot, character_spot, shown_spot, tile_spot
from engine.murano.svg_islands import CELL, building_tile
from engine.murano.svg_scene import Scene, in_lines
from engine.murano.svg_symbols import marker, symbol
from engine.svg import (
    EDGE,
    INK,
    SOFT_INK,
    TITLE,
    WHITE,
    Box,
    at,
    box,
    box_path,
    group,
    panel,
    ring,
    short_name,
    text,
    titled,
    wide_as,
)

CARD = Box(0, 0, 122, 60)
TILE_WIDTH, BETWEEN = 54, 6
SIZES = (1.0, 0.8, 0.65, 0.5, 0.4, 0.3)


def choice(view: Json) -> Json:
    """Items to choose from that only their seat may see."""
    shown = view["you"]["shown"] or {}
    return {key: shown[key] for key in ("characters", "cards", "stack") if shown.get(key)}


def _halves(area: Box) -> tuple[Box, Box]:
    half = (area.width - 8) / 2
    return area._replace(width=half), Box(area.x + half + 8, area.y, half, area.height)


def own_board(scene: Scene, area: Box) -> Iterator[str]:
    yield group(panel(area, scene.translation.gettext("Yours alone to see")), data_topic="own")


def choice_board(scene: Scene, area: Box) -> Iterator[str]:
    holding, showing = _halves(area)
    yield from own_board(scene, holding)
    yield from panel(showing, scene.translation.gettext("Choose from these"))


def own(scene: Scene, area: Box) -> Iterator[str]:
    """The hidden tiles and the characters of the seat whose view it is."""
    you = scene.view["you"]
    shops, palaces = ([(tile, kind) for kind in you[f"{tile}s"]] for tile in ("shop", "palace"))
    yield from _row(scene, area, [*shops, *palaces], you["characters"])
    if not any([shops, palaces, you["characters"]]):
        nothing = scene.translation.gettext("no shop, no palace, no character yet")
        yield text(area.x + 14, area.y + 56, nothing, anchor="start", light=True)


def own_and_choice(scene: Scene, area: Box) -> Iterator[str]:
    holding, showing = _halves(area)
    yield from own(scene, holding)
    shown = choice(scene.view)
    stack = [(scene.view["you"]["shown"]["tile"], kind) for kind in shown.get("stack", ())]
    yield from _row(scene, showing, stack, shown.get("characters", ()), shown=True)
    yield from _cards(scene, showing, shown.get("cards", ()))


def _row(
    scene: Scene,
    area: Box,
    tiles: Sequence[tuple[str, str]],
    characters: Sequence[int],
    *,
    shown: bool = False,
) -> Iterator[str]:
    """Tiles and characters, one's own or those shown to choose from, in one line or, smaller, in
    several."""
    widths = [TILE_WIDTH] * len(tiles) + [CARD.width] * len(characters)
    room, height = area.width - 20, area.height - TITLE - 8
    for size in SIZES:
        places, rows = in_lines(widths, BETWEEN, room / size)
        if rows * (CARD.height + 5) * size <= height + 5:
            break
    for index, (x, row) in enumerate(places):
        left = round(area.x + 10 + x * size)
        top = round(area.y + TITLE + 4 + row * (CARD.height + 5) * size)
        if index < len(tiles):
            sort, kind = tiles[index]
            drawn = [building_tile(sort, kind, None)]
            transform = at(left, top + 2, size * TILE_WIDTH / CELL)
            spot = shown_spot(sort, kind) if shown else tile_spot(sort, kind)
            told = {"data_spot": spot, "data_topic": BUILDING_TOPICS[sort]}
            yield group(drawn, transform=transform, **told)
        else:
            number = characters[index - len(tiles)]
            drawn = [*_character(scene, number)]
            if not shown and number in scene.changed.chosen:
                drawn.append(ring(box_path(CARD), f"character-{number}"))
            told = {"data_spot": character_spot(number), "data_topic": "characters"}
            yield group(drawn, transform=at(left, top, size), **told)


def _cards(scene: Scene, area: Box, cards: Sequence[str]) -> Iterator[str]:
    """Special cards to choose from."""
    if not cards:
        return
    step = (area.width - 20) / len(cards)
    for index, card in enumerate(cards):
        place = Box(0, 0, round(step - 6), 50)
        drawn = [
            box(place, WHITE, stroke=INK, radius=5),
            symbol("special", 20, 25, 28),
            text(40, 30, card_names(scene.language)[card], 12, anchor="start", room=step - 52),
        ]
        transform = at(round(area.x + 10 + index * step), area.y + TITLE + 8)
        yield group(
            drawn, transform=transform, data_spot=card_spot(card), data_topic=card_topic(card)
        )


# Characters in symbols: the points, the island if there is only one, and what counts


def _character(scene: Scene, number: int) -> Iterator[str]:
    facts: dict[str, Any] = scene.board.figures["characters"][str(number)]
    points, signs = _signs(scene, facts)
    yield titled(f"{number}: {character_words(number, scene.language, scene.board)}")
    yield box(CARD, WHITE, stroke=INK, radius=5)
    yield box(Box(3, 3, 22, 17), EDGE, radius=4)
    yield text(14, 16, str(number), 12)
    yield text(CARD.right - 5, 18, points, 16, anchor="end", room=60)
    if "island" in facts:
        yield text(30, 17, facts["island"], 13, fill=SOFT_INK, anchor="start")
    wide = sum(_wide(sign) for sign in signs)
    scale = min(1.0, (CARD.width - 8) / wide)
    drawn, x = [], 0.0
    for sign in signs:
        width = _wide(sign)
        drawn.append(_sign(scene, sign, x + width / 2))
        x += width
    yield group(drawn, transform=at(round((CARD.width - wide * scale) / 2), 40, scale))


TIMES = "\u00d7"
OWN = "own"  # the sign of the viewer's own marker
SIGN = 21


def _wide(sign: str) -> float:
    return wide_as(sign[1:], 14) + 6 if sign.startswith("'") else SIGN


def _sign(scene: Scene, sign: str, x: float) -> str:
    if sign.startswith("'"):
        return text(x, 5, sign[1:], 14)
    if sign == OWN:
        return marker(scene.style(scene.you or 0), x, 0, 7)
    return symbol(sign, x, 0, SIGN - 1)


def _signs(scene: Scene, facts: dict[str, Any]) -> tuple[str, list[str]]:
    """The points as text; then symbols by name, and words with a `'` before them."""
    kind = next(kind for kind in CHARACTERS if kind in facts)
    tables, value = scene.board.figures["tables"], facts[kind]
    points = str(facts.get("vp", ""))
    if kind == "per":
        return f"{points} {TIMES}", [value]
    if kind == "only_owner_of":
        return points, ["'" + scene.translation.pgettext("owner", "only"), OWN, value]
    if kind == "gold_table":
        needs = [sign for thing, n in facts["needs"].items() for sign in [thing] * n]
        return _span(tables["gold"]), ["coin", "':", *needs]
    if kind == "red_and_blue_customers_at_most":
        return points, ["red", "'+", "blue", f"'≤ {value}"]
    if kind == "at_least_one_of":
        return points, list(value)
    if kind == "customers_table":
        everybody = value == "all"
        table = tables["all_customers" if everybody else "coloured_customers"]
        return _span(table), ["red", "blue", "grey"] if everybody else [value]
    if kind == "per_own_building":
        other = facts["per_other_building"]
        return f"{value} / {other}", [OWN, "building", "'/", "building"]
    if kind == "equal":
        return points, [sign for thing in value for sign in ("'=", thing)][1:]
    if kind == "own_buildings_equal_all_others":
        return points, [OWN, "building", "'=", "building"]
    if kind == "crests_exactly":
        return points, ["crest", f"'= {value}"]
    if kind == "own_buildings_at_least":
        return points, [OWN, "building", f"'≥ {value}"]
    if kind == "own_gondoliers_at_least":
        return points, [OWN, "gondolier", f"'≥ {value}"]
    return f"{facts['vp_each']} {TIMES}", [f"{value} bead", f"'≤ {facts['at_most']}"]


def _span(table: dict[str, int]) -> str:
    values = list(table.values())
    return f"{values[0]}-{values[-1]}"


# The result


def result_board(scene: Scene, area: Box) -> Iterator[str]:
    yield from panel(area, scene.translation.gettext("Result"))


def result(scene: Scene, area: Box) -> Iterator[str]:
    """The final ranking; equal points are decided by gold."""
    view = scene.view
    standings = [(player["score"], player["gold"]) for player in view["players"]]
    order = sorted(range(view["seats"]), key=lambda seat: (*(-n for n in standings[seat]), seat))
    step = area.width / view["seats"]
    for index, seat in enumerate(order):
        rank = 1 + sum(other > standings[seat] for other in standings)
        points, gold = standings[seat]
        x, y = round(area.x + 14 + index * step), area.y + 48
        yield text(x, y, f"{rank}.", 15, anchor="start")
        yield marker(scene.style(seat), x + 34, y - 5, 9)
        yield text(x + 50, y, short_name(scene.names[seat], 7), 13, anchor="start", light=True)
        yield text(x + 148, y, str(points), 18, anchor="start")
        yield symbol("coin", x + 194, y - 5, 16)
        yield text(x + 205, y, str(gold), 13, anchor="start")
