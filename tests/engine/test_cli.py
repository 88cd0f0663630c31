"""The command line, as a stranger uses it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli import main

ROOT = Path(__file__).parents[2]


def laguna(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "engine", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_games_lists_seats_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "games")
    assert "millefiori: Mille Fiori, 2 to 4 seats" in text
    assert "standard" in text


def test_a_record_is_printed_and_verifies() -> None:
    record = laguna("record", "millefiori", "--seats", "4", "--seed", "7", "--legal")
    assert record.returncode == 0
    assert json.loads(record.stdout.splitlines()[1])["legal"]
    verified = laguna("verify", "-", stdin=record.stdout)
    assert verified.returncode == 0
    assert verified.stdout.startswith("verified: Mille Fiori, 4 seats")


def test_a_changed_record_is_refused_with_the_line(tmp_path: Path) -> None:
    text = laguna("record", "millefiori", "--seats", "2", "--seed", "7").stdout
    file = tmp_path / "game.jsonl"
    file.write_text(text.replace('"scores":[0,0]', '"scores":[1,0]', 1), encoding="utf-8")
    verified = laguna("verify", str(file))
    assert verified.returncode == 1
    assert verified.stderr.startswith("verification failed: line 2: scores is [1, 0]")
    assert verified.stdout == ""


def test_options_and_policy_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(
        capsys,
        "record",
        "millefiori",
        "--seats=3",
        "--option",
        "variant=tactical",
        "--policy=greedy",
    )
    header, first, *_ = [json.loads(line) for line in text.splitlines()]
    assert header["options"] == {"variant": "tactical"}
    assert first["via"] == "bot"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["record", "chess"], "There is no game 'chess'; there is: millefiori, murano."),
        (["record", "millefiori", "--seats", "7"], "played with 2, 3, 4 seats, not 7"),
        (["record", "millefiori", "--option", "variant"], "Option 'variant' cannot be ''"),
        (["record", "millefiori", "--option", "speed=1"], "has no option 'speed'"),
        (["verify", "no-such-file.jsonl"], "no-such-file.jsonl"),
        (["replay", "README.md"], "line 1: this is not a line of JSON"),
        (["play", "--humans", "9"], "seats for 9 people"),
        (["play", "--save", "engine"], "engine is a directory"),
        (["play", "--save", "/"], "/ is a directory"),
        (["play", "--save", "nowhere/game.jsonl"], "Directory nowhere does not exist"),
        (["play", "--save", "README.md"], "README.md exists"),
        (["play", "--resume", "nowhere.jsonl"], "nowhere.jsonl"),
        (["play", "--resume", "README.md", "--seats", "3"], "keeps its seats"),
        (["record", "millefiori", "--seats", "\u0663"], "not a whole number"),
    ],
)
def test_bad_input_gets_a_clear_sentence(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    try:
        code = main(arguments)
    except SystemExit as exit_by_argparse:
        code = int(exit_by_argparse.code or 0)
    assert code in (1, 2)
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_replay_prints_the_game_up_to_a_move(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(output(capsys, "record", "millefiori", "--seats=2"), encoding="utf-8")
    whole = output(capsys, "replay", str(file))
    assert "The game is over" in whole
    part = output(capsys, "replay", str(file), "--at", "3")
    assert "\n3. " in part
    assert "\n4. " not in part


def test_the_command_line_uses_the_requested_language(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    begun = laguna(
        "play", "millefiori", "--seats=2", "--seed=3", f"--save={file}", "--language=de",
        stdin="1\nquit\n",
    )  # fmt: skip
    assert "Wähle eine Karte, die du behältst." in begun.stdout
    assert "MILLE FIORI, Runde 1 von höchstens 10" in begun.stdout
    assert "--language de" in begun.stdout
    printed = laguna("replay", str(file), "--language", "es")
    assert "Comienza la ronda 1;" in printed.stdout


def test_perft_counts(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "perft", "millefiori", "--seats=2", "--seed=perft", "--depth=3")
    assert text == "1 5\n2 20\n3 140\n"


def test_playthrough_is_readable(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "playthrough", "millefiori", "--seats=2", "--seed=1")
    assert "\n1. r1.t1.keep.s0\n" in text
    assert "(bot)" in text


def test_fuzz_reports_each_setting(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "fuzz", "millefiori", "--seats=2", "--games=2", "--seed=1")
    assert text.count("2 games sound") == 2


def test_lengths_prints_turns_and_points_of_many_games(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "lengths", "murano", "--seats=2", "--games=3", "--jobs=1", "--seed=1")
    assert text.count("3 games") == 2, "by random players and by the bot"
    rows = [line.split() for line in text.splitlines() if line.startswith("  points")]
    for row in rows:
        figures = [int(figure) for figure in row[1:]]
        assert figures == sorted(figures)
        assert len(figures) == 5
    again = output(capsys, "lengths", "murano", "--seats=2", "--games=3", "--jobs=2", "--seed=1")
    assert again == text, "whoever does it again gets the same"


def test_bench_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(output(capsys, "bench", "millefiori", "--games=1"))
    setting = report["millefiori 4 standard"]
    assert setting["moves_per_second"] > 0
    assert setting["state_bytes"] < 4000


def test_a_reader_that_stops_early_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m engine record millefiori --legal | head -1"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.stderr == ""


# Playing in the terminal


def test_a_whole_game_can_be_played_by_numbers(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    played = laguna("play", "--seats=2", "--seed=7", f"--save={file}", stdin="1\n" * 200)
    assert played.returncode == 0, played.stderr
    assert "Final points:" in played.stdout
    assert laguna("verify", str(file)).returncode == 0


def test_moves_can_be_typed_and_mistakes_are_explained() -> None:
    played = laguna("play", "--seats=2", "--seed=7", stdin="99\nhello\n?\nlog\nlist\nboard\nquit\n")
    assert "There are choices 1 to" in played.stdout
    assert "Write a move as 'keep quartz-3'" in played.stdout
    assert "show the board again" in played.stdout
    assert "The game was not saved" in played.stdout
    assert played.stderr == ""


def test_an_interrupted_game_is_continued(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    first = laguna("play", "--seats=3", "--seed=7", f"--save={file}", stdin="1\n1\n1\n")
    assert f"python -m engine play --resume {file}\n" in first.stdout
    moves = len(file.read_text(encoding="utf-8").splitlines())
    laguna("play", f"--resume={file}", stdin="1\n1\n")
    assert len(file.read_text(encoding="utf-8").splitlines()) > moves


def test_continue_resumes_or_starts_and_never_loses_a_game(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    laguna("play", "--seats=2", "--seed=7", f"--continue={file}", stdin="1\n")
    begun = file.read_text(encoding="utf-8")
    laguna("play", f"--continue={file}", stdin="1\n" * 200)
    finished = file.read_text(encoding="utf-8")
    assert finished.startswith(begun)
    assert '"outcome"' in finished
    third = laguna("play", "--seats=2", f"--continue={file}", stdin="")
    assert "The last game is over; its record was renamed to" in third.stdout
    assert len(list(tmp_path.iterdir())) == 2
    [kept] = [path for path in tmp_path.iterdir() if path != file]
    assert kept.read_text(encoding="utf-8") == finished
    # The same game once more: its record gets another name, and a wrong setting moves nothing.
    file.write_text(finished, encoding="utf-8")
    assert laguna("play", "--seats=9", f"--continue={file}").returncode == 2
    assert file.read_text(encoding="utf-8") == finished
    laguna("play", "--seats=2", f"--continue={file}")
    assert len(list(tmp_path.iterdir())) == 3
    file.write_text("nonsense\n", encoding="utf-8")
    damaged = laguna("play", f"--continue={file}")
    assert f"{file} cannot be continued: line 1" in damaged.stderr


def test_the_hint_to_continue_names_the_players(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    arguments = ["play", "--seats=2", "--humans=2", "--names=Anna,Ben", f"--save={file}"]
    assert f"--resume {file} --humans 2 --names Anna,Ben" in laguna(*arguments).stdout


def test_the_result_is_printed_for_people_at_one_keyboard() -> None:
    played = laguna("play", "--seats=2", "--humans=2", "--seed=7", stdin="\n1\n" * 400)
    assert "The game is over: " in played.stdout
    assert "Final points:" in played.stdout


def test_undecodable_input_does_not_end_the_game() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8=1", "-m", "engine", "play", "--seats=2", "--seed=7"],
        input=b"\xff\xfe\n1\nquit\n",
        capture_output=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
    )
    assert done.returncode == 0
    assert b"could not be read as text" in done.stdout


def test_several_people_at_one_keyboard_do_not_see_each_others_cards() -> None:
    played = laguna(
        "play", "--seats=2", "--humans=2", "--names=Anna,Ben", "--seed=7", stdin="\n1\n\n1\n"
    )
    assert "Anna, press Enter when nobody else is looking" in played.stdout
    before_ben, _, for_ben = played.stdout.partition("Ben, press Enter")
    anna_keeps = next(line for line in before_ben.splitlines() if line.startswith("  1  Keep"))
    assert anna_keeps not in for_ben
