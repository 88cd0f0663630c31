"""Calendar feed of deadlines, fetched by calendar programs without a cookie, and its settings."""

import hashlib

from flask import Response
from werkzeug.wrappers import Response as AnyResponse

from service.access.accounts import access_own_habits
from service.access.credentials import access_session
from service.accounts.calendar_feed import calendar_owner, feed, new_calendar_link
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.etags import conditional_response, etag
from service.core.ics import CONTENT_TYPE
from service.db.session import transact
from service.web.rendering import pages, signed_in, to
from service.web.sessions import page_key
from service.web.signed_links import signed_link_pages


@signed_link_pages.get("/calendar/<sealed>.ics")
def calendar(sealed: str) -> Response:
    person = calendar_owner(settings(), sealed, now())
    if person is None:
        raise Problem(
            "not_found", "There is no such calendar, or it has a new address by now; see there."
        )
    content = feed(settings(), person, now())
    tag = etag(hashlib.sha256(content).hexdigest()[:32])
    response = conditional_response(tag, lambda: content, CONTENT_TYPE)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Content-Disposition"] = 'inline; filename="laguna.ics"'
    return response


@pages.post("/account/calendar")
def change_calendar_link() -> AnyResponse:
    signed_in("/account")
    transact(lambda: new_calendar_link(settings(), access_own_habits(access_session(page_key()))))
    return to("web.account", _anchor="calendar")
