"""Sessions of pages: the session cookie, and CSRF protection of forms.

The cookie holds the secret of a session; the database stores its digest, as for tokens. Every
form carries a token bound to the session, or to a random cookie of an anonymous browser.
"""

import re
import secrets

from flask import g, request
from werkzeug.wrappers import Response

from service.access.credentials import STRANGER, Caller, Key, access_session
from service.access.csrf import is_form_token, new_form_token, session_holder
from service.accounts.sign_in import SESSION_FOR
from service.core.config import Settings
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import digest

FORM_FIELD = "csrf"
LONGEST_PATH = 200
_LOCAL_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]*")  # printable, no backslash, no other host


def stranger_cookie_name(of: Settings) -> str:
    return f"{of.session_cookie}-form"


def visitor() -> Caller | None:
    """The caller of a valid session cookie; None for everybody else."""
    if "visitor" not in g:
        g.visitor = _read_visitor()
    found: Caller | None = g.visitor
    return found


def _read_visitor() -> Caller | None:
    key = _shown()
    try:
        return None if key is STRANGER else access_session(key)
    except Problem:  # expired, revoked or invented: the page is anonymous
        return None


def _shown() -> Key:
    secret = request.cookies.get(settings().session_cookie)
    return Key(digest(secret)) if secret else STRANGER


def page_key() -> Key:
    """The credential of a page for `service.access`."""
    return STRANGER if visitor() is None else _shown()


def keep_session(response: Response, secret: str) -> None:
    """Set the session cookie."""
    set_cookie(response, settings().session_cookie, secret, int(SESSION_FOR.total_seconds()))


def forget_session(response: Response) -> None:
    set_cookie(response, settings().session_cookie, "", 0)


def set_cookie(response: Response, name: str, value: str, max_age: int | None) -> None:
    """Set a cookie that other sites and scripts have no access to."""
    response.set_cookie(
        name,
        value,
        max_age=max_age,
        path="/",
        secure=settings().secure,
        httponly=True,
        samesite="Lax",
    )


def form_token() -> str:
    """CSRF token of the forms of this page."""
    g.has_forms = True
    if "form_token" not in g:
        g.form_token = new_form_token(form_holder())
    token: str = g.form_token
    return token


def form_holder() -> str:
    """Holder of the forms of this page: a session, or an anonymous browser."""
    key = page_key()
    if key.digest is not None:
        return session_holder(key.digest)
    if "stranger" not in g:
        known = request.cookies.get(stranger_cookie_name(settings()))
        g.stranger = known or secrets.token_urlsafe(24)
        g.new_stranger = not known
    return f"stranger {g.stranger}"


def check_form() -> None:
    """Refuse a form of another site or another session."""
    given = request.form.get(FORM_FIELD, "")
    if request.headers.get("Sec-Fetch-Site") == "cross-site" or not is_form_token(
        given, form_holder()
    ):
        raise Problem(
            "csrf_failed",
            "Nothing was changed. Your session may have ended, or the page was open since before "
            "you signed in; open it again and send the form once more.",
        )


def finish_cookies(response: Response) -> None:
    """Set the form cookie of an anonymous browser that received a form, and delete the cookie of
    an expired session."""
    is_over = "visitor" in g and visitor() is None and _shown() is not STRANGER
    if is_over and "Set-Cookie" not in response.headers:
        forget_session(response)
    if g.get("new_stranger"):
        set_cookie(response, stranger_cookie_name(settings()), g.stranger, None)


def local_path(path: str | None) -> str:
    """A local path to redirect to; anything else becomes the home page."""
    if path and len(path) <= LONGEST_PATH and _LOCAL_PATH.fullmatch(path):
        return path
    return "/"
