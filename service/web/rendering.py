"""Common parts of all pages: rendering, form checks, and problem pages."""

import hashlib
from collections.abc import Callable
from datetime import tzinfo
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    g,
    make_response,
    redirect,
    render_template,
    request,
)
from flask import url_for as flask_url_for
from jinja2 import StrictUndefined
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.wrappers import Response as AnyResponse

from service.access.credentials import Caller
from service.core import formatting
from service.core.clock import now
from service.core.compression import compressed
from service.core.current_settings import settings
from service.core.errors import PROBLEM_JSON, Problem
from service.core.ids import ID
from service.core.time_control import zone_named
from service.db.session import db, transact
from service.web.locale import page_language, register_speech, vary_by_language
from service.web.sessions import (
    check_form,
    finish_cookies,
    form_token,
    local_path,
    visitor,
)

STATIC = Path(__file__).parent / "static"
# Paths for programs; all others are for people.
FOR_PROGRAMS = ("/v1", "/hooks/", "/healthz", "/readyz", "/openapi.")
FORM_BYTES = 64 * 1024  # room for the longest note, whatever its characters
LARGE_FORMS = {"web.reply_to"}  # as long as a mail may be

pages = Blueprint("web", __name__)
Action = Callable[..., AnyResponse | None]


class SignInFirst(Exception):
    """Redirect to the sign-in page; `back` is the destination afterwards."""

    def __init__(self, back: str) -> None:
        super().__init__(back)
        self.back = back


def register_pages(app: Flask) -> None:
    env = app.jinja_env
    env.undefined = StrictUndefined
    env.trim_blocks = env.lstrip_blocks = True
    env.filters.update(
        local=lambda instant: formatting.local_words(instant, zone(), page_language()),
        left=lambda due: formatting.left_words(due, now(), page_language()),
        day=lambda instant: formatting.day_words(instant, zone(), page_language()),
        ago=lambda instant: formatting.ago_words(instant, now(), page_language()),
        clock=lambda clock: formatting.clock_words(clock, page_language()),
    )
    env.globals.update(
        form_token=form_token,
        static_url=static_url,
        sign_up=lambda: settings().sign_up,
        this_address=this_address,
    )
    register_speech(app)
    app.context_processor(lambda: {"visitor": g.get("visitor"), "who": _who()})
    app.register_error_handler(SignInFirst, _to_sign_in)
    app.after_request(_finish)
    app.register_blueprint(pages)


@pages.before_request
def _guard() -> None:
    for name, value in (request.view_args or {}).items():
        if name.endswith("_id") and not ID.fullmatch(value):
            raise Problem("not_found", "Not found, or you have no access.")
    visitor()
    if request.method == "POST":
        if request.endpoint not in LARGE_FORMS:
            request.max_content_length = FORM_BYTES
        check_form()


def _who() -> dict[str, object] | None:
    """Data about the viewer for the scripts of a page. `last_event` was read before everything
    else, so that scripts receive all later events."""
    caller = g.get("visitor")
    if caller is None:
        return None
    return {
        "person": caller.person_id,
        "time_zone": caller.time_zone,
        "last_event": caller.last_event,
    }


def signed_in(back: str | None = None) -> Caller:
    """The signed-in caller; others are sent to the sign-in page and come back afterwards."""
    caller = visitor()
    if caller is None:
        raise SignInFirst(back or (request.path if request.method == "GET" else "/"))
    return caller


def this_address() -> str:
    """URL of this page, to come back to."""
    return request.full_path.rstrip("?") if request.method == "GET" else "/"


def _to_sign_in(needed: SignInFirst) -> AnyResponse:
    return to("web.sign_in", next=needed.back)


def to(endpoint: str, **values: Any) -> AnyResponse:
    """Redirect to another page after a form."""
    return redirect(flask_url_for(endpoint, **values), 303)


def back_to(path: str | None) -> AnyResponse:
    """Redirect to a local page."""
    return redirect(local_path(path), 303)


