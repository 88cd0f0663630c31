"""Comparison of every response in the tests with `openapi.yaml`."""

import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from jsonschema_rs import Draft202012, Draft202012Validator, Registry, Validator

ROOT = Path(__file__).parents[2]
FILE = ROOT / "openapi.yaml"
JSON_TYPES = ("application/json", "application/problem+json")


class BrokenContract(AssertionError):
    """An answer that `openapi.yaml` does not allow."""


@cache
def document() -> dict[str, Any]:
    """The committed contract; components are closed here, so that an undocumented field shows."""
    found: dict[str, Any] = yaml.load(FILE.read_text(), Loader=yaml.CSafeLoader)
    for schema in found["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return found


@cache
def _paths() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    return [
        (re.compile(re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(path))), operations)
        for path, operations in document()["paths"].items()
    ]


def operation_for(method: str, path: str) -> dict[str, Any] | None:
    """The operation at this address, if the contract has one."""
    for pattern, operations in _paths():
        if pattern.fullmatch(path):
            found: dict[str, Any] | None = operations.get(method.lower())
            return found
    return None


def check_answer(
    method: str, path: str, status: int, content_type: str, data: Any, has_body: bool
) -> None:
    """Compare an answer with the contract; raises BrokenContract."""
    operation = operation_for(method, path)
    where = f"{method} {path} -> {status} {content_type}"
    if operation is None:
        if status not in (404, 405, 429):
            raise BrokenContract(f"{where}: not an operation of the contract")
        return
    documented = operation["responses"].get(str(status))
    if documented is None:
        raise BrokenContract(f"{where}: this status is not documented ({data})")
    content = documented.get("content")
    if content is None:
        if has_body:
            raise BrokenContract(f"{where}: no body is documented")
        return
    kind = content_type.partition(";")[0]
    if kind not in content:
        raise BrokenContract(f"{where}: documented are {', '.join(content)}")
    if kind in JSON_TYPES:
        for error in validator_at(_pointer(operation, status, kind)).iter_errors(data):
            raise BrokenContract(f"{where}: {error.instance_path}: {error.message[:500]}")


def _pointer(operation: dict[str, Any], status: int, kind: str) -> str:
    for path, operations in document()["paths"].items():
        for method, found in operations.items():
            if found is operation:
                where = ("paths", path, method, "responses", str(status), "content", kind)
                return pointer(*where, "schema")
    raise AssertionError("an operation of the document")


def pointer(*parts: str) -> str:
    """Where something stands in the contract: a JSON pointer without its first slash."""
    return "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)


@cache
def validator_at(place: str) -> Validator:
    """What compares values with the schema that stands there."""
    return Draft202012Validator(
        {"$ref": f"urn:contract#/{quote(place, safe='/~')}"},
        registry=_registry(),
        validate_formats=True,
    )


@cache
def _registry() -> Registry:
    return Registry([("urn:contract", document())], draft=Draft202012)
