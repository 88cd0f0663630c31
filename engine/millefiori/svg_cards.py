"""The cards that the viewer may see: the display, the own hand; and the result at the end."""

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.contract import Json
from engine.millefiori.cards import CARD, NUMBER, SYMBOL
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import (
    EDGE,
    INK,
    WHITE,
    Box,
    at,
    box,
    group,
    piece,
    ring,
    round_path,
    short_name,
    text,
)
from engine.millefiori.svg_spaces import TITLE, panel
from engine.millefiori.svg_symbols import symbol
from engine.millefiori.words import REASONS


def display(scene: Scene, area: Box) -> Iterator[str]:
    """The open cards by symbol, as fans of numbers, the larger the fewer there are."""
    view = scene.view
    yield from panel(area, "Display")
    piles = f"{view['deck']} in the deck, {len(view['discard'])} discarded"
    yield text(area.right - 12, area.y + 17, piles, 12, anchor="end", light=True)
    inner = Box(area.x + 8, area.y + TITLE + 2, area.width - 16, area.height - TITLE - 6)
    fans: dict[str, list[int]] = {}
    for name in view["display"]:
        fans.setdefault(SYMBOL[CARD[name]], []).append(NUMBER[CARD[name]])
    size, rows = _fitting(fans, inner)
    drawn: list[str] = []
    for row, symbols in enumerate(rows):
        x = 0.0
        for shown in symbols:
            drawn.append(_fan(scene, shown, fans[shown], x, row * FAN_STEP))
            x += _fan_width(fans[shown])
    yield group(drawn, transform=at(inner.x, inner.y, size))


FAN, FAN_STEP = 26, 30


def _fan_width(numbers: Sequence[int]) -> float:
    return 28 + 17 * len(numbers) + 6


def _fitting(fans: dict[str, list[int]], inner: Box) -> tuple[float, list[list[str]]]:
    """The largest size at which the fans fit, and which of them go into which row."""
    for percent in range(140, 40, -5):
        size = percent / 100
        rows: list[list[str]] = [[]]
        x = 0.0
        for shown, numbers in fans.items():
            if x + _fan_width(numbers) - 6 > inner.width / size:
                rows.append([])
                x = 0.0
            rows[-1].append(shown)
            x += _fan_width(numbers)
        if (len(rows) * FAN_STEP - FAN_STEP + FAN) * size <= inner.height:
            break
    return size, rows


def _fan(scene: Scene, shown: str, numbers: Sequence[int], x: float, y: float) -> str:
    width = _fan_width(numbers) - 6
    drawn = [
        box(Box(x, y, width, FAN), WHITE, stroke=EDGE, radius=4),
        symbol(shown, x + 14, y + FAN / 2, 20),
    ]
    seen: Counter[int] = Counter()
    for index, number in enumerate(numbers):
        left = x + 29 + 17 * index
        drawn.append(text(left + 6, y + 18, str(number), 14))
        seen[number] += 1
        if seen[number] <= scene.changed.cards[f"{shown}-{number}"]:
            what = f"display-{shown}-{number}-{seen[number]}"
            drawn.append(ring(round_path(left + 6, y + FAN / 2, 8), what))
    return group(drawn, data_cards=" ".join(f"{shown}-{number}" for number in numbers))


def hand(scene: Scene, area: Box) -> Iterator[str]:
    """The cards of the seat whose view it is, its kept card and its plan."""
    own = scene.view["you"]
    yield from panel(area, "Your hand")
    note = f"you keep {own['kept']}{_plan(own['then'])}" if own["kept"] else ""
    yield text(area.right - 12, area.y + 17, note, 12, anchor="end", light=True)
    cards = own["hand"] or ([own["kept"]] if own["kept"] else [])
    kept_at = cards.index(own["kept"]) if own["kept"] else None
    for index, name in enumerate(cards):
        card = Box(area.x + 9 + index * 59, area.y + TITLE + 2, 56, area.height - TITLE - 8)
        yield group(_card(name, card, kept=index == kept_at), data_hand=name)
    if not own["hand"] and scene.view["players"][own["seat"]]["cards"]:
        x = area.x + 12 + 59 * len(cards)
        yield text(x, area.y + 56, "The others lie face down.", 12, anchor="start", light=True)


def _plan(then: Json | None) -> str:
    if then is None:
        return ""
    if then["to"] == "route":
        return ", then sail"
    return f", then {then['to']}{' and sail' if then.get('sail') else ''}"


def _card(name: str, area: Box, *, kept: bool) -> Iterator[str]:
    yield box(area, "#fbe9a9" if kept else WHITE, stroke=INK if kept else EDGE, radius=4)
    middle = area.x + area.width / 2
    yield symbol(SYMBOL[CARD[name]], middle - 11, area.y + 18, 24)
    number = str(NUMBER[CARD[name]])
    yield text(middle + 14, area.y + 25, number, 18)
    yield text(middle, area.bottom - 6, name, 9, light=True)


def result(scene: Scene, area: Box) -> Iterator[str]:
    """The final ranking, in place of the hand."""
    ended = scene.view["outcome"]
    yield from panel(area, "Result")
    yield text(area.right - 12, area.y + 17, REASONS[ended["reason"]], 12, anchor="end", light=True)
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
