"""Our few files for browsers."""

from mimetypes import guess_type

from flask import Response, request

from service.api.caching import conditional, tag
from service.problems import Refused
from service.web.pages import STATIC, fingerprint, pages

YEAR = 365 * 24 * 3600
DAY = 24 * 3600
ROBOTS = """\
User-agent: *
Disallow: /sign-in
Disallow: /invitations/
Disallow: /account
Disallow: /answer/
Disallow: /v1/
"""


@pages.get("/static/<name>")
def static_file(name: str) -> Response:
    """A file; for good if it was asked for by its content."""
    if name not in {path.name for path in STATIC.iterdir()}:
        raise Refused("not_found", "There is no such file.")
    lasting = request.args.get("v") == fingerprint(name)
    return _file(name, f"public, max-age={YEAR}, immutable" if lasting else "public, no-cache")


def _file(name: str, keep: str) -> Response:
    content_type = guess_type(name)[0] or "application/octet-stream"
    response = conditional(tag(fingerprint(name)), (STATIC / name).read_bytes, content_type)
    response.headers["Cache-Control"] = keep
    return response


@pages.get("/favicon.ico")
@pages.get("/favicon.svg")
def favicon() -> Response:
    return _file("laguna.svg", f"public, max-age={DAY}")


@pages.get("/robots.txt")
def robots() -> Response:
    response = Response(ROBOTS, content_type="text/plain; charset=utf-8")
    response.headers["Cache-Control"] = f"public, max-age={DAY}"
    return response
