"""Calendar feed of deadlines, which calendar programs fetch without a cookie."""

import hashlib

from flask import Response

from service.accounts.calendar_feed import calendar_owner, feed
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.etags import conditional_response, etag
from service.core.ics import CONTENT_TYPE
from service.web.signed_links import signed_link_pages


@signed_link_pages.get("/calendar/<signed>.ics")
def calendar(signed: str) -> Response:
    person = calendar_owner(settings(), signed, now())
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
