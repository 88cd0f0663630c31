"""Seats and options of a new game."""

from collections.abc import Mapping

from engine.contract import GameType
from engine.errors import BadSetup
from engine.languages import ENGLISH


def check_seats(game: GameType, seats: int) -> None:
    """Check the number of seats; raises BadSetup."""
    if type(seats) is not int or seats not in game.meta.seats:
        allowed = ", ".join(str(number) for number in game.meta.seats)
        raise BadSetup(f"{game.meta.title} is played with {allowed} seats, not {str(seats)[:40]}.")


def complete_options(game: GameType, options: Mapping[str, str]) -> dict[str, str]:
    """The options with defaults filled in, in the game's order; raises BadSetup."""
    if not isinstance(options, Mapping):
        raise BadSetup("Options are an object of names and values.")
    known = {option.key: option for option in game.meta.options}
    for key, value in options.items():
        if key not in known:
            has = ", ".join(known)
            raise BadSetup(f"{game.meta.title} has no option '{str(key)[:40]}'; it has: {has}.")
        if not isinstance(value, str) or known[key].meaning(value) is None:
            choices = ", ".join(known[key].choices)
            raise BadSetup(
                f"Option '{key}' cannot be '{str(value)[:40]}'; choose one of: {choices}."
            )
    return {key: options.get(key, option.default) for key, option in known.items()}


def new_options(game: GameType, options: Mapping[str, str]) -> dict[str, str]:
    """The options of a new game; raises BadSetup, also for retired choices."""
    complete = complete_options(game, options)
    for option in game.meta.options:
        if complete[option.key] in option.retired:
            choices = ", ".join(option.choices)
            raise BadSetup(
                f"Option '{option.key}' can no longer be '{complete[option.key]}'; "
                f"choose one of: {choices}."
            )
    return complete


def renewed_options(game: GameType, options: Mapping[str, str]) -> dict[str, str]:
    """The options of an earlier game for a rematch: the default where a choice is no longer
    offered."""
    offered = {option.key: option.choices for option in game.meta.options}
    return {key: value for key, value in options.items() if value in offered.get(key, ())}


def option_words(game: GameType, options: Mapping[str, str], language: str = ENGLISH) -> list[str]:
    """The options of a game for people, as `Board: Laguna's own board. ..`, each with its note."""
    found = []
    for option in game.about(language).options:
        choice = options.get(option.key, option.default)
        words = f"{option.title}: {option.meaning(choice) or choice}"
        found.append(f"{words}. {option.note}" if option.note else words)
    return found


def all_options(game: GameType) -> list[dict[str, str]]:
    """Every combination of options, the defaults among them."""
    combinations: list[dict[str, str]] = [{}]
    for option in game.meta.options:
        combinations = [
            {**chosen, option.key: choice} for chosen in combinations for choice in option.choices
        ]
    return combinations
