"""Every operation of the contract with a valid request and the people who may send it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.test import TestResponse

from tests.support.access_scenario import AWAY, FINISHED, OPEN, PUBLIC, RUNNING, WON, AccessScenario
from tests.support.contract import document
from tests.support.site import FIRST_GAME, Caller

METHODS = ("get", "put", "post", "patch", "delete")

# What an operation is about, and so who may do it.
OWN = "own"  # the caller's own account
THING = "thing"  # something only its owner knows of
SIGHT = "sight"  # a game, for whoever may see it
SEAT = "seat"  # a game, for those who have a seat in it
HOST = "host"  # a table, for its host
NEWCOMER = "newcomer"  # a table, for whoever has no seat at it yet


@dataclass(frozen=True)
class Operation:
    """An operation as the contract has it."""

    id: str
    method: str
    path: str
    scope: str | None
    security: list[dict[str, Any]]

    @property
    def for_all(self) -> bool:
        """No token is looked at."""
        return not self.security

    @property
    def public(self) -> bool:
        """Strangers may do it too."""
        return self.for_all or {} in self.security

    @property
    def writes(self) -> bool:
        return self.method != "GET"


@dataclass(frozen=True)
class Case:
    """A request that would succeed if the right person made it."""

    about: str
    status: str | None = None  # of the game it is about
    body: Callable[[AccessScenario, Mapping[str, str]], Any] | None = None  # by the ids in the path
    headers: Mapping[str, str] | None = None
    query: str = ""


def operations() -> dict[str, Operation]:
    """All operations of `openapi.yaml`."""
    return {
        operation["operationId"]: Operation(
            operation["operationId"],
            method.upper(),
            path,
            operation.get("x-scope"),
            operation["security"],
        )
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    }


def fixed(value: Any) -> Callable[[AccessScenario, Mapping[str, str]], Any]:
    return lambda scenario, ids: value


def first_move(scenario: AccessScenario, ids: Mapping[str, str]) -> Any:
    """What Alice could answer."""
    decision = scenario.alice.sees(ids["game_id"])["decision"]
    return {"decision": decision["id"], "move": decision["moves"][0]["move"]}


def last_answer(scenario: AccessScenario, ids: Mapping[str, str]) -> Any:
    """What Alice would take back."""
    return {"decision": scenario.alice.sees(ids["game_id"])["decision"]["id"]}


def mailed_code(scenario: AccessScenario, ids: Mapping[str, str]) -> Any:
    letter = scenario.site.letters(scenario.newcomer)[-1]
    return {"email": scenario.newcomer, "code": str(letter.subject)[:9], "name": "New"}


TOKEN = {"name": "t", "scopes": ["games:read"]}

CASES: dict[str, Case] = {
    "askForCode": Case(OWN, body=fixed({"email": "new@example.org"})),
    "createSession": Case(OWN, body=mailed_code),
    "listSessions": Case(OWN),
    "endSession": Case(THING),
    "describeToken": Case(OWN),
    "getAccount": Case(OWN),
    "changeAccount": Case(OWN, body=fixed({"name": "Alicia"}), headers={"If-Match": "*"}),
    "deleteMyAccount": Case(OWN),
    "exportAccount": Case(OWN),
    "getCalendar": Case(OWN),
    "replaceCalendar": Case(OWN),
    "listAbsences": Case(OWN),
    "announceAbsence": Case(OWN, body=fixed({"from": AWAY[0], "to": AWAY[1]})),
    "takeAbsenceBack": Case(THING),
    "getPlayer": Case(SIGHT),
    "listPlayerGames": Case(SIGHT),
    "listTokens": Case(OWN),
    "createToken": Case(OWN, body=fixed(TOKEN)),
    "revokeToken": Case(THING),
    "listBots": Case(OWN),
    "createBot": Case(OWN, body=fixed({"name": "Furnace"})),
    "createBotToken": Case(THING, body=fixed(TOKEN)),
    "deleteBot": Case(THING),
    "listCatalogue": Case(OWN),
    "listGames": Case(OWN),
    "createGame": Case(OWN, body=fixed({"game": FIRST_GAME, "seats": 2})),
    "getGame": Case(SIGHT, RUNNING),
    "listTables": Case(SIGHT),
    "joinGame": Case(NEWCOMER, OPEN, body=fixed({})),
    "leaveGame": Case(SEAT, OPEN),
    "startGame": Case(HOST, OPEN, body=fixed({"bots": True})),
    "cancelGame": Case(HOST, OPEN),
    "offerRematch": Case(SEAT, FINISHED),
    "listInvitations": Case(HOST, OPEN),
    "createInvitation": Case(HOST, OPEN, body=fixed({"email": "f@example.org"})),
    "withdrawInvitation": Case(HOST, OPEN),
    "listOwnInvitations": Case(OWN),
    "listDecisions": Case(OWN),
    "playMove": Case(SEAT, RUNNING, body=first_move),
    "undoMove": Case(SEAT, RUNNING, body=last_answer),
    "getPlan": Case(SEAT, RUNNING),
    "putPlan": Case(SEAT, RUNNING, body=fixed({"wishes": []})),
    "getNote": Case(SEAT, RUNNING),
    "putNote": Case(SEAT, RUNNING, body=fixed({"text": "mine"})),
    "getGameMails": Case(SEAT, RUNNING),
    "putGameMails": Case(SEAT, RUNNING, body=fixed({"wanted": False})),
    "resignGame": Case(SEAT, RUNNING),
    "playOn": Case(SEAT, WON),
    "offerEnd": Case(SEAT, RUNNING),
    "withdrawEndOffer": Case(SEAT, RUNNING),
    "takeSeatBack": Case(SEAT, RUNNING),
    "voteForPause": Case(SEAT, RUNNING),
    "endPause": Case(SEAT, RUNNING),
    "listMessages": Case(SEAT, RUNNING),
    "postMessage": Case(SEAT, RUNNING, body=fixed({"text": "hello"})),
    "getLog": Case(SIGHT, RUNNING),
    "getRecord": Case(SIGHT, RUNNING),
    "getBoardText": Case(SIGHT, RUNNING),
    "getBoardSvg": Case(SIGHT, RUNNING),
    "getBoardPng": Case(SIGHT, RUNNING),
    "getStatistics": Case(SIGHT, FINISHED),
    "listEvents": Case(OWN),
    "listWebhooks": Case(OWN),
    "createWebhook": Case(OWN, body=fixed({"url": "https://8.8.4.4/other"})),
    "getWebhook": Case(THING),
    "changeWebhook": Case(THING, body=fixed({"enabled": False}), headers={"If-Match": "*"}),
    "deleteWebhook": Case(THING),
    "testWebhook": Case(THING),
    "rotateWebhookSecret": Case(THING),
    "listDeliveries": Case(THING),
    "resendDelivery": Case(THING),
}


def request_for(
    scenario: AccessScenario,
    operation: Operation,
    caller: Caller,
    visibility: str = PUBLIC,
    **more: Any,
) -> TestResponse:
    """Make the operation's request as this caller, about the game of this visibility."""
    case = CASES[operation.id]
    ids = dict(scenario.ids)
    if case.status is not None:
        ids["game_id"] = scenario.games[case.status, visibility]
    if visibility in scenario.invitations:
        ids["invitation_id"] = scenario.invitations[visibility]
    body = {} if case.body is None else {"json": case.body(scenario, ids)}
    headers = {**(case.headers or {}), **more.pop("headers", {})}
    return caller.call(
        operation.method, operation.path.format(**ids) + case.query, headers=headers, **body, **more
    )
