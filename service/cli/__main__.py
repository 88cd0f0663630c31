"""`python -m service.cli`: the command `laguna` without its name."""

from service.cli import run

raise SystemExit(run())
