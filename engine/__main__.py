"""`python -m engine`: the command line without the service."""

from engine.cli import run

raise SystemExit(run())
