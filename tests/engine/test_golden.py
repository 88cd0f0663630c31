"""Every registered game is pinned down by files, and they still hold."""

from pathlib import Path

import pytest

from engine.registry import GAMES
from engine.verify import verify
from tests.engine.golden import golden_files, text_of

FILES = {
    f"{game.meta.key}/{path.name}": (path, make)
    for game in GAMES
    for path, make in golden_files(game.meta.key).items()
}


@pytest.mark.parametrize("name", FILES)
def test_a_golden_file_is_what_the_engine_says_today(name: str) -> None:
    path, make = FILES[name]
    assert path.read_text(encoding="utf-8") == text_of(make)


@pytest.mark.parametrize("key", [game.meta.key for game in GAMES])
def test_every_game_has_its_perft_playthrough_replays_and_rules(key: str) -> None:
    paths = list(golden_files(key))
    folder = paths[0].parents[len(paths[0].parents) - 1 - _depth_of_golden(paths[0])]
    present = {path for path in folder.rglob("*") if path.is_file()}
    assert present == set(paths), "files that nobody makes, or that were not written"
    assert any(path.name == "perft.jsonl" for path in paths)
    assert any(path.name.startswith("playthrough") for path in paths)
    replays = [path for path in paths if path.parent.name == "replays"]
    assert len(replays) >= 2
    rules = Path(__file__).parents[2] / "docs" / "rules" / f"{key}.md"
    assert rules.read_text(encoding="utf-8").startswith("# ")


def _depth_of_golden(path: Path) -> int:
    return path.parts.index("golden")


@pytest.mark.parametrize("key", [game.meta.key for game in GAMES])
def test_the_replays_verify_and_show_every_way_to_end(key: str) -> None:
    reasons = set()
    shared_wins = 0
    for path in golden_files(key):
        if path.parent.name == "replays":
            ended = verify(path.read_text(encoding="utf-8").splitlines()).outcome
            assert ended is not None
            reasons.add((ended.reason, len(ended.scores)))
            shared_wins += len(ended.winners) > 1
    assert len({reason for reason, _ in reasons}) >= 2
    assert shared_wins
