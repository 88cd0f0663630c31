"""Problem types with their stable codes, and the exception that carries one to the caller.

A code keeps its meaning forever; titles and details may change. The API renders a problem as RFC
9457 `application/problem+json`; pages and mails show its detail.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

PROBLEM_JSON = "application/problem+json"


class ProblemType(NamedTuple):
    """HTTP status and title of all problems with one code."""

    status: int
    title: str


PROBLEM_TYPES: Mapping[str, ProblemType] = {
    # The request
    "malformed_request": ProblemType(400, "The request cannot be read"),
    "invalid_request": ProblemType(422, "The request says something it may not say"),
    "not_found": ProblemType(404, "There is nothing here, or not for you"),
    "method_not_allowed": ProblemType(405, "This address does not know that method"),
    "not_acceptable": ProblemType(406, "There is no such form of this"),
    "request_timeout": ProblemType(408, "The request took too long to arrive"),
    "body_too_large": ProblemType(413, "The request is too large"),
    "address_too_long": ProblemType(414, "The address is too long"),
    "unsupported_media_type": ProblemType(415, "Send JSON, as application/json"),
    "headers_too_large": ProblemType(431, "The headers are too large"),
    "too_many_requests": ProblemType(429, "Too many requests"),
    "too_many_waiting": ProblemType(429, "Too many requests wait for events"),
    "internal_error": ProblemType(500, "Something went wrong on our side"),
    "unavailable": ProblemType(503, "Not available at the moment"),
    # Who asks
    "not_signed_in": ProblemType(401, "Show a token to do this"),
    "invalid_token": ProblemType(401, "This token is not valid"),
    "expired_token": ProblemType(401, "This token has expired"),
    "revoked_token": ProblemType(401, "This token was revoked"),
    "missing_scope": ProblemType(403, "This token may not do that"),
    "sessions_only": ProblemType(403, "Only a person who signed in may do that"),
    "humans_only": ProblemType(403, "A bot account may not do that"),
    "suspended": ProblemType(403, "This account is suspended"),
    "csrf_failed": ProblemType(403, "This form does not belong to your session"),
    # Preconditions and retries
    "precondition_required": ProblemType(428, "Say which version you change, with If-Match"),
    "precondition_failed": ProblemType(412, "It was changed in the meantime"),
    "bad_idempotency_key": ProblemType(400, "This Idempotency-Key cannot be used"),
    "idempotency_key_reused": ProblemType(422, "This Idempotency-Key stands for another request"),
    "request_in_progress": ProblemType(409, "The same request is still being answered"),
    # Signing in
    "wrong_code": ProblemType(422, "This code or link is not, or no longer, valid"),
    "dead_code": ProblemType(422, "Too many wrong codes: this code is dead"),
    "too_many_sign_ins": ProblemType(429, "Too many codes were asked for"),
    # Tables
    "bad_setup": ProblemType(422, "A game cannot be set up like this"),
    "too_many_tables": ProblemType(409, "You have too many open tables"),
    "too_many_games": ProblemType(409, "You play too many games at once"),
    "too_many_invitations": ProblemType(409, "Too many invitations"),
    "already_invited": ProblemType(409, "This address has an invitation"),
    "already_seated": ProblemType(409, "You have a seat at this table"),
    "not_seated": ProblemType(403, "You have no seat at this table"),
    "table_full": ProblemType(409, "All seats are taken"),
    "invitation_needed": ProblemType(403, "This table is by invitation"),
    "invitation_invalid": ProblemType(422, "This invitation is not, or no longer, valid"),
    "not_host": ProblemType(403, "Only the host of the table may do that"),
    "seats_free": ProblemType(409, "There are free seats"),
    "not_open": ProblemType(409, "The table is no longer open"),
    "not_running": ProblemType(409, "The game is not running"),
    "not_finished": ProblemType(409, "The game is not over yet"),
    # Playing
    "unreadable_move": ProblemType(422, "This is not a move of this game"),
    "ambiguous_move": ProblemType(422, "This fits several moves"),
    "illegal_move": ProblemType(422, "The rules do not allow this move now"),
    "not_your_decision": ProblemType(409, "This is not for you to decide now"),
    "decision_closed": ProblemType(409, "This decision is over"),
    "game_over": ProblemType(409, "The game is over"),
    "game_frozen": ProblemType(409, "The game is frozen until we have looked at it"),
    "board_missing": ProblemType(503, "The board of this game is not on this server"),
    "resigned": ProblemType(409, "You have resigned"),
    "cannot_play_on": ProblemType(409, "The game cannot be played on"),
    "seat_away": ProblemType(409, "A bot keeps your seat; take it back first"),
    "no_such_move": ProblemType(404, "The game has no such move"),
    # Limits on what one account holds
    "too_many_tokens": ProblemType(409, "You have too many tokens"),
    "too_many_webhooks": ProblemType(409, "You have too many webhooks"),
    "too_many_bots": ProblemType(409, "You have too many bot accounts"),
    "too_many_absences": ProblemType(409, "You have announced too many absences"),
    "too_many_messages": ProblemType(429, "Too many messages"),
    "too_many_joins": ProblemType(429, "You join tables too often"),
    "too_many_offers": ProblemType(429, "You offer to end or pause the game too often"),
    # Webhooks
    "webhook_address": ProblemType(422, "This address cannot receive webhooks"),
    "webhook_disabled": ProblemType(409, "This webhook is switched off"),
    "too_many_deliveries": ProblemType(429, "Too many tests, or deliveries sent again"),
}


class Problem(Exception):
    """A request that was refused without a change, with a sentence for the caller.

    `errors` point into the request (`{"pointer": "/seats", "detail": ..}`); `more` holds further
    members of the problem, such as suggested moves.
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
        return PROBLEM_TYPES[self.code].status

    def as_json(self) -> dict[str, Any]:
        """The members of RFC 9457 and the extension members."""
        problem: dict[str, Any] = {
            "type": f"/problems/{self.code}",
            "title": PROBLEM_TYPES[self.code].title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.errors:
            problem["errors"] = self.errors
        return problem | self.more


def invalid_field(pointer: str, detail: str) -> Problem:
    """A validation problem of one field of the request."""
    return Problem("invalid_request", detail, errors=[{"pointer": pointer, "detail": detail}])
