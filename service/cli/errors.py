"""How errors reach the person who typed a command: a sentence, and exit code 2."""

import sys
from collections.abc import Callable

from sqlalchemy.exc import DBAPIError

from service.config import BadConfiguration
from service.problems import Refused


class CannotDo(Exception):
    """Something a command cannot do, in a sentence that says what would help."""


def plainly(command: Callable[[], int]) -> int:
    """Run a command; what goes wrong is told without a traceback."""
    try:
        return command()
    except (BadConfiguration, CannotDo) as error:
        sentence = str(error)
    except Refused as error:
        sentence = error.detail
    except DBAPIError as error:  # its parameters may be secret, what the driver says is not
        reason = str(error.orig).strip().split("\n")[0]
        sentence = f"The database cannot be used: {reason}"
    print(f"laguna: {sentence}", file=sys.stderr)
    return 2
