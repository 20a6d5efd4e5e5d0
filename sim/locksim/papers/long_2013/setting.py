"""The setting of long-2013: Oracle's SLOB on 80 CPUs, Linux 3.8 with and without Long's patches.

Waiman Long, "[PATCH 0/4] dcache: make Oracle more scalable on large systems", linux-fsdevel, 19
February 2013. It has two tables: redo written per second, and shares of time. ``long-2013-redo``
and ``long-2013-awr`` reproduce them; the what-ifs of ``long-2013-redo`` show the effect of other
remedies.

Conclusions from the tables, and the model:

- With the patches redo is 892 to 907 MB/s for 8, 32 and 128 readers alike, while CPUs are idle: the
  64 writers wait for something single, the log writer. So the writers' own waiting does not show in
  redo, but the log writer's does.
- At 80 readers all CPUs are busy and redo is lower: the log writer waits for a CPU.
- At 128 readers user time *falls* from 97 % to 34 %: the database's latches put readers to sleep.
  The number of running readers is an input, not a result; their effect on the locks is a result.
- The share "% spinlock" is far above "% System" (31.7 against 0.7). It can only be a share of the
  kernel's own time, and is read so here: samples in the functions of spinlocks and
  rwlocks, as a share of the samples that are neither user nor idle.

The data set explains which column is which kernel. The corrected reading is reproduced; the literal
one is compared.

:mod:`locksim.papers.long_2013.fit` describes the fit.

The message's three other tests (find, cat of maps, git diff) have no cells: the message has no
numbers for them. It only says that with a hot cache find and cat differ by a few per cent, git diff
not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from locksim import machine as machines
from locksim.lang import Struct
from locksim.library.kernel.dcache import Dcache
from locksim.library.kernel.dcache_seqretry import SeqRetryDcache
from locksim.library.kernel.dcache_seqrwlock import SeqRWLockDcache
from locksim.library.kernel.dcache_seqwriter import SeqWriterDcache, WriterWalkDcache
from locksim.library.kernel.dcache_seqwriter_queued import QueuedSeqWriterDcache
from locksim.library.kernel.fair_queue import FairQueue
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.slob import Slob
from locksim.machine import Machine, Parameter
from locksim.papers.experiment import Cell, Plan, Reproduction, Role
from locksim.study.jobs import Job
from locksim.study.sampling import IDLE, Profile, profile
from locksim.study.simulation import Interval, interval

MACHINE = "westmere-ex-8x10"
SOURCE = (
    "Waiman Long, [PATCH 0/4] dcache: make Oracle more scalable on large systems, linux-fsdevel, "
    "19 February 2013"
)
PATCHES = ("without", "with")
"""The two kernels of the tables, as in the data set's key ``patch``."""
KERNELS: dict[str, tuple[type[Dcache], type[Struct]]] = {
    "without": (SeqWriterDcache, TicketLock),
    "with": (SeqRWLockDcache, TicketLock),
    "3.8 + qspinlock": (QueuedSeqWriterDcache, QueuedSpinlock),
    "3.8 + patches 1, 4": (WriterWalkDcache, TicketLock),
    "3.12 (seqretry)": (SeqRetryDcache, TicketLock),
}
"""Kernel → its way to read a path, and the spinlock of the run queue and the semaphores."""
SPINLOCK_FILES = {"ticket", "qspinlock", "rwlock"}
LATCHED = 128
"""Number of readers from which the database's latches put readers to sleep."""
REDO_BYTES = 32 * 1024
MB = 1e6
PS_PER_SECOND = 10**12
WARMUP_PS = 10 * 10**9
EVERY_PS = 20 * 10**6
SAMPLES = 4000

Row = tuple[int, int]
"""A row of the tables: readers, writers."""
Kept = Mapping[Row, Mapping[str, list[Profile]]]
"""Profiles by row and kernel, one for each replication."""


