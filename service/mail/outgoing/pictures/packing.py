"""Images of few colours as PNG.

Pillow writes PNG as well, but with this packer it takes half the time, and a mail is smaller.
"""

import struct

from PIL import Image
from zlib_ng import zlib_ng

# Time against size: of the nine levels the highest that does not take most of the time.
_LEVEL = 4
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BITS, _PALETTE = 8, 3  # of a pixel, and what it is


def packed(image: Image.Image) -> bytes:
    """An image with a palette as PNG."""
    width, height = image.size
    # Before each row stands how it is filtered: not at all, which is best for palettes.
    rows = Image.new("P", (width + 1, height), 0)
    rows.paste(image, (1, 0))
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, _BITS, _PALETTE, 0, 0, 0)),
            _chunk(b"PLTE", bytes(image.getpalette() or ())),
            _chunk(b"IDAT", zlib_ng.compress(rows.tobytes(), _LEVEL)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    checked = kind + content
    return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib_ng.crc32(checked))
