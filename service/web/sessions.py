"""Who looks at a page: the session's cookie, and forms that only its owner can send.

The cookie holds the secret of a session, of which the server keeps the digest, as of any token.
Every form carries a token that is bound to the session, or to a random cookie of a stranger, so
that no other site can make a browser send it.
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
    """Who shows a cookie of a session that goes on; None for everybody else."""
    if "visitor" not in g:
        g.visitor = _read_visitor()
    found: Caller | None = g.visitor
    return found


def _read_visitor() -> Caller | None:
    key = _shown()
    try:
        return None if key is STRANGER else access_session(key)
    except Problem:  # over, revoked or invented: a page is shown as to a stranger
        return None


def _shown() -> Key:
    secret = request.cookies.get(settings().session_cookie)
    return Key(digest(secret)) if secret else STRANGER


def page_key() -> Key:
    """The key with which a page asks `service.access`."""
    return STRANGER if visitor() is None else _shown()


def keep_session(response: Response, secret: str) -> None:
    """Let this browser act for the person from now on."""
    set_cookie(response, settings().session_cookie, secret, int(SESSION_FOR.total_seconds()))


def forget_session(response: Response) -> None:
    set_cookie(response, settings().session_cookie, "", 0)


def set_cookie(response: Response, name: str, value: str, max_age: int | None) -> None:
    """Let the browser keep something for us, out of reach of other sites and of scripts."""
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
    """What the forms of this page carry."""
    g.has_forms = True
    if "form_token" not in g:
        g.form_token = new_form_token(form_holder())
    token: str = g.form_token
    return token


def form_holder() -> str:
    """Whom the forms of this page belong to: a session, or the browser of a stranger."""
    key = page_key()
    if key.digest is not None:
        return session_holder(key.digest)
    if "stranger" not in g:
        known = request.cookies.get(stranger_cookie_name(settings()))
        g.stranger = known or secrets.token_urlsafe(24)
        g.new_stranger = not known
    return f"stranger {g.stranger}"


def check_form() -> None:
    """Refuse a form that another site sent, or that was made for another session."""
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
    """Give a stranger who saw a form the cookie to which it is bound, and take back one of a
    session that is over, which would only be refused again and again."""
    is_over = "visitor" in g and visitor() is None and _shown() is not STRANGER
    if is_over and "Set-Cookie" not in response.headers:
        forget_session(response)
    if g.get("new_stranger"):
        set_cookie(response, stranger_cookie_name(settings()), g.stranger, None)


def local_path(path: str | None) -> str:
    """A path of ours to go to afterwards; anything else leads home."""
    if path and len(path) <= LONGEST_PATH and _LOCAL_PATH.fullmatch(path):
        return path
    return "/"
