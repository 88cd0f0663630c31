"""A real question of a real game, which the mails of the corpus answer."""

from datetime import date

from engine.chance import seed_from_text
from engine.contract import GameType
from engine.policies import simulate
from engine.registry import game_type_by_key

OWN_DOMAIN = "mail.laguna.example"
TODAY = date(2025, 11, 4)
GAME: GameType = game_type_by_key("millefiori", 1)


def _choices() -> list[str]:
    """Of the second seat, which has a card to play after four have been kept."""
    options = {option.key: option.default for option in GAME.meta.options}
    played = simulate(GAME, 4, options, seed_from_text("replies"), "random")
    state = played.lines[4].state
    return [GAME.format(move) for move in GAME.legal_moves(state, 1)]


CHOICES = _choices()
