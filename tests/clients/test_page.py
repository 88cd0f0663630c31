"""What `docs/clients.md` says can be sent, can be sent."""

import json
import shlex
from typing import Any, NamedTuple

import pytest

from tests.clients.documents import PAGE, blocks
from tests.support.contract import document, operation_for, validator_at

BASE = "$LAGUNA"
TAKES_A_VALUE = ("-H", "--json", "-o")


class Call(NamedTuple):
    """A request as the page shows it."""

    method: str
    path: str
    headers: list[str]
    body: Any


def calls() -> list[str]:
    lines = [
        line for part in blocks("sh") for line in part.replace("\\\n", " ").splitlines() if line
    ]
    return [line for line in lines if line.startswith("curl ")]


def understood(line: str) -> Call:
    words = iter(shlex.split(line)[1:])
    url, headers, body = "", [], None
    for word in words:
        value = next(words) if word in TAKES_A_VALUE else ""
        if word == "-H":
            headers.append(value.partition(":")[0])
        elif word == "--json":
            body = json.loads(value)
        elif not word.startswith("-"):
            url = word
    assert url.startswith(BASE)
    return Call("GET" if body is None else "POST", url.removeprefix(BASE), headers, body)


@pytest.mark.parametrize("line", calls())
def test_every_request_of_the_page_is_one_of_the_contract(line: str) -> None:
    call = understood(line)
    path, _, query = call.path.partition("?")
    operation = operation_for(call.method, path)
    assert operation is not None
    known = {parameter["name"] for parameter in operation.get("parameters", [])}
    assert {pair.partition("=")[0] for pair in query.split("&") if pair} <= known
    needs_token = {} not in operation["security"] and operation["security"] != []
    assert ("Authorization" in call.headers) or not needs_token
    assert set(call.headers) - {"Authorization", "Accept", "Last-Event-ID"} <= known
    if call.body is not None:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        validator_at(schema["$ref"].removeprefix("#/")).validate(call.body)


def test_the_page_shows_how_to_begin_to_play_and_to_follow() -> None:
    shown = {understood(line).path.partition("?")[0] for line in calls()}
    assert {"/v1/sign-ins", "/v1/tokens", "/v1/games/$GAME/moves", "/v1/events"} <= shown


def test_the_codes_on_the_page_are_those_of_the_contract() -> None:
    table = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    codes = {word for line in table[1:] for word in line.split("|")[1].split("`")[1::2]}
    known = document()["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    assert codes
    assert codes <= set(known)
