"""The curves: which rows of which dataset, and which program on which machine stands for them.

The choice of rows, points and inputs was published before the first simulation of them
(datasets/README.md, "Curves to predict").
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.kinds import ArrivalProcess, LoadSettings, plain_load
from locksim.lang import Workload
from locksim.library.workloads.shared_counter import SharedCounter

FOLLY_THREADS = 56
COUNTERS = {
    "mean": {},
    "atomic add": {},
    "cas add": {"compare": 1},
    "atomic_fetch_xor": {},
    "atomic_cas": {"compare": 1},
    "atomics_fetch_add": {"words": 5},
}
"""Row → parameters of a :class:`SharedCounter`. A fetch_xor costs what a fetch_add does."""
LOCKS = {"pause spin": "ttas", "ticket spin": "ticket"}
"""Row → lock of the library, round one increment."""


@dataclass(frozen=True)
class CurveSet:
    """The curves of one dataset.

    Arguments:
        name: of the experiment. table: of the dataset. title, source: as in reproductions.
        year: of the publication; None where none is printed. machine: the profile.
        rows: the curves. key: the dataset's column that names them.
        count: its column with the number of CPUs.
        thinks: whether the row of one thread says how much work lies between two operations.
        spread: whether a group's threads lie apart, as folly shares them out.
    """

    name: str
    table: str
    title: str
    source: str
    year: int | None
    machine: str
    rows: tuple[str, ...]
    key: str
    count: str
    thinks: bool = False
    spread: bool = False

    def measured(self) -> dict[str, dict[int, tuple[str, float]]]:
        """Return the curves: row → CPUs → (as printed, ns)."""
        import lockdata

        found: dict[str, dict[int, tuple[str, float]]] = {row: {} for row in self.rows}
        for cell in lockdata.load(self.table, reading="both").to_dict(orient="records"):
            if cell[self.key] in found:
                ns = float(cell["corrected"]) * (1000 if cell["unit"] == "us" else 1)
                found[cell[self.key]][int(cell[self.count])] = str(cell["printed"]), ns
        return found

    def placement(self, cpus: int) -> list[int]:
        """Return the CPU of each thread, in the machine's order of filling."""
        # The largest of g groups has 56 / g threads, rounded up.
        stride = -(-FOLLY_THREADS // cpus) if self.spread else 1
        return [stride * i for i in range(cpus)]


def workload(row: str, think_ps: int = 0) -> Workload:
    """Return the loop of a row, with private work between two operations."""
    if row in COUNTERS:
        return SharedCounter(think_ps=think_ps, **COUNTERS[row])
    settings = LoadSettings(
        0, think_ps, 0, words=1, arrivals=ArrivalProcess(think_times="constant")
    )
    found: Workload = plain_load(LOCKS[row], settings).workload
    return found


SETS = (
    CurveSet(
        "mckenney-2019",
        "mckenney-2019/atomic",
        "one atomic counter on eight sockets",
        "Paul E. McKenney, perfbook, count_atomic on the machine hps, 23 October 2019",
        2019,
        "xeon-8176-8x28",
        ("mean",),
        "statistic",
        "cpus",
    ),
    CurveSet(
        "downs-2020",
        "downs-2020/graviton2",
        "a shared counter on 16 cores of a Graviton2",
        "Travis Downs, concurrency-hierarchy-bench, results/g2-16, 2020",
        2020,
        "graviton2-64",
        ("atomic add", "cas add", "pause spin", "ticket spin"),
        "implementation",
        "threads",
    ),
    CurveSet(
        "folly-locks",
        "folly-locks/small-locks",
        "atomic instructions with work between them, two sockets of Broadwell",
        "folly, SmallLocksBenchmark.cpp, results on a Xeon E5-2680 v4",
        None,
        "xeon-e5-2680v4-2x14",
        ("atomic_fetch_xor", "atomic_cas", "atomics_fetch_add"),
        "implementation",
        "threads",
        thinks=True,
        spread=True,
    ),
)
