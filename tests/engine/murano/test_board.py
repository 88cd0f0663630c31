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

from engine.murano.data import DEFAULT, read_board
from engine.murano.figures import BadBoard

ROOT = Path(__file__).parents[3]
HOUSE = json.loads(files("engine.murano").joinpath("house.json").read_text("utf-8"))


def test_the_house_has_the_printed_numbers_of_everything() -> None:
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


def test_the_provenance_says_what_is_printed_and_what_is_ours() -> None:
    assert set(HOUSE["provenance"]) == {"printed", "house"}
    assert all(HOUSE["provenance"].values())


def test_every_building_space_touches_a_street_space() -> None:
    for space in DEFAULT.spaces:
        assert space.street != bool(space.beside)
        for beside in space.beside:
            assert DEFAULT.spaces[beside].street
            assert DEFAULT.spaces[beside].island == space.island


def test_other_figures_have_another_key_and_other_words_do_not() -> None:
    assert read_board(json.dumps(HOUSE)).key == DEFAULT.key
    assert read_board(json.dumps(HOUSE | {"title": "Ours", "provenance": {}})).key == DEFAULT.key
    assert read_board(json.dumps(HOUSE | {"sale_gold": [0, 4, 12, 20]})).key != DEFAULT.key


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
        (_set("ring", 0, "anchor", value=False), "ring"),
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
        (_set("ring", 1, "anchor", value=1), "ring[1].anchor"),
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
def test_what_is_wrong_is_named_by_its_path(change: Callable[[Any], None], path: str) -> None:
    figures = copy.deepcopy(HOUSE)
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
    text = json.dumps(HOUSE)
    with pytest.raises(BadBoard) as wrong:
        read_board(text.replace('"39": {', '"38": {', 1))
    assert str(wrong.value) == "38: stands there twice"


def started_with(*paths: Path) -> subprocess.CompletedProcess[str]:
    """What a new process says of the boards, with these files as the other ones."""
    code = (
        "from engine.murano import meta; one = meta.options[0]; print([*one.choices], one.default)"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "", "LAGUNA_MURANO_DATA": os.pathsep.join(map(str, paths))},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_another_file_is_the_board_of_new_games_and_the_house_stays_known(tmp_path: Path) -> None:
    other = tmp_path / "mine.json"
    other.write_text(json.dumps(HOUSE | {"title": "Mine", "sale_gold": [0, 4, 12, 20]}))
    key = read_board(other.read_text()).key
    started = started_with(other)
    assert started.stdout == f"['{DEFAULT.key}', '{key}'] {key}\n", started.stderr


def test_of_several_files_the_first_is_for_new_games_and_all_stay_known(tmp_path: Path) -> None:
    keys = []
    paths = [tmp_path / "corrected.json", tmp_path / "first.json"]
    for number, path in enumerate(paths):
        path.write_text(json.dumps(HOUSE | {"sale_gold": [0, number, 12, 20]}))
        keys.append(read_board(path.read_text()).key)
    corrected, first = keys
    started = started_with(*paths)
    assert started.stdout == f"['{DEFAULT.key}', '{first}', '{corrected}'] {corrected}\n"


def test_who_names_a_copy_of_the_house_board_plays_on_it(tmp_path: Path) -> None:
    other, copied = tmp_path / "other.json", tmp_path / "house.json"
    other.write_text(json.dumps(HOUSE | {"sale_gold": [0, 1, 12, 20]}))
    copied.write_text(json.dumps(HOUSE))
    key = read_board(other.read_text()).key
    assert started_with(copied, other).stdout == f"['{key}', '{DEFAULT.key}'] {DEFAULT.key}\n"


def test_a_file_that_cannot_be_used_ends_the_start_with_a_sentence(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(HOUSE | {"sale_gold": [0, 5]}))
    for path, why in ((wrong, "sale_gold: must be 4 numbers"), (tmp_path / "none", "No such file")):
        started = started_with(path)
        assert started.returncode == 1
        assert started.stderr.startswith(f"LAGUNA_MURANO_DATA: {path} cannot be used: ")
        assert why in started.stderr
        assert "Traceback" not in started.stderr
