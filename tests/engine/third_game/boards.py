"""The position of Nim as text, in a sentence, and as a picture."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from engine.contract import Event, Json
from engine.languages import ENGLISH
from engine.svg import FONT, GOLD, PANEL, Box, box, element, group, ring, round_path, text, titled
from engine.toolkit.texts import result_sentence
from engine.toolkit.translation import game_translation

WIDTH, HEIGHT, HEAP = 420, 200, 130


def board_summary(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    heaps = ", ".join(f"{heap} {size}" for heap, size in view["heaps"].items())
    return f"Nim, turn {view['turn']}. Heaps: {heaps}. {_status(view, names, language)}"


def board_text(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    heaps = "\n".join(f"{heap} {'o' * size}" for heap, size in view["heaps"].items())
    return f"NIM, turn {view['turn']}.\n{_status(view, names, language)}\n\n{heaps}\n"


def _status(view: Json, names: Sequence[str], language: str) -> str:
    if view["outcome"]:
        return result_sentence(game_translation(__file__, language), view["outcome"], names)
    return f"{names[view['pending'][0]]} plays."


def board_svg(
    view: Json, names: Sequence[str], changed: Sequence[Event], language: str = ENGLISH
) -> str:
    """A panel for each heap with its tokens; a heap that has changed has a ring."""
    taken = {event["heap"] for event in changed if event["type"] == "take"}
    heaps = [
        group(_heap(heap, size, 10 + number * (HEAP + 5), heap in taken), data_topic="heaps")
        for number, (heap, size) in enumerate(view["heaps"].items())
    ]
    return element(
        "svg",
        titled("Nim"),
        element("desc", escape(board_summary(view, names, language))),
        *heaps,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        **FONT,
    )


def _heap(heap: str, size: int, x: float, changed: bool) -> Iterator[str]:
    area = Box(x, 10, HEAP, HEIGHT - 20)
    tokens = [
        element("path", d=round_path(x + HEAP / 2, 160 - 25 * token, 10), fill=GOLD)
        for token in range(size)
    ]
    name = text(x + HEAP / 2, 30, heap, 16)
    yield group([box(area, PANEL), name, *tokens], data_spot=f"heap:{heap}")
    if changed:
        yield ring(round_path(x + HEAP / 2, 24, 14), f"heap:{heap}")
