"""Board drawings as PNG, for mail programs, which show no SVG."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from hashlib import sha256
from io import BytesIO
from math import nextafter
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import pillow_lunasvg
from cachetools import LRUCache, cached
from PIL import Image, ImageFont

WIDTH = 1000
CACHED_PICTURES = 128
# A board names up to 49 colours. More colours for edges are hardly seen and cost bytes: 64 make a
# picture 5 % larger, 96 make it 13 % larger.
PALETTE_SIZE = 52
# zlib level: 9 takes twice the time for 1 % fewer bytes, 6 gives 5 % more bytes.
COMPRESSION = 8

FONTS = Path(__file__).parent / "fonts"
FONT_FAMILY = "DejaVu Sans"
REGULAR, BOLD = FONTS / "DejaVuSans.ttf", FONTS / "DejaVuSans-Bold.ttf"

_LARGEST_PALETTE = 256  # of a PNG
_MOST_FREQUENT = 200
_DISTINCT = 8  # of 255
_COLOUR = re.compile('"#([0-9a-fA-F]{6})"')
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_UNASSIGNED = "\U0010ffff"  # a code point that every font shows as a missing glyph


class Picture(NamedTuple):
    """A PNG with the SHA-256 of its bytes and its size in pixels."""

    png: bytes
    digest: str
    width: int
    height: int


@cached(LRUCache(CACHED_PICTURES), key=lambda svg: sha256(svg.encode()).digest(), lock=Lock())
def picture_of(svg: str) -> Picture:
    """The drawing as a PNG, from the cache if it was drawn before. Raises OSError if the text is
    no SVG document."""
    image = _rendered(svg)
    packed = BytesIO()
    few_colours = image.quantize(palette=_palette(svg, image), dither=Image.Dither.NONE)
    few_colours.save(packed, "PNG", compress_level=COMPRESSION)
    png = packed.getvalue()
    return Picture(png, sha256(png).hexdigest(), *image.size)


def _rendered(svg: str) -> Image.Image:
    """The drawing on white, WIDTH pixels wide."""
    _register_fonts()
    shown = _NOT_ASCII.sub(lambda char: char[0] if _is_in_fonts(char[0]) else "?", svg)
    with Image.open(BytesIO(shown.encode()), formats=[pillow_lunasvg.SvgImageFile.format]) as drawn:
        # The renderer rounds the size up: one step below the quotient keeps it from 1001 pixels.
        drawn.load(scale=nextafter(WIDTH / drawn.width, 0))  # type: ignore[call-arg]
        image = Image.new("RGB", drawn.size, "white")
        image.paste(drawn, mask=drawn)
    return image


@cache
def _register_fonts() -> None:
    """Register our fonts with the renderer, ahead of any font of the machine; the empty family
    stands for families that are not registered."""
    for family in (FONT_FAMILY, ""):
        pillow_lunasvg.add_font_file(REGULAR, family)
        pillow_lunasvg.add_font_file(BOLD, family, bold=True)


@lru_cache(maxsize=4096)
def _is_in_fonts(char: str) -> bool:
    return all(
        bytes(font.getmask(char)) != bytes(font.getmask(_UNASSIGNED))
        for font in (ImageFont.truetype(path) for path in (REGULAR, BOLD))
    )


def _palette(svg: str, image: Image.Image) -> Image.Image:
    """The colours that the drawing names, so that no area changes its colour; then the most
    frequent colours of its soft edges. Pillow mixes up colours that are nearly equal."""
    colours = list(dict.fromkeys(bytes.fromhex(code) for code in _COLOUR.findall(svg)))
    counted: list[Any] = image.getcolors(image.width * image.height) or []
    for _, colour in sorted(counted, reverse=True)[:_MOST_FREQUENT]:
        if len(colours) >= PALETTE_SIZE:
            break
        if all(_difference(colour, other) >= _DISTINCT for other in colours):
            colours.append(bytes(colour))
    palette = Image.new("P", (1, 1))
    palette.putpalette(b"".join(colours[:_LARGEST_PALETTE]))
    return palette


def _difference(one: Iterable[int], other: Iterable[int]) -> int:
    return max(abs(a - b) for a, b in zip(one, other))
