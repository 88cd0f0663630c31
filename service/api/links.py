"""Links of the OpenAPI document: the operations for which a response has the parameters."""

from engine.contract import Json

Links = dict[str, Json]
ID = "$response.body#/id"


def link(operation_id: str, **parameters: str) -> Json:
    return {"operationId": operation_id, "parameters": parameters}


GAME_LINKS: Links = {
    name: link(name, game_id=ID)
    for name in (
        "getGame",
        "joinGame",
        "leaveGame",
        "startGame",
        "cancelGame",
        "offerRematch",
        "listInvitations",
        "createInvitation",
        "getLog",
        "getRecord",
        "getBoardText",
        "getBoardSvg",
        "getBoardPng",
        "getStatistics",
        "getPlan",
        "putPlan",
        "getNote",
        "putNote",
        "listMessages",
        "postMessage",
        "offerEnd",
        "withdrawEndOffer",
        "resignGame",
        "playOn",
        "takeSeatBack",
        "voteForPause",
        "endPause",
    )
} | {
    "playMove": link("playMove", game_id=ID)
    | {
        "requestBody": {
            "decision": "$response.body#/decision/id",
            "move": "$response.body#/decision/moves/0/move",
        }
    },
    "getPlayer": link("getPlayer", person_id="$response.body#/host"),
    "listPlayerGames": link("listPlayerGames", person_id="$response.body#/host"),
}
