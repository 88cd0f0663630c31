"""Small images with their place, and several of them in one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from PIL import Image

Core = Any  # an inner image of Pillow, which does not name its type


class Sprite(NamedTuple):
    """An image and where it lies.

    It is held as Pillow's inner image: the checks of `Image` take longer than the small images
    that pictures are put together from.
    """

    colours: Core
    cover: Core | None  # how much they cover, if not everything
    x: int
    y: int
    right: int
    bottom: int

    @classmethod
    def of(cls, image: Image.Image, x: int, y: int) -> "Sprite":
        """An image with alpha."""
        solid = image.copy()
        solid.putalpha(255)
        return cls(solid.im, image.im, x, y, x + image.width, y + image.height)

    @property
    def pixels(self) -> int:
        return (self.right - self.x) * (self.bottom - self.y)

    def moved(self, x: int, y: int) -> "Sprite":
        colours, cover, left, top, right, bottom = self
        return Sprite(colours, cover, left + x, top + y, right + x, bottom + y)

    def lay_on(self, canvas: Core, x: int, y: int) -> None:
        """Moved by this much."""
        colours, cover, left, top, right, bottom = self
        box = (left + x, top + y, right + x, bottom + y)
        if cover is None:
            canvas.paste(colours, box)
        else:
            canvas.paste(colours, box, cover)


class Kept:
    """Sprites by what they show: those that were not asked for in a long time are forgotten."""

    def __init__(self, pixels: int = 6_000_000) -> None:
        self._room = pixels  # for the younger half
        self._left = pixels
        self._young: dict[str, Sprite] = {}
        self._old: dict[str, Sprite] = {}

    def get(self, shown: str) -> Sprite | None:
        sprite = self._young.get(shown)
        if sprite is None and (sprite := self._old.get(shown)) is not None:
            self.keep(shown, sprite)
        return sprite

    def keep(self, shown: str, sprite: Sprite) -> Sprite:
        self._left -= 100 + sprite.pixels
        if self._left < 0:
            self._left, self._young, self._old = self._room, {}, self._young
        self._young[shown] = sprite
        return sprite


def merged(layers: Sequence[Sprite]) -> Sprite:
    """All in one, from back to front."""
    if len(layers) == 1:
        return layers[0]
    left = min((layer.x for layer in layers), default=0)
    top = min((layer.y for layer in layers), default=0)
    right = max((layer.right for layer in layers), default=0)
    bottom = max((layer.bottom for layer in layers), default=0)
    # Laid over nothing, colours come out multiplied by how much they cover.
    whole = Image.new("RGBa", (right - left, bottom - top))
    for layer in layers:
        layer.lay_on(whole.im, -left, -top)
    if whole.im.getband(3).getextrema() == (255, 255):
        return Sprite(whole.im, None, left, top, right, bottom)
    image = whole.convert("RGBA").im
    return Sprite(image, image, left, top, right, bottom)
