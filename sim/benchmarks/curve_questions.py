"""The published curves as questions to the simulator: program, machine, load and points of each.

Which rows count, which half a dataset is in and what is an input stands in datasets/README.md,
"Curves to learn from". Nothing here is fitted to a curve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import lockdata
from locknative.benchmark.storage import load
from locknative.calibration.loops import workload as loop
from locksim import machine as machines
from locksim.kinds import ArrivalProcess, LoadSettings, plain_load
from locksim.lang import RELAXED, Workload, array, done, word
from locksim.library.locks.futex import FutexMutex
from locksim.library.locks.mcs import MCSLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.rcutest import RcuTest
from locksim.library.workloads.shared_counter import SharedCounter
from locksim.machine import Machine
from locksim.papers.curves.sets import COUNTERS
from locksim.papers.curves.sets import workload as of_row
from locksim.papers.kaigai_2004.experiment import COMPACT_UP_TO, Work
from locksim.papers.kaigai_2004.experiment import cache as access_vector_cache
from locksim.study.new_machine import Known, draft
from locksim.study.new_machine.shape import Reading, regular
from locksim.study.simulation import Placement, simulate

PS_PER_NS = 1000
LOADS = Path(__file__).parents[2] / "datasets/loads"
HANDOFF_NS = 66.0
"""Of two CPUs of vm-16-xeon: the median pair of its survey (``handoff_cas``)."""
TRAIN = (
    "mckenney-2019/atomic",
    "downs-2020/graviton2",
    "folly-locks/small-locks",
    "folly-locks/broadwell-2019",
    "downs-2020/graviton1",
    "downs-2020/skylake",
    "mckenney-2020/hash-table",
    "mckenney-2020/rwlock-readers",
)
TEST = (
    "downs-2020/icelake",
    "folly-locks/skylake-d-2019",
    "mckenney-2020/read-sections",
    "morris-2004/parallel-write",
)


NEW = ("loads/vm-16-xeon",)
"""Sets that were measured after the errors of the model had been learned."""
FEWEST_TRIALS = 3
"""Good trials that a point of a native measurement rests on."""


def section_of(row: str) -> str:
    """What rows must share to be rivals: the section, and whether there is a lock round it."""
    if row.startswith("load"):
        return row.rpartition(" ")[0]
    body = row.partition(" ")[0] if row.startswith("work") else ""
    if row.startswith("hold"):
        return row
    return body + (" atomic" if row.rpartition(" ")[2] in COUNTERS or row in COUNTERS else "")


CONSTANT = ArrivalProcess(think_times="constant")


class FiveLines(CriticalSection):
    """folly's body ``work0``: under the lock five counters are counted up, each on its own line."""

    data = array(5, word(padded=True))


class Reference(Workload):
    """A reference is taken and dropped."""

    count = word(padded=True)

    def thread(self):
        """Count up and down."""
        while True:
            yield self.count.fetch_add(1, RELAXED)
            yield self.count.fetch_add(-1, RELAXED)
            yield done()


@dataclass(frozen=True)
class Question:
    """One point of a curve.

    Arguments:
        dataset: its table. row: the curve. cpus: threads, one on each CPU.
        measured_ns: from one unit of work of the program to the next, on one CPU.
        workload: the program. machine: the profile. placement: of the threads.
    """

    dataset: str
    row: str
    cpus: int
    measured_ns: float
    workload: Workload
    machine: Machine
    placement: Placement = "compact"

    @property
    def group(self) -> str:
        """The machine and the benchmark's author: what is left out together."""
        return f"{self.dataset.partition('-')[0]} {self.machine.name}"


def questions(dataset: str) -> Iterator[Question]:
    """The questions of a dataset."""
    yield from _DATASETS[dataset](dataset)


def lock_load(lock: str, **settings: int) -> Workload:
    """A plain load of a lock with constant times: none, where the settings name none."""
    times = {"hold_ps": 0, "think_ps": 0} | settings
    found: Workload = plain_load(lock, LoadSettings(**times, arrivals=CONSTANT)).workload
    return found


def _alone_ns(workload: Workload, machine: Machine) -> float:
    run = simulate(workload, machine=machine, cpus=1, replications=1)
    return run.operation_ps().mean / PS_PER_NS


