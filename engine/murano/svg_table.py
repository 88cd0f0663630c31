"""Parts around the lagoon: the head line, the players with their items, and the stacks."""

from collections.abc import Iterator
from typing import NamedTuple

from engine.contract import Json
from engine.murano.guide import BUILDING_TOPICS, card_topic, street_topic
from engine.murano.moves import BEADS, SEARCHED
from engine.murano.names import card_names, stack_names
from engine.murano.paths import bead_spot, stack_spot, tile_spot
from engine.murano.svg_islands import CELL, street_tile
from engine.murano.svg_scene import Changes, Scene, in_lines
from engine.murano.svg_symbols import CRIMSON, drawn, marker, symbol
from engine.svg import (
    EDGE,
    GOLD,
    INK,
    LAGOON,
    PANEL,
    SHALLOWS,
    SOFT_INK,
    STAR,
    WHITE,
    Box,
    at,
    box,
    box_path,
    group,
    path,
    reach,
    ring,
    text,
    titled,
    wide_as,
)
from engine.toolkit.texts import result_heading

TILES = ("glassworks", "shop", "palace", "special")

# The head line


def head_board(area: Box) -> Iterator[str]:
    yield box(area, LAGOON)
    yield symbol("gondolier", 30, 22, 32)
    yield text(54, 30, "Murano", 22, fill=WHITE, anchor="start")


def head(scene: Scene, area: Box) -> Iterator[str]:
    _ = scene.translation.gettext
    when = _("Turn %(turn)d") % scene.view
    if scene.view["last_round"] is not None and not scene.view["outcome"]:
        when += _(", the last round")
    yield text(172, 29, when, 15, fill=SHALLOWS, anchor="start", light=True, room=250)
    if scene.changed.anything:
        new = path("M436 15h14v14h-14Z", fill="none", stroke=GOLD, stroke_width=3)
        word = text(459, 27, _("new"), 13, fill=WHITE, anchor="start", room=50)
        yield group([new, word])
    yield text(area.right - 24, 29, status_line(scene), 16, fill=WHITE, anchor="end", room=440)


def status_line(scene: Scene) -> str:
    """The winner, or the player to move."""
    _ = scene.translation.gettext
    view, names = scene.view, scene.names
    if view["outcome"]:
        return result_heading(scene.translation, view["outcome"], names)
    if scene.you in view["pending"]:
        return _("Your turn")
    return _("%(name)s plays") % {"name": names[view["pending"][0]]}


# The players: a row for each, with a symbol above every column

HEADER, ROW = 30, 33
NAME_AT, CARDS_AT = 42, 712
STREETS_AT, POINTS_AT, GOLD_AT = 200, 222, 300


class Column(NamedTuple):
    """A column of the players' table: symbol, position, rule, and the spot for players who may
    choose from it."""

    symbol: str
    x: int
    topic: str
    spot: str | None = None


COLUMNS = (
    Column("coin", GOLD_AT, "gold"),
    Column("gondolier", 372, "gondoliers"),
    *(
        Column(f"{bead} bead", 420 + 34 * number, "beads", bead_spot(bead))
        for number, bead in enumerate(BEADS)
    ),
    *(
        # Shops and palaces are hidden: their owner sees them elsewhere one by one.
        Column(tile, 534 + 38 * number, topic, None if tile in SEARCHED else tile_spot(tile))
        for number, (tile, topic) in enumerate((tile, BUILDING_TOPICS[tile]) for tile in TILES)
    ),
    Column("recruit", 686, "characters"),
)


def height(seats: int) -> int:
    return HEADER + ROW * (seats + 1) + 4


def players_board(scene: Scene, area: Box) -> Iterator[str]:
    yield box(area, PANEL, stroke=EDGE, radius=8)
    y = area.y + 16
    yield group([drawn(STAR, area.x + POINTS_AT, y, 20)], data_topic="points")
    for column in COLUMNS:
        shown = [symbol(column.symbol, area.x + column.x + 0.5, y + 0.5)]
        if column.symbol == "gondolier":
            told = scene.translation.gettext("gondoliers at hand + in the supply")
            shown = [titled(told), *shown]
        yield group(shown, data_topic=column.topic)
    cards = stack_names(scene.language)["special_cards"]
    room = area.width - CARDS_AT - 8
    word = text(area.x + CARDS_AT, y + 5, cards, fill=SOFT_INK, anchor="start", room=room)
    yield group([word], data_topic="special-cards")
    for seat in range(scene.view["seats"]):
        strip = box(_row(area), scene.style(seat).tint, radius=6)
        yield group([strip], transform=_row_at(area, seat))


def _row(area: Box) -> Box:
    return Box(4, 0, area.width - 8, ROW - 3)


def _row_at(area: Box, seat: int) -> str:
    return at(area.x, area.y + HEADER + ROW * seat)


def players(scene: Scene, area: Box) -> Iterator[str]:
    for player in scene.view["players"]:
        shown = _player(scene, player, _row(area))
        seat = player["seat"]
        yield group(shown, transform=_row_at(area, seat), data_player=seat)


