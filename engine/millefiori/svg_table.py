"""What lies around the areas: the head line, the players, the route with its ships."""

from collections.abc import Iterator

from engine.contract import Json
from engine.millefiori.board import ROUTE_EXTRA_CARDS, ROUTE_POINTS
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import (
    EDGE,
    GOLD,
    INK,
    LAGOON,
    LIVERIES,
    SHALLOWS,
    SOFT_INK,
    WATER,
    WHITE,
    Box,
    at,
    box,
    box_path,
    figure,
    group,
    path,
    piece,
    ring,
    round_path,
    text,
)
from engine.millefiori.svg_symbols import (
    CARD_BACK,
    DOGE_CAP,
    EXTRA_CARD,
    FLOWER,
    STAR,
    drawing,
    symbol,
)

# The head line


def head(scene: Scene, area: Box) -> Iterator[str]:
    view = scene.view
    yield box(area, LAGOON)
    yield drawing(FLOWER, 30, 22, 28)
    yield text(52, 30, "Mille Fiori", 22, fill=WHITE, anchor="start")
    when = f"Round {view['round']} of {view['rounds']}, turn {view['turn']} of {view['turns']}"
    if view["options"]["variant"] == "tactical":
        when += ", tactical"
    yield text(204, 29, when, 14, fill=SHALLOWS, anchor="start", light=True)
    if scene.changed.anything:
        yield path("M536 15h14v14h-14Z", fill="none", stroke=GOLD, stroke_width=3)
        yield text(559, 27, "new", 12, fill=WHITE, anchor="start")
    yield text(area.right - 24, 29, standing(scene), 15, fill=WHITE, anchor="end")


def standing(scene: Scene) -> str:
    """Who has won, or who has to do what."""
    view, names = scene.view, scene.names
    yours = scene.you in view["pending"]
    if view["outcome"]:
        winners = view["outcome"]["winners"]
        if len(winners) == 1:
            return f"{names[winners[0]]} wins"
        if len(winners) == 2:
            return f"{names[winners[0]]} and {names[winners[1]]} share the win"
        return f"{len(winners)} players share the win"
    if view["phase"] == "keep":
        if yours:
            return "Choose a card to keep"
        return f"{view['seats'] - len(view['pending'])} of {view['seats']} have chosen a card"
    doing = "may play an extra card" if view["phase"] == "extra" else "plays"
    if yours:
        return "You may play an extra card" if view["phase"] == "extra" else "Your turn"
    return f"{names[view['pending'][0]]} {doing}"


# The players


def players(scene: Scene, area: Box) -> Iterator[str]:
    view = scene.view
    yield box(area, WHITE, stroke=EDGE, radius=8)
    height = area.height / view["seats"]
    for index, player in enumerate(view["players"]):
        row = Box(area.x, area.y + index * height, area.width, height)
        yield group(_player(scene, player, row), data_player=player["seat"])


def _player(scene: Scene, player: Json, row: Box) -> Iterator[str]:
    view, seat = scene.view, player["seat"]
    livery = LIVERIES[seat]
    y = row.y + row.height / 2
    strip = Box(row.x + 5, row.y + 4, row.width - 10, row.height - 8)
    active = seat in view["pending"]
    won = bool(view["outcome"]) and seat in view["outcome"]["winners"]
    yield box(strip, livery.tint, stroke=INK if active or won else None, radius=6)
    yield piece(seat, strip.x + 22, y, 12)
    you = " (you)" if seat == scene.you else ""
    yield text(strip.x + 44, y - 3, scene.names[seat] + you, 16, anchor="start")
    yield from _belongings(view, player, strip.x + 44, y + 11)
    score = Box(strip.right - 67, y - 17, 60, 34)
    if seat == view["start"] and not view["outcome"]:
        yield drawing(DOGE_CAP, score.x - 68, y - 8, 20)
    if won:
        yield drawing(STAR, score.x - 68, y - 8, 20)
    yield text(score.x + 30, y + 9, str(player["score"]), 25)
    if seat in scene.changed.points:
        yield ring(box_path(score), f"score-{seat}")
        gained = f"+{scene.changed.points[seat]}"
        yield text(score.x - 8, y - 3, gained, 15, anchor="end")


def _belongings(view: Json, player: Json, x: float, y: float) -> Iterator[str]:
    """Diamonds with the reserve, the place of the ship, the cards in hand."""
    yield piece(player["seat"], x + 6, y, 5)
    yield text(x + 17, y + 4, f"{player['supply']} + {player['reserve']}", 12, anchor="start")
    yield symbol("ship", x + 85, y, 16)
    yield text(x + 98, y + 4, str(player["ship"]), 12, anchor="start")
    if view["outcome"]:
        return
    yield drawing(CARD_BACK, x + 139, y, 17)
    yield text(x + 150, y + 4, str(player["cards"]), 12, anchor="start")
    if view["phase"] == "keep" and player["chosen"]:
        yield text(x + 178, y + 4, "has chosen", 12, anchor="start")


# The trade route


def route(scene: Scene, area: Box) -> Iterator[str]:
    yield box(area, WATER, radius=8)
    yield path(_waves(area), fill="none", stroke="#4f8fa1", stroke_width=1.5)
    yield text(area.x + 12, area.y + 18, "Trade route", 14, fill=WHITE, anchor="start")
    step = (area.width - 12) / len(ROUTE_POINTS)
    y = area.bottom - 20
    for space, points in enumerate(ROUTE_POINTS):
        x = area.x + 6 + (space + 0.5) * step
        yield group(_route_space(space, points, x, y), data_route=space)
        ships = [player["seat"] for player in scene.view["players"] if player["ship"] == space]
        for index, seat in enumerate(ships):
            shift = 0.0 if len(ships) == 1 else (index % 2 - 0.5) * 22
            lift = 30 + 20 * (index // 2)
            yield _ship(scene, seat, space, x + shift, y - lift)


def _waves(area: Box) -> str:
    rows = (
        f"M{figure(area.x + start)} {figure(area.y + down)}q10-7 20 0t20 0t20 0t20 0"
        for start, down in ((150, 22), (330, 34), (480, 16), (640, 36), (760, 20), (60, 40))
    )
    return "".join(rows)


def _route_space(space: int, points: int, x: float, y: float) -> Iterator[str]:
    spot = Box(x - 20, y - 15, 40, 31)
    yield box(spot, SHALLOWS if points < 10 else "#fbe9a9", radius=6)
    if space == 0:
        yield text(x, y + 5, "start")
        return
    yield text(x - 17, y + 13, str(space), 10, fill=SOFT_INK, anchor="start")
    if space in ROUTE_EXTRA_CARDS:
        yield drawing(EXTRA_CARD, x + (11 if points else 0), y - 3, 16)
    if points:
        shift = 5 if space in ROUTE_EXTRA_CARDS else 0
        yield text(x - shift, y + 3, str(points), 14)


def _ship(scene: Scene, seat: int, space: int, x: float, y: float) -> str:
    hull = path(
        "M-11 2H11L7 9H-7Z",
        transform=at(x, y),
        fill=WHITE,
        stroke=INK,
        stroke_width=1.2,
        stroke_linejoin="round",
    )
    drawn = [hull, piece(seat, x, y - 3, 6)]
    if seat in scene.changed.ships:
        drawn.append(ring(round_path(x, y, 13), f"ship-{seat}"))
    return group(drawn, data_ship=seat, data_at=space)