def show(
    template: str, status: int = 200, refusal: Problem | None = None, **facts: object
) -> Response:
    """Render a page, with the refusal of a form and its status if there was one."""
    page = render_template(f"{template}.html", refusal=refusal, **facts)
    return make_response(page, status if refusal is None else refusal.status)


def keep_time(time_zone: str) -> None:
    """Use a time zone for this page, whoever the viewer is."""
    g.zone = zone_named(time_zone)


def zone() -> tzinfo:
    """Time zone of the viewer."""
    if "zone" not in g:
        caller = visitor()
        keep_time("UTC" if caller is None else caller.time_zone)
    found: tzinfo = g.zone
    return found


@cache
def static_files() -> dict[str, bytes]:
    """Static files by name."""
    return {path.name: path.read_bytes() for path in sorted(STATIC.iterdir()) if path.is_file()}


@cache
def static_version() -> str:
    """Version of all static files together: they refer to each other by name."""
    seen = hashlib.sha256()
    for name, content in static_files().items():
        seen.update(f"{name} {len(content)}\n".encode() + content)
    return seen.hexdigest()[:12]


def static_url(name: str) -> str:
    """URL of a static file in this version, cacheable forever."""
    return flask_url_for("web.static_file", version=static_version(), name=name)


def _finish(response: Response) -> Response:
    """Turn problems into pages for browsers, and forbid caching of personal pages."""
    if request.path.startswith(FOR_PROGRAMS):
        return response
    if response.status_code == 405 and request.method in ("GET", "HEAD"):
        response = _to_nearest_page()
    elif response.mimetype == PROBLEM_JSON:
        response = _problem_page(response)
    finish_cookies(response)
    if request.endpoint == "web.static_file":
        return compressed(response)  # the same for everybody
    secret = g.get("has_forms") or "Set-Cookie" in response.headers
    response.headers.setdefault("Cache-Control", "no-store" if secret else "private, no-cache")
    response.vary.add("Cookie")
    vary_by_language(response)
    return compressed(response)


def _to_nearest_page() -> Response:
    """Redirect from the URL of a form, opened with GET, to the nearest page above it."""
    addresses = current_app.create_url_adapter(request)
    assert addresses is not None
    path = request.path
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        if addresses.test(path, "GET"):
            break
    return make_response(redirect(path, 303))


def _problem_page(problem: Response) -> Response:
    """A problem as page. It needs no database, which may be unavailable."""
    facts = orjson.loads(problem.get_data())
    db.session.rollback()
    if problem.status_code == 404:
        _read_visitor()
    page = show("problem", problem.status_code, problem=facts, request_id=g.get("request_id"))
    for name in ("Retry-After", "Allow"):
        if name in problem.headers:
            page.headers[name] = problem.headers[name]
    return page


def _read_visitor() -> None:
    """Read the viewer of an unknown URL; anonymous without a database."""
    try:
        visitor()
    except (Problem, SQLAlchemyError):
        g.visitor = None


def attempt(
    work: Callable[[], AnyResponse], instead: Callable[[Problem], AnyResponse]
) -> AnyResponse:
    """Run the action of a form, or show its page again with the refusal."""
    try:
        return work()
    except Problem as refusal:
        if refusal.code == "not_found":
            raise
        return instead(refusal)


class FormPage(NamedTuple):
    """A page with forms for people who signed in. `path` has the ids of its URL in braces; `show`
    takes a refusal and the ids of a form's URL."""

    path: str
    show: Callable[..., AnyResponse]

    def form(self, rule: str, anchor: str = "") -> Callable[[Action], Action]:
        """Register the action of a form, which runs in one transaction. Afterwards the browser
        goes to the response that the action returns, or to this page."""

        def decorator(action: Action) -> Action:
            def view(**ids: str) -> AnyResponse:
                here = self.path.format(**ids)
                signed_in(here)
                return attempt(
                    lambda: transact(lambda: action(**ids)) or redirect(here + anchor, 303),
                    lambda refusal: self.show(refusal, **ids),
                )

            pages.add_url_rule(rule, action.__name__, view, methods=["POST"])
            return action

        return decorator
