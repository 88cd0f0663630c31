"""Text as it is drawn in pictures, with the font files beside this module.

The fonts of the machine are never used, so that a picture is the same everywhere. A character
that our fonts do not have becomes a question mark rather than an empty box.
"""

from functools import lru_cache
from math import floor
from pathlib import Path

from PIL import Image, ImageFont

from service.mail.outgoing.pictures.colours import softened
from service.mail.outgoing.pictures.shapes import Anchor, Text
from service.mail.outgoing.pictures.sprites import Sprite

FAMILY = "DejaVu Sans"
REGULAR, BOLD = (
    str(Path(__file__).parent / "fonts" / name)
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
)
_UNKNOWN = "?"
_NOTHING = "\U0010ffff"  # no font has it


@lru_cache(maxsize=128)
def _font(bold: bool, size: float) -> ImageFont.FreeTypeFont:
    engine = ImageFont.Layout.BASIC
    return ImageFont.truetype(BOLD if bold else REGULAR, size, layout_engine=engine)


@lru_cache(maxsize=4096)
def _printable(char: str, bold: bool) -> str:
    font = _font(bold, 16)
    missing = bytes(font.getmask(char)) == bytes(font.getmask(_NOTHING))
    return _UNKNOWN if missing else char


@lru_cache(maxsize=4096)
def _lettered(words: str, size: float, bold: bool, fill: str, anchor: Anchor) -> Sprite | None:
    """The text around the point it is anchored at."""
    shown = "".join(_printable(char, bold) for char in words)
    mask, (left, top) = _font(bold, size).getmask2(shown, mode="L", anchor=anchor)
    width, height = mask.size
    if not width or not height:
        return None
    cover, image = Image.new("L", mask.size), Image.new("RGBA", mask.size, fill)
    cover.im.paste(mask, (0, 0, width, height))
    image.putalpha(softened(cover))
    return Sprite.of(image, left, top)


def lettered(text: Text) -> Sprite | None:
    """The text in its place, on whole pixels so that letters are equally sharp everywhere."""
    # Few sizes, so that the fonts kept ready stay few.
    size = max(1.0, round(text.size * 4) / 4)
    sprite = _lettered(text.words, size, text.bold, text.fill, text.anchor)
    # Not `round`, which makes halves even: equal texts would differ by where they are.
    return sprite and sprite.moved(floor(text.x + 0.5), floor(text.y + 0.5))