@cache
def _new(name: str, cores: int, threads: int = 1, node_ns: float = 0, **known: Any) -> Machine:
    """The profile that ``locklab machine new`` writes of one node, from at most one latency."""
    readings = {"node": Reading(node_ns, node_ns, node_ns, 1)} if node_ns else {}
    return draft(Known(name, regular(1, cores, threads), name, readings=readings, **known)).machine


def _mckenney(dataset: str) -> Iterator[Question]:
    machine = machines.load("xeon-8176-8x28")
    for cpus, ns in _points(dataset, "statistic", "mean", "cpus").items():
        yield Question(dataset, "mean", cpus, ns, SharedCounter(), machine)


def _downs(machine: Callable[[], Machine]) -> Callable[[str], Iterator[Question]]:
    def found(dataset: str) -> Iterator[Question]:
        for row in ("atomic add", "cas add", "pause spin", "ticket spin", "mutex add"):
            workload = lock_load("futex") if row == "mutex add" else of_row(row)
            for cpus, ns in _points(dataset, "implementation", row, "threads").items():
                yield Question(dataset, row, cpus, ns, workload, machine())

    return found


def _folly(machine: Callable[[], Machine]) -> Callable[[str], Iterator[Question]]:
    locks = {"std_mutex": FutexMutex, "folly_distributedmutex": MCSLock}

    def found(dataset: str) -> Iterator[Question]:
        frame = lockdata.load(dataset)
        bodies = ("work0", "work100") if "body" in frame else ("",)
        total = machine().n_cpus
        for body in bodies:
            for row in (*locks, "atomic_fetch_xor", "atomic_cas", "atomics_fetch_add"):
                every = frame[frame["implementation"] == row]
                every = every[every["body"] == body] if body else every
                points = {
                    int(p): int(n)
                    for p, n in zip(every["parameter"], every["threads"], strict=True)
                }
                times = dict(zip(every["parameter"], _ns(every), strict=True))
                if not points or row == "folly_microspin_simple":
                    continue
                yield from one(dataset, f"{body} {row}".strip(), body, row, points, times, total)

    def one(
        dataset: str,
        name: str,
        body: str,
        row: str,
        points: dict[int, int],
        times: dict[int, float],
        total: int,
    ) -> Iterator[Question]:
        def workload(work_ns: float) -> Workload:
            work_ps = max(0, round(work_ns * PS_PER_NS))
            if row in COUNTERS:
                return of_row(row, work_ps)
            inside = 100 if body == "work100" else 0
            hold_ps = work_ps * inside // (1000 + inside)
            lock = locks[row]
            kind = CriticalSection if inside else FiveLines
            words = 1 if inside else 5
            return kind(
                lock=lock,
                words=words,
                hold_ps=hold_ps,
                think_ps=work_ps - hold_ps,
                **CONSTANT.params(),
            )

        work_ns = times[1] - _alone_ns(workload(0), machine())
        for parameter, cpus in points.items():
            if parameter == 1 or cpus > total:
                continue
            stride = -(-total // cpus)
            places = [stride * i for i in range(cpus)]
            if places[-1] >= total:
                places = [i * total // cpus for i in range(cpus)]
            yield Question(
                dataset, name, cpus, times[parameter], workload(work_ns), machine(), places
            )

    return found


def _hash_table(dataset: str) -> Iterator[Question]:
    machine = machines.load("xeon-8176-8x28")
    points = {n: n * 1e6 / rate for n, rate in _points(dataset, "table", "global", "cpus").items()}
    hold_ps = round((points[1] - _alone_ns(lock_load("futex", words=0), machine)) * PS_PER_NS)
    for cpus, ns in points.items():
        if cpus > 1:
            workload = lock_load("futex", words=0, hold_ps=max(0, hold_ps))
            yield Question(dataset, "global", cpus, ns, workload, machine)


def _rwlock_readers(dataset: str) -> Iterator[Question]:
    machine = machines.load("xeon-8176-8x28")
    rates = {0: 36338700, 9: 110192, 99: 10010.7, 999: 992, 9999: 99.5}
    alone_ns = _alone_ns(lock_load("futex_rwlock", read_percent=100, words=0), machine)
    for hold, per_second in rates.items():
        one_ns = 1e9 / per_second
        hold_ps = max(0, round((one_ns - alone_ns) * PS_PER_NS)) if hold else 0
        workload = lock_load("futex_rwlock", read_percent=100, words=0, hold_ps=hold_ps)
        for cpus, share in _points(dataset, "hold", hold, "cpus").items():
            if cpus > 1 or not hold:
                yield Question(dataset, f"hold {hold}", cpus, one_ns / share, workload, machine)


def _read_sections(dataset: str) -> Iterator[Question]:
    machine = machines.load("xeon-8176-8x28")
    readers = {"rwlock": "qrwlock", "rwsem": "rwsem", "srcu": "srcu"}
    for row in ("rwlock", "refcnt", "rwsem", "srcu"):
        workload = (
            Reference() if row == "refcnt" else lock_load(readers[row], read_percent=100, words=0)
        )
        for cpus, ns in _points(dataset, "mechanism", row, "cpus").items():
            yield Question(dataset, row, cpus, ns, workload, machine)


def _parallel_write(dataset: str) -> Iterator[Question]:
    machine = machines.load("itanium2-32")
    ns = {
        row: {n: n * 1e6 / rate for n, rate in _points(dataset, "kernel", row, "cpus").items()}
        for row in ("disable", "spinlock", "rcu")
    }

    def workload(kernel: str, work: Work) -> Workload:
        return RcuTest(other_ps=work.other_ps, cache=access_vector_cache(kernel, work))

    work = Work(500_000, 200_000)
    for kernel, row in (("disabled", "disable"), ("rcu", "rcu")):
        missing = round((ns[row][1] - _alone_ns(workload(kernel, work), machine)) * PS_PER_NS)
        work = (
            Work(work.other_ps + missing, work.check_ps)
            if row == "disable"
            else Work(work.other_ps, work.check_ps + missing)
        )
    for row in ("spinlock", "rcu"):
        for cpus, one in ns[row].items():
            if cpus > 1 or row == "spinlock":
                where: Placement = "compact" if cpus <= COMPACT_UP_TO else "scatter"
                yield Question(dataset, row, cpus, one, workload(row, work), machine, where)


def _native(dataset: str) -> Iterator[Question]:
    """Loads of the harness: the private work is an input, as it was measured beside the trials."""
    machine = _new("vm-16-xeon", 16, node_ns=HANDOFF_NS)
    for file in sorted((LOADS / dataset.partition("/")[2]).glob("*.parquet")):
        measurement = load(file)
        for index, cell in enumerate(measurement.cells):
            good = [t for t in measurement.trials if t.cell == index and not t.rejected]
            if len(good) < FEWEST_TRIALS:
                continue
            turn_ns = median(tally.turn_ns for t in good for tally in t.tallies)
            workload = loop(cell.cell, turn_ns)
            row = f"load {cell.hold} {cell.think} {cell.kernel}"
            ns = median(t.ns_per_operation for t in good)
            yield Question(dataset, row, cell.threads, ns, workload, machine)


def _points(dataset: str, key: str, row: object, count: str) -> dict[int, float]:
    """A row's values by the number of CPUs, times in ns."""
    frame = lockdata.load(dataset)
    mine = frame[frame[key] == row]
    return dict(zip(map(int, mine[count]), _ns(mine), strict=True))


def _ns(frame) -> list[float]:  # type: ignore[no-untyped-def]
    scale = {"us": 1000.0}
    return [
        float(v) * scale.get(u, 1.0) for v, u in zip(frame["value"], frame["unit"], strict=True)
    ]


_DATASETS: dict[str, Callable[[str], Iterator[Question]]] = {
    "mckenney-2019/atomic": _mckenney,
    "downs-2020/graviton2": _downs(lambda: machines.load("graviton2-64")),
    "downs-2020/graviton1": _downs(lambda: _new("graviton1-16", 16, architecture="aarch64")),
    "downs-2020/skylake": _downs(lambda: _new("skylake-4", 4, node_ns=19.5, clock_ghz=2.6)),
    "downs-2020/icelake": _downs(lambda: _new("icelake-4", 4)),
    "folly-locks/small-locks": _folly(lambda: machines.load("xeon-e5-2680v4-2x14")),
    "folly-locks/broadwell-2019": _folly(lambda: machines.load("xeon-e5-2680v4-2x14")),
    "folly-locks/skylake-d-2019": _folly(lambda: _new("skylake-d-18", 18, 2, clock_ghz=1.6)),
    "mckenney-2020/hash-table": _hash_table,
    "mckenney-2020/read-sections": _read_sections,
    "mckenney-2020/rwlock-readers": _rwlock_readers,
    "morris-2004/parallel-write": _parallel_write,
    "loads/vm-16-xeon": _native,
}
