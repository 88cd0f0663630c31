"""The figures of the board: complete, and every mistake in a file is named by its place."""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from engine import murano
from engine.chance import seed_from_text
from engine.errors import BadSetup
from engine.murano.board import own_boards, read_board
from engine.murano.board_checks import BadBoard
from engine.options import new_options, renewed_options
from engine.play import begin

*OLDER, DEFAULT = own_boards()

ROOT = Path(__file__).parents[3]
OWN = json.loads(files("engine.murano").joinpath("boards/laguna-2.json").read_text("utf-8"))


def test_our_board_has_the_printed_numbers_of_everything() -> None:
    figures = DEFAULT.figures
    assert sum(figures["streets"].values()) == 42
    assert sum(figures["shops"].values()) == 12
    assert sum(figures["palaces"].values()) == 12
    assert (figures["glassworks"], figures["specials"]) == (12, 12)
    assert (len(figures["special_cards"]), len(figures["characters"])) == (15, 40)
    assert len(DEFAULT.anchors) == 8
    assert DEFAULT.actions.count("build") == 3
    for action in ("glassworks", "shop", "palace", "recruit", "gondolier"):
        assert DEFAULT.actions.count(action) == 2
    for action in ("gold", "special", "income", "production", "crew"):
        assert DEFAULT.actions.count(action) == 1


def test_the_provenance_separates_printed_figures_from_ours() -> None:
    assert set(OWN["provenance"]) == {"printed", "laguna"}
    assert all(OWN["provenance"].values())


def test_every_building_space_touches_a_street_space() -> None:
    for space in DEFAULT.spaces:
        assert space.street != bool(space.beside)
        for beside in space.beside:
            assert DEFAULT.spaces[beside].street
            assert DEFAULT.spaces[beside].island == space.island


def test_other_figures_have_another_key_and_other_words_do_not() -> None:
    assert read_board(json.dumps(OWN)).key == DEFAULT.key
    assert read_board(json.dumps(OWN | {"title": "Ours", "provenance": {}})).key == DEFAULT.key
    assert read_board(json.dumps(OWN | {"sale_gold": [0, 4, 12, 20]})).key != DEFAULT.key


def _set(*path: Any, value: Any) -> Callable[[Any], None]:
    def change(figures: Any) -> None:
        for step in path[:-1]:
            figures = figures[step]
        figures[path[-1]] = value

    return change


def _without(*path: Any) -> Callable[[Any], None]:
    def change(figures: Any) -> None:
        for step in path[:-1]:
            figures = figures[step]
        del figures[path[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (_without("ring"), "ring"),
        (_set("ring", 3, "action", value="biuld"), "ring[3].action"),
        (_set("ring", 3, "id", value="A9"), "ring[3].id"),
        (_set("ring", 1, "anchor", value=False), "ring"),
        (_set("ring", 14, "action", value="build"), "ring"),
        (_set("islands", "SD", "grid", 0, value="BBB"), "islands.SD.grid[1]"),
        (_set("islands", "SD", "grid", 0, value="BBXB."), "islands.SD.grid[0]"),
        (_set("islands", "SD", "grid", 0, value="BBBBB"), "islands.SD.grid[0]"),
        (_set("islands", "SD", "docks", 0, value="pink"), "islands.SD.docks"),
        (_set("islands", "SD", "docks", 0, value="brown"), "islands.SD.docks"),
        (_set("only_with_4_players", 0, value="XX"), "only_with_4_players"),
        (_set("streets", "blank", value=13), "streets"),
        (_set("streets", "pink", value=1), "streets"),
        (_without("streets", "red+grey"), "streets.red+grey"),
        (_set("shops", "red", value="4"), "shops.red"),
        (_set("glassworks", value=0), "glassworks"),
        (_set("removed_with_2_or_3_players", "shops", "red", value=5),
         "removed_with_2_or_3_players.shops.red"),
        (_set("ring", 0, "anchor", value=1), "ring[0].anchor"),
        (_set("removed_with_2_or_3_players", "shops", value={"red": 4, "blue": 4, "grey": 4}),
         "removed_with_2_or_3_players.shops"),
        (_set("removed_with_2_or_3_players", "characters", value=[30, 37, 99]),
         "removed_with_2_or_3_players.characters[2]"),
        (_set("removed_with_2_or_3_players", "characters", value=[30, "37"]),
         "removed_with_2_or_3_players.characters[1]"),
        (_set("removed_with_2_or_3_players", "characters", value=[30, 37, 30]),
         "removed_with_2_or_3_players.characters[2]"),
        (_set("removed_with_2_or_3_players", "characters", value=[30]), "characters.37.players"),
        (_set("characters", "32", "island", value="SS"), "characters.32.island"),
        (_set("player", "colours", value=["white"]), "player.colours"),
        (_set("player", "gondoliers_at_hand", value=6), "player"),
        (_set("prices", "shop", value=[2]), "prices.shop"),
        (_set("prices", "hire", value=-1), "prices.hire"),
        (_set("sale_gold", value=[0, 5, 12]), "sale_gold"),
        (_set("special_cards", "bank", value={}), "special_cards.bank"),
        (_set("special_cards", "casino", value={}), "special_cards.casino"),
        (_set("special_cards", "studio-red-blue", "beads", value=["red", "green"]),
         "special_cards.studio-red-blue.beads"),
        (_set("characters", "1", value={"vp": 2}), "characters.1"),
        (_set("characters", "1", "per", value="church"), "characters.1.per"),
        (_set("characters", "26", "island", value="XX"), "characters.26.island"),
        (_set("characters", "5", "at_most", value=3), "characters.5.at_most"),
        (_without("characters", "5", "vp"), "characters.5.vp"),
        (_set("characters", "x", value={"per": "shop", "vp": 1}), "characters.x"),
        (_set("tables", "gold", value={"4": 3, "2": 1}), "tables.gold"),
        (_set("tables", "gold", "4", value=None), "tables.gold.4"),
        (_set("characters_removed_at_random", value=38), "characters_removed_at_random"),
        (_set("title", value=""), "title"),
    ],
)  # fmt: skip
def test_errors_name_their_path(change: Callable[[Any], None], path: str) -> None:
    figures = copy.deepcopy(OWN)
    change(figures)
    with pytest.raises(BadBoard) as wrong:
        read_board(json.dumps(figures))
    assert wrong.value.path == path, str(wrong.value)
    assert str(wrong.value).startswith(f"{path}: ")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "17"])
