"""A client that openapi-python-client makes from `openapi.yaml`: it is complete, and it plays."""

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.registry import GAME_TYPES
from engine.verify import split_lines, verify
from tests.clients.documents import CONTRACT, ENVIRONMENT, block
from tests.clients.live import LiveSite

KEYS = list(dict.fromkeys(game.meta.key for game in GAME_TYPES))
NAMES = ("Alice", "Bob", "Carla", "Dan")


def run(*words: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client as the page says it is made, with the program of the page beside it."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "client.yaml").write_text(block("yaml"))
    run(
        *("openapi_python_client", "generate", "--path", str(CONTRACT)),
        *("--config", "client.yaml", "--output-path", "made", "--fail-on-warning"),
        cwd=folder,
    )
    (folder / "made" / "player.py").write_text(block("python"))
    return folder / "made"


@pytest.fixture(scope="session")
def player(generated: Path) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(generated)
        yield importlib.import_module("player")


def operation(noun: str, name: str) -> Callable[..., Any]:
    module = importlib.import_module(f"laguna_client.api.{noun}.{name}")
    called: Callable[..., Any] = module.sync
    return called


def by_text(decision: Any) -> Any:
    models = importlib.import_module("laguna_client.models")
    return models.Answer(decision=decision.id, text=decision.moves[-1].text)


def by_moves(decision: Any) -> Any:
    models = importlib.import_module("laguna_client.models")
    return models.Answer(decision=decision.id, moves=[decision.moves[0].move])


def play_together(
    player: ModuleType, site: LiveSite, game: str, people: tuple[str, ...], bots: int
) -> None:
    """Each person has a client; one answers in notation, one with lists, the others with moves."""
    models = importlib.import_module("laguna_client.models")
    styles = [by_text, by_moves, player.best, player.best]
    with ExitStack() as stack, ThreadPoolExecutor(len(people)) as pool:
        clients = [
            stack.enter_context(
                player.AuthenticatedClient(
                    base_url=site.url, token=site.token(name), raise_on_unexpected_status=True
                )
            )
            for name in people
        ]
        wanted = models.NewGame(game=game, seats=len(people) + bots, bots=bots)
        made = operation("tables", "create_game")(client=clients[0], body=wanted)
        for client in clients[1:]:
            joined = operation("tables", "join_game")(made.id, client=client, body=models.Join())
        assert joined.status == models.GameStatus.RUNNING
        list(pool.map(lambda client, style: player.play(client, made.id, style), clients, styles))

        ended = operation("games", "get_game")(made.id, client=clients[-1])
        assert ended.status == models.GameStatus.FINISHED
        record = operation("looks", "get_record")(made.id, client=clients[-1])
        followed = verify(split_lines(record.encode()))
        assert followed.game.meta.key == game
        assert followed.outcome is not None
        assert list(followed.outcome.scores) == ended.outcome.scores
        ways = {line.via for line in followed.lines}
        assert ("player" in ways, "bot" in ways) == (True, bots > 0)
        for client in clients:
            events = operation("events", "list_events")(client=client, limit=500)
            assert [event.number for event in events.items] == list(range(1, events.last + 1))
            assert {"game.started", "decision.opened", "game.finished"} <= {
                event.type_ for event in events.items
            }


@pytest.mark.parametrize("game", KEYS)
def test_four_generated_clients_play_a_whole_game(
    player: ModuleType, live_site: LiveSite, game: str
) -> None:
    play_together(player, live_site, game, NAMES, bots=0)


def test_two_generated_clients_play_a_whole_game_with_a_bot(
    player: ModuleType, live_site: LiveSite
) -> None:
    play_together(player, live_site, KEYS[0], NAMES[:2], bots=1)


@pytest.mark.long
def test_the_generated_client_and_the_program_that_uses_it_have_types_that_fit(
    generated: Path, tmp_path: Path
) -> None:
    run(
        *("mypy", "--strict", "--config-file", "", "--cache-dir", str(tmp_path)),
        *("player.py", "laguna_client"),
        cwd=generated,
    )


def test_a_problem_is_typed_too(player: ModuleType, live_site: LiveSite) -> None:
    models = importlib.import_module("laguna_client.models")
    unknown = "lag_nobody"
    with player.AuthenticatedClient(base_url=live_site.url, token=unknown) as client:
        problem = operation("play", "list_decisions")(client=client)
    assert isinstance(problem, models.Problem)
    assert problem.code == models.ProblemCode.INVALID_TOKEN
