"""Registry of game types by key. A game type keeps every rules version that running games use."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from engine import millefiori, murano
from engine.contract import GameType
from engine.errors import BadSetup

# A list, so that a test can add a game type of its own.
GAME_TYPES: list[GameType] = [millefiori, murano]


class BoardFiles(NamedTuple):
    """Board files of a game type: `parse` reads the text of one, `use` takes all of them."""

    parse: Callable[[str], Any]  # raises ValueError
    use: Callable[[Sequence[Any]], None]


# By the setting that names the files; `engine.cli.board_files` reads both.
BOARD_FILES: Mapping[str, BoardFiles] = {
    "LAGUNA_MURANO_DATA": BoardFiles(murano.read_board, murano.use_boards),
}


def game_type_by_key(key: str, rules: int | None = None) -> GameType:
    """The game type with this key, in this rules version or the newest; raises BadSetup."""
    found = [game for game in GAME_TYPES if game.meta.key == key]
    if not found:
        known = ", ".join(dict.fromkeys(game.meta.key for game in GAME_TYPES))
        raise BadSetup(f"There is no game '{key[:40]}'; there is: {known}.")
    if rules is None:
        return max(found, key=lambda game: game.meta.rules)
    for game in found:
        if game.meta.rules == rules:
            return game
    raise BadSetup(f"{found[0].meta.title} has no rules version {str(rules)[:40]}.")
