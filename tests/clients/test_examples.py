"""The examples of the contract: true, current, and without secrets."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from engine.contract import Json
from service.api.openapi import EXAMPLES
from tests.clients.examples import examples
from tests.support.contract import document, pointer, validator_at

KEPT: dict[str, Json] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
JSON = "application/json"


class Example(NamedTuple):
    """A place in the contract with the example that stands there."""

    name: str
    pointer: str
    media: Json


def places() -> Iterator[Example]:
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            if method == "parameters":
                continue
            name = operation["operationId"]
            where = ("paths", path, method)
            body = operation.get("requestBody", {}).get("content", {}).get(JSON)
            if body and "example" in body:
                yield Example(name, pointer(*where, "requestBody", "content", JSON), body)
            for status, answer in operation["responses"].items():
                media = answer.get("content", {}).get(JSON, {})
                if "example" in media:
                    yield Example(
                        name, pointer(*where, "responses", status, "content", JSON), media
                    )


def shape(value: Any) -> Any:
    """The keys of a value at every depth; of a list, what its items have."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(inner), sort_keys=True) for inner in value})
    return None


def test_every_example_is_what_its_schema_says() -> None:
    found = list(places())
    assert {example.name for example in found} >= set(KEPT)
    for example in found:
        checked = validator_at(f"{example.pointer}/schema")
        errors = [
            f"{error.instance_path}: {error.message}"
            for error in checked.iter_errors(example.media["example"])
        ]
        assert not errors, (example.name, errors)


def test_the_examples_are_those_of_a_game_played_today() -> None:
    fresh = examples()
    assert list(fresh) == list(KEPT), "run python -m tests.clients.examples"
    for name, example in fresh.items():
        assert shape(example) == shape(KEPT[name]), f"{name}: run python -m tests.clients.examples"


@pytest.mark.parametrize(
    "name",
    ["createGame", "getGame", "playMove", "listDecisions", "getLog", "listEvents", "createToken"],
)
def test_what_a_client_needs_first_has_an_example(name: str) -> None:
    assert "answer" in KEPT[name]


def test_no_example_shows_a_secret() -> None:
    text = EXAMPLES.read_text(encoding="utf-8")
    secrets = re.findall(r"(?:lag_|whsec_|/invitations/)(\w+)", text)
    assert secrets
    assert set(secrets) == {"example"}
