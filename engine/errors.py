"""Errors of the engine, distinguished by class and by a stable `code`.

No error changes the state. The text is for the person who sent the move: the fault, and what would
be right.
"""

from collections.abc import Sequence
from typing import ClassVar


class EngineError(Exception):
    """Base class. `code` is stable; the sentence may change."""

    code: ClassVar[str] = "engine_error"


class BadSetup(EngineError):
    """A game that cannot be started: unknown game, seats or option."""

    code = "bad_setup"


class MoveError(EngineError):
    """A refused move. `suggestions` are legal moves, the nearest first."""

    code = "bad_move"

    def __init__(self, sentence: str, suggestions: Sequence[str] = ()) -> None:
        self.sentence = sentence
        self.suggestions = tuple(suggestions)
        hint = f" Possible: {', '.join(self.suggestions)}." if self.suggestions else ""
        super().__init__(sentence + hint)


class Unreadable(MoveError):
    """Text or JSON that is not a move of this game type.

    `words` is the text in the words of the notation, as far as they were understood.
    """

    code = "unreadable_move"

    def __init__(self, sentence: str, suggestions: Sequence[str] = (), words: str = "") -> None:
        super().__init__(sentence, suggestions)
        self.words = words


class Ambiguous(MoveError):
    """A shortened text that fits several legal moves."""

    code = "ambiguous_move"


class Illegal(MoveError):
    """A readable move that the rules do not allow now."""

    code = "illegal_move"


class NotPending(MoveError):
    """The seat owes no decision, or another one."""

    code = "not_your_decision"


class DecisionClosed(NotPending):
    """A decision of this seat that is not open, or no longer."""

    code = "decision_closed"


class GameOver(MoveError):
    """The game is over."""

    code = "game_over"


class BadState(EngineError):
    """Text that is not a stored state."""

    code = "bad_state"


class MissingBoard(BadState):
    """A stored state whose board is unknown."""

    code = "board_missing"


class RecordError(EngineError):
    """A record that a replay contradicts. `line` counts from 1."""

    code = "bad_record"

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line}: {reason}")
