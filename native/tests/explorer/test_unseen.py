"""C programs whose verdicts readers worked out by hand, who had not seen the explorer's code.

There are two sets, each of another reader: the files of ``unseen``, and those of ``unseen/second``.
``unseen/verdicts.csv`` has a line for each question: what the reader thought, what the explorer
says, and the reason where they differ. ``docs/explain/explorer.md`` sums it up.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from locknative.errors import NativeError
from locknative.explorer import Program, Search
from locknative.explorer.search import run

FOLDER = Path(__file__).parents[1] / "unseen"
with (FOLDER / "verdicts.csv").open(newline="") as table:
    QUESTIONS = list(csv.DictReader(table))


def _questions() -> list[object]:
    """Return all of them; the normal run asks every fifth, of the second set every twentieth."""
    return [
        pytest.param(
            row,
            id=f"{row['file']}-{row['memory']}-{row['asks']}",
            marks=[pytest.mark.slow] * (k % (20 if row["file"].startswith("second/") else 5) != 0),
        )
        for k, row in enumerate(QUESTIONS)
    ]


@pytest.mark.parametrize("row", _questions())
def test_verdict(row: dict[str, str]) -> None:
    """The explorer's verdict, and the kind of what is found."""
    search = Search(
        threads=int(row["threads"]),
        memory=row["memory"],
        spurious=row["asks"] == "spurious",
        leaks=row["asks"] != "no leaks",
    )
    try:
        with Program([FOLDER / row["file"]]) as program:
            seen = run(program, search)
        said = f"{seen.verdict} {seen.found}".strip()
    except NativeError:
        said = "refused"
    assert row["verdict"] == said


def test_where_thought_and_verdict_differ_there_is_a_reason() -> None:
    """No difference goes without a word."""
    differ = [row for row in QUESTIONS if row["verdict"] not in row["thought"].split(" or ")]
    assert [row["file"] for row in differ if not row["because"]] == []
