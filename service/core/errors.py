"""Problem types with their stable codes, and the exception that carries one to the caller.

A code keeps its meaning forever; titles and details may change. The API renders a problem as RFC
9457 `application/problem+json`; pages and mails show its detail.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

PROBLEM_JSON = "application/problem+json"


class ProblemType(NamedTuple):
    """HTTP status and title of all problems with one code."""

    status: int
    title: str


PROBLEM_TYPES: Mapping[str, ProblemType] = {
    # The request
    "malformed_request": ProblemType(400, "Malformed request"),
    "invalid_request": ProblemType(422, "Validation failed"),
    "not_found": ProblemType(404, "Not found"),
    "method_not_allowed": ProblemType(405, "Method not allowed"),
    "not_acceptable": ProblemType(406, "Not acceptable"),
    "request_timeout": ProblemType(408, "Request timeout"),
    "body_too_large": ProblemType(413, "Request body too large"),
    "address_too_long": ProblemType(414, "Request URL too long"),
    "unsupported_media_type": ProblemType(415, "Unsupported media type"),
    "headers_too_large": ProblemType(431, "Request headers too large"),
    "too_many_requests": ProblemType(429, "Too many requests"),
    "too_many_waiting": ProblemType(429, "Too many requests waiting for events"),
    "internal_error": ProblemType(500, "Internal server error"),
    "unavailable": ProblemType(503, "Service unavailable"),
    # Who asks
    "not_signed_in": ProblemType(401, "Authentication required"),
    "invalid_token": ProblemType(401, "Invalid token"),
    "expired_token": ProblemType(401, "Token expired"),
    "revoked_token": ProblemType(401, "Token revoked"),
    "missing_scope": ProblemType(403, "Insufficient scope"),
    "sessions_only": ProblemType(403, "Signed-in session required"),
    "humans_only": ProblemType(403, "Not available to bot accounts"),
    "suspended": ProblemType(403, "Account suspended"),
    "csrf_failed": ProblemType(403, "CSRF check failed"),
    # Preconditions and retries
    "precondition_required": ProblemType(428, "If-Match header required"),
    "precondition_failed": ProblemType(412, "The resource has changed"),
    "bad_idempotency_key": ProblemType(400, "Invalid Idempotency-Key"),
    "idempotency_key_reused": ProblemType(422, "Idempotency-Key used for another request"),
    "request_in_progress": ProblemType(409, "Request in progress"),
    # Signing in
    "wrong_code": ProblemType(422, "Invalid or expired code or link"),
    "dead_code": ProblemType(422, "Code locked after too many wrong attempts"),
    "too_many_sign_ins": ProblemType(429, "Too many sign-in codes requested"),
    # Tables
    "bad_setup": ProblemType(422, "Invalid game setup"),
    "too_many_tables": ProblemType(409, "Too many open tables"),
    "too_many_games": ProblemType(409, "Too many running games"),
    "too_many_invitations": ProblemType(409, "Too many invitations"),
    "already_invited": ProblemType(409, "Address already invited"),
    "already_seated": ProblemType(409, "You already have a seat at this table"),
    "not_seated": ProblemType(403, "You have no seat at this table"),
    "table_full": ProblemType(409, "All seats are taken"),
    "invitation_needed": ProblemType(403, "Invitation required"),
    "invitation_invalid": ProblemType(422, "Invalid or expired invitation"),
    "not_host": ProblemType(403, "Only the host of the table may do this"),
    "seats_free": ProblemType(409, "Some seats are still free"),
    "not_open": ProblemType(409, "The table is no longer open"),
    "not_running": ProblemType(409, "The game is not running"),
    "not_finished": ProblemType(409, "The game has not finished"),
    # Playing
    "unreadable_move": ProblemType(422, "Move not recognized"),
    "ambiguous_move": ProblemType(422, "Ambiguous move"),
    "illegal_move": ProblemType(422, "Illegal move"),
    "not_your_decision": ProblemType(409, "Not your decision"),
    "decision_closed": ProblemType(409, "Decision closed"),
    "nothing_to_undo": ProblemType(409, "Nothing to take back"),
    "game_over": ProblemType(409, "The game is over"),
    "game_frozen": ProblemType(409, "The game is frozen until an operator has checked it"),
    "board_missing": ProblemType(503, "The board of this game is not installed"),
    "resigned": ProblemType(409, "You have resigned"),
    "cannot_play_on": ProblemType(409, "The game cannot be continued"),
    "seat_away": ProblemType(409, "A bot keeps your seat; take it back first"),
    "no_such_move": ProblemType(404, "No such move"),
    # Limits on what one account holds
    "too_many_tokens": ProblemType(409, "Too many tokens"),
    "too_many_webhooks": ProblemType(409, "Too many webhooks"),
    "too_many_bots": ProblemType(409, "Too many bot accounts"),
    "too_many_absences": ProblemType(409, "Too many announced absences"),
    "too_many_messages": ProblemType(429, "Too many messages"),
    "too_many_joins": ProblemType(429, "Too many tables joined"),
    "too_many_offers": ProblemType(429, "Too many offers to end or pause"),
    # Webhooks
    "webhook_address": ProblemType(422, "Invalid webhook address"),
    "webhook_disabled": ProblemType(409, "Webhook disabled"),
    "too_many_deliveries": ProblemType(429, "Too many test or repeated deliveries"),
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
        more: Mapping[str, object] | None = None,
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

    def as_json(self) -> dict[str, object]:
        """The members of RFC 9457 and the extension members."""
        problem: dict[str, object] = {
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
