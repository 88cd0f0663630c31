"""The command `laguna`: the engine's commands and those of the service.

Modules are imported by the command that needs them, so that the engine's stay quick.
"""

import os
from collections.abc import Sequence

import engine.cli
from service.cli.parser import add_commands

__all__ = ["main", "run"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if all is well, 1 if a check failed, 2 for bad input or settings."""
    return engine.cli.main(arguments, add_commands)


def run() -> int:
    """`main` for the shell. Files are the business of the user who starts it alone."""
    os.umask(0o077)
    return engine.cli.run(add_commands)
