"""The command `laguna`: the engine's commands and those of the service.

A command imports its modules when it runs, so that other commands start quickly.
"""

import os
from collections.abc import Sequence

import engine.cli
from service.cli.parser import add_commands

__all__ = ["main", "run"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. The exit code is 0 for success, 1 for a failed check, 2 for bad input."""
    return engine.cli.main(arguments, add_commands)


def run() -> int:
    """Entry point of the shell command. New files are readable by their owner only."""
    os.umask(0o077)
    return engine.cli.run(add_commands)
