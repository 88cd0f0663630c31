"""Static files for browsers."""

from flask import Response

from service.core.errors import Problem
from service.web.rendering import pages, show, static_files, static_version

# Constants, because the tables of the machine vary.
TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "png": "image/png",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
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


@pages.get("/static/<version>/<name>")
def static_file(version: str, name: str) -> Response:
    """A static file; cacheable forever if the URL names its current version."""
    if name not in static_files():
        raise Problem("not_found", "No such file.")
    lasting = version == static_version()
    return _file(name, f"public, max-age={YEAR}, immutable" if lasting else "public, no-cache")


def _file(name: str, keep: str) -> Response:
    response = Response(static_files()[name], content_type=_content_type(name))
    response.headers["Cache-Control"] = keep
    return response


def _content_type(name: str) -> str:
    kind = TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


@pages.get("/sw.js")
def service_worker() -> Response:
    """The service worker, at the root because its scope is its own directory."""
    return _file("sw.js", "public, no-cache")


@pages.get("/manifest.webmanifest")
def manifest() -> Response:
    """The web app manifest, at a constant URL because browsers identify an installed page by it."""
    return _file("laguna.webmanifest", "public, no-cache")


@pages.get("/offline")
def offline() -> Response:
    """The page that the service worker shows without a connection."""
    return show("offline")


@pages.get("/favicon.ico")
@pages.get("/favicon.svg")
def favicon() -> Response:
    return _file("laguna.svg", f"public, max-age={DAY}")


@pages.get("/robots.txt")
def robots() -> Response:
    response = Response(ROBOTS, content_type="text/plain; charset=utf-8")
    response.headers["Cache-Control"] = f"public, max-age={DAY}"
    return response
