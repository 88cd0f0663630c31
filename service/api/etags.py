"""Conditional requests: what changed is sent, what did not is 304; who changes says what."""

import threading
from collections.abc import Callable
from typing import Any

import orjson
from cachetools import LRUCache
from flask import Response, request

from service.core.compression import tag_of_content
from service.core.errors import Problem

# Bodies of games by their tag, which names everything they depend on. A table that many look
# at, or one client that asks again and again, costs one rendering. (A body may be newer in some
# detail than its tag, never older: whatever changes also changes the version, and is asked for.)
_RENDERED: LRUCache[str, bytes] = LRUCache(maxsize=2000)
_LOCK = threading.Lock()
JSON = "application/json"


def forget() -> None:
    """Render everything anew."""
    with _LOCK:
        _RENDERED.clear()


def tag(*parts: object) -> str:
    """A strong ETag of what a representation depends on."""
    return '"' + ".".join(str(part) for part in parts) + '"'


def kept_json(etag: str, of: str) -> Response | None:
    """304, or the JSON of this thing if it was rendered before under this tag; None if not."""
    if _has(etag):
        return _tagged(Response(status=304), etag)
    with _LOCK:
        body = _RENDERED.get(of + etag)
    return None if body is None else _tagged(_json(body), etag)


def conditional_json(etag: str, render: Callable[[], Any], of: str | None = None) -> Response:
    """The JSON, or 304 if the caller has it already. The JSON `of` a thing is kept."""
    if of is None:
        return conditional(etag, lambda: orjson.dumps(render()), JSON)
    kept = kept_json(etag, of)
    if kept is not None:
        return kept
    body = orjson.dumps(render())
    with _LOCK:
        _RENDERED[of + etag] = body
    return _tagged(_json(body), etag)


def conditional(etag: str, render: Callable[[], str | bytes], content_type: str) -> Response:
    """Something in any form, or 304."""
    held = _has(etag)
    response = Response(status=304) if held else Response(render(), content_type=content_type)
    return _tagged(response, etag)


def _json(body: bytes) -> Response:
    return Response(body, content_type=JSON)


def _tagged(response: Response, etag: str) -> Response:
    response.headers.add("ETag", etag)
    return response


def _has(etag: str) -> bool:
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    return any(_same(item, etag) for item in header.split(","))


def _same(item: str, etag: str) -> bool:
    item = item.strip()
    return item == "*" or tag_of_content(item.removeprefix("W/")) == etag


def must_match(etag: str) -> None:
    """Refuse a change that does not say which version it changes, or names another."""
    header = request.headers.get("If-Match")
    if header is None:
        raise Problem(
            "precondition_required", "Send If-Match with the ETag of the version you change."
        )
    if not any(_same(item, etag) for item in header.split(",")):
        raise Problem(
            "precondition_failed",
            "It was changed in the meantime; get it again.",
            headers={"ETag": etag},
        )
