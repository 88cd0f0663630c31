"""Preconditions of changes (RFC 9110, If-Match)."""

from flask import request

from service.core.errors import Problem
from service.core.etags import matches


def check_if_match(tag: str) -> None:
    """Refuse a change whose If-Match is missing, or names another version."""
    if "If-Match" not in request.headers:
        raise Problem(
            "precondition_required", "Send If-Match with the ETag of the version you change."
        )
    if not matches("If-Match", tag):
        raise Problem(
            "precondition_failed",
            "The resource has changed since. Get it again and retry.",
            headers={"ETag": tag},
        )
