"""Test site: the service on a fresh database, a manual clock, and callers of the API."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from engine.contract import Json
from engine.play import to_ask
from engine.registry import GAME_TYPES, game_type_by_key
from service.access.credentials import Key
from service.access.games import access_seat
from service.accounts.sign_in import sign_in
from service.app import create_app
from service.core.config import Limits, Settings
from service.core.ids import digest
from service.db.models import Decision, Letter, Seat
from service.db.session import db, transact
from service.games.decision_clock import NO_TIME
from service.games.loaded_game import load_game
from service.games.moves import answer
from tests.support.autoplay import answer_automatically
from tests.support.contract import JSON_TYPES, check_answer

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
FIRST_GAME = GAME_TYPES[0].meta.key
NO_LIMIT = "100000 per minute"
SECRET_KEY = "known to everybody who reads the tests"  # noqa: S105


class ManualClock:
    """Clock that only a test advances."""

    def __init__(self, at: datetime = NOON) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def advance(self, **kwargs: float) -> None:
        self.at += timedelta(**kwargs)


def settings_for(data: Path, database_url: str, **changes: Any) -> Settings:
    """Settings of a test: independent of the environment, with high limits."""
    plain: dict[str, Any] = {
        "data": data,
        "database_url": database_url,
        "host": "127.0.0.1",
        "port": 8000,
        "public_url": "http://localhost:8000",
        "secret_key": SECRET_KEY,
        "redis_url": None,
        "smtp_url": None,
        "old_secret_keys": (),
        "mail_from": "Laguna <laguna@localhost>",
        "mail_domain": "localhost",
        "mail_in": (),
        "mail_hook_secret": None,
        "trusted_hosts": (),
        "trusted_proxies": 0,
        "cors_origins": ("*",),
        "open_webhooks": False,
        "metrics_token": None,
        "web_workers": 1,
        "web_threads": 8,
        "log_format": "json",
        "log_level": "error",
        "limits": Limits(
            requests=NO_LIMIT, anonymous_requests=NO_LIMIT, joins=NO_LIMIT, offers=NO_LIMIT
        ),
    }
    return Settings(**(plain | changes))


class CompiledOnce(BytecodeCache):
    """Cache of compiled templates, shared by all sites of a test run."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


TEMPLATES = CompiledOnce()


