"""`python -m service.cli` is the command `laguna`."""

from service.cli import run

raise SystemExit(run())
