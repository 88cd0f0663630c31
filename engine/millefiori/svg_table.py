"""Parts around the areas: the head line, the players, the route with its ships."""

from collections.abc import Iterator

from engine.contract import Json
from engine.millefiori.board import ROUTE_EXTRA_CARDS, ROUTE_POINTS
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import LIVERIES, piece
from engine.millefiori.svg_symbols import CARD_BACK, DOGE_CAP, FLOWER, extra_card, symbol
from engine.svg import (
    EDGE,
    GOLD,
    INK,
    LAGOON,
    SHALLOWS,
    SOFT_INK,
    STAR,
    TITLE_SIZE,
    WATER,
    WHITE,
    Box,
    at,
    box,
    box_path,
    drawing,
    figure,
    group,
    path,
    ring,
    round_path,
    text,
)
from engine.toolkit.texts import result_heading

# The head line


def head_board(area: Box) -> Iterator[str]:
    yield box(area, LAGOON)
    yield drawing(FLOWER, 30, 22, 28)
    yield text(52, 30, "Mille Fiori", 22, fill=WHITE, anchor="start")


def head(scene: Scene, area: Box) -> Iterator[str]:
    _ = scene.translation.gettext
    when = _("Round %(round)d of at most %(rounds)d, turn %(turn)d of %(turns)d") % scene.view
    if scene.view["options"]["variant"] == "tactical":
        when += _(", tactical")
    yield text(204, 29, when, 15, fill=SHALLOWS, anchor="start", light=True, room=330)
    if scene.changed.anything:
        new = path("M536 15h14v14h-14Z", fill="none", stroke=GOLD, stroke_width=3)
        word = text(559, 27, _("new"), 13, fill=WHITE, anchor="start", room=50)
        yield group([new, word])
    yield text(area.right - 24, 29, status_line(scene), 16, fill=WHITE, anchor="end", room=360)


def status_line(scene: Scene) -> str:
    """The winners, or the open decisions."""
    _ = scene.translation.gettext
    view, names = scene.view, scene.names
    if view["outcome"]:
        return result_heading(scene.translation, view["outcome"], names)
    if scene.you in view["pending"]:
        if view["phase"] == "keep":
            return _("Choose a card to keep")
        return _("You may play an extra card") if view["phase"] == "extra" else _("Your turn")
    if view["phase"] == "keep":
        chosen = {"chosen": view["seats"] - len(view["pending"]), "seats": view["seats"]}
        return _("%(chosen)d of %(seats)d have chosen a card") % chosen
    doing = (
        _("%(name)s may play an extra card") if view["phase"] == "extra" else _("%(name)s plays")
    )
    return doing % {"name": names[view["pending"][0]]}


# The players


def players_board(scene: Scene, area: Box) -> Iterator[str]:
    yield box(area, WHITE, stroke=EDGE, radius=8)
    for seat in range(scene.view["seats"]):
        top, row = _row(scene, area, seat)
        yield group([box(_strip(row), LIVERIES[seat].tint, radius=6)], transform=at(area.x, top))


def _row(scene: Scene, area: Box, seat: int) -> tuple[int, Box]:
    """Where a player's row begins, and the row seen from there."""
    top, bottom = (round(area.y + n * area.height / scene.view["seats"]) for n in (seat, seat + 1))
    return top, Box(0, 0, area.width, bottom - top)


def _strip(row: Box) -> Box:
    return Box(row.x + 5, row.y + 4, row.width - 10, row.height - 8)


def players(scene: Scene, area: Box) -> Iterator[str]:
    for player in scene.view["players"]:
        top, row = _row(scene, area, player["seat"])
        drawn = _player(scene, player, row)
        yield group(drawn, transform=at(area.x, top), data_player=player["seat"])


def _player(scene: Scene, player: Json, row: Box) -> Iterator[str]:
    view, seat = scene.view, player["seat"]
    y, strip = row.height // 2, _strip(row)
    active = seat in view["pending"]
    won = bool(view["outcome"]) and seat in view["outcome"]["winners"]
    if active or won:
        yield box(strip, "none", stroke=INK, radius=6)
    yield piece(seat, strip.x + 22, y, 12)
    you = scene.translation.gettext(" (you)") if seat == scene.you else ""
    yield text(strip.x + 44, y - 3, scene.names[seat] + you, 17, anchor="start", room=200)
    yield from _belongings(scene, player, strip.x + 44, y + 12)
    score = Box(strip.right - 67, y - 17, 60, 34)
    if seat == view["start"] and not view["outcome"]:
        yield group([drawing(DOGE_CAP, score.x - 68, y - 8, 20)], data_topic="order")
    if won:
        yield drawing(STAR, score.x - 68, y - 8, 20)
    yield text(score.x + 30, y + 9, str(player["score"]), 25)
    if seat in scene.changed.points:
        yield ring(box_path(score), f"score-{seat}")
        gained = f"+{scene.changed.points[seat]}"
        yield text(score.x - 8, y - 3, gained, 16, anchor="end")


