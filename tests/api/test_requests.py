"""Requests that come twice, late, broken, too large or with nonsense: a clear problem each, and
nothing is changed."""

import json
from io import BytesIO
from typing import Any

import pytest
from psycopg.errors import DeadlockDetected
from sqlalchemy import event, select
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from service.db.session import Base, db
from tests.support.site import FIRST_GAME, Caller, Site


def everything_stored(site: Site) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, but for when a token was last used."""
    with site.app.app_context():
        return {
            table.name: sorted(
                (
                    tuple(row)
                    for row in db.session.execute(
                        select(*[c for c in table.c if c.name != "last_used_at"])
                    )
                ),
                key=repr,
            )
            for table in Base.metadata.sorted_tables
        }


@pytest.fixture
def alice(site: Site) -> Caller:
    return site.person("Alice")


# Idempotency


def test_a_repeated_request_with_its_key_gets_the_stored_response(any_site: Site) -> None:
    alice = any_site.person("Alice")
    headers = {"Idempotency-Key": "one"}
    wanted = {"game": FIRST_GAME, "seats": 2}
    first = alice.post("/v1/games", wanted, headers=headers)
    stored = everything_stored(any_site)
    second = alice.post("/v1/games", wanted, headers=headers)
    assert second.status_code == 201
    assert second.data == first.data
    assert second.headers["Location"] == first.headers["Location"]
    assert second.headers["ETag"] == first.headers["ETag"]
    assert second.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert everything_stored(any_site) == stored


def test_a_key_is_valid_for_one_request_only(any_site: Site) -> None:
    alice = any_site.person("Alice")
    headers = {"Idempotency-Key": "one"}
    alice.post("/v1/games", {"game": FIRST_GAME, "seats": 2}, headers=headers)
    stored = everything_stored(any_site)
    other = alice.post("/v1/games", {"game": FIRST_GAME, "seats": 3}, headers=headers)
    assert other.status_code == 422
    assert other.json is not None
    assert other.json["code"] == "idempotency_key_reused"
    assert everything_stored(any_site) == stored


def test_idempotency_keys_are_separate_for_each_person(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    headers = {"Idempotency-Key": "one"}
    wanted = {"game": FIRST_GAME, "seats": 2}
    first = alice.post("/v1/games", wanted, headers=headers)
    second = bob.post("/v1/games", wanted, headers=headers)
    assert first.json is not None
    assert second.json is not None
    assert first.json["id"] != second.json["id"]


def test_a_refused_request_may_be_tried_again_with_its_key(site: Site, alice: Caller) -> None:
    bob = site.person("Bob")
    game_id = alice.opens()["id"]
    headers = {"Idempotency-Key": "leave"}
    assert bob.post(f"/v1/games/{game_id}/leave", headers=headers).status_code == 403
    bob.joins(game_id)
    again = bob.post(f"/v1/games/{game_id}/leave", headers=headers)
    assert again.status_code == 409
    assert again.json is not None
    assert again.json["code"] == "not_open"


@pytest.mark.parametrize("key", ["", " ", "a b", "ä", "x" * 201])
def test_a_malformed_idempotency_key_is_refused(alice: Caller, key: str) -> None:
    headers = {"Idempotency-Key": key}
    refused = alice.post("/v1/games", {"game": FIRST_GAME, "seats": 2}, headers=headers)
    assert refused.status_code == 400
    assert refused.json is not None
    assert refused.json["code"] == "bad_idempotency_key"


def test_a_key_is_refused_where_the_response_has_a_secret(site: Site, alice: Caller) -> None:
    stored = everything_stored(site)
    body = {"name": "t", "scopes": ["games:read"]}
    refused = alice.post("/v1/tokens", body, headers={"Idempotency-Key": "token"})
    assert refused.status_code == 400
    assert refused.json is not None
    assert refused.json["code"] == "bad_idempotency_key"
    assert everything_stored(site) == stored


def test_a_transaction_is_retried_after_a_serialization_failure(any_site: Site) -> None:
    """A deadlock is nobody's fault: the same request, once more, from the beginning."""
    alice = any_site.person("Alice")
    failures = 2

    def give_up(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        nonlocal failures
        if failures and statement.startswith("INSERT INTO letter"):
            failures -= 1
            raise OperationalError(statement, None, DeadlockDetected())

    wanted = {"game": FIRST_GAME, "seats": 3, "invite": ["carla@example.org"], "clock": None}
    with any_site.app.app_context():
        event.listen(db.engine, "before_cursor_execute", give_up)
    made = alice.post("/v1/games", wanted, headers={"Idempotency-Key": "again"})
    assert made.status_code == 201, made.json
    assert failures == 0
    assert len(any_site.letters("carla@example.org")) == 1
    assert alice.get("/v1/games").json["items"][0]["id"] == made.json["id"]  # type: ignore[index]


# A lost answer


def test_a_move_whose_answer_was_lost_cannot_be_played_on_the_next_decision(
    any_site: Site,
) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, options={"variant": "tactical"})
    mover = alice if alice.sees(game_id)["decision"] else bob
    decision = mover.sees(game_id)["decision"]
    body = {"decision": decision["id"], "text": decision["moves"][0]["text"]}
    assert mover.post(f"/v1/games/{game_id}/moves", body).status_code == 200
    stored = everything_stored(any_site)
    again = mover.post(f"/v1/games/{game_id}/moves", body)
    assert again.status_code == 409
    assert again.json is not None
    assert again.json["code"] == "decision_closed"
    assert everything_stored(any_site) == stored
    for player in (alice, bob):
        for _ in range(3):
            if player.sees(game_id)["decision"]:
                player.plays(game_id)
    assert mover.post(f"/v1/games/{game_id}/moves", body).status_code == 409


