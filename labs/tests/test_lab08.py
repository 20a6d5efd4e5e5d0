"""Lab 08 and lesson 14 count the checks of a call as the model of lmbench does."""

import re
from pathlib import Path

import pytest

from locklabs import find
from locksim.library.kernel.syscalls import ROWS, checks

LESSON = Path(__file__).parents[2] / "lessons" / "14-reading-a-benchmark.md"
HANDOUT = (find("lab08") / "handout.md").read_text(encoding="utf-8")
COUNTS = re.findall(r"\| \d+ \| ([\w/ ]+?) \| (\d+)", HANDOUT)


def test_the_table_has_ten_counted_rows() -> None:
    """The other five rows have packets too."""
    assert 10 == len(COUNTS)


@pytest.mark.parametrize(("row", "count"), COUNTS)
def test_the_handout_counts_as_the_model(row: str, count: str) -> None:
    """Each count is that of the hooks on the call's path."""
    assert checks(ROWS[row].here) == int(count)


def test_the_lesson_counts_as_the_model() -> None:
    """A delete asks twice for the search, then to write, to remove the name and to unlink."""
    assert 5 == checks(ROWS["0KB delete"].here)
    lesson = " ".join(LESSON.read_text(encoding="utf-8").split())
    assert "The kernel's source has five: two to" in lesson
