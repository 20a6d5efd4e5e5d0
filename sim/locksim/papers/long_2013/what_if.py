"""What-ifs of long-2013: other remedies for rename_lock and d_count on the same machine.

The base is Linux 3.8 as it was. The experiment contains Long's patches of February 2013. Mainline
took an optimistic walk instead, also his (3.12), and, for another reason, queued spinlocks (4.2).
One what-if separates the four patches.
"""

from __future__ import annotations

from collections.abc import Iterator

from locksim.papers.long_2013 import setting as long_2013
from locksim.papers.long_2013.redo import ROWS
from locksim.papers.what_if import Comparison, Runs, what_if


@what_if(
    "long-2013-redo-qspinlock",
    of="long-2013-redo",
    title="Queued spinlocks instead of ticket locks",
    change="every spinlock of 3.8 is the queued one of 4.2; walks still exclude each other",
)
def qspinlock(runs: Runs) -> Iterator[Comparison]:
    """Simulate the redo table with queued spinlocks."""
    return _compare(runs, "3.8 + qspinlock")


@what_if(
    "long-2013-redo-lockref",
    of="long-2013-redo",
    title="Counts by lockref, and walks without entries' locks",
    change="patches 1 and 4 without 2 and 3: references need no lock and a walk locks no entry, "
    "but the walk is still a writer of rename_lock",
)
def lockref(runs: Runs) -> Iterator[Comparison]:
    """Simulate the redo table with half of the patches."""
    return _compare(runs, "3.8 + patches 1, 4")


@what_if(
    "long-2013-redo-seqretry",
    of="long-2013-redo",
    title="Mainline's walk: optimistic, with the lock only after a rename",
    change="3.12 instead of the patches: read_seqbegin_or_lock, lockref, the root held by RCU",
)
def seqretry(runs: Runs) -> Iterator[Comparison]:
    """Simulate the redo table with the walk of Linux 3.12."""
    return _compare(runs, "3.12 (seqretry)")


def _compare(runs: Runs, kernel: str) -> Iterator[Comparison]:
    """Redo and the share in spinlocks of every row, in Linux 3.8 and in another kernel."""
    for i, row in enumerate(ROWS):
        runs.report(f"{long_2013.title(row)} readers + writers", i / len(ROWS))
        before, after = (
            long_2013.runs(row, k, replications=runs.replications, seed=runs.seed)
            for k in ("without", kernel)
        )
        for column, measure, unit in (
            ("redo", long_2013.redo, "MB/s"),
            ("spinlock", long_2013.spinlock, "%"),
        ):
            yield Comparison(
                long_2013.title(row),
                column,
                long_2013.mean(measure, before),
                long_2013.mean(measure, after),
                unit,
                "higher" if column == "redo" else "lower",
            )
