"""Every answer of every test is compared with `openapi.yaml`."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

ROOT = Path(__file__).parents[3]
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
        if status not in (404, 405):
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
        errors = sorted(_validator(_pointer(operation, status, kind)).iter_errors(data), key=str)
        if errors:
            raise BrokenContract(f"{where}: {errors[0].json_path}: {errors[0].message[:500]}")


def _pointer(operation: dict[str, Any], status: int, kind: str) -> str:
    for path, operations in document()["paths"].items():
        for method, found in operations.items():
            if found is operation:
                parts = ("paths", path, method, "responses", str(status), "content", kind, "schema")
                return "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)
    raise AssertionError("an operation of the document")


@cache
def _validator(pointer: str) -> Draft202012Validator:
    resource: Resource[Any] = DRAFT202012.create_resource(document())
    registry: Registry[Any] = Registry().with_resource("urn:contract", resource)
    return Draft202012Validator(
        {"$ref": f"urn:contract#/{pointer}"},
        registry=registry,
        format_checker=FormatChecker(),
    )
