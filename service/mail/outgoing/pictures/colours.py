"""Few colours, which make a PNG small: those of the drawing, and some for soft edges."""

import re
from functools import lru_cache

from PIL import Image

_COLOUR = re.compile('"#([0-9a-fA-F]{6})"')
_MOST = 256
_STEPS = 2  # from nothing to full colour at a soft edge
_SOFTENED = [round(round(value * _STEPS / 255) * 255 / _STEPS) for value in range(256)]
_DARK = 300  # sum of red, green and blue
Colour = tuple[int, int, int]


def softened(alpha: Image.Image) -> Image.Image:
    """How strongly each pixel covers, in few steps."""
    return alpha.point(_SOFTENED)


def palette_of(svg: str) -> Image.Image:
    """An image whose palette has the colours of the drawing and those of its edges."""
    return _palette(frozenset(_COLOUR.findall(svg)))


@lru_cache(maxsize=64)
def _palette(written: frozenset[str]) -> Image.Image:
    flat = [(int(code[:2], 16), int(code[2:4], 16), int(code[4:], 16)) for code in sorted(written)]
    lightest, darkest = max(flat, key=sum, default=(255,) * 3), min(flat, key=sum, default=(0,) * 3)
    # Lines and letters are dark on light, or light on dark.
    edges = [
        _between(colour, darkest if sum(colour) > _DARK else lightest, step / _STEPS)
        for step in range(1, _STEPS)
        for colour in flat
    ]
    colours = list(dict.fromkeys([*flat, *edges, (255, 255, 255), (0, 0, 0)]))
    image = Image.new("P", (1, 1))
    image.putpalette([value for colour in colours[:_MOST] for value in colour])
    return image


def _between(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other))
    return red, green, blue
