"""What Schemathesis cannot know from the contract: loaded into its own process."""

import uuid
from typing import Any

import schemathesis

# Values that fit their schema and are still refused, since no schema can say what is right: where
# they stand in a request.
NOT_IN_THE_SCHEMA = (
    "?cursor",
    "/time_zone",
    "/email",
    "/invite",
    "/name",
    "/title",
    "/device",
    "/sleep_from",
    "/sleep_to",
    "/from",
    "/to",
    "/clock",
    "/wishes",
    "/options",
    "",
)


@schemathesis.hook
def map_headers(context: Any, headers: dict[str, Any]) -> dict[str, Any]:
    """A new key for every request, as documented for clients."""
    if headers and "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = uuid.uuid4().hex
    return headers


@schemathesis.check
def refusals_have_a_reason(context: Any, response: Any, case: Any) -> None:
    """Of a request that fits its schema only what no schema can say may be refused: by a code of
    its own, or with a pointer to a place where that is so."""
    positive = case.meta is not None and case.meta.generation.mode.is_positive
    if not positive or response.status_code not in (400, 422):
        return
    problem = response.json()
    assert problem["code"] != "malformed_request", problem
    if problem["code"] == "invalid_request":
        for place in problem["errors"]:
            assert place["pointer"].startswith(NOT_IN_THE_SCHEMA[:-1]) or not place["pointer"], (
                problem
            )
