"""The page on the kernel's model: its rows are tests, and C11's answers are the checker's."""

import re
from pathlib import Path

import pytest
from checker.litmus.lkmm import TESTS
from checker.litmus.shapes import litmus

from locksim.checker.litmus.observe import observe
from locksim.checker.litmus.read import read

PAGE = Path(__file__).parents[4] / "docs/explain/lkmm.md"
ROW = re.compile(r"^\| `(\S+)` \| (\w+) \| (\w+) \|", re.MULTILINE)


def test_the_page_has_a_row_for_each_test():
    """With both answers."""
    rows = {name: (c11, kernel) for name, c11, kernel in ROW.findall(PAGE.read_text())}
    assert rows == {name: words for name, (*_, words) in TESTS.items()}


@pytest.mark.parametrize("name", TESTS)
def test_c11_shows_what_the_page_says(name):
    """Under c11; no strong model shows what the kernel's rules out."""
    threads, kernel, condition, (c11, lkmm) = TESTS[name]
    assert observe(read(litmus(name, threads, condition), name), "c11").word == c11
    text = litmus(name, kernel, condition).replace("atomic_int*", "int*")
    assert lkmm == "Sometimes" or observe(read(text, name), "tso").word == "Never"