# Versions


def test_an_unchanged_game_is_304_and_a_changed_one_is_sent(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    path = f"/v1/games/{game_id}"
    first = alice.get(path)
    etag = first.headers["ETag"]
    for sent in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        unchanged = alice.get(path, headers={"If-None-Match": sent})
        assert unchanged.status_code == 304, sent
        assert unchanged.data == b""
        assert unchanged.headers["ETag"] == etag
    assert bob.get(path).headers["ETag"] != etag
    bob.plays(game_id)
    changed = alice.get(path, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag
    assert "Authorization" in changed.headers["Vary"]
    assert changed.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("what", ["log", "record", "board.txt", "board.svg", "board.png", "plan"])
def test_every_representation_of_a_game_has_its_own_etag(site: Site, what: str) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    path = f"/v1/games/{game_id}/{what}"
    etag = alice.get(path).headers["ETag"]
    assert etag != alice.get(f"/v1/games/{game_id}").headers["ETag"]
    assert alice.get(path, headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize("method", ["br", "gzip"])
def test_drawings_are_compressed_and_conditional(site: Site, method: str) -> None:
    alice, bob = site.people("Alice", "Bob")
    path = f"/v1/games/{site.game_of(alice, bob)}/board.svg"
    plain = alice.get(path)
    assert "Content-Encoding" not in plain.headers
    small = alice.get(path, headers={"Accept-Encoding": method})
    assert small.headers["Content-Encoding"] == method
    assert len(small.data) < len(plain.data) / 4
    assert small.headers["ETag"] != plain.headers["ETag"]
    for etag in (small.headers["ETag"], plain.headers["ETag"]):
        headers = {"Accept-Encoding": method, "If-None-Match": etag}
        assert alice.get(path, headers=headers).status_code == 304


def test_changing_settings_requires_the_current_etag(site: Site, alice: Caller) -> None:
    missing = alice.patch("/v1/me", {"name": "Alicia"})
    assert missing.status_code == 428
    etag = alice.get("/v1/me").headers["ETag"]
    assert alice.patch("/v1/me", {"name": "Al"}, headers={"If-Match": etag}).status_code == 200
    stored = everything_stored(site)
    stale = alice.patch("/v1/me", {"name": "Alicia"}, headers={"If-Match": etag})
    assert stale.status_code == 412
    assert everything_stored(site) == stored


# Nonsense


BAD_BODIES = {
    "nothing": b"",
    "half": b'{"game": "x"',
    "not_utf8": b'{"game": "\xff\xfe"}',
    "nan": b'{"game": NaN}',
    "lone_surrogate": b'{"game": "\\ud800"}',
    "deep": b'{"a":' * 1300 + b"1" + b"}" * 1300,
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_a_body_that_is_not_json_is_malformed(site: Site, alice: Caller, name: str) -> None:
    stored = everything_stored(site)
    headers = {"Content-Type": "application/json"}
    refused = alice.call("POST", "/v1/games", data=BAD_BODIES[name], headers=headers)
    assert refused.status_code == 400, refused.json
    assert refused.content_type == "application/problem+json"
    assert refused.json is not None
    assert refused.json["code"] == "malformed_request"
    assert everything_stored(site) == stored


WRONG_BODIES: dict[str, Any] = {
    "list": [],
    "null": None,
    "text": "x",
    "huge_number": {"game": FIRST_GAME, "seats": 10**30},
    "negative": {"game": FIRST_GAME, "seats": -1},
    "fraction": {"game": FIRST_GAME, "seats": 2.5},
    "bool_for_number": {"game": FIRST_GAME, "seats": True},
    "text_for_number": {"game": FIRST_GAME, "seats": "2"},
    "unknown_field": {"game": FIRST_GAME, "seats": 2, "colour": "blue"},
    "nul": {"game": FIRST_GAME, "seats": 2, "title": "a\x00b"},
    "newline": {"game": FIRST_GAME, "seats": 2, "title": "a\nb"},
    "long": {"game": FIRST_GAME, "seats": 2, "title": "x" * 81},
    "unknown_game": {"game": "chess", "seats": 2},
    "unknown_option": {"game": FIRST_GAME, "seats": 2, "options": {"x": "y"}},
    "too_many_bots": {"game": FIRST_GAME, "seats": 2, "bots": 2},
    "clock_without_hours": {"game": FIRST_GAME, "seats": 2, "clock": {"kind": "flat"}},
    "clock_of_ages": {"game": FIRST_GAME, "seats": 2, "clock": {"kind": "flat", "hours": 1e300}},
    "bad_address": {"game": FIRST_GAME, "seats": 2, "invite": ["nobody"]},
}


@pytest.mark.parametrize("name", WRONG_BODIES)
def test_an_invalid_body_is_refused_with_pointers(site: Site, alice: Caller, name: str) -> None:
    stored = everything_stored(site)
    headers = {"Content-Type": "application/json"}
    body = json.dumps(WRONG_BODIES[name])
    refused = alice.call("POST", "/v1/games", data=body, headers=headers)
    assert refused.status_code in (400, 422), refused.json
    assert refused.json is not None
    if refused.json["code"] == "invalid_request":
        assert refused.json["errors"]
    else:
        assert refused.json["code"] in ("bad_setup", "malformed_request")
    assert everything_stored(site) == stored


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "", "multipart/form-data"])
def test_only_json_bodies_are_accepted(site: Site, alice: Caller, kind: str) -> None:
    refused = alice.call("POST", "/v1/games", data=b"{}", headers={"Content-Type": kind})
    assert refused.status_code == 415
    assert refused.json is not None
    assert refused.json["code"] == "unsupported_media_type"


def test_a_body_of_ten_megabytes_is_refused(site: Site, alice: Caller) -> None:
    stored = everything_stored(site)
    headers = {"Content-Type": "application/json"}
    body = b'{"game": "' + b"x" * 10_000_000 + b'"}'
    refused = alice.call("POST", "/v1/games", data=body, headers=headers)
    assert refused.status_code == 413
    assert refused.json is not None
    assert refused.json["code"] == "body_too_large"
    assert everything_stored(site) == stored


def test_a_large_body_of_undeclared_length_is_refused(site: Site, alice: Caller) -> None:
    stored = everything_stored(site)
    body = b'{"game": "x", "seats": 2}' + b" " * 2_000_000
    refused = alice.call(
        "POST",
        "/v1/games",
        input_stream=BytesIO(body),
        headers={"Content-Type": "application/json", "Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert refused.status_code == 413
    assert everything_stored(site) == stored


def test_a_body_without_required_fields_may_be_omitted(site: Site, alice: Caller) -> None:
    bob = site.person("Bob")
    game_id = alice.opens(seats=3)["id"]
    assert bob.post(f"/v1/games/{game_id}/join").status_code == 200
    assert alice.post(f"/v1/games/{game_id}/invitations").status_code == 201


def test_an_unknown_query_parameter_is_refused(site: Site, alice: Caller) -> None:
    game_id = alice.opens(seats=2, bots=1)["id"]
    for path in (f"/v1/games/{game_id}/board.svg?nope=3", "/v1/catalogue?nope=1"):
        refused = alice.get(path)
        assert refused.status_code == 422
        assert refused.json is not None
        assert refused.json["errors"][0]["pointer"].startswith("?")


def test_an_error_points_to_its_place(alice: Caller) -> None:
    wanted = {"game": FIRST_GAME, "seats": 2, "options": {"variant": ["x"]}}
    refused = alice.post("/v1/games", wanted)
    assert refused.json is not None
    assert refused.json["errors"][0]["pointer"] == "/options/variant"


def test_a_token_without_games_read_gets_the_public_view(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    for player in (alice, bob):
        player.put(f"/v1/games/{game_id}/end-offer")
    seeker = alice.token_with("tables:seek")
    bob.post(f"/v1/games/{game_id}/rematch")
    shown = seeker.post(f"/v1/games/{game_id}/rematch").json
    assert shown is not None
    assert shown["status"] == "running"
    assert shown["decision"] is None
    assert shown["position"]["you"] is None


def test_the_etag_of_one_account_does_not_match_another(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    etag = alice.get("/v1/me").headers["ETag"]
    assert bob.get("/v1/me", headers={"If-None-Match": etag}).status_code == 200
    assert bob.patch("/v1/me", {"name": "B"}, headers={"If-Match": etag}).status_code == 412


@pytest.mark.parametrize(
    "path",
    [
        "/v1/games?limit=0",
        "/v1/games?limit=99999999999999999999999",
        "/v1/games?limit=x",
        "/v1/games?limit=1&limit=2",
        "/v1/games?status=lost",
        "/v1/games?colour=blue",
        "/v1/games?cursor=x",
        "/v1/games?cursor=WzEsMl0",
        "/v1/games?cursor=%00",
        "/v1/decisions?cursor=Wy01XQ",
        "/v1/games?cursor=WyIwMDAxLTAxLTAxVDAwOjAwOjAwKzE0OjAwIiwieCJd",
        "/v1/tables?game=%00",
        "/v1/tables?seats=" + "9" * 400,
        "/v1/events?after=-1",
        "/v1/events?after=1e3",
        "/v1/events?wait=61",
    ],
)
def test_invalid_parameters_are_refused(any_site: Site, path: str) -> None:
    refused = any_site.person("Alice").get(path)
    assert refused.status_code == 422, refused.json
    assert refused.json is not None
    assert refused.json["errors"][0]["pointer"].startswith("?")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/games/" + "9" * 3000,
        "/v1/games/%00",
        "/v1/games/%F0%9F%A6%81",
        "/v1/games/..%2f",
        "/v1/x",
    ],
)
def test_malformed_ids_are_not_found(alice: Caller, path: str) -> None:
    answer = alice.get(path)
    assert answer.status_code == 404
    assert answer.content_type == "application/problem+json"


def test_a_wrong_method_gets_the_allowed_ones(alice: Caller) -> None:
    answer = alice.delete("/v1/games")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
    assert "POST" in answer.headers["Allow"]


@pytest.mark.parametrize("name", ["Ænne Ωmega", "Ünïcødé 名前", "Leo 🦁🦁🦁", "O'Hara <b>&\"", "ﷺ"])
def test_names_of_any_script_are_kept_as_they_are(site: Site, name: str) -> None:
    person = site.person("Alice")
    etag = person.get("/v1/me").headers["ETag"]
    changed = person.patch("/v1/me", {"name": name}, headers={"If-Match": etag})
    assert changed.status_code == 200, changed.json
    game_id = person.opens(seats=2, bots=1)["id"]
    assert person.sees(game_id)["seats"][0]["name"] == name
    assert person.get(f"/v1/games/{game_id}/board.svg").status_code == 200
    assert person.get(f"/v1/games/{game_id}/board.png").status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a\u2028b",
        "a\x07",
        "x" * 41,
        " x",
        "\u200b",
        "\u202ennA",
        "Anna\u2060",
        "👩\u200d🔬",
    ],
)
def test_unreadable_names_are_refused(site: Site, alice: Caller, name: str) -> None:
    etag = alice.get("/v1/me").headers["ETag"]
    refused = alice.patch("/v1/me", {"name": name}, headers={"If-Match": etag})
    assert refused.status_code == 422
    assert refused.json is not None
    assert refused.json["errors"][0]["pointer"] == "/name"


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("SELECT", {}, Exception("gone")),
        InterfaceError("SELECT", {}, Exception("closed")),
        NoConnectionFree(),
    ],
)
def test_an_unavailable_database_is_503_with_retry_after(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, error: SQLAlchemyError
) -> None:
    game_id = alice.opens()["id"]

    def away(*_: Any) -> None:
        raise error

    monkeypatch.setattr("service.access.games.execute", away)
    for path in (f"/v1/games/{game_id}", f"/games/{game_id}"):
        answer = alice.get(path)
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "5"


