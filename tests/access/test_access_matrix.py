"""Who may do what: every operation of the contract, for everybody who should not do it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from service.db.session import db
from tests.support.access_scenario import (
    OPEN,
    PRIVATE,
    PUBLIC,
    RUNNING,
    VISIBILITIES,
    AccessScenario,
    build_scenario,
)
from tests.support.operations import (
    CASES,
    HOST,
    NEWCOMER,
    OWN,
    SEAT,
    SIGHT,
    THING,
    Operation,
    operations,
    request_for,
)
from tests.support.rewinding import all_rows
from tests.support.site import FIRST_GAME, Caller, Site, settings_for

OPERATIONS = operations()
GUARDED = [name for name, found in OPERATIONS.items() if not found.for_all]
SCOPED = [name for name in GUARDED if OPERATIONS[name].scope is not None]


def about(*kinds: str) -> list[str]:
    return [name for name in OPERATIONS if name in CASES and CASES[name].about in kinds]


GAME_OPERATIONS = [name for name in about(SIGHT, SEAT, HOST, NEWCOMER) if CASES[name].status]


@pytest.fixture(scope="module")
def built(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AccessScenario]:
    data = tmp_path_factory.mktemp("access")
    shutil.copy(migrated_sqlite, data / "laguna.db")
    site = Site(settings_for(data, f"sqlite:///{data / 'laguna.db'}"))
    yield build_scenario(site)
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def scenario(built: AccessScenario) -> Iterator[AccessScenario]:
    """The scenario as it was built, restored before each test."""
    built.restore()
    yield built
    built.restore()


def refused(
    scenario: AccessScenario,
    operation: Operation,
    caller: Caller,
    code: str,
    visibility: str = PUBLIC,
) -> TestResponse:
    """The caller is refused with this code, and nothing has changed."""
    before = all_rows(scenario.site)
    answer = request_for(scenario, operation, caller, visibility)
    assert answer.json is not None, answer.status
    assert answer.json["code"] == code, (caller.name, visibility, answer.json)
    assert answer.content_type == "application/problem+json"
    assert all_rows(scenario.site) == before
    return answer


def test_every_operation_of_the_contract_has_a_case() -> None:
    assert set(CASES) == set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_request_of_a_case_succeeds_for_the_right_person(
    scenario: AccessScenario, name: str
) -> None:
    case = CASES[name]
    right = scenario.charlie if case.about == NEWCOMER else scenario.alice
    for visibility in VISIBILITIES if case.status and case.about != NEWCOMER else (PUBLIC,):
        answer = request_for(scenario, OPERATIONS[name], right, visibility)
        assert answer.status_code < 300, answer.json
        scenario.restore()


@pytest.mark.parametrize("name", OPERATIONS)
def test_anonymous_requests_are_allowed_only_as_the_contract_declares(
    scenario: AccessScenario, name: str
) -> None:
    operation = OPERATIONS[name]
    if operation.public:
        assert request_for(scenario, operation, scenario.site.stranger).status_code < 300
        return
    for visibility in VISIBILITIES:
        answer = refused(scenario, operation, scenario.site.stranger, "not_signed_in", visibility)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("name", GUARDED)
def test_an_invalid_token_is_refused_with_its_reason(scenario: AccessScenario, name: str) -> None:
    for code, token in scenario.refused.items():
        caller = Caller(scenario.site.client, token, code)
        answer = refused(scenario, OPERATIONS[name], caller, code.split()[0])
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic bm86bm8=", "lag_secret"])
def test_other_authorization_schemes_are_refused_not_ignored(
    scenario: AccessScenario, header: str
) -> None:
    for name in GUARDED:
        answer = request_for(
            scenario, OPERATIONS[name], scenario.site.stranger, headers={"Authorization": header}
        )
        assert answer.status_code == 401, name
        assert answer.json is not None
        assert answer.json["code"] == "invalid_token"


@pytest.mark.parametrize("name", [name for name in OPERATIONS if OPERATIONS[name].for_all])
def test_an_invalid_token_does_no_harm_where_none_is_needed(
    scenario: AccessScenario, name: str
) -> None:
    for token in scenario.refused.values():
        caller = Caller(scenario.site.client, token)
        assert request_for(scenario, OPERATIONS[name], caller).status_code < 300
        scenario.restore()
    odd = {"Authorization": "Basic bm86bm8="}
    answer = request_for(scenario, OPERATIONS[name], scenario.site.stranger, headers=odd)
    assert answer.status_code < 300


@pytest.mark.parametrize("name", SCOPED)
def test_a_missing_scope_is_named(scenario: AccessScenario, name: str) -> None:
    operation = OPERATIONS[name]
    assert operation.scope is not None
    for visibility in VISIBILITIES:
        caller = scenario.without_scope(operation.scope)
        answer = refused(scenario, operation, caller, "missing_scope", visibility)
        assert answer.status_code == 403
        assert answer.json is not None
        assert answer.json["scope"] == operation.scope
        assert f'scope="{operation.scope}"' in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    "name", [name for name in SCOPED if OPERATIONS[name].scope == "webhooks:write"]
)
def test_webhooks_need_the_right_to_read_games_too(scenario: AccessScenario, name: str) -> None:
    answer = refused(
        scenario, OPERATIONS[name], scenario.without_scope("games:read"), "missing_scope"
    )
    assert answer.json is not None
    assert answer.json["scope"] == "games:read"


def test_a_stored_response_needs_the_scope_of_the_operation(
    scenario: AccessScenario,
) -> None:
    operation = OPERATIONS["createGame"]
    key = {"Idempotency-Key": "once"}
    made = request_for(scenario, operation, scenario.alice, headers=key)
    assert made.status_code == 201
    weak = scenario.without_scope("tables:seek")
    again = request_for(scenario, operation, weak, headers=key)
    assert again.status_code == 403
    assert again.json is not None
    assert again.json["code"] == "missing_scope"


def test_a_stored_response_shows_no_hand_to_a_token_without_games_read(
    scenario: AccessScenario,
) -> None:
    wanted, key = {"game": FIRST_GAME, "seats": 2, "bots": 1}, {"Idempotency-Key": "once"}
    made = scenario.alice.post("/v1/games", wanted, headers=key)
    assert made.json is not None
    assert made.json["decision"] is not None
    again = scenario.without_scope("games:read").post("/v1/games", wanted, headers=key)
    assert again.json is not None
    assert again.json["code"] == "idempotency_key_reused"


def test_only_somebody_who_signed_in_can_delete_or_export_the_account(
    scenario: AccessScenario,
) -> None:
    token = scenario.without_scope("bots:write")
    for name in ("deleteMyAccount", "exportAccount"):
        assert refused(scenario, OPERATIONS[name], token, "sessions_only")


@pytest.mark.parametrize("name", about(THING))
def test_rows_of_alice_do_not_exist_for_charlie(scenario: AccessScenario, name: str) -> None:
    for caller in (scenario.charlie, scenario.bob):
        answer = refused(scenario, OPERATIONS[name], caller, "not_found")
        assert answer.status_code == 404


@pytest.mark.parametrize("name", about(OWN))
def test_lists_of_charlie_have_only_his_own_items(scenario: AccessScenario, name: str) -> None:
    operation = OPERATIONS[name]
    if operation.writes or operation.for_all:
        return
    answer = request_for(scenario, operation, scenario.charlie)
    assert answer.status_code == 200
    for secret in (*scenario.ids.values(), *scenario.games.values(), "alice", "Alice"):
        assert secret not in answer.text


@pytest.mark.parametrize("name", GAME_OPERATIONS)
def test_a_private_game_does_not_exist_for_charlie(scenario: AccessScenario, name: str) -> None:
    answer = refused(scenario, OPERATIONS[name], scenario.charlie, "not_found", PRIVATE)
    assert answer.status_code == 404
    assert answer.json is not None
    ids = {"game_id": "a" * 16}
    path = OPERATIONS[name].path.format(**(scenario.ids | village_invitation(scenario) | ids))
    body = CASES[name].body
    never = scenario.charlie.call(
        OPERATIONS[name].method,
        path,
        **({} if body is None else {"json": body(scenario, {"game_id": game_of(scenario, name)})}),
    )
    assert never.json == answer.json, "as for an id that never was"


def village_invitation(scenario: AccessScenario) -> dict[str, str]:
    return {"invitation_id": scenario.invitations[PRIVATE]}


def game_of(scenario: AccessScenario, name: str) -> str:
    status = CASES[name].status
    assert status is not None
    return scenario.games[status, PUBLIC]


@pytest.mark.parametrize("name", [name for name in GAME_OPERATIONS if OPERATIONS[name].public])
def test_a_private_game_does_not_exist_for_a_stranger(scenario: AccessScenario, name: str) -> None:
    refused(scenario, OPERATIONS[name], scenario.site.stranger, "not_found", PRIVATE)


@pytest.mark.parametrize("name", about(SEAT, HOST))
def test_a_spectator_of_a_public_game_may_only_read(scenario: AccessScenario, name: str) -> None:
    code = "not_seated" if CASES[name].about == SEAT else "not_host"
    assert refused(scenario, OPERATIONS[name], scenario.charlie, code).status_code == 403


@pytest.mark.parametrize("name", about(HOST))
def test_another_seat_is_not_the_host(scenario: AccessScenario, name: str) -> None:
    for visibility in VISIBILITIES:
        answer = refused(scenario, OPERATIONS[name], scenario.bob, "not_host", visibility)
        assert answer.status_code == 403


@pytest.mark.parametrize("name", [name for name in about(SIGHT) if CASES[name].status])
def test_a_spectator_sees_the_same_with_and_without_a_token(
    scenario: AccessScenario, name: str
) -> None:
    seen = [
        request_for(scenario, OPERATIONS[name], caller)
        for caller in (scenario.charlie, scenario.site.stranger)
    ]
    assert seen[0].data == seen[1].data
    assert seen[0].headers.get("ETag") == seen[1].headers.get("ETag")


def test_a_spectator_sees_no_hand_no_choice_and_no_seed(scenario: AccessScenario) -> None:
    game_id = scenario.games[RUNNING, PUBLIC]
    assert scenario.alice.plays(game_id).status_code == 200
    shown = scenario.site.stranger.sees(game_id)
    assert shown["decision"] is None
    assert shown["your_seat"] is None
    assert shown["seed"] is None
    for player in (scenario.alice, scenario.bob):
        own = player.sees(game_id)
        assert own["position"] != shown["position"]
        assert own["seed"] is None
    log = scenario.site.stranger.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    assert [line["move"] for line in log["items"] if line["decision"].endswith("s0")] == [None]


@pytest.mark.parametrize("visibility", VISIBILITIES)
def test_the_note_and_the_plan_of_another_seat_are_private(
    scenario: AccessScenario, visibility: str
) -> None:
    game_id = scenario.games[RUNNING, visibility]
    everything = {
        player.name: "".join(
            player.get(f"/v1/games/{game_id}{what}").text
            for what in ("", "/note", "/plan", "/log", "/record", "/messages", "/board.txt")
        )
        for player in (scenario.alice, scenario.bob)
    }
    assert "secret of Bob" not in everything["Alice"]
    assert "secret of Bob" in everything["Bob"]
    assert "secret of Alice" not in everything["Bob"]


def test_a_caller_plays_only_their_own_seat(scenario: AccessScenario) -> None:
    game_id = scenario.games[RUNNING, PUBLIC]
    decision = scenario.alice.sees(game_id)["decision"]
    before = all_rows(scenario.site)
    answer = scenario.bob.post(
        f"/v1/games/{game_id}/moves",
        {"decision": decision["id"], "move": decision["moves"][0]["move"]},
    )
    assert answer.status_code == 409
    assert answer.json is not None
    assert answer.json["code"] == "not_your_decision"
    assert all_rows(scenario.site) == before


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/invitations"), ("DELETE", "/invitations/{invitation_id}")]
)
def test_an_invited_person_sees_the_table_but_not_the_other_invitations(
    scenario: AccessScenario, method: str, path: str
) -> None:
    invited = scenario.site.person("Eve", "e@example.org")
    game_id = scenario.games[OPEN, PRIVATE]
    assert invited.sees(game_id)["status"] == "open"
    answer = invited.call(
        method, f"/v1/games/{game_id}" + path.format(**village_invitation(scenario))
    )
    assert answer.status_code == 403
    assert answer.json is not None
    assert answer.json["code"] == "not_host"
