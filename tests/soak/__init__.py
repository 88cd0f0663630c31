"""Soak test: honest play, attackers and kills together for minutes, then an account of it all.

`make soak` runs it; see `python -m tests.soak --help`.
"""
