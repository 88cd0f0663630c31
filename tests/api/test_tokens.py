"""Tokens, sessions and bot accounts: what they may do, how long, and how they end."""

import pytest

from service.access.scopes import ACCOUNT_WRITE, BOT_SCOPES, BOTS_WRITE, GAMES_READ, SCOPES
from service.core.config import Limits
from tests.support.limited import LimitedSites
from tests.support.site import Caller, Site


def test_the_secret_of_a_token_is_returned_once(site: Site) -> None:
    alice = site.person("Alice")
    made = alice.post("/v1/tokens", {"name": "my bot", "scopes": [GAMES_READ], "days": 30})
    assert made.json is not None
    secret = made.json["secret"]
    assert secret.startswith("lag_")
    listed = alice.get("/v1/tokens")
    assert listed.json is not None
    assert [token["name"] for token in listed.json["items"]] == ["my bot"]
    assert listed.json["items"][0]["prefix"] == secret[:10]
    assert secret not in listed.text


def test_a_token_is_limited_to_its_scopes(site: Site) -> None:
    reader = site.person("Alice").token_with(GAMES_READ)
    assert reader.get("/v1/games").status_code == 200
    assert reader.get("/v1/me").status_code == 403
    described = reader.get("/v1/token").json
    assert described is not None
    assert described["scopes"] == [GAMES_READ]
    assert described["account"]["email"] is None, "the address is the account's"


def test_a_token_expires_after_the_given_days(site: Site) -> None:
    alice = site.person("Alice")
    token = alice.token_with(GAMES_READ, days=1)
    site.clock.advance(hours=23, minutes=59)
    assert token.get("/v1/games").status_code == 200
    site.clock.advance(minutes=1)
    assert code_of(token) == "expired_token"
    assert alice.get("/v1/games").status_code == 200


def test_a_token_without_days_never_expires(site: Site) -> None:
    token = site.person("Alice").token_with(GAMES_READ)
    site.clock.advance(days=3650)
    assert token.get("/v1/games").status_code == 200


def test_the_last_use_of_a_token_is_recorded_to_within_minutes(site: Site) -> None:
    alice = site.person("Alice")
    token = alice.token_with(GAMES_READ)

    def last_used() -> str | None:
        listed = alice.get("/v1/tokens").json
        assert listed is not None
        found: str | None = listed["items"][0]["last_used_at"]
        return found

    assert last_used() is None
    token.get("/v1/games")
    first = last_used()
    assert first is not None
    site.clock.advance(minutes=2)
    token.get("/v1/games")
    assert last_used() == first
    site.clock.advance(minutes=4)
    token.get("/v1/games")
    assert last_used() != first


def test_a_revoked_token_is_refused_as_revoked_and_revoking_is_idempotent(site: Site) -> None:
    alice = site.person("Alice")
    token = alice.token_with(GAMES_READ)
    described = token.get("/v1/token").json
    assert described is not None
    assert alice.delete(f"/v1/tokens/{described['id']}").status_code == 204
    listed = alice.get("/v1/tokens").json
    site.clock.advance(hours=1)
    assert alice.delete(f"/v1/tokens/{described['id']}").status_code == 204
    assert alice.get("/v1/tokens").json == listed
    assert code_of(token) == "revoked_token"


@pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope != ACCOUNT_WRITE])
def test_a_token_cannot_create_one_with_more_scopes(site: Site, scope: str) -> None:
    maker = site.person("Alice").token_with(ACCOUNT_WRITE)
    wanted = {"name": "more", "scopes": [ACCOUNT_WRITE, scope]}
    refused = maker.post("/v1/tokens", wanted)
    assert refused.status_code == 403
    assert refused.json is not None
    assert (refused.json["code"], refused.json["scope"]) == ("missing_scope", scope)
    assert maker.post("/v1/tokens", wanted | {"scopes": [ACCOUNT_WRITE]}).status_code == 201


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"name": "t", "scopes": []}, "/scopes"),
        ({"name": "t", "scopes": ["games:win"]}, "/scopes/0"),
        ({"name": "", "scopes": [GAMES_READ]}, "/name"),
        ({"name": "t", "scopes": [GAMES_READ], "days": 0}, "/days"),
        ({"name": "t", "scopes": [GAMES_READ], "days": "7"}, "/days"),
        ({"name": "t", "scopes": [GAMES_READ], "secret": "mine"}, "/secret"),
    ],
)
def test_an_invalid_token_request_names_the_invalid_field(
    site: Site, body: dict[str, object], pointer: str
) -> None:
    refused = site.person("Alice").post("/v1/tokens", body)
    assert refused.status_code == 422
    assert refused.json is not None
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


