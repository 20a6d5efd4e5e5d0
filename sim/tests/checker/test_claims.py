"""The claims of the page on the checker: each names a test that there is."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parents[2] / "docs" / "explain" / "checker.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## The claims")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| (\d+) \| (.+) \| `([^`]*)` \|$", SECTION, re.MULTILINE)


def test_claims_are_numbered():
    """From 1 on, none left out, and no two with the same test."""
    assert [str(k) for k in range(1, len(ROWS) + 1)] == [number for number, _, _ in ROWS]
    assert len(ROWS) == len({test for _, _, test in ROWS}) > 10


@pytest.mark.parametrize("test", [test for _, _, test in ROWS])
def test_the_named_test_exists(test):
    """The file has a function of that name."""
    file, _, name = test.partition("::")
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