class CheckedClient(FlaskClient):
    """Test client that compares every response of the API with the contract."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        path = response.request.path
        if path.startswith("/v1/") and response.request.method not in ("OPTIONS", "HEAD"):
            kind = response.content_type or ""
            data = response.json if kind.partition(";")[0] in JSON_TYPES else None
            streamed = kind.startswith("text/event-stream")
            check_answer(
                response.request.method,
                path,
                response.status_code,
                kind,
                data,
                streamed or bool(response.data),
            )
        return response


class Caller:
    """Caller of the API, with a token or anonymous."""

    def __init__(self, client: FlaskClient, token: str | None = None, name: str = "") -> None:
        self.client, self.token, self.name = client, token, name

    def call(self, method: str, path: str, **kwargs: Any) -> TestResponse:
        headers = dict(kwargs.pop("headers", {}))
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        return self.client.open(path, method=method, headers=headers, **kwargs)

    def get(self, path: str, **kwargs: Any) -> TestResponse:
        return self.call("GET", path, **kwargs)

    def post(self, path: str, json: Any = None, **kwargs: Any) -> TestResponse:
        return self.call("POST", path, **_body(json), **kwargs)

    def put(self, path: str, json: Any = None, **kwargs: Any) -> TestResponse:
        return self.call("PUT", path, **_body(json), **kwargs)

    def patch(self, path: str, json: Any = None, **kwargs: Any) -> TestResponse:
        return self.call("PATCH", path, **_body(json), **kwargs)

    def delete(self, path: str, **kwargs: Any) -> TestResponse:
        return self.call("DELETE", path, **kwargs)

    def id(self) -> str:
        return str(self.get("/v1/token").json["account"]["id"])  # type: ignore[index]

    def token_with(self, *scopes: str, **kwargs: Any) -> "Caller":
        """The same person with a token of these scopes."""
        made = self.post("/v1/tokens", {"name": "t", "scopes": list(scopes), **kwargs})
        assert made.status_code == 201, made.json
        return Caller(self.client, made.json["secret"], self.name)  # type: ignore[index]

    def opens(self, **kwargs: Any) -> Json:
        """Open a table; the game as JSON."""
        wanted = {"game": FIRST_GAME, "seats": 2, **kwargs}
        made = self.post("/v1/games", wanted)
        assert made.status_code == 201, made.json
        return _json(made)

    def joins(self, game_id: str) -> Json:
        joined = self.post(f"/v1/games/{game_id}/join", {})
        assert joined.status_code == 200, joined.json
        return _json(joined)

    def sees(self, game_id: str) -> Json:
        shown = self.get(f"/v1/games/{game_id}")
        assert shown.status_code == 200, shown.json
        return _json(shown)

    def plays_nothing(self, game_id: str) -> bool:
        """Whether this person has no open decision."""
        return self.sees(game_id)["decision"] is None

    def plays(self, game_id: str, number: int = 0) -> TestResponse:
        """Answer the open decision with the move of this number."""
        decision = self.sees(game_id)["decision"]
        move = decision["moves"][number % len(decision["moves"])]["move"]
        return self.post(f"/v1/games/{game_id}/moves", {"decision": decision["id"], "move": move})


def _json(answer: TestResponse) -> Json:
    data: Json | None = answer.json
    assert data is not None
    return data


def _best(seen: Json) -> int:
    """The number of the best of the moves that are offered."""
    view = seen["position"] | {"decision": seen["decision"]}
    return game_type_by_key(seen["game"]).ranked(view)[0]


def _body(json: Any) -> dict[str, Any]:
    return {} if json is None else {"json": json}


class Site:
    """The service with helpers for tests."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime] | None = None) -> None:
        self.clock = ManualClock()
        self.settings = settings
        self.app: Flask = create_app(settings, clock or self.clock)
        self.app.test_client_class = CheckedClient
        self.app.jinja_env.bytecode_cache = TEMPLATES
        self.client = self.app.test_client()
        self.stranger = Caller(self.client)

    def person(self, name: str, email: str | None = None) -> Caller:
        """A signed-in person."""
        address = email or f"{name.lower()}@example.org"
        with self.app.app_context():
            made = transact(lambda: sign_in(address, name, "test", self.clock()).secret)
        return Caller(self.client, made, name)

    def people(self, *names: str) -> list[Caller]:
        return [self.person(name) for name in names]

    def game_of(self, *players: Caller, **kwargs: Any) -> str:
        """A running game with these players on the first seats."""
        bots = kwargs.get("bots", 0)
        game: Json = players[0].opens(seats=len(players) + bots, **kwargs)
        for player in players[1:]:
            game = player.joins(game["id"])
        assert game["status"] == "running", game["status"]
        return str(game["id"])

    def let_bots_play(self) -> int:
        """Answer all open decisions of bots; returns their number."""
        answered = 0
        with self.app.app_context():
            while waiting := db.session.execute(
                select(Decision.game_id, Decision.id).where(
                    Decision.person_id.is_(None), Decision.closed_at.is_(None)
                )
            ).first():
                game_id, decision = waiting
                transact(
                    lambda g=game_id, d=decision: answer_automatically(g, d, self.clock())  # type: ignore[misc]
                )
                answered += 1
        return answered

    def leave_to_bots(self, game_id: str) -> None:
        """Let bots take over all seats, as after time-outs."""
        at = self.clock()
        with self.app.app_context():
            transact(
                lambda: [
                    db.session.execute(
                        update(Seat)
                        .where(Seat.game_id == game_id, Seat.person_id.is_not(None))
                        .values(bot=True, away_since=at)
                    ),
                    db.session.execute(
                        update(Decision)
                        .where(Decision.game_id == game_id, Decision.closed_at.is_(None))
                        .values(person_id=None, remind_at=None, **NO_TIME)
                    ),
                ]
            )

    def play_to_the_end(self, game_id: str, *players: Caller) -> Json:
        """Answer all decisions until the game is over, by use cases instead of slower requests."""
        while self.let_bots_play() + sum([self._answers(game_id, player) for player in players]):
            pass
        game = players[0].sees(game_id)
        assert game["status"] != "running", game["waiting"]
        return game

    def _answers(self, game_id: str, player: Caller) -> bool:
        with self.app.app_context():
            return transact(partial(self._answer, game_id, player))

    def _answer(self, game_id: str, player: Caller) -> bool:
        """Play the first legal move of this player, if there is an open decision."""
        access = access_seat(Key(digest(player.token or "")), "games:play", game_id)
        loaded = load_game(access.game)
        if not loaded.running or access.seat not in to_ask(loaded.game, loaded.state):
            return False
        moves = loaded.game.legal_moves(loaded.state, access.seat)
        asked = loaded.game.decision(loaded.state, access.seat)
        answer(access, asked, moves[:1], self.clock())
        return True

    def play_by_requests(self, game_id: str, *players: Caller) -> Json:
        """Play to the end by requests, as a client does."""
        while True:
            game = players[0].sees(game_id)
            if game["status"] != "running":
                return game
            self.let_bots_play()
            for player in players:
                seen = player.sees(game_id)
                if seen["decision"] is not None and not seen["decision"]["revising"]:
                    played = player.plays(game_id, _best(seen))
                    assert played.status_code == 200, played.json

    def letters(self, to: str | None = None) -> list[Letter]:
        """The letters, oldest first."""
        with self.app.app_context():
            query = select(Letter).order_by(Letter.created_at, Letter.id)
            found = db.session.scalars(query if to is None else query.where(Letter.to == to)).all()
            return list(found)
