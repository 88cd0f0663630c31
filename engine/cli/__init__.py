"""Command line of the engine: the only part with files, clocks and a terminal."""

from engine.cli.parser import main, run

__all__ = ["main", "run"]