@dataclass(frozen=True, slots=True)
class Work:
    """The parameters that were set or fitted; the others are defaults of the workload's parts.

    Arguments:
        read_ps: user time between two paths of a reader.
        latched_ps: the same if latches put readers to sleep.
        sleep_percent: share of a reader's calls that then end in sleep.
        running_readers: number of readers that then run at a time.
        tick_ppm: kernel work that accompanies user time, in millionths of it.
        write_ps, write_kernel_ps: user and kernel work of a writer's call.
        write_paths_percent: paths in 100 of a writer's calls.
        log_ps: the log writer's work on a record, besides paths.
        log_paths_percent: its paths in 100 records.
        slice_ps: a reader's time slice while others wait for a CPU.
    """

    read_ps: int = 658_000_000
    latched_ps: int = 222_000_000
    sleep_percent: int = 28
    running_readers: int = 28
    tick_ppm: int = 5_000
    write_ps: int = 455_000_000
    write_kernel_ps: int = 42_000_000
    write_paths_percent: int = 1_050
    log_ps: int = 31_132_000
    log_paths_percent: int = 288
    slice_ps: int = 1_600_000_000

    def slob(self, row: Row, kernel: str) -> Slob:
        """Workload of a row of the tables."""
        readers, writers = row
        dcache, spinlock = KERNELS[kernel]
        latched = readers >= LATCHED
        return Slob(
            readers=self.running_readers if latched else readers,
            writers=writers,
            read_ps=self.latched_ps if latched else self.read_ps,
            sleep_percent=self.sleep_percent if latched else 0,
            tick_ppm=self.tick_ppm,
            write_ps=self.write_ps,
            write_kernel_ps=self.write_kernel_ps,
            write_paths_percent=self.write_paths_percent,
            log_ps=self.log_ps,
            log_paths_percent=self.log_paths_percent,
            slice_ps=self.slice_ps,
            dcache=dcache,
            sem_lock=spinlock,
            cpus=FairQueue(lock=spinlock),
        )


WORK = Work()
_INPUT = "cell "
_FITTED = "long_2013_fit to the share in spinlocks, "
PARAMETERS: dict[str, tuple[str, str, str]] = {
    "read_ps": ("ps", "fitted", _FITTED + "32 and 80 readers, no writers, without the patches"),
    "latched_ps": ("ps", "fitted", _FITTED + "and to system time, 128 readers, no writers"),
    "sleep_percent": ("%", "fitted", _FITTED + "and to system time, 128 readers, no writers"),
    "running_readers": ("1", "input", _INPUT + "user time, 128 readers, no writers, with"),
    "tick_ppm": ("ppm", "input", _INPUT + "system time, 80 readers, no writers, with"),
    "write_ps": ("ps", "input", _INPUT + "user time, 32 readers, 64 writers, with"),
    "write_kernel_ps": ("ps", "input", _INPUT + "system time, 32 readers, 64 writers, with"),
    "write_paths_percent": ("%", "fitted", _FITTED + "32 and 80 readers, 64 writers, without"),
    "log_ps": ("ps", "input", _INPUT + "redo, 8 readers, 64 writers, with"),
    "log_paths_percent": (
        "%",
        "fitted",
        "long_2013_fit to redo, 8 and 32 readers, 64 writers, without",
    ),
    "slice_ps": ("ps", "input", _INPUT + "redo, 80 readers, 64 writers, with"),
}
"""Unit, role and source of each parameter of :class:`Work`."""

Key = tuple[int, int, str, str]
"""A cell: readers, writers, measure, patch."""
ROLES: dict[Key, Role] = {
    (8, 64, "redo", "with"): "input",
    (8, 64, "redo", "without"): "fitted",
    (8, 64, "change", ""): "fitted",
    (32, 64, "redo", "without"): "fitted",
    (32, 64, "change", ""): "fitted",
    (80, 64, "redo", "with"): "input",
    (80, 0, "system", "with"): "input",
    (128, 0, "user", "with"): "input",
    (32, 64, "user", "with"): "input",
    (32, 64, "system", "with"): "input",
    **{(r, w, "spinlock", "without"): "fitted" for r in (32, 80) for w in (0, 64)},
    **{(128, 0, m, p): "fitted" for m in ("system", "spinlock") for p in PATCHES},
}
"""Cells from which a parameter was set, or that a fit used. All others are predicted."""


