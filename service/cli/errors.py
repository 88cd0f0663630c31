"""Errors of commands: one sentence on standard error, and exit code 2."""

import sys
from collections.abc import Callable


class CommandError(Exception):
    """A command failed; the sentence says what would help."""


def report_errors(command: Callable[[], int]) -> int:
    """Run a command; expected errors are printed without a traceback."""
    try:
        return command()
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
    print(f"laguna: {sentence}", file=sys.stderr)
    return 2


def _sentence(error: Exception) -> str | None:
    """The sentence for an expected error; None for a defect.

    Imports are in the function, because most commands need none of these modules.
    """
    from service.core.config import BadConfiguration

    if isinstance(error, BadConfiguration | CommandError):
        return str(error)

    from sqlalchemy.exc import DBAPIError

    from service.core.errors import Problem

    if isinstance(error, Problem):
        return error.detail
    if isinstance(error, DBAPIError):  # its parameters may be secret, its first line is not
        reason = str(error.orig).strip().split("\n")[0]
        return f"The database cannot be used: {reason}"
    return None
