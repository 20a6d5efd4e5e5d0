"""C programs whose verdicts a reader worked out by hand, who had not seen the explorer's code.

``unseen/verdicts.csv`` has a line for each question: what the reader thought, and what the
explorer says. ``docs/explain/explorer.md`` sums it up.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from locknative.errors import NativeError
from locknative.explorer import Program, Search
from locknative.explorer.search import run
from locksim.checker.limits import is_proof

FOLDER = Path(__file__).parents[1] / "unseen"
with (FOLDER / "verdicts.csv").open(newline="") as table:
    QUESTIONS = list(csv.DictReader(table))


def _questions() -> list[object]:
    """Return all of them; the normal run asks every fifth."""
    return [
        pytest.param(
            row,
            id=f"{row['file']}-{row['memory']}-{row['asks']}",
            marks=[pytest.mark.slow] * (k % 5 != 0),
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
        verdict = "proven" if is_proof(seen.verdict) else seen.verdict
        said = f"{verdict} {seen.found}".strip()
    except NativeError:
        said = "refused"
    assert row["verdict"] == said
