"""Everything the service refuses: one table of stable codes, one exception.

A code never changes its meaning; titles and sentences may. The API writes a refusal as RFC 9457
`application/problem+json`, mails and pages show its sentence.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Kind(NamedTuple):
    status: int
    title: str


PROBLEMS: Mapping[str, Kind] = {
    # The request
    "malformed_request": Kind(400, "The request cannot be read"),
    "invalid_request": Kind(422, "The request says something it may not say"),
    "not_found": Kind(404, "There is nothing here, or not for you"),
    "method_not_allowed": Kind(405, "This address does not know that method"),
    "not_acceptable": Kind(406, "There is no such form of this"),
    "request_timeout": Kind(408, "The request took too long to arrive"),
    "body_too_large": Kind(413, "The request is too large"),
    "address_too_long": Kind(414, "The address is too long"),
    "unsupported_media_type": Kind(415, "Send JSON, as application/json"),
    "headers_too_large": Kind(431, "The headers are too large"),
    "too_many_requests": Kind(429, "Too many requests"),
    "too_many_waiting": Kind(429, "Too many requests wait for events"),
    "internal_error": Kind(500, "Something went wrong on our side"),
    "unavailable": Kind(503, "Not available at the moment"),
    # Who asks
    "not_signed_in": Kind(401, "Show a token to do this"),
    "invalid_token": Kind(401, "This token is not valid"),
    "expired_token": Kind(401, "This token has expired"),
    "revoked_token": Kind(401, "This token was revoked"),
    "missing_scope": Kind(403, "This token may not do that"),
    "sessions_only": Kind(403, "Only a person who signed in may do that"),
    "humans_only": Kind(403, "A bot account may not do that"),
    "suspended": Kind(403, "This account is suspended"),
    "csrf_failed": Kind(403, "This form does not belong to your session"),
    # Preconditions and retries
    "precondition_required": Kind(428, "Say which version you change, with If-Match"),
    "precondition_failed": Kind(412, "It was changed in the meantime"),
    "bad_idempotency_key": Kind(400, "This Idempotency-Key cannot be used"),
    "idempotency_key_reused": Kind(422, "This Idempotency-Key stands for another request"),
    "request_in_progress": Kind(409, "The same request is still being answered"),
    # Signing in
    "wrong_code": Kind(422, "This code or link is not, or no longer, valid"),
    "dead_code": Kind(422, "Too many wrong codes: this code is dead"),
    "too_many_sign_ins": Kind(429, "Too many codes were asked for"),
    # Tables
    "bad_setup": Kind(422, "A game cannot be set up like this"),
    "too_many_tables": Kind(409, "You have too many open tables"),
    "too_many_games": Kind(409, "You play too many games at once"),
    "too_many_invitations": Kind(409, "Too many invitations"),
    "already_invited": Kind(409, "This address has an invitation"),
    "already_seated": Kind(409, "You have a seat at this table"),
    "not_seated": Kind(403, "You have no seat at this table"),
    "table_full": Kind(409, "All seats are taken"),
    "invitation_needed": Kind(403, "This table is by invitation"),
    "invitation_invalid": Kind(422, "This invitation is not, or no longer, valid"),
    "not_host": Kind(403, "Only the host of the table may do that"),
    "seats_free": Kind(409, "There are free seats"),
    "not_open": Kind(409, "The table is no longer open"),
    "not_running": Kind(409, "The game is not running"),
    "not_finished": Kind(409, "The game is not over yet"),
    # Playing
    "unreadable_move": Kind(422, "This is not a move of this game"),
    "ambiguous_move": Kind(422, "This fits several moves"),
    "illegal_move": Kind(422, "The rules do not allow this move now"),
    "not_your_decision": Kind(409, "This is not for you to decide now"),
    "decision_closed": Kind(409, "This decision is over"),
    "game_over": Kind(409, "The game is over"),
    "game_frozen": Kind(409, "The game is frozen until we have looked at it"),
    "board_missing": Kind(503, "The board of this game is not on this server"),
    "resigned": Kind(409, "You have resigned"),
    "cannot_play_on": Kind(409, "The game cannot be played on"),
    "seat_away": Kind(409, "A bot keeps your seat; take it back first"),
    "no_such_move": Kind(404, "The game has no such move"),
    # Limits on what one account holds
    "too_many_tokens": Kind(409, "You have too many tokens"),
    "too_many_webhooks": Kind(409, "You have too many webhooks"),
    "too_many_bots": Kind(409, "You have too many bot accounts"),
    "too_many_absences": Kind(409, "You have announced too many absences"),
    "too_many_messages": Kind(429, "Too many messages"),
    "too_many_joins": Kind(429, "You join tables too often"),
    "too_many_offers": Kind(429, "You offer to end or pause the game too often"),
    # Webhooks
    "webhook_address": Kind(422, "This address cannot receive webhooks"),
    "webhook_disabled": Kind(409, "This webhook is switched off"),
    "too_many_deliveries": Kind(429, "Too many tests, or deliveries sent again"),
}


class Refused(Exception):
    """Something that was not done, with a sentence for the person who asked for it.

    `errors` point into the request (`{"pointer": "/seats", "detail": ..}`); `more` are further
    members of the problem, such as the moves that would be possible.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.more = dict(more or {})
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        return PROBLEMS[self.code].status

    def as_json(self) -> dict[str, Any]:
        """The members of RFC 9457, and ours."""
        problem: dict[str, Any] = {
            "type": f"/problems/{self.code}",
            "title": PROBLEMS[self.code].title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.errors:
            problem["errors"] = self.errors
        return problem | self.more


def wrong(pointer: str, detail: str) -> Refused:
    """One field of a request that may not be what it is."""
    return Refused("invalid_request", detail, errors=[{"pointer": pointer, "detail": detail}])