def test_sessions_are_listed_with_their_device_and_end_one_by_one(site: Site) -> None:
    here, there = site.person("Alice"), site.person("Alice")
    listed = here.get("/v1/sessions").json
    assert listed is not None
    assert [session["device"] for session in listed["items"]] == ["test", "test"]
    assert sorted(session["current"] for session in listed["items"]) == [False, True]
    other = next(session for session in listed["items"] if not session["current"])
    assert here.delete(f"/v1/sessions/{other['id']}").status_code == 204
    assert code_of(there) == "revoked_token"
    left = here.get("/v1/sessions").json
    assert left is not None
    assert [session["current"] for session in left["items"]] == [True]
    assert here.delete(f"/v1/sessions/{left['items'][0]['id']}").status_code == 204
    assert code_of(here) == "revoked_token"


def test_a_session_ends_by_itself_after_ninety_days(site: Site) -> None:
    alice = site.person("Alice")
    site.clock.advance(days=90)
    assert code_of(alice) == "expired_token"


def test_a_bot_account_is_marked_as_one_wherever_it_is_shown(site: Site) -> None:
    alice = site.person("Alice")
    bot = bot_of(alice, "Glassblower", *BOT_SCOPES)
    account = bot.get("/v1/me").json
    assert account is not None
    assert (account["kind"], account["email"]) == ("bot", None)
    game_id = site.game_of(alice, bot)
    kinds = [seat["kind"] for seat in site.stranger.sees(game_id)["seats"]]
    assert kinds == ["person", "bot_account"]
    shown = site.stranger.get(f"/v1/people/{account['id']}").json
    assert shown is not None
    assert (shown["kind"], shown["owner"]) == ("bot", alice.id())
    assert bot.plays(game_id).status_code == 200


@pytest.mark.parametrize("scope", sorted(set(SCOPES) - set(BOT_SCOPES)))
def test_a_bot_account_plays_but_does_not_manage(site: Site, scope: str) -> None:
    alice = site.person("Alice")
    bot = alice.post("/v1/bots", {"name": "Furnace"}).json
    assert bot is not None
    refused = alice.post(f"/v1/bots/{bot['id']}/tokens", {"name": "t", "scopes": [scope]})
    assert refused.status_code == 403
    assert refused.json is not None
    assert refused.json["code"] == "humans_only"


def test_a_token_with_the_scope_for_bots_makes_bots(site: Site) -> None:
    maker = site.person("Alice").token_with(BOTS_WRITE)
    bot = bot_of(maker, "Furnace", GAMES_READ)
    assert bot.get("/v1/games").status_code == 200
    assert bot.post("/v1/bots", {"name": "Spark"}).status_code == 403


def test_a_deleted_bot_account_takes_nothing_of_others_along(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    bot = bot_of(alice, "Furnace", *BOT_SCOPES)
    running = site.game_of(bot, bob)
    table = bob.opens(seats=3, visibility="invitation")["id"]
    link = bob.post(f"/v1/games/{table}/invitations", {}).json
    bots = alice.get("/v1/bots").json
    assert bots is not None
    assert alice.delete(f"/v1/bots/{bots['items'][0]['id']}").status_code == 204
    assert code_of(bot) == "invalid_token"
    assert alice.get("/v1/bots").json == {"items": []}
    assert link is not None
    invitations = bob.get(f"/v1/games/{table}/invitations").json
    assert invitations is not None
    assert [item["id"] for item in invitations["items"]] == [link["id"]]
    assert bob.sees(running)["seats"][0]["played_by_bot"]


@pytest.mark.parametrize(
    ("limits", "path", "body", "code"),
    [
        (Limits(tokens=2), "/v1/tokens", {"name": "t", "scopes": [GAMES_READ]}, "too_many_tokens"),
        (Limits(bots=2), "/v1/bots", {"name": "b"}, "too_many_bots"),
        (Limits(webhooks=2), "/v1/webhooks", {"url": "https://8.8.8.8/"}, "too_many_webhooks"),
    ],
)
def test_tokens_and_bots_are_limited(
    limited: LimitedSites, limits: Limits, path: str, body: dict[str, object], code: str
) -> None:
    site = limited(limits)
    alice = site.person("Alice")
    made = [alice.post(path, body).json for _ in range(2)]
    refused = alice.post(path, body)
    assert refused.status_code == 409
    assert refused.json is not None
    assert refused.json["code"] == code
    assert "Retry-After" not in refused.headers
    assert made[0] is not None
    assert alice.delete(f"{path}/{made[0]['id']}").status_code == 204
    assert alice.post(path, body).status_code == 201


def code_of(caller: Caller) -> str:
    answer = caller.get("/v1/games").json
    assert answer is not None
    return str(answer["code"])


def bot_of(owner: Caller, name: str, *scopes: str) -> Caller:
    """A new bot account of this owner, with a token of these scopes."""
    bot = owner.post("/v1/bots", {"name": name}).json
    assert bot is not None
    wanted = {"name": "t", "scopes": list(scopes)}
    token = owner.post(f"/v1/bots/{bot['id']}/tokens", wanted).json
    assert token is not None
    return Caller(owner.client, token["secret"], name)
