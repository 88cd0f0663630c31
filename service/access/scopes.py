"""Scopes of tokens, named `noun:verb`."""

from collections.abc import Iterable

GAMES_READ = "games:read"
GAMES_PLAY = "games:play"
TABLES_SEEK = "tables:seek"
ACCOUNT_READ = "account:read"
ACCOUNT_WRITE = "account:write"
WEBHOOKS_WRITE = "webhooks:write"
BOTS_WRITE = "bots:write"

SCOPES = {
    GAMES_READ: "See games, decisions and events",
    GAMES_PLAY: "Play moves, leave plans, chat, resign",
    TABLES_SEEK: "Create, join, leave and cancel tables, invite people",
    ACCOUNT_READ: "See the account with its settings, tokens and sessions",
    ACCOUNT_WRITE: "Change the account, make and revoke tokens, end sessions",
    WEBHOOKS_WRITE: "Register, change and test webhooks; games:read is needed, too",
    BOTS_WRITE: "Create bot accounts and their tokens",
}

# Scopes for a token of a bot account: it plays, and manages nothing.
BOT_SCOPES = (GAMES_READ, GAMES_PLAY, TABLES_SEEK, ACCOUNT_READ, WEBHOOKS_WRITE)


def joined(scopes: Iterable[str]) -> str:
    """Scopes as they are stored, in the order of the table and once each."""
    wanted = set(scopes)
    return " ".join(scope for scope in SCOPES if scope in wanted)