def _player(scene: Scene, player: Json, row: Box) -> Iterator[str]:
    view, seat = scene.view, player["seat"]
    won = bool(view["outcome"]) and seat in view["outcome"]["winners"]
    if seat in view["pending"] or won:
        yield box(row, "none", stroke=INK, radius=6)
        yield path("M4 7h4l6 8l-6 8h-4Z", fill=INK)
    yield marker(scene.style(seat), 27, 15, 8)
    you = scene.translation.gettext(" (you)") if seat == scene.you else ""
    room = POINTS_AT - NAME_AT - 34
    yield text(NAME_AT, 20, scene.names[seat] + you, 15, anchor="start", room=room)
    yield text(POINTS_AT, 22, str(player["score"]), 20)
    changed = scene.changed
    if gained := changed.points.get(seat):
        yield ring(box_path(Box(POINTS_AT - 22, 2, 44, 26)), f"score-{seat}")
        yield text(POINTS_AT + 27, 20, f"{gained:+}", 13, anchor="start")
    for column, number in zip(COLUMNS, _numbers(player, changed)):
        if not number:
            continue
        told = text(column.x, 20, number, 14)
        if column.spot and seat == scene.you:
            told = group([reach(Box(column.x - 16, 0, 32, 30)), told], data_spot=column.spot)
        yield told
    if gained := changed.gold.get(seat):
        yield ring(box_path(Box(GOLD_AT - 17, 3, 34, 24)), f"gold-{seat}")
        yield text(GOLD_AT + 22, 20, f"{gained:+}", 13, anchor="start")
    for what, (left, width) in RINGED.items():
        if (what, seat) in changed.of_seats:
            yield ring(box_path(Box(left, 3, width, 24)), f"{what}-{seat}")
    area = Box(CARDS_AT, 4, row.right - CARDS_AT - 6, 22)
    yield from _special_cards(scene, player, area)


# What is ringed in a row: from where, how wide.
RINGED = {
    "gondoliers": (349, 46),
    "beads": (404, 100),
    **{tile: (520 + 38 * number, 28) for number, tile in enumerate(TILES)},
    "characters": (670, 32),
}


def _numbers(player: Json, changed: Changes) -> Iterator[str]:
    """In the order of the columns; gondoliers at hand and, after a plus, those in the supply.
    A table is easier to read without zeros, except where something has just become zero."""

    def some(number: int, what: str) -> str:
        return str(number) if number or (what, player["seat"]) in changed.of_seats else ""

    crew = player["gondoliers"]
    yield str(player["gold"])
    yield f"{crew['hand']}+{crew['supply']}"
    for bead in BEADS:
        yield some(player["beads"][bead], "beads")
    for tile in TILES:
        yield some(player["tiles"][tile], tile)
    yield some(player["characters"], "characters")


PILL = 22
PILL_SIZES = (1.0, 0.85, 0.7, 0.5, 0.4, 0.3)


def _special_cards(scene: Scene, player: Json, area: Box) -> Iterator[str]:
    """Their names in as many lines as needed, the larger the fewer there are."""
    names = card_names(scene.language)
    cards = [(card["card"], names[card["card"]], card["active"]) for card in player["cards"]]
    widths = [round(wide_as(name, 12) * 0.95 + 14) for _, name, _ in cards]
    for size in PILL_SIZES:
        places, rows = in_lines(widths, 4, area.width / size)
        if (rows * (PILL + 2) - 2) * size <= area.height + 0.1:
            break
    for (card, name, active), width, (x, row) in zip(cards, widths, places):
        pill = Box(0, 0, width, PILL)
        ink = INK if active else SOFT_INK
        inside = [
            box(pill, WHITE if active else PANEL, stroke=ink if active else EDGE, radius=6),
            text(width / 2, 15, name, fill=ink, light=not active),
        ]
        if card in scene.changed.cards:
            inside.append(ring(box_path(pill), f"card-{card}"))
        left, top = round(area.x + x * size), round(area.y + row * (PILL + 2) * size)
        yield group(inside, transform=at(left, top, size), data_topic=card_topic(card))


# The last row: the stacks, the bag, and a street that was drawn


def stacks_board(scene: Scene, area: Box) -> Iterator[str]:
    y = area.bottom - ROW + 11
    word = scene.translation.gettext("stacks and bag")
    room = STREETS_AT - 44
    told = text(area.x + 14, y + 5, word, 13, anchor="start", room=room)
    yield group([told, symbol("street", area.x + STREETS_AT, y, 20)], data_topic="stacks")


def stacks(scene: Scene, area: Box) -> Iterator[str]:
    view, top = scene.view, area.bottom - ROW - 4
    columns = {column.symbol: column.x for column in COLUMNS}
    in_bag = (
        text(area.x + columns[f"{bead} bead"], top + 20, str(view["bag"][bead]), 14)
        for bead in BEADS
    )
    yield group(in_bag, data_topic="beads")
    places = {
        "street": STREETS_AT + 26,
        **{tile: columns[tile] for tile in TILES},
        "characters": columns["recruit"],
        "special_cards": CARDS_AT + 14,
    }
    for stack, x in places.items():
        count = view["stacks"][stack]
        ended = not count and stack in ("street", *TILES)  # two of these end the game
        number = text(0, 20, str(count), 16, fill=CRIMSON if ended else INK)
        inside = [reach(Box(-16, 0, 32, 30)), number]
        if ended:
            inside.append(path("M-11 23.5h22", stroke=CRIMSON, stroke_width=3))
        if stack in scene.changed.stacks:
            inside.append(ring(box_path(Box(-14, 3, 28, 24)), f"stack-{stack}"))
        told = {"data_spot": stack_spot(stack), "data_topic": "stacks"}
        yield group(inside, transform=at(area.x + x, top), **told)
    if view["street"]:
        left = area.x + GOLD_AT - 20
        what = {"data_street": view["street"], "data_topic": street_topic(view["street"])}
        yield group([street_tile(view["street"])], transform=at(left, top - 4, 36 / CELL), **what)
        word = scene.translation.gettext("drawn")
        yield text(left + 42, top + 20, word, 13, anchor="start", room=64)
