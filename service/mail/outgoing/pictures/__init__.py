"""Pictures for places that show no SVG, such as mail: a drawing as a small PNG."""

from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from cachetools import LRUCache
from PIL import Image

from service.mail.outgoing.pictures.colours import palette_of
from service.mail.outgoing.pictures.drawing import composed, rendered
from service.mail.outgoing.pictures.packing import packed
from service.mail.outgoing.pictures.shapes import Beyond

WIDTH = 1000
_KEPT = 128


class Picture(NamedTuple):
    """A PNG; equal ones have equal digests."""

    png: bytes
    digest: str
    width: int
    height: int


_pictures: LRUCache[bytes, Picture] = LRUCache(_KEPT)
_one_at_a_time = Lock()  # what is kept, and the fonts, are shared by all threads


def picture_of(svg: str) -> Picture:
    """The drawing as a PNG; the same drawing again costs nothing. Raises ValueError if it is
    no drawing."""
    shown = sha256(svg.encode()).digest()
    with _one_at_a_time:
        picture = _pictures.get(shown)
        if picture is None:
            picture = _pictures[shown] = _drawn(svg)
    return picture


def _drawn(svg: str) -> Picture:
    try:
        image = composed(svg, WIDTH)
        few = image.quantize(palette=palette_of(svg), dither=Image.Dither.NONE)
    except Beyond:
        image = rendered(svg, WIDTH)
        few = image.quantize(method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    png = packed(few)
    return Picture(png, sha256(png).hexdigest(), *few.size)
