"""The OpenAPI document: complete, valid, and equal to the app's operations."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator

from service.api.openapi import openapi_document
from service.app import create_app
from service.core.errors import PROBLEM_TYPES
from tests.support.site import settings_for

FILE = Path(__file__).parents[1] / "openapi.yaml"
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return found


@pytest.fixture(scope="module")
def operations(committed: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        operation
        for path in committed["paths"].values()
        for method, operation in path.items()
        if method != "parameters"
    ]


def test_the_committed_document_is_up_to_date(committed: dict[str, Any], tmp_path: Path) -> None:
    settings = settings_for(tmp_path, f"sqlite:///{tmp_path}/laguna.db")
    assert committed == openapi_document(settings), "run `laguna openapi`"


def test_the_app_serves_exactly_the_documented_operations(
    committed: dict[str, Any], tmp_path: Path
) -> None:
    app = create_app(settings_for(tmp_path, f"sqlite:///{tmp_path}/laguna.db"))
    served = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/v1")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert served == {
        (path, method)
        for path, found in committed["paths"].items()
        for method in found
        if method != "parameters"
    }


def test_the_contract_is_valid_openapi(committed: dict[str, Any]) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(committed).iter_errors()] == []


def test_every_operation_says_what_it_is(operations: list[dict[str, Any]]) -> None:
    for operation in operations:
        name = operation["operationId"]
        assert operation["summary"], name
        assert operation["tags"], name
        assert "security" in operation, name


def test_names_of_operations_are_unique(operations: list[dict[str, Any]]) -> None:
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names)) > 40


def test_every_operation_lists_its_problems_by_code(operations: list[dict[str, Any]]) -> None:
    for operation in operations:
        refused = {
            status: answer for status, answer in operation["responses"].items() if status[0] in "45"
        }
        assert {"429", "500"} <= set(refused), operation["operationId"]
        for status, answer in refused.items():
            assert list(answer["content"]) == [PROBLEM]
            listed = [line.split("`")[1] for line in answer["description"].splitlines()]
            assert listed
            assert {PROBLEM_TYPES[code].status for code in listed} == {int(status)}


def test_every_link_leads_to_an_operation_and_names_its_parameters(
    committed: dict[str, Any], operations: list[dict[str, Any]]
) -> None:
    in_path = {
        operation["operationId"]: set(re.findall(r"{(\w+)}", path))
        for path, found in committed["paths"].items()
        for method, operation in found.items()
        if method != "parameters"
    }
    links = [
        link
        for operation in operations
        for answer in operation["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert len(links) > 10
    for link in links:
        assert set(link["parameters"]) == in_path[link["operationId"]], link


def test_every_tag_is_explained(
    committed: dict[str, Any], operations: list[dict[str, Any]]
) -> None:
    explained = {tag["name"]: tag["description"] for tag in committed["tags"]}
    assert all(explained.values())
    assert {tag for operation in operations for tag in operation["tags"]} == set(explained)


def test_every_authenticated_post_is_idempotent_or_returns_a_secret(
    committed: dict[str, Any],
) -> None:
    for path, found in committed["paths"].items():
        if "post" in found and found["post"]["security"]:
            headers = [item["name"] for item in found["post"].get("parameters", ())]
            refuses_key = (
                "`bad_idempotency_key`" in found["post"]["responses"]["400"]["description"]
            )
            assert "Idempotency-Key" in headers or refuses_key, path
