"""Advice for client authors about each problem code."""

from collections.abc import Mapping

_WAIT = "Wait as many seconds as `Retry-After` says, then send the same request again."
_SIGN_IN = "Make a new token with `POST /v1/tokens`, or sign in again with `POST /v1/sign-ins`."
_LOOK = "Get the game again with `GET /v1/games/{game_id}` and go by what it says now."

ADVICE: Mapping[str, str] = {
    "malformed_request": "Send a body that is valid JSON in UTF-8; `detail` says where it is not.",
    "invalid_request": "Each entry of `errors` points at a place in the request and says what is "
    "wrong with it. Correct these places and send it again.",
    "not_found": "Check the address. A game by invitation exists only for those at its table and "
    "those who were invited, so signing in as somebody else may help.",
    "method_not_allowed": "Use one of the methods in the header `Allow`.",
    "not_acceptable": "Ask for one of the forms that the reference lists, or leave `Accept` out.",
    "request_timeout": "Send the whole request at once; the connection may be too slow.",
    "body_too_large": "Send less: the reference names the size limit of each operation.",
    "address_too_long": "Send long values in the body, not in the address.",
    "unsupported_media_type": "Send `Content-Type: application/json`.",
    "headers_too_large": "Send fewer or shorter headers; often it is a heap of cookies.",
    "too_many_requests": _WAIT + " `RateLimit` on every answer tells how many are left.",
    "internal_error": "It is our mistake and nothing was changed. Trying again later may help; if "
    "it stays, tell whoever runs this server the `X-Request-Id` of the answer.",
    "unavailable": "Nothing was changed. " + _WAIT,
    "not_signed_in": "Send `Authorization: Bearer lag_..`. " + _SIGN_IN,
    "invalid_token": "The token is mistyped or belongs to an account that is gone. " + _SIGN_IN,
    "expired_token": _SIGN_IN,
    "revoked_token": "Somebody revoked it, perhaps you. " + _SIGN_IN,
    "missing_scope": "`scope` names what is missing. Scopes of a token never change; make a new "
    "token that has it.",
    "sessions_only": "Sign in by mail and use the session's token: a program's token is never "
    "enough for what could lock its owner out.",
    "humans_only": "Let the person who answers for the bot account do it.",
    "suspended": "The operator of this server has suspended the account; ask them why.",
    "csrf_failed": "It concerns our own pages only: a cookie alone changes nothing. Open the page "
    "again and send the form once more; programs send `Authorization` and never see this.",
    "precondition_required": "Get the thing first and send its `ETag` back as `If-Match`.",
    "precondition_failed": "Somebody was faster, perhaps you on another device. Get it again, "
    "look whether your change still makes sense, and send it with the new `ETag`.",
    "bad_idempotency_key": "Use 1 to 200 printable ASCII characters without blanks, as a UUID.",
    "idempotency_key_reused": "Take a new key for every new request and keep the old one only to "
    "repeat the very same request.",
    "request_in_progress": "The first request with this key is still running. Wait a second and "
    "ask again: you will get its answer.",
    "wrong_code": "Codes and links work once and for a quarter of an hour, a code only for the one "
    "who asked for it: send `request` along. Look at the newest mail, or ask for a new one.",
    "dead_code": "Five wrong codes end a code; the right one is refused now, too. Ask for a new "
    "mail with `POST /v1/sign-ins`, or use the link in the last one.",
    "too_many_sign_ins": _WAIT + " Look into the spam folder meanwhile.",
    "bad_setup": "`detail` says what does not fit; `GET /v1/catalogue` lists seats and options.",
    "too_many_tables": "Start or cancel one of your open tables first.",
    "too_many_games": "Finish one of your games first.",
    "too_many_invitations": "Withdraw invitations that nobody uses, or wait a day.",
    "already_invited": "There is nothing to do: the invitation still waits for an answer.",
    "already_seated": "There is nothing to do: you have a seat.",
    "not_seated": "Only those at the table may do this; join it while it is open.",
    "table_full": "Choose another table, or open one.",
    "invitation_needed": "Ask the host for an invitation.",
    "invitation_invalid": "It was used, withdrawn or has expired. Ask the host for a new one.",
    "not_host": "Ask the host, the person who opened the table.",
    "seats_free": "Wait, invite somebody, or start with `bots: true`.",
    "not_open": "The game has begun or was cancelled. " + _LOOK,
    "not_running": "It has not begun or was cancelled. " + _LOOK,
    "not_finished": "Try again when the game is over; an event `game.finished` tells.",
    "unreadable_move": "Send a move as it was offered; `suggestions` has the nearest ones.",
    "ambiguous_move": "Write more of the move; `suggestions` lists what it could mean.",
    "illegal_move": "Choose one of the moves that the game offers you now; " + _LOOK,
    "not_your_decision": "Another seat decides this, or you are not asked at the moment. " + _LOOK,
    "nothing_to_undo": "A step can be taken back while the turn and its time last, if it revealed "
    "nothing and nobody else was asked since. `undoable` of the game says whether it can be.",
    "decision_closed": "It was answered, perhaps by your own first try or because time was up. "
    "Nothing was played twice. " + _LOOK,
    "game_over": "Look at the result, or offer a rematch.",
    "game_frozen": "Wait: whoever runs this server was told. `game.thawed` tells when it goes on, "
    "with as much time as was left.",
    "board_missing": "Try again later: a file with the figures of this game is not on the server. "
    "Nothing is lost; who runs the server finds it in the log.",
    "seat_away": "Take the seat back with `POST /v1/games/{game_id}/return`, then try again.",
    "resigned": "There is no way back into this game.",
    "cannot_play_on": "Offer a rematch instead; only a win by resignation can be played on.",
    "no_such_move": "`moves` of the game tells how many there are.",
    "too_many_tokens": "Revoke a token that is no longer used.",
    "too_many_webhooks": "Delete a webhook that is no longer used.",
    "too_many_absences": "Take one back that you no longer need.",
    "too_many_bots": "Delete a bot account that no longer plays.",
    "too_many_waiting": "Wait as long as `Retry-After` says. Follow all games of an account by one "
    "stream, or ask without `wait`.",
    "too_many_messages": "Let the others answer, and try again later.",
    "too_many_joins": _WAIT + " To leave a table is always possible.",
    "too_many_offers": _WAIT + " To withdraw an offer or a vote is always possible.",
    "webhook_address": "Give an https address of a public host; it may not lead into a private "
    "network.",
    "webhook_disabled": "It failed too often. Repair the receiver and switch it on again.",
    "too_many_deliveries": _WAIT + " A webhook has one test under way at a time.",
}