def published() -> dict[Key, tuple[str, float]]:
    """Every cell of both tables: as printed, and its value in the corrected reading."""
    return {**_redo_table(), **_awr_table("patch")}


def literal() -> dict[Key, float]:
    """The cells of the second table in the literal reading of the message's text."""
    return {cell: value for cell, (_, value) in _awr_table("patch_printed").items()}


def runs(
    row: Row,
    kernel: str,
    *,
    work: Work = WORK,
    machine: Machine | None = None,
    replications: int = 5,
    seed: int = 1,
    samples: int = SAMPLES,
) -> list[Profile]:
    """Profiles of a row under a kernel, one for each replication, cached for both tables.

    Arguments:
        row: readers and writers. kernel: of ``KERNELS``. work: the parameters.
        machine: a profile instead of the default one.
        samples: number of samples of each CPU, 20 us apart.
    """
    return [
        _run(row, kernel, work, machine or machines.load(MACHINE), seed + k, samples)
        for k in range(replications)
    ]


def plan(
    rows: Iterable[Row],
    assemble: Callable[[Machine, Kept], Reproduction],
    *,
    machine: Machine | None = None,
    replications: int = 5,
    seed: int = 1,
    samples: int = SAMPLES,
    **options: Any,
) -> Plan[tuple[Row, str, int], Profile]:
    """The runs of a table's rows under both kernels, and their table.

    Arguments:
        rows: of the table. assemble: makes the table from the machine and the finished rows.
        machine: a profile instead of ``westmere-ex-8x10``.
        replications: independent runs per row and kernel. seed: of the first replication.
        samples: length of a run, in steps of 20 us.
    """
    used = machine or machines.load(MACHINE)
    rows = list(rows)
    seeds = range(seed, seed + replications)

    def table(done: Mapping[tuple[Row, str, int], Profile]) -> Reproduction:
        kept = {}
        for row in rows:
            found = {p: [done[row, p, k] for k in seeds if (row, p, k) in done] for p in PATCHES}
            # A change is computed seed by seed, so a row needs the same seeds of both kernels.
            if all(len(profiles) == replications for profiles in found.values()):
                kept[row] = found
        return assemble(used, kept)

    return Plan(
        {
            (row, patch, k): Job(
                f"SLOB {title(row)} {patch} the patches",
                _run,
                (row, patch, WORK, used, k, samples),
                seconds=samples / 10_000,
            )
            for row in rows
            for patch in PATCHES
            for k in seeds
        },
        table,
    )


_KEPT: dict[tuple[Row, str, Work, str, int, int], Profile] = {}


def _run(row: Row, kernel: str, work: Work, machine: Machine, seed: int, samples: int) -> Profile:
    key = (row, kernel, work, machine.model_dump_json(), seed, samples)
    if key not in _KEPT:
        _KEPT[key] = profile(
            work.slob(row, kernel),
            machine=machine,
            seed=seed,
            warmup_ps=WARMUP_PS,
            every_ps=EVERY_PS,
            samples=samples,
            words={"redo": "log.written"},
        )
    return _KEPT[key]


def redo(found: Profile) -> float:
    """Redo written in MB/s."""
    return found.counted["redo"] * REDO_BYTES / MB / (found.window_ps / PS_PER_SECOND)


def user(found: Profile) -> float:
    """User time as a share of all CPUs' time, in per cent."""
    return 100 * found.count("Slob.user") / found.total


def system(found: Profile) -> float:
    """Kernel time as a share of all CPUs' time, in per cent."""
    return 100 * kernel_samples(found) / found.total


def spinlock(found: Profile) -> float:
    """Time in functions that take spinlocks and rwlocks, as a share of kernel time, in per cent.

    As in ``perf``, it is a function's whole time, with misses of the lock's line; unlocking is
    inlined into its caller on x86.
    """
    spinning = sum(
        n
        for (file, method), n in found.samples.items()
        if file in SPINLOCK_FILES and not method.endswith("release")
    )
    return 100 * spinning / kernel_samples(found)


