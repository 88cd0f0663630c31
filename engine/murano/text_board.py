"""The view as plain text of at most 80 columns, suitable for screen readers."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from engine.contract import Json
from engine.languages import ENGLISH
from engine.murano.board import Board, Island, boards
from engine.murano.descriptions import card_words, character_words
from engine.murano.moves import BEADS, BOUGHT, CUSTOMERS
from engine.murano.names import (
    action_names,
    card_names,
    colour_name,
    colour_names,
    stack_names,
    tile_names,
    translation,
)
from engine.murano.phrases import bead_words, counted, street_words
from engine.murano.state import AT_ONCE, BUILD, CARD, LAY, RECRUIT, TAKE
from engine.toolkit.texts import result_sentence

WIDTH = 80
LETTERS = "ABCD"
NAME_WIDTH = 15
# Text of an empty space.
FREE, OPEN, UNPAVED = "-", "*", "+"
BLANK_STREET, SPECIAL = "0", "X"
NO_BREAK = "\N{NO-BREAK SPACE}"


def board_text(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    """The whole table for this viewer."""
    board = boards()[view["board"]]
    islands = [island for island in board.islands if island.code in view["islands"]]
    parts = [
        _head(view, names, language),
        _players(view, names, language),
        _ring(view, board, language),
        _legend(language),
        *(_island(view, board, island, language) for island in islands),
        _stacks(view, language),
        _special_cards(view, board, language),
        _own(view, board, language),
    ]
    texts = ["\n".join(part) for part in parts]
    return "\n\n".join(filter(None, texts)) + "\n"


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent="  ")


def _titled(title: str, words: Iterable[str], language: str) -> list[str]:
    """A titled list, as `Free docks: white, grey.`"""
    said = ", ".join(words) or translation(language).gettext("none")
    return _wrapped(f"{title}: {said}.")


# Head and players


def _head(view: Json, names: Sequence[str], language: str) -> Iterator[str]:
    yield translation(language).gettext("MURANO, turn %(turn)d.") % view
    yield from _wrapped(status_line(view, names, language))


def status_line(view: Json, names: Sequence[str], language: str) -> str:
    """The result, or the mover and the decision, in a sentence or two."""
    _ = translation(language).gettext
    if view["outcome"]:
        return result_sentence(translation(language), view["outcome"], names)
    doing = _doing(view, language) % {"name": names[view["pending"][0]], "space": view["at"]}
    if view["last_round"] is None:
        return doing
    last = _("The last round: the game ends before %(name)s would have another turn.")
    return f"{doing} {last % {'name': names[view['last_round']]}}"


def _doing(view: Json, language: str) -> str:
    """The current decision of the mover."""
    _ = translation(language).gettext
    phase = view["phase"]
    if phase in (BUILD, LAY, AT_ONCE):
        return _("%(name)s builds.")
    if phase == TAKE:
        return _("%(name)s looks through a stack.")
    if phase == RECRUIT:
        return _("%(name)s chooses a character.")
    if phase == CARD:
        return _("%(name)s chooses a special card.")
    if view["moved"]:
        return _("It is the turn of %(name)s, whose ship has reached %(space)s.")
    return _("It is the turn of %(name)s.")


def _players(view: Json, names: Sequence[str], language: str) -> Iterator[str]:
    _ = translation(language).gettext
    titles = (_("Points"), _("Gold"), _("At hand"), _("Docked"), _("Supply"), _("Characters"))
    widths = [len(title) + 2 for title in titles]
    you = view["you"]["seat"] if view["you"] else None

    def row(first: str, cells: Sequence[object]) -> str:
        return f"{first:<{NAME_WIDTH + 5}}" + "".join(
            f"{cell:>{width}}" for cell, width in zip(cells, widths)
        )

    yield row(_("PLAYERS"), titles)
    for player in view["players"]:
        seat, gondoliers = player["seat"], player["gondoliers"]
        mark = " *" if seat == you else ""
        yield row(
            f"{LETTERS[seat]} {names[seat][:NAME_WIDTH]}{mark}",
            (
                player["score"],
                player["gold"],
                gondoliers["hand"],
                gondoliers["placed"],
                gondoliers["supply"],
                player["characters"],
            ),
        )
    told = _("Gondoliers are at hand, docked at an island or in the supply.")
    yield from _wrapped(_("* This is you.") + " " + told if you is not None else told)
    for player in view["players"]:
        yield from _belongings(player, language)


def _belongings(player: Json, language: str) -> list[str]:
    """The belongings of a player except gold."""
    _ = translation(language).gettext
    tiles = [
        counted(tile, player["tiles"][tile], language) for tile in BOUGHT if player["tiles"][tile]
    ]
    beads = bead_words(player["beads"], language)
    title = _("%(player)s (%(colour)s), tiles not yet built") % {
        "player": LETTERS[player["seat"]],
        "colour": colour_name(player["colour"], language),
    }
    lines = " ".join(_titled(title, tiles, language))
    if beads:
        lines += " " + _("Beads: %(beads)s.") % {"beads": beads}
    return _wrapped(lines)


# The ring


def _ring(view: Json, board: Board, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    price = _("the first ship of a turn sails free, the next ones for 1, 2, 3 .. gold")
    yield from _wrapped(_("RING: %(prices)s.") % {"prices": price})
    cells = [_anchorage(view, board, number, language) for number in range(len(board.ring))]
    left, right = cells[::2], [*cells[1::2], ""]
    width = max(map(len, left)) + 2
    if width + max(map(len, right)) > WIDTH:
        yield from cells
        return
    for first, second in zip(left, right):
        yield f"{first:<{width}}{second}".rstrip()


def _anchorage(view: Json, board: Board, number: int, language: str) -> str:
    """A space of the ring, as `A5 production: red ship`."""
    _ = translation(language).gettext
    space = board.ring[number]
    ships = view["ships"].count(space)
    here = _("ship") if ships else _("free")
    if space == view["red_ship"]:
        here = _("two ships") if ships else _("red ship")
    return f"{space} {action_names(language)[board.actions[number]]}: {here}"


# Islands


def _letters(language: str) -> dict[str, str]:
    """The first letters of buildings and customers."""
    tiles, colours = tile_names(language), colour_names(language)
    return {
        **{tile: tiles[tile][0].upper() for tile in ("shop", "palace", "glassworks")},
        "special": SPECIAL,
        **{colour: colours[colour][0] for colour in CUSTOMERS},
    }


def _legend(language: str) -> Iterator[str]:
    _ = translation(language).gettext
    letter = _letters(language)
    yield _("ISLANDS, row by row. What stands behind the name of a space:")
    yield from _wrapped(
        _(
            "%(unpaved)s free for a street; %(free)s free for a building, %(open)s the same next "
            "to a street, where you can build."
        )
        % {"unpaved": UNPAVED, "free": FREE, "open": OPEN}
    )
    yield from _wrapped(
        _(
            "A street has customers: %(red)s red, %(blue)s blue, %(grey)s grey, or %(none)s for "
            "none."
        )
        % {**{colour: letter[colour] for colour in CUSTOMERS}, "none": BLANK_STREET}
    )
    yield from _wrapped(
        _(
            "Buildings: %(shop)s shop with the colour of its customers, %(glassworks)s "
            "glassworks, both with their owner's letter; %(palace)s palace with its crests; "
            "%(special)s special building."
        )
        % {tile: letter[tile] for tile in BOUGHT}
    )


def _island(view: Json, board: Board, island: Island, language: str) -> Iterator[str]:
    here = view["islands"][island.code]
    _ = translation(language).gettext
    yield f"{island.code} {island.name.upper()}"
    yield from _grid(here["spaces"], board, island, language)
    yield from _titled(_("Customers"), _customers(here["spaces"], language), language)
    docks = [
        f"{colour_name(colour, language)} {_('free') if seat is None else LETTERS[seat]}"
        for colour, seat in here["docks"].items()
    ]
    yield from _titled(_("Docks"), docks, language)


def _grid(tiles: Json, board: Board, island: Island, language: str) -> Iterator[str]:
    """The grid of an island; a long row continues on the next line."""
    spaces = [board.spaces[number] for number in island.spaces]
    cells = {}
    for space in spaces:
        place = space.name.removeprefix(f"{island.code}-")
        if space.name in tiles:
            content = _tile(tiles[space.name], language)
        elif space.street:
            content = UNPAVED
        else:
            paved = any(board.spaces[street].name in tiles for street in space.beside)
            content = OPEN if paved else FREE
        cells[place] = f"{place} {content}"
    width = max(map(len, cells.values())) + 2
    for row, line in enumerate(island.grid, start=1):
        places = [f"{chr(ord('a') + column)}{row}" for column in range(len(line))]
        text = "".join(f"{cells.get(place, ''):<{width}}" for place in places).rstrip()
        if len(text) <= WIDTH:
            yield text
        else:  # no line ends within a cell
            whole = [cells[place].replace(" ", NO_BREAK) for place in places if place in cells]
            yield from (part.replace(NO_BREAK, " ") for part in _wrapped(" ".join(whole)))


def _tile(tile: Json, language: str) -> str:
    """The code of a tile, as `rb` for a street, `SrA` for a shop, `P2` for a palace."""
    letter = _letters(language)
    kind = tile.get("kind", "")
    if tile["tile"] == "street":
        if kind == "blank":
            return BLANK_STREET
        return "".join(letter[colour] for colour in kind.split("+"))
    owner = LETTERS[tile["seat"]] if "seat" in tile else ""
    return f"{letter[tile['tile']]}{letter.get(kind, kind)}{owner}"


def _customers(tiles: Json, language: str) -> Iterator[str]:
    """The number of customers by colour."""
    streets = [tile["kind"].split("+") for tile in tiles.values() if tile["tile"] == "street"]
    for colour in CUSTOMERS:
        count = sum(street.count(colour) for street in streets)
        yield f"{colour_name(colour, language)} {count}"


# Stacks, cards, and the viewer's secrets


def _stacks(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    stacks = [f"{stack_names(language)[name]} {count}" for name, count in view["stacks"].items()]
    yield from _titled(_("STACKS"), stacks, language)
    bag = [f"{colour_name(colour, language)} {view['bag'][colour]}" for colour in BEADS]
    yield from _titled(_("Beads in the bag"), bag, language)
    if view["street"]:
        text = _("A street %(street)s is drawn and not yet laid.")
        yield from _wrapped(text % {"street": street_words(language)[view["street"]]})


def _special_cards(view: Json, board: Board, language: str) -> Iterator[str]:
    """The cards in front of the players with what they do; nothing if there are none."""
    _ = translation(language).gettext
    players = view["players"]
    cards = [(LETTERS[player["seat"]], card) for player in players for card in player["cards"]]
    if cards:
        yield _("SPECIAL CARDS of the players")
    for letter, card in cards:
        words = f"{letter}, {_card(card['card'], board, language)}"
        new = "" if card["active"] else " " + _("Works from the next turn on.")
        yield from _wrapped(words + new)


def _card(card: str, board: Board, language: str) -> str:
    return f"{card_names(language)[card]}: {card_words(card, language, board)}."


def _character(number: int, board: Board, language: str) -> list[str]:
    return _wrapped(f"{number}: {character_words(number, language, board)}.")


def _own(view: Json, board: Board, language: str) -> Iterator[str]:
    """The secrets of the viewer with a heading; empty for a spectator."""
    if view["you"]:
        yield translation(language).gettext("ONLY YOU KNOW")
        yield from own_lines(view, board, language)


def own_lines(view: Json, board: Board, language: str) -> Iterator[str]:
    """The secrets of the viewer; empty for a spectator."""
    _ = translation(language).gettext
    own = view["you"]
    if not own:
        return
    yield from _titled(_("Your shops"), _kinds("shop", own["shops"], language), language)
    yield from _titled(_("Your palaces"), _kinds("palace", own["palaces"], language), language)
    if own["characters"]:
        yield _("Your characters:")
        for number in own["characters"]:
            yield from _character(number, board, language)
    else:
        yield _("You have no characters yet.")
    yield from _shown(own["shown"] or {}, board, language)
    yield from _seen(own["seen"], language)


def _kinds(tile: str, kinds: Sequence[str], language: str) -> list[str]:
    """Tiles by their kinds, as `red, grey` or `2 crests`."""
    if tile == "shop":
        return [colour_name(kind, language) for kind in kinds]
    return [counted("crest", int(kind), language) for kind in kinds]


def _shown(shown: Json, board: Board, language: str) -> Iterator[str]:
    """The subject of the viewer's decision."""
    _ = translation(language).gettext
    if "stack" in shown:
        kinds = _kinds(shown["tile"], shown["stack"], language)
        yield from _titled(_("In the stack that you look through"), kinds, language)
    if "characters" in shown:
        yield _("Characters to choose from:")
        for number in shown["characters"]:
            yield from _character(number, board, language)
    if "cards" in shown:
        yield _("Special cards to choose from:")
        for card in shown["cards"]:
            yield from _wrapped(_card(card, board, language))


def _seen(seen: Json, language: str) -> Iterator[str]:
    """Facts about the stacks that the viewer saw earlier."""
    _ = translation(language).gettext
    titles = {
        "shop": _("In turn %(turn)d these shops were left in the stack"),
        "palace": _("In turn %(turn)d these palaces were left in the stack"),
    }
    for tile, title in titles.items():
        if seen[tile]:
            kinds = _kinds(tile, seen[tile]["left"], language)
            yield from _titled(title % seen[tile], kinds, language)
    if seen["characters"]:
        numbers = [str(number) for number in seen["characters"]]
        yield from _titled(_("Characters you saw go under the stack"), numbers, language)
    if seen["special_cards"]:
        cards = [card_names(language)[card] for card in seen["special_cards"]]
        yield from _titled(_("Special cards you saw go under the stack"), cards, language)
