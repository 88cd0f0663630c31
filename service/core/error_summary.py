"""An error in one line, for the log and for the operator."""

import traceback

from sqlalchemy.exc import DBAPIError

OWN_MODULES = ("service.", "worker.", "engine.")


def error_summary(error: BaseException) -> str:
    """The type of an error and the last line of our code in its traceback, such as `ValueError at
    service.mail.inbound.mime_parts:68`. The message is left out: it may quote a mail."""
    kind = type(error.orig if isinstance(error, DBAPIError) else error).__name__
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__"))
        if module.startswith(OWN_MODULES):
            place = f" at {module}:{line}"
    return f"{kind}{place}"[:200]
