"""Pages of a list as responses."""

from collections.abc import Sequence
from urllib.parse import urlencode

from flask import Response, jsonify, request


def page(items: Sequence[object], next_cursor: str | None) -> Response:
    """A page of JSON items with a `Link` header to the next one."""
    response = jsonify({"items": items, "next_cursor": next_cursor})
    if next_cursor is not None:
        query = request.args.to_dict() | {"cursor": next_cursor}
        response.headers["Link"] = f'<{request.path}?{urlencode(query)}>; rel="next"'
    return response
