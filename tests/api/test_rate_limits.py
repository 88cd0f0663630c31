"""Request limits: by person, by client address, with a Redis and without."""

import secrets
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from structlog.testing import capture_logs

from service.core.config import Limits
from service.core.rate_limits import REDIS_PAUSE, RateLimiter
from service.db.session import db
from tests.servers.redis import RedisServer
from tests.support.limited import LimitedSites
from tests.support.site import Caller, Site, settings_for

RATE = "600 per minute"


def invented() -> dict[str, str]:
    """A token that nobody was given, another each time."""
    return {"Authorization": f"Bearer lag_{secrets.token_hex(16)}"}


def bot_of(owner: Caller) -> Caller:
    bot: Any = owner.post("/v1/bots", {"name": "Glassblower"}).json
    made: Any = owner.post(
        f"/v1/bots/{bot['id']}/tokens", {"name": "t", "scopes": ["games:read"]}
    ).json
    return Caller(owner.client, made["secret"])


def statuses(caller: Caller, path: str, count: int, **kwargs: Any) -> list[int]:
    return [caller.get(path, **kwargs).status_code for _ in range(count)]


def test_all_credentials_of_a_person_count_together(limited: LimitedSites) -> None:
    site = limited(Limits(requests="12 per hour"))
    alice, bob = site.people("Alice", "Bob")
    token, second_session = alice.token_with("games:read"), site.person("Alice")
    bot = bot_of(alice)
    for caller in (alice, token, second_session, bot):
        assert statuses(caller, "/v1/games", 2) == [200, 200]
    # Three requests made the token and the bot, eight looked; one is left.
    assert statuses(bot, "/v1/games", 2) == [200, 429]
    for caller in (alice, token, second_session, bot):
        assert statuses(caller, "/v1/games", 1) == [429]
        assert statuses(caller, "/v1/catalogue", 1) == [429], "also where no token is read"
    assert statuses(bob, "/v1/games", 2) == [200, 200]
    assert statuses(site.stranger, "/v1/catalogue", 1) == [200]


@pytest.mark.parametrize(
    ("method", "path", "usual"),
    [
        ("GET", "/v1/catalogue", 200),
        ("POST", "/v1/sessions", 422),
        ("GET", "/v1/me", 401),
        ("PATCH", "/v1/me", 422),
        ("GET", "/v1/nothing", 404),
    ],
)
def test_invented_tokens_count_by_address(
    limited: LimitedSites, method: str, path: str, usual: int
) -> None:
    site = limited(Limits(anonymous_requests="5 per hour"))
    body: Any = {} if method == "GET" else {"json": {"email": "a@example.org", "code": "00000000"}}
    codes = [
        site.client.open(path, method=method, headers=invented(), **body).status_code
        for _ in range(7)
    ]
    assert codes == [usual] * 5 + [429] * 2


@pytest.mark.parametrize("path", ["/problems", "/nothing", "/"])
def test_invented_cookies_count_by_address(limited: LimitedSites, path: str) -> None:
    site = limited(Limits(anonymous_requests="5 per hour"))
    codes = []
    for _ in range(7):
        browser = site.app.test_client()
        browser.set_cookie(site.settings.session_cookie, secrets.token_hex(16))
        codes.append(browser.get(path).status_code)
    assert 429 not in codes[:5]
    assert codes[5:] == [429, 429]


def test_invalid_tokens_do_not_lock_out_valid_ones_at_the_same_address(
    limited: LimitedSites,
) -> None:
    site = limited(Limits())
    alice, bob = site.people("Alice", "Bob")
    guesses = [site.client.get("/v1/me", headers=invented()).status_code for _ in range(125)]
    assert guesses == [401] * 120 + [429] * 5
    assert bob.get("/v1/me").status_code == 200
    browser = site.app.test_client()
    browser.set_cookie(site.settings.session_cookie, alice.token or "")
    assert browser.get("/").status_code == 200
    assert site.stranger.get("/v1/catalogue").status_code == 429


def test_a_revoked_credential_counts_by_address(limited: LimitedSites) -> None:
    site = limited(Limits(anonymous_requests="5 per hour"))
    alice = site.person("Alice")
    revoked = alice.token_with("games:read")
    listed: Any = alice.get("/v1/tokens").json
    assert alice.delete(f"/v1/tokens/{listed['items'][0]['id']}").status_code == 204
    assert statuses(revoked, "/v1/games", 6) == [401] * 5 + [429]
    assert alice.get("/v1/me").status_code == 200


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
    ],
)
def test_an_ipv6_client_counts_by_its_network(
    limited: LimitedSites, first: str, second: str, together: bool
) -> None:
    site = limited(Limits(anonymous_requests="1 per hour"))

    def asked(address: str) -> int:
        where = {"REMOTE_ADDR": address}
        return site.stranger.get("/v1/catalogue", environ_overrides=where).status_code

    assert asked(first) == 200
    assert asked(second) == (429 if together else 200)


