"""How the players' glass diamonds look."""

from functools import lru_cache

from engine.svg import INK, SeatStyle, at, path

# Their shapes are about 2 wide.
LIVERIES = (
    SeatStyle("#0072b2", "#b5d7ee", "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z"),
    SeatStyle("#d55e00", "#f8cfb2", "M-.9-.9H.9V.9H-.9Z"),
    SeatStyle("#f0e442", "#faf5b4", "M0-1.22L1.22 0L0 1.22L-1.22 0Z"),
    SeatStyle("#cc79a7", "#f1d3e3", "M0-1.15L1.15 .9H-1.15Z"),
)


@lru_cache(maxsize=1024)
def piece(seat: int, x: float, y: float, radius: float) -> str:
    """A glass diamond of this player."""
    style = LIVERIES[seat]
    return path(
        style.shape,
        transform=at(x, y, radius),
        fill=style.colour,
        stroke=INK,
        stroke_width=1.4 / radius,
        stroke_linejoin="round",
    )
