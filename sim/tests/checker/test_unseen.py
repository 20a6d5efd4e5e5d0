"""Programs whose verdicts a reader worked out by hand, who had not seen the checker's code.

``unseen/verdicts.csv`` has a line for each question: what the reader thought, what the checker
says, and the reason where they differ. ``docs/explain/checker.md`` sums it up.
"""

import csv
from pathlib import Path

import pytest

from locksim.checker import CheckError, check_lock
from locksim.compiler import CompileError
from locksim.library.registry import resolve

FOLDER = Path(__file__).with_name("unseen")
with (FOLDER / "verdicts.csv").open(newline="") as table:
    QUESTIONS = list(csv.DictReader(table))


def questions():
    """All of them; the normal run asks every fifth."""
    for k, row in enumerate(QUESTIONS):
        name = f"{row['class']}-{row['memory']}-{row['asks']}-{row['threads']}-{row['rounds']}"
        marks = [pytest.mark.slow] * (k % 5 != 0)
        yield pytest.param(row, id=name, marks=marks)


@pytest.mark.parametrize("row", [*questions()])
def test_verdict(row):
    """The checker's verdict, the kind of what is found, and the bound on bypass."""
    try:
        verdict = check_lock(
            resolve(f"{FOLDER / row['file']}:{row['class']}").struct,
            threads=int(row["threads"]),
            rounds=int(row["rounds"]),
            memory=row["memory"],
            property=row["asks"],
        )
        more = verdict.found or ("" if verdict.bypass is None else verdict.bypass)
        said = f"{verdict.verdict} {more}".strip()
    except (CheckError, CompileError):
        said = "refused"
    assert row["verdict"] == said


def test_where_thought_and_verdict_differ_there_is_a_reason():
    """No difference goes without a word."""
    differ = [row for row in QUESTIONS if row["thought"] != row["verdict"]]
    assert [row["class"] for row in differ if not row["because"]] == []