def test_a_clock_set_back_loses_no_data(site: Site) -> None:
    """The server's time may be set back; what is due stays due and moves go on."""
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    site.clock.advance(hours=-3)
    assert alice.plays(game_id).status_code == 200
    assert bob.plays(game_id).status_code == 200
    site.clock.advance(days=-400)
    assert alice.sees(game_id)["status"] == "running"


# Headers


def test_every_response_has_a_request_id_and_security_headers(site: Site, alice: Caller) -> None:
    for path in ("/v1/me", "/v1/nothing", "/healthz"):
        answer = alice.get(path)
        assert answer.headers["X-Request-Id"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    given = alice.get("/v1/me", headers={"X-Request-Id": "mine-1"})
    assert given.headers["X-Request-Id"] == "mine-1"
    forged = alice.get("/v1/me", headers={"X-Request-Id": "<script>"})
    assert forged.headers["X-Request-Id"] != "<script>"


def test_clients_of_other_origins_may_call_the_api(site: Site) -> None:
    origin = {"Origin": "https://client.example"}
    asked = site.client.options("/v1/games", headers=origin)
    assert asked.headers["Access-Control-Allow-Origin"] == "*"
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
    answer = site.client.get("/v1/catalogue", headers=origin)
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers


# Work


def test_a_move_costs_the_same_at_the_beginning_and_at_the_end(any_site: Site) -> None:
    """Constant work: statements and bytes of a move do not grow with the length of the game."""
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    work: list[tuple[int, int]] = []
    statements: list[int] = []

    with any_site.app.app_context():
        engine = db.engine

    @event.listens_for(engine, "before_cursor_execute")
    def _note(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        statements.append(len(statement) + len(repr(parameters)))

    while (game := alice.sees(game_id))["status"] == "running":
        player = alice if game["decision"] and not game["decision"]["revising"] else bob
        decision = player.sees(game_id)["decision"]
        body = {"decision": decision["id"], "text": decision["moves"][0]["text"]}
        statements.clear()
        assert player.post(f"/v1/games/{game_id}/moves", body).status_code == 200
        work.append((len(statements), sum(statements)))
    assert len(work) > 60
    most_statements = max(count for count, _ in work[:20])
    most_bytes = max(size for _, size in work[:20])
    assert most_statements <= 10
    assert max(count for count, _ in work) <= most_statements + 1
    assert max(size for _, size in work) <= most_bytes * 2


def test_reading_a_game_takes_few_statements(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    etag = alice.get(f"/v1/games/{game_id}").headers["ETag"]
    bob.plays(game_id)
    statements: list[str] = []
    with site.app.app_context():
        event.listen(db.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    alice.get(f"/v1/games/{game_id}")
    assert len(statements) <= 3, statements  # the game, its seats, the decision
    statements.clear()
    etag = alice.get(f"/v1/games/{game_id}").headers["ETag"]
    assert len(statements) == 1, statements
    statements.clear()
    unchanged = alice.get(f"/v1/games/{game_id}", headers={"If-None-Match": etag})
    assert unchanged.status_code == 304
    assert len(statements) == 1, statements
