"""A second opinion on Murano: follows a recorded game and checks every line of it.

This is a deliberately plain implementation of the rules. It shares no code with the engine, only
the file of the board's figures, which it reads by itself; so a mistake would have to be made
twice to go unnoticed. `follow` reads the record of one finished game and raises `Disagreement` at
the first line it cannot confirm.
"""

from tests.engine.murano.referee.following import Disagreement, Tally, follow

__all__ = ["Disagreement", "Tally", "follow"]
