"""The arithmetic of formulas: Python's own, and nothing beside it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.lab.arithmetic import evaluate
from lockgrader.lab.expected import Formula, FormulaError

_NUMBERS = st.floats(0.1, 100) | st.integers(1, 100)


@given(_NUMBERS, _NUMBERS, st.sampled_from(["+", "-", "*", "/", "//", "%", "<", ">=", "=="]))
def test_as_python_computes(a: float, b: float, sign: str) -> None:
    """To the last bit, with brackets and signs."""
    formula = f"-(a {sign} b) * 2 ** 3 + abs(b - a)"
    right = eval(formula, {"a": a, "b": b})  # of this test's own text
    assert right == evaluate(formula, {"a": a, "b": b})


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("a + c", "the name 'c' has no value; there are a, b"),
        ("a.real", "'a.real' is not arithmetic"),
        ("__import__('os')", "is not arithmetic"),
        ("a < b < 3", "is not arithmetic"),
        ("a if b else 1", "is not arithmetic"),
        ("a / (b - b)", "division by zero"),
        ("9.9 ** 999", "out of range"),
        ("-1 ** 0.5 + (0 - 1) ** 0.5", "complex"),
        ("a +", "invalid syntax"),
    ],
)
def test_all_else_is_refused(formula: str, says: str) -> None:
    """With the formula and what is wrong in it."""
    with pytest.raises(FormulaError, match=says.replace("(", r"\(")) as caught:
        Formula(formula=formula, where={"a": 1, "b": 2}).number()
    assert f"formula '{formula}'" in str(caught.value).replace('"', "'")


WITHOUT_PANDAS = """
import sys
sys.modules["pandas"] = None
from lockgrader.given.published import Rows, published
from lockgrader.lab.expected import Cell, Formula
cell = Cell(cell="kaigai-2004/rcutest", at={"kernel": "spinlock", "cpus": 4, "measure": "wall"})
print(Formula(formula="2 * a", where={"a": 21}).number(), cell.number() > 0)
wall = {"kernel": "spinlock", "measure": "wall", "cpus": (4, 8)}
print(len(published(Rows(table="kaigai-2004/rcutest", where=wall))))
"""


def test_right_numbers_need_no_pandas() -> None:
    """A student's installation has none, and its import takes half a second."""
    asked = [sys.executable, "-c", WITHOUT_PANDAS]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert ("42.0 True\n2\n", "") == (done.stdout, done.stderr)
