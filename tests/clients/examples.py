"""The examples of the contract, from a game that is really played.

`python -m tests.clients.examples` plays it again and writes `service/api/examples.json`; the same
code gives the same file, to the byte. Afterwards `openapi.yaml` is written anew.
"""

import json
import random
import re
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from engine.contract import Json
from service.api.openapi import EXAMPLES
from service.db.session import db
from tests.support import steps
from tests.support.contract import operation_for
from tests.support.site import FIRST_GAME, Caller, Site, settings_for

MOST_ITEMS = 2
CODE = 12345678
SECRET = re.compile(r"(lag_|whsec_|/invitations/|/calendar/)[\w+/=-]+")
PUBLIC_URL = "https://laguna.example"


class Scribe:
    """Calls the API and writes down how each operation went the first time."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.examples: dict[str, Json] = {}

    def __call__(
        self, caller: Caller, method: str, path: str, body: Any = None, **headers: str
    ) -> Any:
        self.site.clock.advance(seconds=30)
        sent = {} if body is None else {"json": body}
        response = caller.call(method, path, headers=headers, **sent)
        assert response.status_code < 300, response.get_data(as_text=True)
        operation = operation_for(method, path.partition("?")[0])
        assert operation is not None
        example = {} if body is None else {"request": small(body)}
        example["status"] = response.status_code
        if response.data:
            example["answer"] = small(response.json)
        self.examples.setdefault(operation["operationId"], example)
        return response.json


def small(value: Any) -> Any:
    """The beginning of every list of things, and no secret."""
    if isinstance(value, dict):
        return {key: small(inner) for key, inner in value.items()}
    if isinstance(value, list):
        things = any(isinstance(inner, dict | list) for inner in value)
        return [small(inner) for inner in (value[:MOST_ITEMS] if things else value)]
    return SECRET.sub(r"\1example", value) if isinstance(value, str) else value


def examples() -> dict[str, Json]:
    """By operation: a request and its answer."""
    dice = random.Random(1)
    with ExitStack() as stack:
        stack.enter_context(patch("secrets.token_bytes", dice.randbytes))
        stack.enter_context(patch("secrets.randbelow", lambda _: CODE))
        data = Path(stack.enter_context(TemporaryDirectory()))
        url = f"sqlite:///{data / 'laguna.db'}"
        site = Site(settings_for(data, url, public_url=PUBLIC_URL))
        with site.app.app_context():
            db.create_all()
        found = _played(site)
        with site.app.app_context():
            db.engine.dispose()
    return found


def _played(site: Site) -> dict[str, Json]:
    scribe = Scribe(site)
    anna, ben = _sign_in(scribe, "Anna"), site.person("Ben")
    _account(scribe, anna)
    _webhooks(scribe, anna)
    game = _table(scribe, anna, ben)
    _turn(scribe, anna, game)
    site.play_to_the_end(game, anna, ben)
    _afterwards(scribe, anna, game)
    _undo(scribe, anna, ben)
    return dict(sorted(scribe.examples.items()))


def _sign_in(scribe: Scribe, name: str) -> Caller:
    stranger, email = scribe.site.stranger, f"{name.lower()}@example.org"
    scribe(stranger, "POST", "/v1/sign-ins", {"email": email})
    said = {"email": email, "code": str(CODE), "name": name}
    return Caller(stranger.client, scribe(stranger, "POST", "/v1/sessions", said)["token"], name)


def _account(scribe: Scribe, anna: Caller) -> None:
    scribe(anna, "GET", "/v1/me")
    changes = {"time_zone": "Europe/Rome", "sleep_from": "22:30", "sleep_to": "07:00"}
    scribe(anna, "PATCH", "/v1/me", changes, **{"If-Match": "*"})
    away = {"from": "2026-08-01T00:00:00+02:00", "to": "2026-08-15T00:00:00+02:00"}
    scribe(anna, "POST", "/v1/absences", away)
    scribe(anna, "GET", "/v1/absences")
    scribe(anna, "GET", "/v1/me/calendar")
    scribe(anna, "POST", "/v1/me/calendar")
    scribe(anna, "GET", "/v1/sessions")
    scopes = ["games:read", "games:play", "tables:seek"]
    token = {"name": "my client", "scopes": scopes, "days": 365}
    scribe(anna, "POST", "/v1/tokens", token)
    scribe(anna, "GET", "/v1/tokens")
    scribe(anna, "GET", "/v1/token")
    bot = scribe(anna, "POST", "/v1/bots", {"name": "Glassblower 3"})["id"]
    scribe(anna, "GET", "/v1/bots")
    scribe(anna, "POST", f"/v1/bots/{bot}/tokens", {"name": "my bot", "scopes": scopes})


def _webhooks(scribe: Scribe, anna: Caller) -> None:
    wanted = {"url": "https://example.org/laguna", "types": ["decision.opened", "game.finished"]}
    hook = scribe(anna, "POST", "/v1/webhooks", wanted)["id"]
    scribe(anna, "GET", "/v1/webhooks")
    scribe(anna, "GET", f"/v1/webhooks/{hook}")
    sent = scribe(anna, "POST", f"/v1/webhooks/{hook}/test")["id"]
    scribe(anna, "GET", f"/v1/webhooks/{hook}/deliveries")
    scribe(anna, "POST", f"/v1/webhooks/{hook}/deliveries/{sent}/resend")
    scribe(anna, "POST", f"/v1/webhooks/{hook}/rotate-secret")
    scribe(anna, "PATCH", f"/v1/webhooks/{hook}", {"enabled": False}, **{"If-Match": "*"})


def _table(scribe: Scribe, anna: Caller, ben: Caller) -> str:
    scribe(anna, "GET", "/v1/catalogue")
    wanted = {
        "game": FIRST_GAME,
        "seats": 3,
        "bots": 1,
        "title": "Evenings in March",
        "clock": {"preset": "move_a_day", "absence_days": 14},
    }
    game = str(scribe(anna, "POST", "/v1/games", wanted)["id"])
    scribe(anna, "GET", "/v1/tables")
    scribe(anna, "POST", f"/v1/games/{game}/invitations", {"email": None})
    scribe(anna, "POST", f"/v1/games/{game}/invitations", {"email": "ben@example.org"})
    scribe(anna, "GET", f"/v1/games/{game}/invitations")
    scribe(ben, "GET", "/v1/invitations")
    scribe(ben, "POST", f"/v1/games/{game}/join", {"invitation": None})
    other = scribe(anna, "POST", "/v1/games", wanted)["id"]
    scribe(anna, "POST", f"/v1/games/{other}/cancel")
    quick = scribe(anna, "POST", "/v1/games", wanted)["id"]
    scribe(anna, "POST", f"/v1/games/{quick}/start", {"bots": True})
    scribe.site.leave_to_bots(quick)
    return game


def _turn(scribe: Scribe, anna: Caller, game: str) -> None:
    scribe(anna, "GET", "/v1/decisions")
    decision = scribe(anna, "GET", f"/v1/games/{game}")["decision"]
    scribe(anna, "GET", f"/v1/games/{game}/plan")
    scribe(anna, "PUT", f"/v1/games/{game}/plan", {"wishes": ["pigments", "highest"]})
    answer = {"decision": decision["id"], "move": decision["moves"][0]["move"]}
    scribe(anna, "POST", f"/v1/games/{game}/moves", answer)
    scribe(anna, "PUT", f"/v1/games/{game}/note", {"text": "Ben collects what I pass on."})
    scribe(anna, "GET", f"/v1/games/{game}/note")
    scribe(anna, "GET", f"/v1/games/{game}/mails")
    scribe(anna, "PUT", f"/v1/games/{game}/mails", {"wanted": False})
    scribe(anna, "POST", f"/v1/games/{game}/messages", {"text": "Good luck!"})
    scribe(anna, "GET", f"/v1/games/{game}/messages")
    scribe(anna, "PUT", f"/v1/games/{game}/end-offer")
    anna.delete(f"/v1/games/{game}/end-offer")
    scribe(anna, "POST", f"/v1/games/{game}/pause")
    anna.delete(f"/v1/games/{game}/pause")
    scribe.site.let_bots_play()
    scribe(anna, "GET", f"/v1/games/{game}/log")
    scribe(anna, "GET", "/v1/events?after=2&limit=3")


def _afterwards(scribe: Scribe, anna: Caller, game: str) -> None:
    scribe(anna, "GET", f"/v1/games/{game}/statistics")
    scribe(anna, "POST", f"/v1/games/{game}/rematch")
    scribe(anna, "GET", "/v1/games?limit=2")
    scribe(anna, "GET", f"/v1/people/{anna.id()}")
    scribe(anna, "GET", f"/v1/people/{anna.id()}/games?limit=2")


def _undo(scribe: Scribe, anna: Caller, ben: Caller) -> None:
    game = scribe.site.game_of(anna, ben, game=steps.KEY)
    mover = (anna, ben)[steps.beginning(scribe.site, game).mover]
    asked = mover.sees(game)["decision"]
    sail = {"decision": asked["id"], "text": steps.A_TURN[0]}
    assert mover.post(f"/v1/games/{game}/moves", sail).status_code == 200
    undoable = mover.sees(game)["undoable"]
    scribe(mover, "POST", f"/v1/games/{game}/undo", {"decision": undoable["decision"]})


def written(found: dict[str, Json]) -> str:
    """As they are kept."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    EXAMPLES.write_text(written(examples()), encoding="utf-8")
