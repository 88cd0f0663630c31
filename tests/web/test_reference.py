"""The reference shows the whole contract, and every problem is explained."""

from typing import Any

import orjson
import pytest
import yaml

from service.core.errors import PROBLEM_TYPES
from service.web.markdown import prose
from service.web.problem_advice import ADVICE
from service.web.reference_content import limit_words, type_words
from tests.support.browser import Browser
from tests.support.site import Site

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def document(site: Site) -> dict[str, Any]:
    return dict(orjson.loads(site.client.get("/openapi.json").data))


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method, path, item[method])
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    ]


def test_every_operation_and_schema_is_on_the_reference(
    site: Site, document: dict[str, Any]
) -> None:
    page = Browser(site).open("/reference")
    anchors = {found["id"] for _, found in page.elements if "id" in found}
    links = page.links()
    assert len(operations(document)) > 40
    for method, path, operation in operations(document):
        name = operation["operationId"]
        assert name in anchors
        assert f"#{name}" in links
        assert f"{method.upper()} {path}" in page.text
    for name in document["components"]["schemas"]:
        assert f"schema-{name}" in anchors
    for link in links:
        if link.startswith("#"):
            assert link[1:] in anchors
    assert "tables:seek" in page.text


def test_every_code_an_operation_may_answer_with_is_linked(
    site: Site, document: dict[str, Any]
) -> None:
    links = Browser(site).open("/reference").links()
    said = str(document["paths"])
    for code in PROBLEM_TYPES:
        assert (f"`{code}`" in said) == (f"/problems/{code}" in links), code


def test_the_document_is_served_in_both_forms_and_is_the_same(
    site: Site, document: dict[str, Any]
) -> None:
    served = site.client.get("/openapi.yaml")
    assert served.mimetype == "application/yaml"
    assert yaml.safe_load(served.text) == document
    again = site.client.get("/openapi.yaml", headers={"If-None-Match": served.headers["ETag"]})
    assert again.status_code == 304


def test_every_problem_is_explained(site: Site) -> None:
    assert set(ADVICE) == set(PROBLEM_TYPES)
    browser = Browser(site)
    listed = browser.open("/problems")
    for code, kind in PROBLEM_TYPES.items():
        page = browser.open(f"/problems/{code}")
        assert page.status == 200
        assert kind.title in page.text
        assert f"/problems/{code}" in listed.links()
    assert browser.open("/problems/nix").status == 404


def test_descriptions_are_text_with_code_and_lists() -> None:
    assert prose("A **b** `<c>`\nd\n\n- one\n- `two`") == (
        "<p>A <strong>b</strong> <code>&lt;c&gt;</code> d</p>\n"
        "<ul><li>one</li><li><code>two</code></li></ul>"
    )


def test_types_and_limits_are_described_in_words() -> None:
    nullable = {"anyOf": [{"$ref": "#/components/schemas/Clock"}, {"type": "null"}]}
    assert type_words(nullable) == "Clock or null"
    assert type_words({"type": ["string", "null"]}) == "string or null"
    emails = {"type": "array", "items": {"type": "string", "format": "email"}, "maxItems": 4}
    assert type_words(emails) == "list of string (email)"
    assert limit_words(emails) == "at most 4 items"
    assert limit_words({"minimum": 2, "maximum": 4, "default": 3}) == "2 to 4; `3` if left out"


def test_every_request_body_has_an_example(document: dict[str, Any]) -> None:
    bodies = {
        operation["operationId"]: operation["requestBody"]["content"]["application/json"]
        for _, _, operation in operations(document)
        if "requestBody" in operation
    }
    assert len(bodies) > 10
    assert [name for name, body in bodies.items() if "example" not in body] == []
