"""No goal of a lab is without a check, and the page of goals shows each."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from lockgrader.author.goals import goals, kept
from lockgrader.lab import load
from lockgrader.lab.variants import variant
from locklabs import find, names

ROOT = Path(__file__).parents[2]


def script() -> ModuleType:
    """The script that makes the page; tools/ is not a package."""
    spec = importlib.util.spec_from_file_location("goals", ROOT / "tools" / "lab_goals.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", names())
def test_every_goal_has_a_check_and_every_check_a_goal(name: str) -> None:
    """A lab has at least two goals, and its checks with points stand under them."""
    folder = find(name)
    lab = load(folder)
    items = [*kept(folder, lab.checks(variant(lab, "ada", b"k" * 16)))]
    assert [] == [item for item in items if not item.ok]
    assert 2 <= len(goals(folder))


def test_the_page_shows_every_goal() -> None:
    """A row for each, in the order of the labs."""
    rows = [line for line in script().page().splitlines() if line.startswith("| ")]
    shown = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    written = [goal.text for name in names() for goal in goals(find(name))]
    assert written == [text for text in shown if text != "a student can"]


def test_a_goal_without_a_check_is_reported(tmp_path: Path) -> None:
    """A goal with no check, one with an unknown check, and a check under no goal."""
    folder = find("lab00")
    lab = load(folder)
    checks = lab.checks(variant(lab, "ada", b"k" * 16))
    (tmp_path / "goals.toml").write_text(
        '[[goal]]\ntext = "a"\nchecks = []\n[[goal]]\ntext = "b"\nchecks = ["nothing"]\n'
        '[[goal]]\ntext = "c"\nchecks = ["curve"]\n'
    )
    wrong = [item.name for item in kept(tmp_path, checks) if not item.ok]
    graded = {check.name for check in checks if check.points}
    assert ["a", "b"] == wrong[:2]
    assert graded - {"curve"} == {*wrong[2:]}


def test_a_number_names_its_lab() -> None:
    """As calendars call it."""
    assert find("lab02-spinlocks") == find("lab02") == find("02")
