"""Counting requests when there is a Redis, and when it does not answer."""

from pathlib import Path

from structlog.testing import capture_logs

from service.api.limits import ALONE_FOR, Counter
from tests.servers.redis import RedisServer
from tests.service.support.house import settings_for


def test_a_redis_that_is_silent_is_left_alone_for_a_while(own_redis: RedisServer) -> None:
    """Each request would wait for it otherwise."""
    seconds = 0.0
    settings = settings_for(Path("unused"), "sqlite://", redis_url=own_redis.url)
    counter = Counter(settings, clock=lambda: seconds)
    most = counter.requests.amount

    def left() -> int:
        return counter.hit(counter.requests, "requests", "somebody")[1]

    assert [left(), left()] == [most - 1, most - 2]
    own_redis.pause()
    with capture_logs() as logs:
        assert [left() for _ in range(50)] == [most - n for n in range(1, 51)], "counted here"
    assert len(logs) == 1, "it was asked once"
    own_redis.resume()
    seconds = ALONE_FOR
    assert left() < most - 2, "all processes count together again"