def kernel_samples(found: Profile) -> int:
    """Number of samples that are neither user nor idle."""
    return found.total - found.count(IDLE, "Slob.user")


MEASURES: dict[str, Callable[[Profile], float]] = {
    "system": system,
    "user": user,
    "spinlock": spinlock,
}


def mean(measure: Callable[[Profile], float], found: Iterable[Profile]) -> Interval:
    """A measure's mean over replications."""
    return interval([measure(p) for p in found])


def change(without: Iterable[Profile], with_: Iterable[Profile]) -> Interval:
    """Growth of redo in per cent, computed for each replication."""
    return interval([100 * (redo(b) / redo(a) - 1) for a, b in zip(without, with_, strict=True)])


def _redo_table() -> dict[Key, tuple[str, float]]:
    import lockdata

    frame = lockdata.load("long-2013/redo", reading="both")
    cells: dict[Key, tuple[str, float]] = {}
    for readers, writers, measure, printed, value in frame[
        ["readers", "writers", "measure", "printed", "corrected"]
    ].itertuples(index=False, name=None):
        kind, _, patched = measure.partition("_")
        patch = kind if patched else ""
        cells[readers, writers, "redo" if patched else measure, patch] = (printed, float(value))
    return cells


def _awr_table(patch: str) -> dict[Key, tuple[str, float]]:
    import lockdata

    frame = lockdata.load("long-2013/awr", reading="both")
    return {
        (readers, writers, measure, kernel): (printed, float(value))
        for readers, writers, measure, kernel, printed, value in frame[
            ["readers", "writers", "measure", patch, "printed", "corrected"]
        ].itertuples(index=False, name=None)
    }


def title(row: Row) -> str:
    """A row's name: readers + writers."""
    return f"{row[0]}+{row[1]}"


def cell(row: Row, measure: str, patch: str, value: Interval, unit: str) -> Cell:
    """A cell of one of the tables, with what was published and its role.

    Arguments:
        measure: "redo", "change", "system", "user" or "spinlock".
        patch: "without", "with", or "" for the change.
    """
    key = (*row, measure, patch)
    printed, corrected = published()[key]
    return Cell(
        title(row),
        f"{measure} {patch}" if patch else measure,
        printed,
        corrected,
        value.mean,
        value.low,
        value.high,
        ROLES.get(key, "predicted"),
        unit,
        at=row[0],
    )


def parameters(machine: Machine, work: Work = WORK) -> list[Parameter]:
    """Every value behind the tables."""
    slob, dcache = work.slob((32, 64), "without"), Dcache()
    assumed = {
        "slob.path_ps": (slob.path_ps, "ps", "kernel work around a d_path: not measured"),
        "slob.log_batch": (slob.log_batch, "1", "1 MiB: the log writer's largest write"),
        "slob.redo_bytes": (REDO_BYTES, "byte", "redo of a record: the unit in which calls "
                            "are counted"),
        "slob.semop_ps": (slob.semop_ps, "ps", "a scan of the set's pending operations (3.8, "
                          "ipc/sem.c, update_queue): 100 sleepers, a cache miss of 80 ns each"),
        "dcache.components": (dcache.components, "1", "entries from the root to a file"),
        "dcache.prepend_ps": (dcache.prepend_ps, "ps", "checks and copy of one name"),
        "fair_queue.switch_ps": (FairQueue().switch_ps, "ps", "one to two microseconds on x86 "
                                 "servers of the time"),
    }  # fmt: skip
    return [
        *(
            Parameter(f"slob.{name}", getattr(work, name), unit, source, role)  # type: ignore[arg-type]
            for name, (unit, role, source) in PARAMETERS.items()
        ),
        *(Parameter(name, *rest, "assumed") for name, rest in assumed.items()),
        *machine.parameters(),
    ]
