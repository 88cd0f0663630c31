"""Who may do what: every operation of the contract, for everybody who should not do it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from service.db.session import db
from tests.support.house import FIRST_GAME, Caller, House, settings_for
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
from tests.support.village import (
    OPEN,
    PRIVATE,
    PUBLIC,
    RUNNING,
    VISIBILITIES,
    Village,
    build_village,
)

OPERATIONS = operations()
GUARDED = [name for name, found in OPERATIONS.items() if not found.for_all]
SCOPED = [name for name in GUARDED if OPERATIONS[name].scope is not None]


def about(*kinds: str) -> list[str]:
    return [name for name in OPERATIONS if name in CASES and CASES[name].about in kinds]


GAME_OPERATIONS = [name for name in about(SIGHT, SEAT, HOST, NEWCOMER) if CASES[name].status]


@pytest.fixture(scope="module")
def built(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Village]:
    data = tmp_path_factory.mktemp("village")
    shutil.copy(migrated_sqlite, data / "laguna.db")
    house = House(settings_for(data, f"sqlite:///{data / 'laguna.db'}"))
    yield build_village(house)
    with house.app.app_context():
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def village(built: Village) -> Iterator[Village]:
    """The village as it was built, whatever the tests before did in it."""
    built.restore()
    yield built
    built.restore()


def refused(
    village: Village,
    operation: Operation,
    caller: Caller,
    code: str,
    visibility: str = PUBLIC,
) -> TestResponse:
    """The caller is refused with this code, and nothing has changed."""
    before = all_rows(village.house)
    answer = request_for(village, operation, caller, visibility)
    assert answer.json is not None, answer.status
    assert answer.json["code"] == code, (caller.name, visibility, answer.json)
    assert answer.content_type == "application/problem+json"
    assert all_rows(village.house) == before
    return answer


def test_every_operation_of_the_contract_has_a_case() -> None:
    assert set(CASES) == set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_request_of_a_case_succeeds_for_the_right_person(village: Village, name: str) -> None:
    case = CASES[name]
    right = village.charlie if case.about == NEWCOMER else village.alice
    for visibility in VISIBILITIES if case.status and case.about != NEWCOMER else (PUBLIC,):
        answer = request_for(village, OPERATIONS[name], right, visibility)
        assert answer.status_code < 300, answer.json
        village.restore()


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_stranger_is_let_in_where_the_contract_says_so_and_nowhere_else(
    village: Village, name: str
) -> None:
    operation = OPERATIONS[name]
    if operation.public:
        assert request_for(village, operation, village.house.stranger).status_code < 300
        return
    for visibility in VISIBILITIES:
        answer = refused(village, operation, village.house.stranger, "not_signed_in", visibility)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("name", GUARDED)
def test_a_token_that_is_no_longer_or_never_was_good_is_refused_with_the_reason(
    village: Village, name: str
) -> None:
    for code, token in village.refused.items():
        caller = Caller(village.house.client, token, code)
        answer = refused(village, OPERATIONS[name], caller, code.split()[0])
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic bm86bm8=", "lag_secret"])
def test_what_is_not_a_bearer_token_is_refused_not_ignored(village: Village, header: str) -> None:
    for name in GUARDED:
        answer = request_for(
            village, OPERATIONS[name], village.house.stranger, headers={"Authorization": header}
        )
        assert answer.status_code == 401, name
        assert answer.json is not None
        assert answer.json["code"] == "invalid_token"


@pytest.mark.parametrize("name", [name for name in OPERATIONS if OPERATIONS[name].for_all])
def test_where_no_token_is_asked_for_a_bad_one_does_no_harm(village: Village, name: str) -> None:
    for token in village.refused.values():
        caller = Caller(village.house.client, token)
        assert request_for(village, OPERATIONS[name], caller).status_code < 300
        village.restore()
    odd = {"Authorization": "Basic bm86bm8="}
    answer = request_for(village, OPERATIONS[name], village.house.stranger, headers=odd)
    assert answer.status_code < 300


@pytest.mark.parametrize("name", SCOPED)
def test_a_token_without_the_scope_is_told_which_one_it_needs(village: Village, name: str) -> None:
    operation = OPERATIONS[name]
    assert operation.scope is not None
    for visibility in VISIBILITIES:
        caller = village.without_scope(operation.scope)
        answer = refused(village, operation, caller, "missing_scope", visibility)
        assert answer.status_code == 403
        assert answer.json is not None
        assert answer.json["scope"] == operation.scope
        assert f'scope="{operation.scope}"' in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    "name", [name for name in SCOPED if OPERATIONS[name].scope == "webhooks:write"]
)
def test_webhooks_need_the_right_to_read_games_too(village: Village, name: str) -> None:
    answer = refused(
        village, OPERATIONS[name], village.without_scope("games:read"), "missing_scope"
    )
    assert answer.json is not None
    assert answer.json["scope"] == "games:read"


def test_an_idempotency_key_does_not_bring_the_answer_to_a_token_without_the_scope(
    village: Village,
) -> None:
    operation = OPERATIONS["createGame"]
    key = {"Idempotency-Key": "once"}
    made = request_for(village, operation, village.alice, headers=key)
    assert made.status_code == 201
    weak = village.without_scope("tables:seek")
    again = request_for(village, operation, weak, headers=key)
    assert again.status_code == 403
    assert again.json is not None
    assert again.json["code"] == "missing_scope"


def test_an_idempotency_key_does_not_show_a_hand_to_a_token_that_may_not_look(
    village: Village,
) -> None:
    wanted, key = {"game": FIRST_GAME, "seats": 2, "bots": 1}, {"Idempotency-Key": "once"}
    made = village.alice.post("/v1/games", wanted, headers=key)
    assert made.json is not None
    assert made.json["decision"] is not None
    again = village.without_scope("games:read").post("/v1/games", wanted, headers=key)
    assert again.json is not None
    assert again.json["code"] == "idempotency_key_reused"


def test_only_somebody_who_signed_in_can_delete_or_export_the_account(village: Village) -> None:
    token = village.without_scope("bots:write")
    for name in ("deleteMyAccount", "exportAccount"):
        assert refused(village, OPERATIONS[name], token, "sessions_only")


@pytest.mark.parametrize("name", about(THING))
def test_what_belongs_to_alice_does_not_exist_for_charlie(village: Village, name: str) -> None:
    for caller in (village.charlie, village.bob):
        answer = refused(village, OPERATIONS[name], caller, "not_found")
        assert answer.status_code == 404


@pytest.mark.parametrize("name", about(OWN))
def test_charlie_finds_only_what_is_his(village: Village, name: str) -> None:
    operation = OPERATIONS[name]
    if operation.writes or operation.for_all:
        return
    answer = request_for(village, operation, village.charlie)
    assert answer.status_code == 200
    for secret in (*village.ids.values(), *village.games.values(), "alice", "Alice"):
        assert secret not in answer.text


@pytest.mark.parametrize("name", GAME_OPERATIONS)
def test_a_private_game_does_not_exist_for_charlie(village: Village, name: str) -> None:
    answer = refused(village, OPERATIONS[name], village.charlie, "not_found", PRIVATE)
    assert answer.status_code == 404
    assert answer.json is not None
    ids = {"game_id": "a" * 16}
    path = OPERATIONS[name].path.format(**(village.ids | village_invitation(village) | ids))
    body = CASES[name].body
    never = village.charlie.call(
        OPERATIONS[name].method,
        path,
        **({} if body is None else {"json": body(village, {"game_id": game_of(village, name)})}),
    )
    assert never.json == answer.json, "as for an id that never was"


def village_invitation(village: Village) -> dict[str, str]:
    return {"invitation_id": village.invitations[PRIVATE]}


def game_of(village: Village, name: str) -> str:
    status = CASES[name].status
    assert status is not None
    return village.games[status, PUBLIC]


@pytest.mark.parametrize("name", [name for name in GAME_OPERATIONS if OPERATIONS[name].public])
def test_a_private_game_does_not_exist_for_a_stranger(village: Village, name: str) -> None:
    refused(village, OPERATIONS[name], village.house.stranger, "not_found", PRIVATE)


@pytest.mark.parametrize("name", about(SEAT, HOST))
def test_a_spectator_of_a_public_game_may_only_look(village: Village, name: str) -> None:
    code = "not_seated" if CASES[name].about == SEAT else "not_host"
    assert refused(village, OPERATIONS[name], village.charlie, code).status_code == 403


@pytest.mark.parametrize("name", about(HOST))
def test_another_seat_is_not_the_host(village: Village, name: str) -> None:
    for visibility in VISIBILITIES:
        answer = refused(village, OPERATIONS[name], village.bob, "not_host", visibility)
        assert answer.status_code == 403


@pytest.mark.parametrize("name", [name for name in about(SIGHT) if CASES[name].status])
def test_a_spectator_sees_the_same_with_and_without_a_token(village: Village, name: str) -> None:
    seen = [
        request_for(village, OPERATIONS[name], caller)
        for caller in (village.charlie, village.house.stranger)
    ]
    assert seen[0].data == seen[1].data
    assert seen[0].headers.get("ETag") == seen[1].headers.get("ETag")


def test_a_spectator_sees_no_hand_no_choice_and_no_seed(village: Village) -> None:
    game_id = village.games[RUNNING, PUBLIC]
    assert village.alice.plays(game_id).status_code == 200
    shown = village.house.stranger.sees(game_id)
    assert shown["decision"] is None
    assert shown["your_seat"] is None
    assert shown["seed"] is None
    for player in (village.alice, village.bob):
        own = player.sees(game_id)
        assert own["position"] != shown["position"]
        assert own["seed"] is None
    log = village.house.stranger.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    assert [line["move"] for line in log["items"] if line["decision"].endswith("s0")] == [None]


@pytest.mark.parametrize("visibility", VISIBILITIES)
def test_nobody_reads_the_note_or_the_plan_of_another_seat(
    village: Village, visibility: str
) -> None:
    game_id = village.games[RUNNING, visibility]
    everything = {
        player.name: "".join(
            player.get(f"/v1/games/{game_id}{what}").text
            for what in ("", "/note", "/plan", "/log", "/record", "/messages", "/board.txt")
        )
        for player in (village.alice, village.bob)
    }
    assert "secret of Bob" not in everything["Alice"]
    assert "secret of Bob" in everything["Bob"]
    assert "secret of Alice" not in everything["Bob"]


def test_nobody_plays_for_another_seat(village: Village) -> None:
    game_id = village.games[RUNNING, PUBLIC]
    decision = village.alice.sees(game_id)["decision"]
    before = all_rows(village.house)
    answer = village.bob.post(
        f"/v1/games/{game_id}/moves",
        {"decision": decision["id"], "move": decision["moves"][0]["move"]},
    )
    assert answer.status_code == 409
    assert answer.json is not None
    assert answer.json["code"] == "not_your_decision"
    assert all_rows(village.house) == before


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/invitations"), ("DELETE", "/invitations/{invitation_id}")]
)
def test_an_invited_person_sees_the_table_but_not_the_other_invitations(
    village: Village, method: str, path: str
) -> None:
    invited = village.house.person("Eve", "e@example.org")
    game_id = village.games[OPEN, PRIVATE]
    assert invited.sees(game_id)["status"] == "open"
    answer = invited.call(
        method, f"/v1/games/{game_id}" + path.format(**village_invitation(village))
    )
    assert answer.status_code == 403
    assert answer.json is not None
    assert answer.json["code"] == "not_host"
