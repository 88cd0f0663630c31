"""Run the soak test on SQLite and on PostgreSQL with Redis; print an account of each as JSON."""

import argparse
import json
import random
import re
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from engine.registry import GAME_TYPES
from service.core.clock import wall_clock
from service.db.session import db
from tests.attackers import Attack
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer
from tests.soak.checks import Account
from tests.soak.client import Client
from tests.soak.connections import Kill
from tests.soak.findings import Findings
from tests.soak.followers import Follower
from tests.soak.noise import Noise
from tests.soak.players import Player
from tests.soak.service import SECRET_KEY, Service
from tests.support.site import Site, settings_for
from tests.worker.sink import Sink

DATABASES = ("sqlite", "postgresql")
REPORT_SECONDS = 30.0
RESTART_SHARE = 0.2  # of the kills, where the web processes have a supervisor
ATTACKERS_ADDRESS = "127.0.0.2"


def main() -> int:
    options = _options()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    _tell(f"seed {seed}; {options.minutes} minutes on each database")
    bad = 0
    for database in options.databases.split(","):
        findings = soak(database, options, seed)
        summary = {"database": database, "seed": seed} | findings.summary()
        sys.stdout.write(json.dumps(summary, indent=2) + "\n")
        bad += len(findings.violations)
    _tell(f"{'FAILED' if bad else 'OK'}: {bad} violations")
    return 1 if bad else 0


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of play on each database (10)")
    parser.add_argument("--databases", default=",".join(DATABASES), help="separated by commas")
    parser.add_argument("--players", type=int, default=8)
    parser.add_argument("--attackers", type=int, default=200, help="connections of attackers (200)")
    parser.add_argument("--kill-seconds", type=float, default=25.0, help="between kills; 0: none")
    parser.add_argument("--seed", type=int, help="of the players' choices and the kills")
    return parser.parse_args()


def soak(database: str, options: argparse.Namespace, seed: int) -> Findings:
    """Play, attack and kill for so many minutes; what was found."""
    findings, choice = Findings(), random.Random(seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="laguna-soak-")))
        sink = stack.enter_context(Sink())
        postgres = redis = None
        if database == "postgresql":
            postgres = stack.enter_context(PostgresServer())
            redis = stack.enter_context(RedisServer())
        service = Service(
            folder,
            postgres.url.replace("+psycopg", "") if postgres else None,
            redis.url if redis else None,
            sink.url,
        )
        stack.callback(service.clear)
        service.until_ready()
        tokens = _sign_in(service, options.players)
        play_over, attack_over = threading.Event(), threading.Event()
        players = _players(service, tokens, findings, play_over, seed)
        followers = [Follower(service.url, token, findings, attack_over) for token in tokens]
        noise = Noise(service.url, findings, attack_over)
        for thread in (*players, *followers, noise):
            thread.start()
        address = ("127.0.0.1", service.port)
        with Attack(address, options.attackers, source=ATTACKERS_ADDRESS, renew=True) as attack:
            _disturb(service, postgres, redis, options, findings, choice)
        findings.count("attackers closed by the server", attack.renewed)
        play_over.set()
        _join(players)
        account = Account(service, findings)
        stack.callback(account.close)
        account.settle()
        attack_over.set()
        _join([*followers, noise])
        account.check_moves(players)
        account.check_mails(sink)
        account.check_streams(followers)
        if code := service.stop():
            findings.violation(f"laguna up ended with {code}")
        account.check_audit()
        findings.judge_losses()
        for entry in service.errors():
            said = f"log {entry.get('event')} {entry.get('message', '')}".strip()
            findings.count(re.sub(r"\d+", "N", said))
    return findings


def _sign_in(service: Service, count: int) -> list[str]:
    """Sessions of new people, by the function with which a mailed code signs in."""
    url = service.env["LAGUNA_DATABASE_URL"]
    site = Site(settings_for(service.folder, url, secret_key=SECRET_KEY), wall_clock)
    site.clock = wall_clock  # type: ignore[assignment]
    tokens = [str(site.person(f"Player{number}").token) for number in range(count)]
    with site.app.app_context():
        db.engine.dispose()
    return tokens


def _players(
    service: Service, tokens: list[str], findings: Findings, stop: threading.Event, seed: int
) -> list[Player]:
    game_types = [game.meta.key for game in GAME_TYPES]
    players = [
        Player(Client(service.url, token, findings, stop), f"player {n}", game_types, seed + n)
        for n, token in enumerate(tokens)
    ]
    for one, other in zip(players[::2], players[1::2]):
        one.partner, other.partner = other, one
    return players


def _disturb(
    service: Service,
    postgres: PostgresServer | None,
    redis: RedisServer | None,
    options: argparse.Namespace,
    findings: Findings,
    choice: random.Random,
) -> None:
    """Kill processes, or restart the web, until the time is over; kill the servers once."""
    began = time.monotonic()
    end = began + options.minutes * 60
    servers = [server for server in (postgres, redis) if server is not None]
    next_kill = began + (options.kill_seconds or options.minutes * 120)
    next_report = began + REPORT_SECONDS
    while (now := time.monotonic()) < end:
        if now > next_kill:
            next_kill = now + options.kill_seconds * choice.uniform(0.5, 1.5)
            if servers and now > began + options.minutes * 30:
                server = servers.pop()
                findings.killed(Kill(time.monotonic(), server.name))
                server.kill()
                time.sleep(5.0)
                server.start()
            elif choice.random() < RESTART_SHARE and (restart := service.restart_web()):
                findings.killed(restart)
            elif kill := service.kill_one(choice):
                findings.killed(kill)
        if now > next_report:
            next_report = now + REPORT_SECONDS
            moves, bad = findings.counts["moves accepted"], len(findings.violations)
            _tell(f"{now - began:4.0f} s: {moves} moves, {len(findings.kills)} kills, {bad} bad")
        time.sleep(0.2)


def _join(threads: list[threading.Thread] | list[Player]) -> None:
    for thread in threads:
        thread.join(240)
        assert not thread.is_alive(), f"{thread.name} does not end"


if __name__ == "__main__":
    sys.exit(main())
