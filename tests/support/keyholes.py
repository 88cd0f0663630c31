"""Every response about a game that an observer can get over HTTP, byte by byte."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.rewinding import forget_all
from tests.support.site import Caller, Site

REQUEST_ID = {"X-Request-Id": "the-same"}
UNCOMPARED = ("Date",)

OF_A_GAME = (
    "",
    "/log",
    "/log?after=1&limit=2",
    "/record",
    "/record?legal=true",
    "/board.txt",
    "/board.svg",
    "/plan",
    "/note",
    "/mails",
    "/messages",
    "/statistics",
    "/invitations",
)
CALENDAR = "/v1/me/calendar"
OF_A_PERSON = (
    "/v1/games",
    "/v1/decisions",
    "/v1/events",
    "/v1/me",
    CALENDAR,
    "/v1/invitations",
    "/v1/token",
)
PICTURE = "/board.png"


class Answer(NamedTuple):
    """A response with everything that could reveal something."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def answer_of(response: TestResponse) -> Answer:
    headers = sorted((key, value) for key, value in response.headers if key not in UNCOMPARED)
    return Answer(response.status_code, tuple(headers), response.data)


def paths(site: Site, game_id: str, people: list[str], pictures: bool) -> Iterator[str]:
    """All URLs related to this game."""
    for what in (*OF_A_GAME, *([PICTURE] if pictures else [])):
        yield f"/v1/games/{game_id}{what}"
    last = site.stranger.sees(game_id)["moves"]
    for at in range(max(0, last - 3), last + 1):
        yield f"/v1/games/{game_id}?at={at}"
    yield f"/v1/games/{game_id}/board.svg?at={last}"
    yield f"/v1/games/{game_id}/board.txt?at={max(0, last - 1)}&language=de"
    yield "/v1/tables"
    yield from OF_A_PERSON
    for person in people:
        yield f"/v1/people/{person}"
        yield f"/v1/people/{person}/games"


def everything_seen(
    site: Site, observer: Caller, game_id: str, people: list[str], pictures: bool = False
) -> dict[str, Answer]:
    """What the observer gets from every address, asked in the same order of a fresh process.

    Only how answers compare counts here; that they fit the contract is shown elsewhere, and
    looking them through takes longer than making them.
    """
    plain = Caller(FlaskClient(site.app, site.app.response_class), observer.token)
    asked = list(paths(site, game_id, people, pictures))
    forget_all(site)
    seen = {path: answer_of(plain.get(path, headers=REQUEST_ID)) for path in asked}
    if seen[CALENDAR].status == 200:
        address = json.loads(seen[CALENDAR].body)["url"].removeprefix(site.settings.public_url)
        seen[address] = answer_of(plain.get(address, headers=REQUEST_ID))
    assert not [path for path, answer in seen.items() if answer.status >= 500]
    return seen


def etags(seen: dict[str, Answer]) -> dict[str, str]:
    """The ETags of these responses, by URL."""
    return {
        path: dict(answer.headers)["ETag"]
        for path, answer in seen.items()
        if "ETag" in dict(answer.headers)
    }


def must_be_equal(real: dict[str, Answer], other: dict[str, Answer], why: str) -> None:
    """Fail with the first URL whose responses differ."""
    assert list(real) == list(other)
    for path, answer in real.items():
        assert answer == other[path], f"{path} tells {why}"
