"""Following: numbered, complete, by asking, by waiting and as a stream."""

import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import orjson
import pytest

from service.config import Limits
from tests.service.support.house import Caller, House
from tests.service.support.limited import LimitedHouses

events: Any = import_module("service.api.events")  # the noun of the package has the same name


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams and waiting requests of a test look often and end soon."""
    monkeypatch.setattr(events, "LOOK_EVERY", 0.01)
    monkeypatch.setattr(events, "STREAM_FOR", 0.4)


def told(who: Caller, after: int = 0, wait: int = 0) -> list[dict[str, Any]]:
    answer = who.get(f"/v1/events?after={after}&wait={wait}&limit=500")
    assert answer.status_code == 200, answer.json
    assert answer.json is not None
    return list(answer.json["items"])


def streamed(body: bytes) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The events of a stream, as a browser reads them."""
    for block in body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line[1:])
        if "data" in fields:
            yield int(fields["id"]), fields["event"], orjson.loads(fields["data"])


def test_a_whole_game_is_told_without_gaps_and_the_same_in_every_way(any_house: House) -> None:
    alice, bob = any_house.people("Alice", "Bob")
    game_id = any_house.game_of(alice, bob)
    for _ in range(3):
        for player in (alice, bob):
            if player.sees(game_id)["decision"]:
                player.plays(game_id)
    found = told(alice)
    assert [event["number"] for event in found] == list(range(1, len(found) + 1))
    kinds = {event["type"] for event in found}
    assert {"table.joined", "game.started", "decision.opened", "game.moved"} <= kinds
    middle = len(found) // 2
    assert told(alice, after=middle) == found[middle:]
    stream = alice.get(
        "/v1/events", headers={"Accept": "text/event-stream", "Last-Event-ID": str(middle)}
    )
    assert stream.content_type.startswith("text/event-stream")
    assert [event for _, _, event in streamed(stream.data)] == found[middle:]
    assert [number for number, _, _ in streamed(stream.data)] == [
        event["number"] for event in found[middle:]
    ]


def test_who_waits_is_told_as_soon_as_something_happens(any_house: House) -> None:
    alice, bob = any_house.people("Alice", "Bob")
    game_id = any_house.game_of(alice, bob)
    seen = told(alice)[-1]["number"]
    heard: list[list[dict[str, Any]]] = []
    waiting = Caller(any_house.app.test_client(), alice.token)
    thread = threading.Thread(target=lambda: heard.append(told(waiting, seen, wait=30)))
    thread.start()
    bob.plays(game_id)
    thread.join(20)
    assert heard, "the answer came before the half minute was over"
    assert heard[0][0]["type"] == "game.moved"


def test_a_number_beyond_the_end_is_set_right(house: House) -> None:
    alice = house.person("Alice")
    answer = alice.get("/v1/events?after=100000").json
    assert answer == {"items": [], "last": 0}


def test_a_stream_ends_when_its_token_is_revoked(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "STREAM_FOR", 30)
    alice = house.person("Alice")
    token = alice.token_with("games:read")
    stream = Caller(house.app.test_client(), token.token)
    ended = threading.Event()

    def listen() -> None:
        answer = stream.get("/v1/events", headers={"Accept": "text/event-stream"})
        assert b"retry:" in answer.data
        ended.set()

    thread = threading.Thread(target=listen)
    thread.start()
    tokens = alice.get("/v1/tokens").json
    assert tokens is not None
    alice.delete(f"/v1/tokens/{tokens['items'][0]['id']}")
    assert ended.wait(20)
    thread.join()


def test_nobody_takes_all_places_to_wait(limited: LimitedHouses) -> None:
    house = limited(Limits(waiting_requests=3, waiting_requests_per_person=1))
    alice = house.person("Alice")
    inside = threading.Event()
    leave = threading.Event()

    def occupy() -> None:
        with house.app.app_context(), events._place_to_wait(alice.id()) as granted:
            assert granted
            inside.set()
            leave.wait(20)

    thread = threading.Thread(target=occupy)
    thread.start()
    assert inside.wait(20)
    assert told(alice, wait=60) == []  # at once: the one place of Alice is taken
    leave.set()
    thread.join()
