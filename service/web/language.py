"""Language choice without an account.

A link instead of a form, so that pages that only show something need no form token.
"""

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from engine.languages import LANGUAGES
from service.core.errors import Problem
from service.web.locale import keep_language
from service.web.rendering import back_to, pages


@pages.get("/language/<language>")
def choose_language(language: str) -> AnyResponse:
    if language not in LANGUAGES:
        raise Problem("not_found", "This language is not available.")
    response = back_to(request.args.get("next"))
    keep_language(response, language)
    return response