def _belongings(scene: Scene, player: Json, x: float, y: float) -> Iterator[str]:
    """Diamonds with the reserve, the place of the ship, the cards in hand."""
    diamonds = f"{player['supply']} + {player['reserve']}"
    shown = [piece(player["seat"], x + 6, y, 5), text(x + 17, y + 5, diamonds, 13, anchor="start")]
    yield group(shown, data_topic="diamonds")
    place = text(x + 98, y + 5, str(player["ship"]), 13, anchor="start")
    yield group([symbol("ship", x + 85, y, 16), place], data_topic="route")
    if scene.view["outcome"]:
        return
    cards = text(x + 150, y + 5, str(player["cards"]), 13, anchor="start")
    yield group([drawing(CARD_BACK, x + 139, y, 17), cards], data_topic="passing")
    if scene.view["phase"] == "keep" and player["chosen"]:
        chosen = scene.translation.gettext("has chosen")
        yield text(x + 176, y + 5, chosen, anchor="start", room=98)


# The trade route


def _route_x(area: Box, space: int) -> int:
    return round(area.x + 6 + (space + 0.5) * (area.width - 12) / len(ROUTE_POINTS))


def route_board(scene: Scene, area: Box) -> Iterator[str]:
    _ = scene.translation.gettext
    yield box(area, WATER, radius=8)
    yield path(_waves(area), fill="none", stroke="#4f8fa1", stroke_width=1.5)
    title = _("Trade route")
    # Where the ships lie at the start there is no room for it.
    yield text(area.x + 62, area.y + 18, title, TITLE_SIZE, fill=WHITE, anchor="start")
    for space, points in enumerate(ROUTE_POINTS):
        drawn = _route_space(space, points, _("start"))
        x, y = _route_x(area, space), area.bottom - 20
        yield group(drawn, transform=at(x, y), data_route=space)


def ships(scene: Scene, area: Box) -> Iterator[str]:
    for space in range(len(ROUTE_POINTS)):
        there = [player["seat"] for player in scene.view["players"] if player["ship"] == space]
        for index, seat in enumerate(there):
            shift = 0 if len(there) == 1 else (index % 2) * 22 - 11
            x, y = _route_x(area, space) + shift, area.bottom - 50 - 20 * (index // 2)
            yield _ship(scene, seat, space, x, y)


def _waves(area: Box) -> str:
    rows = (
        f"M{figure(area.x + start)} {figure(area.y + down)}q10-7 20 0t20 0t20 0t20 0"
        for start, down in ((240, 22), (330, 34), (480, 16), (640, 36), (760, 20), (60, 40))
    )
    return "".join(rows)


def _route_space(space: int, points: int, start: str) -> Iterator[str]:
    spot = Box(-20, -15, 40, 31)
    yield box(spot, SHALLOWS if points < 10 else "#fbe9a9", radius=6)
    if space == 0:
        yield text(0, 5, start, room=36)
        return
    if space in ROUTE_EXTRA_CARDS:
        yield extra_card(12 if points else 0, -3, 16)
    yield text(-17, 13, str(space), 10, fill=SOFT_INK, anchor="start")
    if points:
        shift = 7 if space in ROUTE_EXTRA_CARDS else 0
        yield text(-shift, 3, str(points), 14)


def _ship(scene: Scene, seat: int, space: int, x: float, y: float) -> str:
    hull = path(
        "M-11 2H11L7 9H-7Z",
        fill=WHITE,
        stroke=INK,
        stroke_width=1.2,
        stroke_linejoin="round",
    )
    drawn = [hull, piece(seat, 0, -3, 6)]
    if seat in scene.changed.ships:
        drawn.append(ring(round_path(0, 0, 13), f"ship-{seat}"))
    return group(drawn, transform=at(x, y), data_ship=seat, data_at=space)
