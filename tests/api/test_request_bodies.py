"""Size limits of request bodies and of the problems that answer them."""

from io import BytesIO
from typing import Any

import orjson
import pytest

from service.api.arguments import (
    DEFAULT_BODY_BYTES,
    MAX_JSON_DEPTH,
    MAX_JSON_VALUES,
    MAX_LISTED_ERRORS,
)
from service.games.chat import LONGEST_MESSAGE
from service.games.moves import LONGEST_NOTE
from tests.support.contract import document
from tests.support.site import FIRST_GAME, Site

JSON = {"Content-Type": "application/json"}
WIDEST = "\U0001f981"  # twelve bytes when a client escapes it


def many_keys(count: int) -> bytes:
    return orjson.dumps({str(number): 0 for number in range(count)})


def test_a_large_body_is_refused_before_validation(site: Site) -> None:
    refused = site.stranger.call(
        "POST", "/v1/sign-ins", data=many_keys(105_000)[:980_000], headers=JSON
    )
    assert refused.status_code == 413
    assert refused.json is not None
    assert refused.json["code"] == "body_too_large"
    assert f"{DEFAULT_BODY_BYTES:,} bytes" in refused.json["detail"]
    assert len(refused.data) < 1000


def test_a_body_of_undeclared_length_is_read_up_to_the_limit_of_its_operation(site: Site) -> None:
    body = BytesIO(b'{"email": "a@example.org"}' + b" " * DEFAULT_BODY_BYTES)
    refused = site.stranger.call(
        "POST",
        "/v1/sign-ins",
        input_stream=body,
        headers=JSON | {"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert refused.status_code == 413
    assert body.tell() <= DEFAULT_BODY_BYTES, "the rest was not even read"


def test_at_most_twenty_errors_are_listed_and_the_others_counted(site: Site) -> None:
    refused = site.stranger.call("POST", "/v1/sign-ins", data=many_keys(500), headers=JSON)
    assert refused.status_code == 422
    problem: Any = refused.json
    assert len(problem["errors"]) == MAX_LISTED_ERRORS == 20
    assert problem["errors_omitted"] == 500 + 1 - MAX_LISTED_ERRORS, "email is missing, too"
    assert len(refused.data) < 4000


def test_few_errors_are_listed_in_full(site: Site) -> None:
    refused = site.stranger.post("/v1/sign-ins", {"a": 1, "b": 2})
    assert refused.json is not None
    assert {error["pointer"] for error in refused.json["errors"]} == {"/a", "/b", "/email"}
    assert "errors_omitted" not in refused.json


@pytest.mark.parametrize(
    "body",
    [
        many_keys(MAX_JSON_VALUES + 1),
        b"[" + b"0," * MAX_JSON_VALUES + b"0]",
        b'{"text":' * (MAX_JSON_DEPTH + 1) + b"0" + b"}" * (MAX_JSON_DEPTH + 1),
    ],
    ids=["keys", "items", "depth"],
)
def test_json_with_too_many_values_or_levels_is_refused_unvalidated(
    site: Site, body: bytes
) -> None:
    """Where a body may be long, since a note may be."""
    alice, bob = site.people("Alice", "Bob")
    note = f"/v1/games/{site.game_of(alice, bob)}/note"
    refused = alice.call("PUT", note, data=body, headers=JSON)
    assert refused.status_code == 400
    assert refused.json is not None
    assert refused.json["code"] == "malformed_request"
    assert "errors" not in refused.json


def test_the_longest_texts_fit_however_a_client_writes_them(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game = f"/v1/games/{site.game_of(alice, bob)}"

    def escaped(length: int) -> bytes:
        return b'{"text": "' + rb"\ud83e\udd81" * length + b'"}'

    noted = alice.call("PUT", f"{game}/note", data=escaped(LONGEST_NOTE), headers=JSON)
    assert noted.status_code == 200, noted.json
    assert noted.json == {"text": WIDEST * LONGEST_NOTE}
    said = alice.call("POST", f"{game}/messages", data=escaped(LONGEST_MESSAGE), headers=JSON)
    assert said.status_code == 201, said.json
    wishes = b'{"wishes": [' + b",".join([b'"' + rb"\u00e9" * 60 + b'"'] * 30) + b"]}"
    planned = alice.call("PUT", f"{game}/plan", data=wishes, headers=JSON)
    assert planned.status_code == 422
    assert planned.json is not None
    assert planned.json["code"] == "unreadable_move", "it was read"


def test_the_longest_table_fits(site: Site) -> None:
    alice = site.person("Alice")
    invite = [f"{'x' * 60}{n}@{'y' * 60}.{'z' * 60}.{'w' * 60}.example" for n in range(3)]
    opened = alice.post(
        "/v1/games",
        {"game": FIRST_GAME, "seats": 4, "title": WIDEST * 80, "invite": invite},
    )
    assert opened.status_code == 201, opened.json


def test_the_contract_states_the_size_limit_of_every_body() -> None:
    operations = [
        operation
        for path in document()["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]
    assert len(operations) > 15
    for operation in operations:
        most = operation["x-max-body-bytes"]
        assert f"{most:,} bytes" in operation["responses"]["413"]["description"]


def test_a_form_of_a_page_has_a_limit_too(site: Site) -> None:
    refused = site.client.post("/sign-in", data={"email": "x" * 100_000})
    assert refused.status_code == 413
