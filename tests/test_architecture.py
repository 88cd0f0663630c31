"""The map in docs/architecture.md: every file and every name it gives exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACES = sorted(set(re.findall(r"`([\w/]+\.py): (\w+)`", PAGE)))
LEAST_QUESTIONS = 25
MOST_STEPS = 12


def names_in(path: Path) -> set[str]:
    """Names that a module defines at its top level."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


@pytest.mark.parametrize(("file", "name"), PLACES, ids=lambda part: str(part))
def test_each_place_of_the_map_exists(file: str, name: str) -> None:
    assert name in names_in(ROOT / file)


def test_the_map_answers_the_questions_of_a_newcomer() -> None:
    table = PAGE.partition("## Where is ..?")[2].partition("## ")[0]
    questions = [line for line in table.splitlines() if line.startswith("|") and "?" in line]
    assert len(questions) >= LEAST_QUESTIONS
    assert all("`" in line for line in questions)


def test_each_way_of_data_is_short() -> None:
    """The modules that a way names, those of another way it refers to not included."""
    section = PAGE.partition("## Four ways of data")[2].partition("\n## ")[0]
    ways = re.split(r"\nAn? \*\*", section)[1:]
    assert len(ways) == 4
    for way in ways:
        assert len(set(re.findall(r"`([\w/]+\.py)", way))) <= MOST_STEPS, way.splitlines()[0]
