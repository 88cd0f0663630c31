"""Conditional requests: what changed is sent, what did not is 304; who changes says what."""

import threading
from collections.abc import Callable
from typing import Any

import orjson
from cachetools import LRUCache
from flask import Response, request

from service.problems import Refused

# Bodies of games by their tag, which names everything they depend on. A table that many look
# at, or one client that asks again and again, costs one rendering.
_RENDERED: LRUCache[str, bytes] = LRUCache(maxsize=2000)
_LOCK = threading.Lock()


def tag(*parts: object) -> str:
    """A strong ETag of what a representation depends on."""
    return '"' + ".".join(str(part) for part in parts) + '"'


def conditional_json(etag: str, render: Callable[[], Any], cache_as: str | None = None) -> Response:
    """The JSON, or 304 if the caller has it already."""
    return conditional(etag, lambda: _rendered(render, cache_as), "application/json")


def conditional(etag: str, render: Callable[[], str | bytes], content_type: str) -> Response:
    """Something in any form, or 304."""
    held = _has(etag)
    response = Response(status=304) if held else Response(render(), content_type=content_type)
    response.headers["ETag"] = etag
    return response


def _rendered(render: Callable[[], Any], cache_as: str | None) -> bytes:
    if cache_as is None:
        return orjson.dumps(render())
    with _LOCK:
        body = _RENDERED.get(cache_as)
    if body is None:
        body = orjson.dumps(render())
        with _LOCK:
            _RENDERED[cache_as] = body
    return body


def _has(etag: str) -> bool:
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    return any(_same(item, etag) for item in header.split(","))


def _same(item: str, etag: str) -> bool:
    item = item.strip()
    return item == "*" or item.removeprefix("W/") == etag


def must_match(etag: str) -> None:
    """Refuse a change that does not say which version it changes, or names another."""
    header = request.headers.get("If-Match")
    if header is None:
        raise Refused(
            "precondition_required", "Send If-Match with the ETag of the version you change."
        )
    if not any(_same(item, etag) for item in header.split(",")):
        raise Refused(
            "precondition_failed",
            "It was changed in the meantime; get it again.",
            headers={"ETag": etag},
        )
