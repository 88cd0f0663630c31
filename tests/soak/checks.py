"""The account after a run: nothing lost, nothing done twice."""

import json
from collections.abc import Sequence
from typing import Any

import httpx
from sqlalchemy import Engine, create_engine, text

from service.db.database_app import driver_url
from tests.servers.tree import TooLong, until
from tests.soak.findings import Findings
from tests.soak.followers import Follower
from tests.soak.players import Player
from tests.soak.service import Service
from tests.worker.sink import Sink

SETTLE_SECONDS = 300.0  # a killed worker's letters are claimed again after three minutes
OPEN_WORK = """
SELECT (SELECT count(*) FROM decision WHERE closed_at IS NULL AND person_id IS NULL)
     + (SELECT count(*) FROM letter WHERE next_try_at IS NOT NULL)
"""


class Account:
    """Reads the database of a service whose players have stopped, and compares."""

    def __init__(self, service: Service, findings: Findings) -> None:
        self.service, self.findings = service, findings
        self.engine: Engine = create_engine(driver_url(service.env["LAGUNA_DATABASE_URL"]))

    def close(self) -> None:
        self.engine.dispose()

    def rows(self, query: str, **parameters: Any) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(text(query), parameters))

    def settle(self) -> None:
        """Wait until bots have answered and letters are sent."""

        def settled() -> bool:
            return bool(self.rows(OPEN_WORK)[0][0] == 0)

        try:
            until(settled, "bots and letters", SETTLE_SECONDS)
        except TooLong:
            left = self.rows("SELECT id, kind, state, attempts, error FROM letter "
                             "WHERE next_try_at IS NOT NULL LIMIT 5")  # fmt: skip
            self.findings.violation(f"work left after {SETTLE_SECONDS:.0f} s: {left}")

    def check_moves(self, players: Sequence[Player]) -> None:
        """Every accepted move is in the log once, as it was sent, and no other is."""
        accepted = {key: move for player in players for key, move in player.played.items()}
        stored = {
            (row.game_id, row.decision): json.loads(row.move)
            for row in self.rows("SELECT game_id, decision, move FROM move WHERE via = 'player'")
        }
        for key in accepted.keys() - stored.keys():
            self.findings.violation(f"move lost: {key}")
        for key in stored.keys() - accepted.keys():
            self.findings.violation(f"move nobody made: {key}")
        for key in accepted.keys() & stored.keys():
            if accepted[key] != stored[key]:
                self.findings.violation(f"other move stored: {key}")
        self.findings.count("moves checked", len(stored))

    def check_mails(self, sink: Sink) -> None:
        """Every letter that counts as sent arrived, and no other. Only a letter that was being sent
        when its sender was killed may arrive twice, or never if it is marked as unconfirmed."""
        letters = {row.id: row for row in self.rows("SELECT id, state, reason FROM letter")}
        arrived = {name.strip("<>").partition(".")[0]: n for name, n in sink.times().items()}
        missing = 0
        for letter, row in letters.items():
            if row.reason == "unconfirmed" and letter not in arrived:
                missing += 1
            elif (row.state == "sent") != (letter in arrived):
                self.findings.violation(
                    f"letter {letter} is {row.state}, arrived {arrived.get(letter, 0)} times"
                )
            if row.state in ("failed", "dead"):
                self.findings.violation(f"letter {letter} is {row.state}")
        kills = sum(kill.role in ("work", "postgres") for kill in self.findings.kills)
        repeated = sum(times - 1 for times in arrived.values())
        if repeated + missing > kills:
            self.findings.violation(
                f"{repeated} letters came twice, {missing} never, with {kills} kills"
            )
        self.findings.count("mails checked", len(arrived))
        self.findings.count("mails repeated after a kill", repeated)
        self.findings.count("mails lost at a kill and marked as unconfirmed", missing)

    def check_streams(self, followers: Sequence[Follower]) -> None:
        """Whatever a stream had not yet brought is what the log has after it."""
        for follower in followers:
            answer = httpx.get(
                f"{self.service.url}/v1/events?after={follower.last}&limit=500",
                headers={"Authorization": f"Bearer {follower.token}"},
                timeout=30,
            )
            numbers = [event["number"] for event in answer.json()["items"]]
            if numbers != list(range(follower.last + 1, follower.last + 1 + len(numbers))):
                self.findings.violation(f"events after {follower.last}: {numbers}")

    def check_audit(self) -> None:
        """All games are replayed from seed and log and compared."""
        done = self.service.command("audit", "--all")
        if done.returncode:
            self.findings.violation(f"audit: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        else:
            self.findings.count("audits passed")
