"""Pages of a list as answers."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify, request


def page(items: Sequence[Any], next_cursor: str | None) -> Response:
    """A page of items that are JSON already, with its link to the next."""
    response = jsonify({"items": items, "next_cursor": next_cursor})
    if next_cursor is not None:
        query = request.args.to_dict() | {"cursor": next_cursor}
        response.headers["Link"] = f'<{request.path}?{urlencode(query)}>; rel="next"'
    return response
