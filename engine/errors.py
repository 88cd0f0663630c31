"""What can be wrong with an answer, told apart by class and by a stable `code`.

Every error leaves the state as it was, and its text is written for the person who sent the
move: what was wrong and what would be right.
"""

from collections.abc import Sequence
from typing import ClassVar


class EngineError(Exception):
    """Anything the engine refuses. `code` never changes; the sentence may."""

    code: ClassVar[str] = "engine_error"


class BadSetup(EngineError):
    """A game that cannot be started: unknown game, seats or option."""

    code = "bad_setup"


class MoveError(EngineError):
    """A move that was not played. `suggestions` are moves that would be legal, nearest first."""

    code = "bad_move"

    def __init__(self, sentence: str, suggestions: Sequence[str] = ()) -> None:
        self.sentence = sentence
        self.suggestions = tuple(suggestions)
        hint = f" Possible: {', '.join(self.suggestions)}." if self.suggestions else ""
        super().__init__(sentence + hint)


class Unreadable(MoveError):
    """The text or JSON is not a move of this game at all.

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
    """The seat is not asked for anything, or not for what it answered."""

    code = "not_your_decision"


class DecisionClosed(NotPending):
    """A decision of this seat that is not, or no longer, open."""

    code = "decision_closed"


class GameOver(MoveError):
    """The game has ended; nothing more can be played."""

    code = "game_over"


class BadState(EngineError):
    """A stored state that is none."""

    code = "bad_state"


class MissingBoard(BadState):
    """A stored state of a game whose board is not here."""

    code = "board_missing"


class RecordError(EngineError):
    """A record that does not say what really happened. `line` counts from 1."""

    code = "bad_record"

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line}: {reason}")
