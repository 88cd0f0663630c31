"""The only way to rows: every function checks who asks and what they may see.

What somebody may not see does not exist for them: the answer is `not_found`, as for an id that
never was.
"""

from service.access.accounts import (
    access_bot,
    access_credential,
    access_delivery,
    access_own_account,
    access_own_habits,
    access_player,
    access_webhook,
)
from service.access.callers import (
    STRANGER,
    Caller,
    Key,
    access_caller,
    access_session,
    access_visitor,
    note_uses,
    uses_to_note,
)
from service.access.games import (
    LETTER,
    GameAccess,
    Glance,
    KnownAccess,
    SeatAccess,
    access_by_letter,
    access_decided_game,
    access_for_letter,
    access_game,
    access_glance,
    access_hosted,
    access_known_game,
    access_seat,
    access_seats,
    access_turn,
    played,
    still_good,
)

__all__ = [
    "LETTER",
    "STRANGER",
    "Caller",
    "GameAccess",
    "Glance",
    "Key",
    "KnownAccess",
    "SeatAccess",
    "access_bot",
    "access_by_letter",
    "access_caller",
    "access_credential",
    "access_decided_game",
    "access_delivery",
    "access_for_letter",
    "access_game",
    "access_glance",
    "access_hosted",
    "access_known_game",
    "access_own_account",
    "access_own_habits",
    "access_player",
    "access_seat",
    "access_seats",
    "access_session",
    "access_turn",
    "access_visitor",
    "access_webhook",
    "note_uses",
    "played",
    "still_good",
    "uses_to_note",
]
