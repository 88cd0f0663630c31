"""API reference, OpenAPI document, and explanations of the problem codes."""

from collections.abc import Callable
from functools import cache

import orjson
from flask import Flask, Response, current_app

from engine.contract import Json
from service.access.scopes import SCOPES
from service.core.errors import PROBLEM_TYPES, Problem
from service.core.etags import conditional_response
from service.core.ids import digest
from service.web.markdown import prose, words
from service.web.problem_advice import ADVICE
from service.web.reference_content import shapes, subjects
from service.web.rendering import pages, show

EXTENSION = "laguna_documents"


class Documents:
    """The OpenAPI document in its forms, each made on the first request for it."""

    def __init__(self, document: Callable[[], Json], to_yaml: Callable[[Json], str]) -> None:
        self.document = cache(document)
        self.json = cache(lambda: orjson.dumps(self.document(), option=orjson.OPT_INDENT_2))
        self.yaml = cache(lambda: to_yaml(self.document()).encode())
        self.subjects = cache(lambda: subjects(self.document()))
        self.shapes = cache(lambda: shapes(self.document()))


def register_reference(app: Flask, documents: Documents) -> None:
    app.extensions[EXTENSION] = documents
    app.jinja_env.filters.update(prose=prose, words=words)


def _documents() -> Documents:
    found: Documents = current_app.extensions[EXTENSION]
    return found


@pages.get("/reference")
def reference() -> Response:
    documents = _documents()
    return show(
        "reference",
        info=documents.document()["info"],
        subjects=documents.subjects(),
        shapes=documents.shapes(),
        scopes=SCOPES,
    )


@pages.get("/openapi.json")
def openapi_as_json() -> Response:
    return _for_everybody(_documents().json(), "application/json")


@pages.get("/openapi.yaml")
def openapi_as_yaml() -> Response:
    return _for_everybody(_documents().yaml(), "application/yaml")


def _for_everybody(body: bytes, content_type: str) -> Response:
    """A public response: generators on other sites may read it."""
    response = conditional_response(f'"{digest(body.decode())[:16]}"', lambda: body, content_type)
    response.headers["Cache-Control"] = "public, no-cache"
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


@pages.get("/problems")
def problems() -> Response:
    return show("problems", problems=PROBLEM_TYPES)


@pages.get("/problems/<code>")
def explain_problem(code: str) -> Response:
    if code not in PROBLEM_TYPES:
        raise Problem("not_found", "No problem type has this code.")
    return show("explained", code=code, kind=PROBLEM_TYPES[code], advice=ADVICE[code])
