"""Honest players: keep a few games going, answer every decision, note each accepted move."""

import queue
import random
import threading
import uuid
from typing import Any

import httpx

from tests.soak.client import Client
from tests.soak.findings import Findings

GAMES_AT_ONCE = 3
PAUSE = 0.3  # seconds between two looks at the open decisions
CLOCK = {"kind": "flat", "hours": 24}


class Player(threading.Thread):
    """One person with a token; a partner is invited to every second game."""

    def __init__(self, client: Client, name: str, game_types: list[str], seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self.client, self.game_types = client, game_types
        self.random = random.Random(seed)
        self.partner: Player | None = None
        self.tables: queue.Queue[str] = queue.Queue()  # to join, opened by the partner
        self.played: dict[tuple[str, str], Any] = {}  # (game, decision): the move that was accepted

    @property
    def findings(self) -> Findings:
        return self.client.findings

    def run(self) -> None:
        while not self.client.stop.is_set():
            try:
                self._look()
            except Exception as error:  # a defect of the service or of this client: report either
                self.findings.violation(f"{self.name}: {error!r}")
            self.client.stop.wait(PAUSE)
        self.client.close()

    def _look(self) -> None:
        self._join_tables()
        running = self._get("/v1/games?status=running")
        if running is not None and len(running["items"]) < GAMES_AT_ONCE:
            self._open_table()
        waiting = self._get("/v1/decisions")
        for item in (waiting or {"items": []})["items"]:
            if self.client.stop.is_set():
                return
            self._answer(item["game"])

    def _open_table(self) -> None:
        together = self.partner is not None and self.random.random() < 0.5
        seats = self.random.choice([2, 3])
        body = {
            "game": self.random.choice(self.game_types),
            "seats": seats,
            "bots": seats - 1 - together,
            "clock": CLOCK,
        }
        answer = self.client.call("POST", "/v1/games", body, uuid.uuid4().hex)
        if answer is None:
            return
        if answer.status_code != httpx.codes.CREATED:
            self.findings.violation(f"table refused: {answer.status_code} {answer.text[:300]}")
            return
        self.findings.count("tables opened")
        if together and self.partner is not None:
            self.partner.tables.put(answer.json()["id"])

    def _join_tables(self) -> None:
        while not self.tables.empty():
            game_id = self.tables.get_nowait()
            answer = self.client.call("POST", f"/v1/games/{game_id}/join", {}, uuid.uuid4().hex)
            if answer is not None and answer.status_code != httpx.codes.OK:
                self.findings.violation(f"join refused: {answer.status_code} {answer.text[:300]}")

    def _answer(self, game_id: str) -> None:
        game = self._get(f"/v1/games/{game_id}")
        decision = game and game["decision"]
        if not decision or decision["revising"]:
            return
        move = self.random.choice(decision["moves"])["move"]
        body = {"decision": decision["id"], "move": move}
        answer = self.client.call("POST", f"/v1/games/{game_id}/moves", body, uuid.uuid4().hex)
        if answer is None:
            return
        if answer.status_code != httpx.codes.OK:
            self.findings.violation(f"move refused: {answer.status_code} {answer.text[:300]}")
            return
        self.played[game_id, decision["id"]] = move
        self.findings.count("moves accepted")

    def _get(self, path: str) -> Any:
        answer = self.client.call("GET", path)
        if answer is None:
            return None
        if answer.status_code != httpx.codes.OK:
            self.findings.violation(f"GET {path}: {answer.status_code} {answer.text[:300]}")
            return None
        return answer.json()
