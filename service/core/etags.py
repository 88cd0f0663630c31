"""Conditional requests (RFC 9110): ETags, 304 for an unchanged representation."""

import threading
from collections.abc import Callable

import orjson
from cachetools import LRUCache
from flask import Response, request

from service.core.compression import tag_of_content

JSON = "application/json"
# Rendered JSON by ETag, which names everything the representation depends on: a game that many
# clients poll is rendered once a version. A body may be newer than its ETag in some detail, never
# older, since every change also changes the version.
_RENDERED: LRUCache[str, bytes] = LRUCache(maxsize=2000)
_LOCK = threading.Lock()


def clear_cache() -> None:
    with _LOCK:
        _RENDERED.clear()


def etag(*parts: object) -> str:
    """A strong ETag of everything that a representation depends on."""
    return '"' + ".".join(str(part) for part in parts) + '"'


def cached_json(tag: str, name: str) -> Response | None:
    """304, or the JSON that was rendered for this name and ETag before; None if it was not."""
    if matches("If-None-Match", tag):
        return _tagged(Response(status=304), tag)
    with _LOCK:
        body = _RENDERED.get(name + tag)
    return None if body is None else _tagged(Response(body, content_type=JSON), tag)


def conditional_json(tag: str, render: Callable[[], object], name: str | None = None) -> Response:
    """JSON with its ETag, or 304. JSON with a name is cached."""
    if name is None:
        return conditional_response(tag, lambda: orjson.dumps(render()), JSON)
    cached = cached_json(tag, name)
    if cached is not None:
        return cached
    body = orjson.dumps(render())
    with _LOCK:
        _RENDERED[name + tag] = body
    return _tagged(Response(body, content_type=JSON), tag)


def conditional_response(
    tag: str, render: Callable[[], str | bytes], content_type: str
) -> Response:
    """A representation of any content type with its ETag, or 304."""
    if matches("If-None-Match", tag):
        return _tagged(Response(status=304), tag)
    return _tagged(Response(render(), content_type=content_type), tag)


def matches(header: str, tag: str) -> bool:
    """Whether a header names this ETag; weak comparison, and `*` matches everything."""
    named = (item.strip() for item in request.headers.get(header, "").split(","))
    return any(item == "*" or tag_of_content(item.removeprefix("W/")) == tag for item in named)


def _tagged(response: Response, tag: str) -> Response:
    response.headers.add("ETag", tag)
    return response
