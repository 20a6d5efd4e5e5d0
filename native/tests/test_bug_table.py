"""The page native/tests/zoo/README.md says what the tools do."""

from __future__ import annotations

import re

import bug_table
import native_zoo as zoo
import pytest

from locknative.explorer.locks import locks
from locknative.explorer.torture import Builder, trial

ROWS = {
    cells[0]: cells[1:]
    for line in bug_table.PAGE.read_text().splitlines()
    if line.startswith("| ") and len(cells := [cell.strip() for cell in line.strip("|").split("|")])
}
BUGS = zoo.bugs()


def test_every_bug_has_a_row() -> None:
    """The page has a row for each mutant and each lock."""
    assert {str(bug) for bug in BUGS} | set(locks()) == set(ROWS) - {"bug", "lock"}


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_every_bug_is_caught(bug: zoo.Bug) -> None:
    """At least one tool catches it; the explorer always does."""
    _, torture, tsan, asan, sc, tso = ROWS[str(bug)]
    assert "–" not in (sc, tso)
    assert all(re.fullmatch(r"–|[1-5]: [a-z, ]+", cell) for cell in (torture, tsan, asan))


def test_no_right_lock_is_accused() -> None:
    """Neither on real cores nor by the explorer."""
    assert [] == [lock for lock in locks() if "accused" in "".join(ROWS[lock])]


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_the_explorer_does_what_the_page_says(bug: zoo.Bug) -> None:
    """The explorer is deterministic: same finding, same run."""
    found = [bug_table.explored(bug, memory) for memory in bug_table.MEMORIES]
    assert ROWS[str(bug)][4:] == found


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["torture", "tsan"])
def test_what_was_always_seen_is_seen(tool: str) -> None:
    """A bug that showed in every trial shows in one of ten."""
    column = {"torture": 1, "tsan": 2}[tool]
    missed = []
    with Builder(tool) as builder:
        for bug in BUGS:
            if not ROWS[str(bug)][column].startswith(f"{bug_table.TRIALS}: "):
                continue
            with bug.folder() as folder:
                program = builder.build(bug.lock, [folder])
            verdicts = (
                trial(
                    program,
                    tool,
                    bug.lock,
                    bug_table.THREADS,
                    bug_table.SECONDS,
                    seed,
                    bug_table.PATIENCE_S,
                ).verdict
                for seed in range(10)
            )
            if all(verdict == "passed" for verdict in verdicts):
                missed.append(str(bug))
    assert [] == missed
