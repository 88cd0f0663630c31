"""Following: numbered, complete, by asking, by waiting and as a stream."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import pytest
from sqlalchemy.exc import OperationalError

from service.api import events
from service.core.config import Limits
from service.notify.waiting import PLACES, Waiting
from service.ops import asgi
from tests.servers.tree import until
from tests.support.limited import LimitedSites
from tests.support.served import CLIENT_SECONDS, served
from tests.support.site import Caller, Site

NO_LIMIT = "1000000 per minute"


def events_of(who: Caller, after: int = 0, wait: int = 0) -> list[dict[str, Any]]:
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


def test_all_event_channels_deliver_a_game_without_gaps(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    for _ in range(3):
        for player in (alice, bob):
            if player.sees(game_id)["decision"]:
                player.plays(game_id)
    found = events_of(alice)
    assert [event["number"] for event in found] == list(range(1, len(found) + 1))
    kinds = {event["type"] for event in found}
    assert {"table.joined", "game.started", "decision.opened", "game.moved"} <= kinds
    middle = len(found) // 2
    assert events_of(alice, after=middle) == found[middle:]
    stream = alice.get(
        "/v1/events", headers={"Accept": "text/event-stream", "Last-Event-ID": str(middle)}
    )
    assert stream.content_type.startswith("text/event-stream")
    assert [event for _, _, event in streamed(stream.data)] == found[middle:]
    assert [number for number, _, _ in streamed(stream.data)] == [
        event["number"] for event in found[middle:]
    ]


def test_a_long_poll_returns_at_the_next_event(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    seen = events_of(alice)[-1]["number"]
    with served(any_site) as server:
        heard: list[Any] = []

        def listen() -> None:
            heard.append(server.get(f"/v1/events?after={seen}&wait=60", alice.token))

        thread = threading.Thread(target=listen)
        thread.start()
        until(lambda: PLACES.taken.total() == 1, "a waiting request")
        bob.plays(game_id)
        thread.join(30)
        assert heard, "the answer came before its minute was over"
        status, headers, body = heard[0]
        assert status == 200
        assert headers["content-type"] == "application/json"
        assert body["items"][0]["type"] == "game.moved"
        assert body["last"] == body["items"][-1]["number"]
    assert not PLACES.taken


def test_a_long_poll_without_an_event_returns_at_its_time_limit(site: Site) -> None:
    alice = site.person("Alice")
    with served(site) as server:
        status, headers, body = server.get("/v1/events?after=7&wait=1", alice.token)
    assert (status, body) == (200, {"items": [], "last": 0})
    assert "x-request-id" in headers


def test_an_event_number_beyond_the_end_is_corrected(site: Site) -> None:
    alice = site.person("Alice")
    answer = alice.get("/v1/events?after=100000").json
    assert answer == {"items": [], "last": 0}


def test_a_stream_delivers_every_event_and_keep_alive_comments(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asgi, "COMMENT_SECONDS", 0.05)
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    with served(any_site) as server:
        stream = server.stream(alice.token)
        blocks = stream.blocks()
        assert next(blocks) == {"retry": "2000"}
        had = [next(blocks) for _ in events_of(alice)]
        assert [int(fields["id"]) for fields in had] == list(range(1, len(had) + 1))
        assert next(blocks) == {"": "still here"}
        bob.plays(game_id)
        news = next(fields for fields in blocks if "data" in fields)
        assert int(news["id"]) == len(had) + 1
        assert news["event"] == "game.moved"
        stream.close()
        until(lambda: not PLACES.taken, "the place of a client that hung up")


@pytest.mark.parametrize("way", ["poll_response", "stream_chunk"])
def test_a_database_that_fails_once_breaks_no_waiting_request(
    site: Site, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    last = events_of(alice)[-1]["number"]
    read, failed = getattr(asgi, way), threading.Event()

    def fails_once(waiting: Waiting) -> Any:
        if not failed.is_set():
            failed.set()
            raise OperationalError("SELECT", {}, Exception("the server closed the connection"))
        return read(waiting)

    monkeypatch.setattr(asgi, way, fails_once)
    with served(site) as server, ThreadPoolExecutor(1) as pool:
        if way == "stream_chunk":
            stream = server.stream(alice.token, last)
            assert next(stream.blocks()) == {"retry": "2000"}
            bob.plays(game_id)
            assert next(stream.events())["number"] == last + 1
            stream.close()
        else:
            poll = pool.submit(server.get, f"/v1/events?after={last}&wait=25", alice.token)
            until(lambda: bool(server.bridge.watcher.waiters), "a request that waits")
            bob.plays(game_id)
            status, _, body = poll.result(CLIENT_SECONDS)
            assert (status, body["items"][0]["number"]) == (200, last + 1)
    assert failed.is_set()


def test_a_stream_ends_in_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "STREAM_SECONDS", 0.2)
    alice = site.person("Alice")
    with served(site) as server:
        assert list(server.stream(alice.token).blocks()) == [{"retry": "2000"}]


def test_a_stream_ends_with_the_server(site: Site) -> None:
    alice = site.person("Alice")
    with served(site) as server:
        blocks = server.stream(alice.token).blocks()
        assert next(blocks) == {"retry": "2000"}
        server.stop()
        assert list(blocks) == []


def test_a_stream_ends_when_its_token_is_revoked(any_site: Site) -> None:
    alice = any_site.person("Alice")
    token = alice.token_with("games:read")
    with served(any_site) as server:
        stream = server.stream(token.token)
        tokens = alice.get("/v1/tokens").json
        assert tokens is not None
        alice.delete(f"/v1/tokens/{tokens['items'][0]['id']}")
        assert list(stream.blocks()) == [{"retry": "2000"}]


def test_waiting_requests_of_an_account_are_limited(limited: LimitedSites) -> None:
    site = limited(
        Limits(
            requests=NO_LIMIT,
            anonymous_requests=NO_LIMIT,
            waiting_requests=3,
            waiting_requests_per_person=2,
        )
    )
    alice, bob = site.people("Alice", "Bob")
    made = alice.post("/v1/bots", {"name": "Her bot"}).json
    assert made is not None
    token = alice.post(
        f"/v1/bots/{made['id']}/tokens", {"name": "x", "scopes": ["games:read"]}
    ).json
    assert token is not None
    with served(site) as server:
        streams = [server.stream(alice.token), server.stream(token["secret"])]
        for secret in (alice.token, token["secret"]):  # bots count with their owner
            refused = server.stream(secret).response
            assert refused.status == 429
            assert refused.headers["Retry-After"] == "5"
            status, headers, problem = server.get("/v1/events?wait=30", secret)
            assert (status, problem["code"]) == (429, "too_many_waiting")
            assert headers["retry-after"] == "5"
        streams.append(server.stream(bob.token))
        assert streams[-1].response.status == 200
        assert server.stream(bob.token).response.status == 429  # all places are taken
        assert server.get("/v1/events", alice.token)[0] == 200  # who does not wait needs none
        streams.pop(0).close()
        until(lambda: PLACES.taken.total() == 2, "a free place")
        streams.append(server.stream(alice.token))
        assert streams[-1].response.status == 200
        for stream in streams:
            stream.close()
