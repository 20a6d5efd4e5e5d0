"""docs/teach/lab-goals.md is what the labs say, and no goal is without a check."""

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
    """The script that writes the page; tools/ is not a package."""
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


def test_the_page_is_that_of_the_labs() -> None:
    """If this fails: tools/lab_goals.py --write."""
    made = script()
    assert made.page() == made.PAGE.read_text(encoding="utf-8")


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
