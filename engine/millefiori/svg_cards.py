"""The cards that the viewer may see: the display, the own hand; and the result at the end."""

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.contract import Json
from engine.millefiori.cards import CARD, NUMBER, SYMBOL
from engine.millefiori.paths import display_spot, hand_spot
from engine.millefiori.sentences import reasons
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import piece
from engine.millefiori.svg_symbols import symbol
from engine.svg import (
    EDGE,
    INK,
    TITLE,
    WHITE,
    Box,
    at,
    beside_title,
    box,
    group,
    panel,
    reach,
    ring,
    round_path,
    short_name,
    text,
)

# The display


def display_board(scene: Scene, area: Box) -> Iterator[str]:
    yield from panel(area, scene.translation.gettext("Display"))


def display(scene: Scene, area: Box) -> Iterator[str]:
    """The open cards by symbol, as fans of numbers, the larger the fewer there are."""
    _ = scene.translation.gettext
    view = scene.view
    piles = {"deck": view["deck"], "discarded": len(view["discard"])}
    told = _("%(deck)d in the deck, %(discarded)d discarded") % piles
    yield beside_title(area, _("Display"), told)
    inner = Box(area.x + 8, area.y + TITLE + 2, area.width - 16, area.height - TITLE - 6)
    fans: dict[str, list[int]] = {}
    for name in view["display"]:
        fans.setdefault(SYMBOL[CARD[name]], []).append(NUMBER[CARD[name]])
    size, rows = _fitting(fans, inner)
    for row, symbols in enumerate(rows):
        x, y = inner.x, round(inner.y + row * FAN_STEP * size)
        for shown in symbols:
            yield _fan(scene, shown, fans[shown], at(round(x), y, size))
            x += _fan_width(fans[shown]) * size


FAN, FAN_STEP = 26, 30
SIZES = (1.4, 1.2, 1.0, 0.85, 0.7, 0.6, 0.5, 0.4)


def _fan_width(numbers: Sequence[int]) -> float:
    return 28 + 17 * len(numbers) + 6


def _fitting(fans: dict[str, list[int]], inner: Box) -> tuple[float, list[list[str]]]:
    """The largest size at which the fans fit, and which of them go into which row."""
    for size in SIZES:
        rows: list[list[str]] = [[]]
        x = 0.0
        for shown, numbers in fans.items():
            if x + _fan_width(numbers) - 6 > inner.width / size - 1:
                rows.append([])
                x = 0.0
            rows[-1].append(shown)
            x += _fan_width(numbers)
        if (len(rows) * FAN_STEP - FAN_STEP + FAN) * size <= inner.height:
            break
    return size, rows


def _fan(scene: Scene, shown: str, numbers: Sequence[int], transform: str) -> str:
    drawn = [
        box(Box(0, 0, _fan_width(numbers) - 6, FAN), WHITE, stroke=EDGE, radius=4),
        symbol(shown, 14, FAN / 2, 20),
    ]
    figures, rings = [], []
    seen: Counter[int] = Counter()
    for index, number in enumerate(numbers):
        middle = 35 + 17 * index
        figures.append(_number_in_fan(shown, number, middle))
        seen[number] += 1
        if seen[number] <= scene.changed.cards[f"{shown}-{number}"]:
            what = f"display-{shown}-{number}-{seen[number]}"
            rings.append(ring(round_path(middle, FAN / 2, 8), what))
    return group([*drawn, *rings, *figures], transform=transform)


def _number_in_fan(shown: str, number: int, middle: float) -> str:
    card = Box(middle - 8.5, 0, 17, FAN)
    drawn = [reach(card), text(middle, 18, str(number), 14)]
    return group(drawn, data_spot=display_spot(f"{shown}-{number}"))


# The own hand


def hand_board(scene: Scene, area: Box) -> Iterator[str]:
    yield from panel(area, scene.translation.gettext("Your hand"))


def hand(scene: Scene, area: Box) -> Iterator[str]:
    """The cards of the seat whose view it is, its kept card and its plan."""
    _ = scene.translation.gettext
    own = scene.view["you"]
    if own["kept"]:
        kept = _("you keep %(card)s") % {"card": scene.card(own["kept"])}
        yield beside_title(area, _("Your hand"), kept + _plan(scene, own["then"]))
    cards = own["hand"] or ([own["kept"]] if own["kept"] else [])
    kept_at = cards.index(own["kept"]) if own["kept"] else None
    for index, name in enumerate(cards):
        card = Box(area.x + 9 + index * 59, area.y + TITLE + 2, 56, area.height - TITLE - 8)
        yield group(_card(scene, name, card, kept=index == kept_at), data_spot=hand_spot(name))
    if not own["hand"] and scene.view["players"][own["seat"]]["cards"]:
        x = area.x + 12 + 59 * len(cards)
        face_down = _("The others lie face down.")
        room = area.right - 8 - x
        yield text(x, area.y + 56, face_down, anchor="start", light=True, room=room)


def _plan(scene: Scene, then: Json | None) -> str:
    _ = scene.translation.gettext
    if then is None:
        return ""
    if then["to"] == "route":
        return _(", then sail")
    if then.get("sail"):
        return _(", then %(place)s and sail") % {"place": then["to"]}
    return _(", then %(place)s") % {"place": then["to"]}


def _card(scene: Scene, name: str, area: Box, *, kept: bool) -> Iterator[str]:
    yield box(area, "#fbe9a9" if kept else WHITE, stroke=INK if kept else EDGE, radius=4)
    middle = area.x + area.width / 2
    yield symbol(SYMBOL[CARD[name]], middle - 11, area.y + 18, 24)
    number = str(NUMBER[CARD[name]])
    yield text(middle + 14, area.y + 25, number, 18)
    room = area.width - 2
    yield text(middle, area.bottom - 6, scene.card(name), 10, light=True, room=room)


# The result


def result_board(scene: Scene, area: Box) -> Iterator[str]:
    yield from panel(area, scene.translation.gettext("Result"))


def result(scene: Scene, area: Box) -> Iterator[str]:
    """The final ranking, in place of the hand."""
    ended = scene.view["outcome"]
    reason = reasons(scene.language)[ended["reason"]]
    yield beside_title(area, scene.translation.gettext("Result"), reason)
    order = sorted(range(scene.view["seats"]), key=lambda seat: (-ended["scores"][seat], seat))
    for index, seat in enumerate(order):
        points = ended["scores"][seat]
        rank = 1 + sum(other > points for other in ended["scores"])
        x = area.x + 14 + (index % 2) * 148
        y = area.y + 46 + (index // 2) * 24
        yield text(x, y, f"{rank}.", 13, anchor="start")
        yield piece(seat, x + 26, y - 4.5, 7)
        yield text(x + 39, y, str(points), 14, anchor="start")
        yield text(x + 76, y, short_name(scene.names[seat], 5), 12, anchor="start", light=True)
