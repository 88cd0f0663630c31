"""The contract as a document: what the operations say of themselves, with real examples."""

from functools import cache
from pathlib import Path
from typing import Any

import orjson
import yaml
from flask import Flask

from service.api import EXTENSION
from service.api.operations import DOCUMENTED

EXAMPLES = Path(__file__).parent / "examples.json"  # of a game, so not in the code
JSON = "application/json"


def openapi_document(app: Flask) -> dict[str, Any]:
    """The OpenAPI document of this app, as plain JSON values."""
    document: dict[str, Any] = orjson.loads(
        orjson.dumps(app.extensions[EXTENSION].document(), option=orjson.OPT_NON_STR_KEYS)
    )
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict):
                _complete(operation)
    schemas = document["components"]["schemas"]
    schemas.pop("PaginationMetadata")  # flask-smorest's, not ours
    for name in set(schemas) - _sent(document):
        schemas[name].pop("additionalProperties", None)  # answers may grow
    return document


def _sent(document: dict[str, Any]) -> set[str]:
    """The names of schemas that requests are made of: unknown fields are refused in those."""
    found: set[str] = set()
    bodies = [
        operation["requestBody"]
        for path in document["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]
    waiting = [name for body in bodies for name in _references(body)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(document["components"]["schemas"][name])
    return found


def _references(value: Any) -> list[str]:
    """The schemas that a part of the document refers to."""
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if isinstance(value.get("$ref"), str) else []
        return own + [name for inner in value.values() for name in _references(inner)]
    if isinstance(value, list):
        return [name for inner in value for name in _references(inner)]
    return []


def _complete(operation: dict[str, Any]) -> None:
    """Add what the operation's decorator knows, and an example of it."""
    name = operation["operationId"]
    known = DOCUMENTED[name]
    parameters = operation.get("parameters", []) + known["parameters"]
    answers = operation["responses"]
    responses = {
        status: (answers.get(status, {}) if status[0] == "2" else {})
        | {key: value for key, value in said.items() if value}
        for status, said in known["responses"].items()
    }
    operation.update(known | {"parameters": parameters, "responses": responses})
    if not parameters:
        del operation["parameters"]
    if name in _examples():
        _add_example(operation, _examples()[name])


def openapi_yaml(app: Flask) -> str:
    """The document as it is committed, in `openapi.yaml`."""
    return yaml.dump(
        openapi_document(app), Dumper=_Readable, sort_keys=False, allow_unicode=True, width=100
    )


@cache
def _examples() -> dict[str, Any]:
    """By operation: a request and its answer, taken from a game that was really played."""
    found: dict[str, Any] = orjson.loads(EXAMPLES.read_bytes()) if EXAMPLES.exists() else {}
    return found


def _add_example(operation: dict[str, Any], example: dict[str, Any]) -> None:
    if "request" in example:
        operation["requestBody"]["content"][JSON]["example"] = example["request"]
    answer = operation["responses"][str(example["status"])]["content"].get(JSON)
    if answer is not None and "answer" in example:
        answer["example"] = example["answer"]


class _Readable(yaml.SafeDumper):
    """Long texts as blocks, nothing by reference."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Readable.add_representer(str, _text)
