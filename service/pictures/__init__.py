"""Pictures for places that show no SVG, such as mail: the drawing as a PNG.

Text is drawn with the font files beside this module and never with those of the machine, so that
a picture is the same everywhere; without a font the renderer would silently leave all text out.
"""

from pathlib import Path

import resvg_py

FONTS = [
    str(Path(__file__).parent / "fonts" / name)
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
]
FAMILY = "DejaVu Sans"


def svg_to_png(svg: str, width: int = 1000, *, smooth: bool = False) -> bytes:
    """The drawing, this many pixels wide.

    Soft edges make a PNG three times as heavy and are left out unless `smooth` asks for them,
    or an element of the drawing does by itself (`text-rendering="geometricPrecision"`).
    """
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=True,
        font_files=FONTS,
        font_family=FAMILY,
        sans_serif_family=FAMILY,
        shape_rendering="geometric_precision" if smooth else "crisp_edges",
        text_rendering="geometric_precision" if smooth else "optimize_speed",
    )