def test_a_file_that_holds_no_object_is_refused(text: str) -> None:
    with pytest.raises(BadBoard):
        read_board(text)


def test_an_entry_that_stands_there_twice_is_named() -> None:
    """JSON itself would take the second one for both."""
    text = json.dumps(OWN)
    with pytest.raises(BadBoard) as wrong:
        read_board(text.replace('"39": {', '"38": {', 1))
    assert str(wrong.value) == "38: stands there twice"


def started_with(*paths: Path) -> subprocess.CompletedProcess[str]:
    """What a new process says of the boards, with these files as the other ones."""
    code = (
        "import sys\n"
        "from engine import murano\n"
        "from engine.cli.parser import main\n"
        "ended = main(['games'])\n"
        "one = murano.meta.options[0]\n"
        "print([*one.choices], one.default)\n"
        "sys.exit(ended)"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "", "LAGUNA_MURANO_DATA": os.pathsep.join(map(str, paths))},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def last_line(started: subprocess.CompletedProcess[str]) -> str:
    assert started.returncode == 0, started.stderr
    return started.stdout.splitlines()[-1]


def test_another_file_is_the_board_of_new_games_and_ours_stays_known(tmp_path: Path) -> None:
    other = tmp_path / "mine.json"
    other.write_text(json.dumps(OWN | {"title": "Mine", "sale_gold": [0, 4, 12, 20]}))
    key = read_board(other.read_text()).key
    assert last_line(started_with(other)) == f"['{DEFAULT.key}', '{key}'] {key}"


def test_of_several_files_the_first_is_for_new_games_and_all_stay_known(tmp_path: Path) -> None:
    keys = []
    paths = [tmp_path / "corrected.json", tmp_path / "first.json"]
    for number, path in enumerate(paths):
        path.write_text(json.dumps(OWN | {"sale_gold": [0, number, 12, 20]}))
        keys.append(read_board(path.read_text()).key)
    corrected, first = keys
    told = last_line(started_with(*paths))
    assert told == f"['{DEFAULT.key}', '{first}', '{corrected}'] {corrected}"


def test_a_copy_of_the_board_is_used_if_it_is_configured(tmp_path: Path) -> None:
    other, copied = tmp_path / "other.json", tmp_path / "copied.json"
    other.write_text(json.dumps(OWN | {"sale_gold": [0, 1, 12, 20]}))
    copied.write_text(json.dumps(OWN))
    key = read_board(other.read_text()).key
    assert last_line(started_with(copied, other)) == f"['{key}', '{DEFAULT.key}'] {DEFAULT.key}"


def test_a_file_that_cannot_be_used_ends_the_start_with_a_sentence(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(OWN | {"sale_gold": [0, 5]}))
    for path, why in ((wrong, "sale_gold: must be 4 numbers"), (tmp_path / "none", "No such file")):
        started = started_with(path)
        assert started.returncode == 2
        assert f"LAGUNA_MURANO_DATA: {path} cannot be used: " in started.stderr
        assert why in started.stderr
        assert "Traceback" not in started.stderr


def test_importing_the_engine_reads_no_environment_and_ends_no_process(tmp_path: Path) -> None:
    code = "from engine import murano; print(murano.meta.options[0].default)"
    started = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "", "LAGUNA_MURANO_DATA": str(tmp_path / "gone.json")},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (started.returncode, started.stdout) == (0, f"{DEFAULT.key}\n"), started.stderr


# Versions of Laguna's own board


def test_the_first_version_keeps_its_figures_and_is_no_longer_offered() -> None:
    assert [board.key for board in OLDER] == ["b01539c2e0a2"]
    option = murano.meta.options[0]
    assert option.default == DEFAULT.key
    assert "b01539c2e0a2" not in option.choices
    assert "b01539c2e0a2" in option.retired
    with pytest.raises(BadSetup, match="can no longer be 'b01539c2e0a2'"):
        new_options(murano, {"board": "b01539c2e0a2"})
    assert renewed_options(murano, {"board": "b01539c2e0a2"}) == {}


def test_the_newest_version_differs_by_its_anchors_alone() -> None:
    (first,) = OLDER
    ring = [{**space, "anchor": None} for space in DEFAULT.figures["ring"]]
    assert ring == [{**space, "anchor": None} for space in first.figures["ring"]]
    other = ("ring", "title")
    assert {name: value for name, value in DEFAULT.figures.items() if name not in other} == {
        name: value for name, value in first.figures.items() if name not in other
    }
    spaces = len(DEFAULT.ring)
    assert DEFAULT.anchors == tuple(sorted((anchor + 1) % spaces for anchor in first.anchors))


def test_a_game_begun_on_the_first_version_goes_on_with_it() -> None:
    seed = seed_from_text("first version")
    opening = begin(murano, 2, {"board": OLDER[0].key}, seed)
    ships = murano.view(opening.state, None)
    assert {*ships["ships"], ships["red_ship"]} == {
        OLDER[0].ring[anchor] for anchor in OLDER[0].anchors
    }
    assert murano.load(murano.dump(opening.state)) == opening.state
