"""Every registered game is pinned down by files, and they still hold."""

from pathlib import Path

import pytest

from engine.registry import GAME_TYPES
from engine.verify import split_lines, verify
from tests.engine.golden import ROOT, golden_files, reasons, text_of

FILES = {
    f"{game.meta.key}/{path.name}": (path, make)
    for game in GAME_TYPES
    for path, make in golden_files(game.meta.key).items()
}


@pytest.mark.parametrize("name", FILES)
def test_golden_files_match_the_engine(name: str) -> None:
    path, make = FILES[name]
    assert path.read_text(encoding="utf-8") == text_of(make)


@pytest.mark.parametrize("key", [game.meta.key for game in GAME_TYPES])
def test_every_game_has_its_perft_playthrough_replays_and_rules(key: str) -> None:
    paths = list(golden_files(key))
    present = {path for path in (ROOT / key / "golden").rglob("*") if path.is_file()}
    assert present == set(paths), "files that nobody makes, or that were not written"
    assert any(path.name == "perft.jsonl" for path in paths)
    assert any(path.name.startswith("playthrough") for path in paths)
    replays = [path for path in paths if path.parent.name == "replays"]
    assert len(replays) >= 2
    rules = Path(__file__).parents[2] / "docs" / "rules" / f"{key}.md"
    assert rules.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("key", [game.meta.key for game in GAME_TYPES])
def test_the_replays_verify_and_show_every_way_to_end(key: str) -> None:
    seen = set()
    shared_wins = 0
    for path in golden_files(key):
        if path.parent.name == "replays":
            ended = verify(split_lines(path.read_bytes())).outcome
            assert ended is not None
            seen.add(ended.reason)
            shared_wins += len(ended.winners) > 1
    assert seen == reasons(key)
    assert shared_wins
