"""`python -m engine`: the games without a service around them."""

from engine.cli import run

raise SystemExit(run())
