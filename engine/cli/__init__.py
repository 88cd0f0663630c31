"""The command line of the engine. Here, and only here, are files, clocks and a terminal."""

from engine.cli.parser import main, run

__all__ = ["main", "run"]
