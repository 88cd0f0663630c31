"""Summary of the view in sentences: the alternative text of the picture."""

from collections.abc import Iterator, Sequence

from engine.contract import Json
from engine.languages import ENGLISH, join_words
from engine.murano.board import boards
from engine.murano.moves import BOUGHT
from engine.murano.names import island_name, stack_names, translation
from engine.murano.phrases import counted, gold_words, points_words
from engine.murano.text_board import own_lines, status_line

LONGEST_NAME = 20
FEW_TILES = 3  # up to this size a stack is nearly empty


def board_summary(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    """Status, players, islands, and the viewer's secrets."""
    _ = translation(language).gettext
    secrets = own_lines(view, boards()[view["board"]], language)
    short = [name[:LONGEST_NAME] for name in names]
    return " ".join(
        [
            _("Murano, turn %(turn)d.") % view,
            status_line(view, short, language),
            *(_player(view, seat, name, language) for seat, name in enumerate(short)),
            _islands(view, language),
            *_ships_and_stacks(view, language),
            *" ".join(secrets).split(),
        ]
    )


def _player(view: Json, seat: int, name: str, language: str) -> str:
    player = view["players"][seat]
    tiles = [
        tile
        for island in view["islands"].values()
        for tile in island["spaces"].values()
        if tile.get("seat") == seat
    ]
    text = translation(language).gettext(
        "%(name)s has %(points)s, %(gold)s, %(built)s and %(gondoliers)s."
    )
    built = [
        counted(kind, sum(tile["tile"] == kind for tile in tiles), language)
        for kind in ("shop", "glassworks")
    ]
    return text % {
        "name": name,
        "points": points_words(player["score"], language),
        "gold": gold_words(player["gold"], language),
        "built": ", ".join(built),
        "gondoliers": _placed(player["gondoliers"]["placed"], language),
    }


def _placed(count: int, language: str) -> str:
    text = translation(language).ngettext(
        "%(count)d placed gondolier", "%(count)d placed gondoliers", count
    )
    return text % {"count": count}


def _islands(view: Json, language: str) -> str:
    """The number of tiles on each island."""
    board = boards()[view["board"]]
    counts = [
        f"{island_name(code, board)} {len(island['spaces'])}"
        for code, island in view["islands"].items()
        if island["spaces"]
    ]
    if not counts:
        return translation(language).gettext("Nothing is built yet.")
    text = translation(language).gettext("Tiles on the islands: %(islands)s.")
    return text % {"islands": ", ".join(counts)}


def _ships_and_stacks(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    ships = _("Ships are on %(ships)s; the red one is on %(red)s.")
    yield ships % {"ships": join_words(view["ships"], language), "red": view["red_ship"]}
    few = [
        f"{stack_names(language)[tile]} {view['stacks'][tile]}"
        for tile in ("street", *BOUGHT)
        if view["stacks"][tile] <= FEW_TILES
    ]
    if few:
        yield _("Nearly used up: %(stacks)s.") % {"stacks": ", ".join(few)}
