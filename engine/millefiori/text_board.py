"""The view as plain text: at most 80 columns, every line understandable when read aloud."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from engine.contract import Json
from engine.millefiori.board import (
    BONUS_AREAS,
    BONUS_POINTS,
    COMMODITIES,
    LINES,
    PLACES_BY_AREA,
    PYRAMIDS,
    RESIDENCES,
    ROUTE_EXTRA_CARDS,
    ROUTE_POINTS,
    SHIPS_PER_LINE,
    WORKSHOPS,
)

WIDTH = 80
LETTERS = "ABCD"
EMPTY = "-"


def board_text(view: Json, names: Sequence[str]) -> str:
    """The whole table as this viewer sees it."""
    parts = [
        _head(view, names),
        _players(view, names),
        _workshops(view),
        _residences(view),
        _pyramid(view, "nobili"),
        _pyramid(view, "populi"),
        _trade_and_harbor(view),
        _route(view),
        _bonuses(view),
        _cards(view, names),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(view: Json, names: Sequence[str]) -> Iterator[str]:
    yield (
        f"MILLE FIORI, round {view['round']} of {view['rounds']}, "
        f"turn {view['turn']} of {view['turns']}."
    )
    yield from wrap(f"{names[view['start']]} is start player.", WIDTH)
    waiting = [names[seat] for seat in view["pending"]]
    if view["outcome"]:
        winners = ", ".join(names[seat] for seat in view["outcome"]["winners"])
        yield from wrap(f"The game is over. Winner: {winners}.", WIDTH)
    elif view["phase"] == "keep":
        chosen = view["seats"] - len(waiting)
        yield from _listed(f"{chosen} of {view['seats']} have chosen a card. Waiting for", waiting)
    else:
        doing = "may play an extra card" if view["phase"] == "extra" else "plays"
        yield from wrap(f"{waiting[0]} {doing}.", WIDTH)


def _players(view: Json, names: Sequence[str]) -> Iterator[str]:
    yield "PLAYERS       Letter  Points  Ship on  Diamonds  Reserve"
    you = view["you"]["seat"] if view["you"] else None
    for player in view["players"]:
        seat = player["seat"]
        name = names[seat][:11] + (" *" if seat == you else "")
        yield (
            f"{name:<14}{LETTERS[seat]:>6}{player['score']:>8}{player['ship']:>9}"
            f"{player['supply']:>10}{player['reserve']:>9}"
        )
    if you is not None:
        yield f"* This is you. Below, letters are diamonds and {EMPTY} is an empty space."
    else:
        yield f"Below, letters are diamonds and {EMPTY} is an empty space."


def _owner(view: Json, space: str) -> str:
    return LETTERS[view["spaces"][space]] if space in view["spaces"] else EMPTY


def _workshops(view: Json) -> Iterator[str]:
    yield "WORKSHOPS: q quartz, a ash, l lime, p pigments (points count double)."
    rows: dict[int, str] = {}
    for name, (row, column, symbol) in zip(PLACES_BY_AREA["workshops"], WORKSHOPS):
        cell = f"{name}{symbol[0]} {_owner(view, name)}"
        rows[row] = rows.get(row, "").ljust(column * 4) + cell
    yield from rows.values()


def _residences(view: Json) -> Iterator[str]:
    yield "RESIDENCES: the number of each space and its owner, in the order of the line."
    cells = [
        f"{name}={points} {_owner(view, name)}"
        for name, points in zip(PLACES_BY_AREA["residences"], RESIDENCES)
    ]
    for start in range(0, len(cells), 7):
        yield "  ".join(f"{cell:<8}" for cell in cells[start : start + 7]).rstrip()


def _pyramid(view: Json, area: str) -> Iterator[str]:
    yield f"{area.upper()}: from the top; a space needs both spaces below it."
    names = iter(PLACES_BY_AREA[area])
    for level, symbols in zip((3, 2, 1), PYRAMIDS[area]):
        cells = [f"{name} {symbol} {_owner(view, name)}" for symbol, name in zip(symbols, names)]
        indent = " " * (7 * (level - 1))
        line = indent + "".join(f"{cell:<14}" for cell in cells)
        yield f"Level {level}: {line.rstrip()}"


def _trade_and_harbor(view: Json) -> Iterator[str]:
    yield "TRADE, four commodities in five lines, and the HARBOR with three ships a line."
    for line in range(1, LINES + 1):
        spaces = [(commodity, f"{commodity[0].upper()}{line}") for commodity in COMMODITIES]
        cells = [f"{commodity} {space} {_owner(view, space)}" for commodity, space in spaces]
        ships = [LETTERS[seat] for seat in view["harbor"][f"H{line}"]]
        ships += [EMPTY] * (SHIPS_PER_LINE - len(ships))
        row = "".join(f"{cell:<14}" for cell in cells)
        yield f"Line {line}: {row}ships H{line} {' '.join(ships)}"


def _route(view: Json) -> Iterator[str]:
    yield "ROUTE: points of spaces 1 to 20; + is an extra card."
    cells = [
        f"{space}:{points}{'+' if space in ROUTE_EXTRA_CARDS else ''}"
        for space, points in enumerate(ROUTE_POINTS)
    ]
    yield from wrap(" ".join(cells[1:]), WIDTH)
    ships = [f"{LETTERS[player['seat']]} on {player['ship']}" for player in view["players"]]
    yield f"Ships: {', '.join(ships)}."


def _bonuses(view: Json) -> Iterator[str]:
    yield "BONUSES: who took what, and what is next."
    for area in BONUS_AREAS:
        taken = view["bonuses"][area]
        parts = [f"{LETTERS[taker['seat']]} {taker['points']}" for taker in taken]
        if len(taken) < view["seats"]:
            parts.append(f"next {BONUS_POINTS[len(taken)]}")
        yield f"{area}: {', '.join(parts)}"


def _cards(view: Json, names: Sequence[str]) -> Iterator[str]:
    yield f"CARDS: {view['deck']} in the deck, {len(view['discard'])} discarded."
    yield from _listed("On display", view["display"])
    own = view["you"]
    if not own:
        return
    if own["hand"]:
        yield from _listed("Your hand", own["hand"])
    if own["kept"]:
        plan = f", planned for {own['then']['to']}" if own["then"] else ""
        yield f"You keep {own['kept']}{plan}."
    for sight in own["passed"]:
        holder = "you" if sight["now_with"] == own["seat"] else names[sight["now_with"]]
        what = f"Your hand of turn {sight['turn']} is now with {holder}, {sight['left']} of"
        yield from _listed(what, sight["may_remain"])


def _listed(title: str, words: Sequence[str]) -> list[str]:
    return wrap(f"{title}: {', '.join(words) or 'nothing'}.", WIDTH, subsequent_indent="  ")
