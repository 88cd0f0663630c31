"""The view as plain text of at most 80 columns, suitable for screen readers."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from engine.contract import Json
from engine.languages import ENGLISH
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
from engine.millefiori.names import area_names, card_name, place_name, symbol_names, translation
from engine.toolkit.texts import result_sentence

WIDTH = 80
LETTERS = "ABCD"
EMPTY = "-"
CELL = 14  # columns of a space that is written with its symbol


def board_text(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    """The whole table for this viewer."""
    parts = [
        _head(view, names, language),
        _players(view, names, language),
        _workshops(view, language),
        _residences(view, language),
        _pyramid(view, "nobili", language),
        _pyramid(view, "populi", language),
        _trade_and_harbor(view, language),
        _route(view, language),
        _bonuses(view, language),
        _cards(view, names, language),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(view: Json, names: Sequence[str], language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield (
        _("MILLE FIORI, round %(round)d of at most %(rounds)d, turn %(turn)d of %(turns)d.") % view
    )
    yield from wrap(_("%(name)s is start player.") % {"name": names[view["start"]]}, WIDTH)
    yield from wrap(status_line(view, names, language), WIDTH, subsequent_indent="  ")


def status_line(view: Json, names: Sequence[str], language: str) -> str:
    """The result, or the seats that owe a decision, in a sentence."""
    _ = translation(language).gettext
    waiting = [names[seat] for seat in view["pending"]]
    if view["outcome"]:
        return result_sentence(translation(language), view["outcome"], names)
    if view["phase"] == "keep":
        chosen = _("%(chosen)d of %(seats)d have chosen a card. Waiting for: %(names)s.")
        return chosen % {
            "chosen": view["seats"] - len(waiting),
            "seats": view["seats"],
            "names": ", ".join(waiting),
        }
    doing = _("%(name)s plays.")
    if view["phase"] == "extra":
        doing = _("%(name)s may play an extra card.")
    return doing % {"name": waiting[0]}


def _players(view: Json, names: Sequence[str], language: str) -> Iterator[str]:
    _ = translation(language).gettext
    titles = (_("PLAYERS"), _("Letter"), _("Points"), _("Ship on"), _("Diamonds"), _("Reserve"))
    yield "{:<14}{:>6}{:>8}{:>9}{:>10}{:>9}".format(*titles)
    you = view["you"]["seat"] if view["you"] else None
    for player in view["players"]:
        seat = player["seat"]
        name = names[seat][:11] + (" *" if seat == you else "")
        yield (
            f"{name:<14}{LETTERS[seat]:>6}{player['score']:>8}{player['ship']:>9}"
            f"{player['supply']:>10}{player['reserve']:>9}"
        )
    if you is not None:
        yield _("* This is you. Below, letters are diamonds and %(empty)s is an empty space.") % {
            "empty": EMPTY
        }
    else:
        yield _("Below, letters are diamonds and %(empty)s is an empty space.") % {"empty": EMPTY}


def _owner(view: Json, space: str) -> str:
    return LETTERS[view["spaces"][space]] if space in view["spaces"] else EMPTY


def _workshops(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield _("WORKSHOPS: q quartz, a ash, l lime, p pigments (points count double).")
    rows: dict[int, str] = {}
    for name, (row, column, symbol) in zip(PLACES_BY_AREA["workshops"], WORKSHOPS):
        cell = f"{name}{symbol[0]} {_owner(view, name)}"
        rows[row] = rows.get(row, "").ljust(column * 4) + cell
    yield from rows.values()


def _residences(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield _("RESIDENCES: the number of each space and its owner, in the order of the line.")
    cells = [
        f"{name}={points} {_owner(view, name)}"
        for name, points in zip(PLACES_BY_AREA["residences"], RESIDENCES)
    ]
    for start in range(0, len(cells), 7):
        yield "  ".join(f"{cell:<8}" for cell in cells[start : start + 7]).rstrip()


def _pyramid(view: Json, area: str, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield _("%(area)s: from the top; a space needs both spaces below it.") % {
        "area": area_names(language)[area].upper()
    }
    names = iter(PLACES_BY_AREA[area])
    words = symbol_names(language)
    for level, symbols in zip((3, 2, 1), PYRAMIDS[area]):
        cells = [
            f"{name} {words[symbol]} {_owner(view, name)}" for symbol, name in zip(symbols, names)
        ]
        indent = " " * (7 * (level - 1))
        line = indent + "".join(cell.ljust(max(CELL, len(cell) + 1)) for cell in cells)
        title = _("Level %(level)d:") % {"level": level}
        yield f"{title} {line.rstrip()}"


def _trade_and_harbor(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield _("TRADE, four commodities in five lines, and the HARBOR with three ships a line.")
    words = [symbol_names(language)[commodity] for commodity in COMMODITIES]
    widths = [CELL] * len(words)
    if max(map(len, words)) + len(" G1 - ") > CELL:  # then each column is as narrow as its word
        widths = [len(word) + len(" G1 - ") for word in words]
    for line in range(1, LINES + 1):
        spaces = [f"{commodity[0].upper()}{line}" for commodity in COMMODITIES]
        cells = [f"{word} {space} {_owner(view, space)}" for word, space in zip(words, spaces)]
        row = "".join(cell.ljust(width) for cell, width in zip(cells, widths))
        ships = [LETTERS[seat] for seat in view["harbor"][f"H{line}"]]
        ships += [EMPTY] * (SHIPS_PER_LINE - len(ships))
        yield _("Line %(line)d: %(commodities)sships %(space)s %(ships)s") % {
            "line": line,
            "commodities": row,
            "space": f"H{line}",
            "ships": " ".join(ships),
        }


def _route(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield _("ROUTE: points of spaces 1 to 20; + is an extra card.")
    cells = [
        f"{space}:{points}{'+' if space in ROUTE_EXTRA_CARDS else ''}"
        for space, points in enumerate(ROUTE_POINTS)
    ]
    yield from wrap(" ".join(cells[1:]), WIDTH)
    ship = _("%(player)s on %(space)d")
    ships = [
        ship % {"player": LETTERS[player["seat"]], "space": player["ship"]}
        for player in view["players"]
    ]
    yield _("Ships: %(ships)s.") % {"ships": ", ".join(ships)}


def _bonuses(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield _("BONUSES: who took what, and what is next.")
    for area in BONUS_AREAS:
        taken = view["bonuses"][area]
        parts = [f"{LETTERS[taker['seat']]} {taker['points']}" for taker in taken]
        if len(taken) < view["seats"]:
            parts.append(_("next %(points)d") % {"points": BONUS_POINTS[len(taken)]})
        yield f"{area_names(language)[area]}: {', '.join(parts)}"


def _cards(view: Json, names: Sequence[str], language: str) -> Iterator[str]:
    _ = translation(language).gettext
    yield _("CARDS: %(deck)d in the deck, %(discarded)d discarded.") % {
        "deck": view["deck"],
        "discarded": len(view["discard"]),
    }
    yield from _listed(_("On display"), view["display"], language)
    own = view["you"]
    if not own:
        return
    if own["hand"]:
        yield from _listed(_("Your hand"), own["hand"], language)
    if own["kept"]:
        card = card_name(own["kept"], language)
        if own["then"]:
            place = place_name(own["then"]["to"], language)
            planned = _("You keep %(card)s, planned for %(place)s.")
            yield planned % {"card": card, "place": place}
        else:
            yield _("You keep %(card)s.") % {"card": card}
    for sight in own["passed"]:
        with_you = sight["now_with"] == own["seat"]
        where = _("Your hand of turn %(turn)d is now with %(name)s, %(left)d of")
        if with_you:
            where = _("Your hand of turn %(turn)d is now with you, %(left)d of")
        told = where % (sight | {"name": names[sight["now_with"]]})
        yield from _listed(told, sight["may_remain"], language)


def _listed(title: str, cards: Sequence[str], language: str) -> list[str]:
    words = ", ".join([card_name(card, language) for card in cards])
    nothing = translation(language).gettext("nothing")
    return wrap(f"{title}: {words or nothing}.", WIDTH, subsequent_indent="  ")