def test_counting_costs_no_statement_for_a_known_credential(limited: LimitedSites) -> None:
    site = limited(Limits(requests="3 per hour"))
    alice = site.person("Alice")
    statements: list[str] = []
    with site.app.app_context():
        event.listen(db.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    counts = []
    for _ in range(4):
        statements.clear()
        alice.get("/v1/games")
        counts.append(len([one for one in statements if one.startswith("SELECT")]))
    assert counts[0] == counts[1] + 1, "to find out who it is"
    assert counts[1] == counts[2]
    assert counts[3] == 0, "a refused request costs none at all"


def changes_told(caller: Caller) -> list[str]:
    """The types of the offers and withdrawals in the caller's log of events."""
    listed: Any = caller.get("/v1/events?limit=500").json
    types = [item["type"] for item in listed["items"]]
    return [name for name in types if name.startswith(("end.", "pause.", "table."))]


def test_offers_to_end_and_pause_cannot_be_toggled_without_limit(limited: LimitedSites) -> None:
    site = limited(Limits(offers="4 per hour"))
    alice, bob = site.people("Alice", "Bob")
    game, other = site.game_of(alice, bob), site.game_of(alice, bob)
    before = len(changes_told(bob))
    codes = []
    for _ in range(5):
        codes.append(alice.put(f"/v1/games/{game}/end-offer").status_code)
        assert alice.put(f"/v1/games/{game}/end-offer").status_code in (200, 429), "no change"
        assert alice.delete(f"/v1/games/{game}/end-offer").status_code == 204
    assert codes == [200] * 4 + [429]
    refused = alice.post(f"/v1/games/{game}/pause")
    assert refused.status_code == 429
    assert refused.json is not None
    assert refused.json["code"] == "too_many_offers"
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert len(changes_told(bob)) == before + 8
    assert alice.put(f"/v1/games/{other}/end-offer").status_code == 200, "another game"
    assert bob.put(f"/v1/games/{game}/end-offer").status_code == 200, "another seat"


def test_tables_cannot_be_joined_and_left_without_limit(limited: LimitedSites) -> None:
    site = limited(Limits(joins="3 per hour"))
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    table = alice.opens(seats=3)["id"]
    codes = []
    for _ in range(4):
        codes.append(bob.post(f"/v1/games/{table}/join", {}).status_code)
        left = bob.post(f"/v1/games/{table}/leave").status_code
        assert left == (204 if codes[-1] == 200 else 403)
    assert codes == [200, 200, 200, 429]
    refused = bob.post(f"/v1/games/{table}/join", {})
    assert refused.json is not None
    assert refused.json["code"] == "too_many_joins"
    bot: Any = bob.post("/v1/bots", {"name": "Glassblower"}).json
    token = {"name": "t", "scopes": ["tables:seek", "games:read"]}
    made: Any = bob.post(f"/v1/bots/{bot['id']}/tokens", token).json
    as_bot = Caller(bob.client, made["secret"])
    assert as_bot.post(f"/v1/games/{table}/join", {}).status_code == 429, "a bot of the same person"
    assert len(changes_told(alice)) == 6
    carol.joins(table)


def test_a_flood_of_keys_does_not_reset_other_limits(tmp_path: Path) -> None:
    limiter = RateLimiter(settings_for(tmp_path, "sqlite://"), most_keys=100)
    assert limiter.hit("1 per hour", "sign-in", "192.0.2.1").allowed
    for number in range(1000):
        limiter.hit(RATE, "address", f"192.0.2.{number}")
        limiter.hit(RATE, "person", f"person-{number}")
    assert not limiter.hit("1 per hour", "sign-in", "192.0.2.1").allowed
    kept = sum(len(windows.counts) for windows in limiter.memory.values())
    assert kept <= 201, "memory is bounded"


def test_processes_with_a_redis_count_a_person_together(
    own_redis: RedisServer, sqlite_url: str, tmp_path: Path
) -> None:
    shared = settings_for(
        tmp_path, sqlite_url, redis_url=own_redis.url, limits=Limits(requests="4 per hour")
    )
    sites = [Site(shared), Site(shared)]
    alice = sites[0].person("Alice")
    again = sites[1].person("Alice")
    codes = [caller.get("/v1/games").status_code for _ in range(3) for caller in (alice, again)]
    assert codes == [200] * 4 + [429] * 2
    for site in sites:
        with site.app.app_context():
            db.session.remove()
            db.engine.dispose()


def test_an_unresponsive_redis_is_not_used_for_a_while(own_redis: RedisServer) -> None:
    """Each request would wait for it otherwise."""
    seconds = 0.0
    settings = settings_for(Path("unused"), "sqlite://", redis_url=own_redis.url)
    limiter = RateLimiter(settings, clock=lambda: seconds)

    def left() -> int:
        return limiter.hit(RATE, "person", "somebody").left

    assert [left(), left()] == [599, 598]
    own_redis.pause()
    with capture_logs() as logs:
        assert [left() for _ in range(50)] == [600 - n for n in range(1, 51)], "counted here"
    assert len(logs) == 1, "it was asked once"
    own_redis.resume()
    seconds = REDIS_PAUSE
    assert left() < 598, "all processes count together again"
