"""Access scenario: people in every relation to games, tables and resources of Alice."""

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import update

from service.access.scopes import SCOPES
from service.db.models import Delivery
from service.db.models.events_webhooks import DeliveryState
from service.db.session import db, transact
from tests.support.rewinding import Snapshot
from tests.support.site import Caller, Site

PUBLIC, PRIVATE = "public", "invitation"
VISIBILITIES = (PUBLIC, PRIVATE)
OPEN, RUNNING, FINISHED = "open", "running", "finished"
WON = "won"  # by Alice, since Bob resigned
CLOCK = {"kind": "flat", "hours": 1000}
AWAY = ("2026-08-01T00:00:00+02:00", "2026-08-15T00:00:00+02:00")


@dataclass
class AccessScenario:
    """Alice owns things, Bob plays with her, Charlie knows neither."""

    site: Site
    alice: Caller
    bob: Caller
    charlie: Caller
    newcomer: str  # an address to which a code was mailed
    ids: dict[str, str]  # by the name of the path's parameter
    games: dict[tuple[str, str], str] = field(default_factory=dict)  # by status and visibility
    invitations: dict[str, str] = field(default_factory=dict)  # by visibility, to open tables
    refused: dict[str, str] = field(default_factory=dict)  # code: a token that earns it
    _weak: dict[str, Caller] = field(default_factory=dict)
    _start: Snapshot | None = None

    def without_scope(self, scope: str) -> Caller:
        """Alice with a token that has every scope but this one."""
        return self._weak[scope]

    def restore(self) -> None:
        assert self._start is not None
        self._start.restore()


def build_scenario(site: Site) -> AccessScenario:
    """Fill a site. Tokens that should expire have expired afterwards."""
    alice, bob, charlie = site.people("Alice", "Bob", "Charlie")
    refused = _spoiled_tokens(site, alice)
    alice, bob, charlie = site.people("Alice", "Bob", "Charlie")
    bot = _created(alice.post("/v1/bots", {"name": "Glassblower"}))["id"]
    webhook = _created(alice.post("/v1/webhooks", {"url": "https://8.8.8.8/laguna"}))["id"]
    delivery = _created(alice.post(f"/v1/webhooks/{webhook}/test"))["id"]
    with site.app.app_context():  # it arrived: one test of a webhook waits at a time
        arrived = update(Delivery).values(state=DeliveryState.sent, next_try_at=None)
        transact(lambda: db.session.execute(arrived))
    absence = _created(alice.post("/v1/absences", {"from": AWAY[0], "to": AWAY[1]}))["id"]
    scenario = AccessScenario(
        site,
        alice,
        bob,
        charlie,
        "new@example.org",
        ids={
            "person_id": alice.id(),
            "token_id": alice.token_with(*SCOPES).get("/v1/token").json["id"],  # type: ignore[index]
            "session_id": site.person("Alice").get("/v1/token").json["id"],  # type: ignore[index]
            "bot_id": bot,
            "webhook_id": webhook,
            "delivery_id": delivery,
            "absence_id": absence,
        },
        refused=refused,
    )
    for scope in SCOPES:
        scenario._weak[scope] = alice.token_with(*(other for other in SCOPES if other != scope))
    for visibility in VISIBILITIES:
        for status in (OPEN, RUNNING, FINISHED, WON):
            scenario.games[status, visibility] = _game(scenario, status, visibility)
    asked = site.stranger.post("/v1/sign-ins", {"email": scenario.newcomer})
    assert asked.status_code == 202
    scenario._start = Snapshot(site)
    return scenario


def _spoiled_tokens(site: Site, alice: Caller) -> dict[str, str]:
    """Tokens that are no longer valid, by the code of their refusal."""
    expired = alice.token_with(*SCOPES, days=1)
    signed_out = site.person("Alice")
    session = signed_out.get("/v1/token").json["id"]  # type: ignore[index]
    assert alice.delete(f"/v1/sessions/{session}").status_code == 204
    revoked = alice.token_with(*SCOPES)
    token = revoked.get("/v1/token").json["id"]  # type: ignore[index]
    assert alice.delete(f"/v1/tokens/{token}").status_code == 204
    gone = site.person("Dora")
    assert gone.delete("/v1/me").status_code == 204
    site.clock.advance(days=100)
    tokens = {
        "expired_token": expired,
        "expired_token of a session": alice,
        "revoked_token": revoked,
        "revoked_token of a session": signed_out,
        "invalid_token of a deleted account": gone,
    }
    return {code: str(caller.token) for code, caller in tokens.items()} | {
        "invalid_token": "lag_" + "a" * 52,
        "invalid_token of another kind": "no-token",
    }


def _game(scenario: AccessScenario, status: str, visibility: str) -> str:
    """A game of Alice and Bob; in the open one there is a third seat."""
    seats = 3 if status == OPEN else 2
    opened = scenario.alice.opens(seats=seats, visibility=visibility, clock=CLOCK)
    game = str(opened["id"])
    invitation = _created(scenario.alice.post(f"/v1/games/{game}/invitations", {}))
    body = {"invitation": invitation["link"].rpartition("/")[2]}
    assert scenario.bob.post(f"/v1/games/{game}/join", body).status_code == 200
    for player in (scenario.alice, scenario.bob):
        assert player.post(f"/v1/games/{game}/messages", {"text": "Ciao"}).status_code == 201
        if status == RUNNING:
            player.put(f"/v1/games/{game}/note", {"text": f"secret of {player.name}"})
        if status == FINISHED:
            player.put(f"/v1/games/{game}/end-offer")
    if status == RUNNING:
        scenario.alice.plays(game)  # a pick that she may change
    if status == WON:
        assert scenario.bob.post(f"/v1/games/{game}/resign").status_code == 204
    if status == OPEN:
        waiting = scenario.alice.post(f"/v1/games/{game}/invitations", {"email": "e@example.org"})
        scenario.invitations[visibility] = _created(waiting)["id"]
    return game


def _created(response: Any) -> Any:
    assert response.status_code == 201, response.json
    return response.json
