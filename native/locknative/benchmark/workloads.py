"""Whole workloads on real cores: :func:`workloads`, :func:`measure`.

The variants of a workload differ in one thing: which decision cache answers the access checks
(``none``: there are no checks), or, for the database mix, how paths are read. The sources describe
them and their assumptions: native/workloads/NAME.c.

Each trial is a process of its own (:mod:`locknative.survey.process`). The trials of all variants
run in rounds, so that a slow minute of the machine affects all of them.
"""

from __future__ import annotations

import os
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from locknative.benchmark.measurement import Judged
from locknative.compilation import executable
from locknative.errors import NativeError, require, unknown
from locknative.host.placement import allowed
from locknative.host.provenance import Provenance, Recorder
from locknative.survey import process
from locknative.survey.cells import Cell
from locknative.survey.trials import rounds

#: One unit of a workload's counts.
UNITS = {
    "rcutest": "write() and lseek()",
    "chatroom": "message sent or received",
    "lmbench": "operation",
    "slob": "transaction",
}
#: The operations of lmbench, in the order of the table in native/workloads/lmbench.c.
OPERATIONS = (
    *("null_io", "stat", "open_close", "create_delete", "pipe"),
    *("unix", "udp", "tcp", "fork", "exec"),
)
#: Threads that make one room of 20 users.
ROOM = 80
#: Parts of a mix's option, as native/structures/subject.h and native/workloads/slob.c have them.
STORE_USED, OWN_KEY, PATH = 1 << 16, 1 << 17, 1 << 8
#: Processes that make a result; fewer give a first impression.
ENOUGH_TRIALS = 10


@dataclass(frozen=True)
class Mix:
    """The mix of a workload (struct locklab_mix).

    ``hold`` counts iterations of the security server for a decision, ``think`` iterations between
    two units of work. ``write_share`` of 65536 transactions write. ``option`` depends on the
    workload.
    """

    hold: int = 0
    think: int = 0
    write_share: int = 0
    option: int = 0
    seed: int = 0


@dataclass(frozen=True)
class WorkloadTrial:
    """The counts of the threads of one process.

    ``counts`` are units of work and ``wall_ns`` times, one entry a thread; ``failures`` counts
    units that a system call or a check refused.
    """

    variant: str
    counts: tuple[int, ...]
    wall_ns: tuple[int, ...]
    failures: int
    provenance: Provenance

    @property
    def per_second(self) -> float:
        """Units of work of all threads together in a second."""
        return sum(1e9 * n / ns for n, ns in zip(self.counts, self.wall_ns, strict=True))


@dataclass(frozen=True)
class VariantRow:
    """One variant: the median over its trials, the smallest and the largest, in units a second.

    ``relative`` is the median divided by that of the first variant.
    """

    variant: str
    per_second: float
    low: float
    high: float
    relative: float
    failures: int


@dataclass(frozen=True)
class WorkloadComparison(Judged):
    """Every trial of a workload, in the order in which they ran, and a row for each variant."""

    workload: str
    unit: str
    variants: tuple[str, ...]
    threads: int
    duration_s: float
    mix: Mix
    trials: tuple[WorkloadTrial, ...]

    @property
    def rows(self) -> list[VariantRow]:
        """The variants, in the order of the request."""
        rates = {name: [trial.per_second for trial in self._of(name)] for name in self.variants}
        first = statistics.median(rates[self.variants[0]])
        return [
            VariantRow(
                variant=name,
                per_second=statistics.median(found),
                low=min(found),
                high=max(found),
                relative=statistics.median(found) / first if first else 0.0,
                failures=sum(trial.failures for trial in self._of(name)),
            )
            for name, found in rates.items()
        ]

    def _of(self, variant: str) -> list[WorkloadTrial]:
        return [trial for trial in self.trials if trial.variant == variant]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why this is not a clean measurement, one sentence a reason; empty when it is."""
        places = [trial.provenance for trial in self.trials]
        stolen = sum(place.steal_after - place.steal_before for place in places)
        found = set(replace(places[0], steal_before=0, steal_after=stolen).warnings)
        fewest = min(len(self._of(name)) for name in self.variants)
        if fewest < ENOUGH_TRIALS:
            found.add(f"{fewest} trials of a variant: a result needs {ENOUGH_TRIALS} processes")
        if any(trial.failures for trial in self.trials):
            found.add("some units of work failed: their time counts, their work does not")
        return tuple(sorted(found))


def workloads() -> dict[str, list[str]]:
    """Return the workloads that were built, each with its variants.

    Raises:
        NativeError: ``locklab-native`` is not built.
    """
    found: dict[str, list[str]] = {}
    for kernel in executable.kernels():
        if kernel.kind == "workload":
            name, _, variant = kernel.name.rpartition("_")
            found.setdefault(name, []).append(variant)
    return found


def variants(workload: str) -> list[str]:
    """Return the variants of a workload that were built.

    Raises:
        NativeError: there is no such workload.
    """
    known = workloads()
    if workload not in known:
        raise unknown("workload", workload, known)
    return known[workload]


def operation_number(name: str) -> int:
    """Return the number of an operation of lmbench.

    Raises:
        NativeError: there is no such operation.
    """
    if name not in OPERATIONS:
        raise unknown("operation of 'lmbench'", name, OPERATIONS)
    return OPERATIONS.index(name)


def measure(
    workload: str,
    chosen: Sequence[str] = (),
    threads: int = 1,
    duration_s: float = 1.0,
    trials: int = 3,
    cpus: Sequence[int] = (),
    mix: Mix = Mix(),
    report: Callable[[str, float], None] = lambda _text, _fraction: None,
) -> WorkloadComparison:
    """Run a workload's variants, each trial in a process of its own.

    Args:
        workload: a name of :func:`workloads`.
        chosen: variants; all that were built if empty.
        threads: how many; each is pinned to a CPU if there are enough, or else all share them.
        duration_s: time of one trial in s, above 0 and up to 3600.
        trials: of each variant, at least 1.
        cpus: those to use; empty: all that this process may use.
        mix: of the workload; its seed is also that of the order of trials.
        report: called before each trial with a text and the fraction done.

    Raises:
        NativeError: an unknown workload or variant, an impossible request, or a trial that failed.
    """
    known = variants(workload)
    for variant in chosen:
        if variant not in known:
            raise unknown(f"variant of '{workload}'", variant, known)
    require(threads >= 1, "threads", "at least 1", threads)
    require(trials >= 1, "trials", "at least 1", trials)
    require(0 < duration_s <= 3600, "duration", "above 0 and up to 3600 s", duration_s)
    here = allowed()
    if foreign := sorted(set(cpus) - set(here)):
        raise NativeError(
            f"CPU {foreign[0]} cannot be used: this process may use CPUs "
            f"{', '.join(map(str, here))}"
        )
    asked = tuple(dict.fromkeys(chosen)) or tuple(known)
    done: list[WorkloadTrial] = []

    def needs_more(variant: str) -> bool:
        return sum(trial.variant == variant for trial in done) < trials

    for variant, _ in rounds(asked, needs_more, random.Random(mix.seed)):
        report(f"{workload}, {variant}", len(done) / (len(asked) * trials))
        done.append(_trial(workload, variant, threads, duration_s, cpus or here, mix))
    return WorkloadComparison(
        workload, UNITS[workload], asked, threads, duration_s, mix, tuple(done)
    )


def _trial(
    workload: str,
    variant: str,
    threads: int,
    duration_s: float,
    cpus: Sequence[int],
    mix: Mix,
) -> WorkloadTrial:
    """Run one trial by the executable; pinned if there is a CPU for each thread."""
    pinned = tuple(cpus[:threads]) if threads <= len(cpus) else ()
    cell = Cell(
        kernel=f"{workload}_{variant}",
        cpus=pinned,
        hold=mix.hold,
        think=mix.think,
        write_share=mix.write_share,
        option=mix.option,
    )
    recorder = Recorder(pinned, *executable.read_build())
    with _restricted_to(cpus):
        found = process.run_trial(
            executable.path(),
            cell,
            threads=threads,
            duration_ms=round(1e3 * duration_s) or 1,
            warmup_ms=0,
            seed=mix.seed,
        )
    tallies = found["tallies"]
    return WorkloadTrial(
        variant=variant,
        counts=tuple(tally["count"] for tally in tallies),
        wall_ns=tuple(tally["wall_ns"] for tally in tallies),
        failures=sum(tally["torn"] for tally in tallies),
        provenance=recorder.finish(),
    )


@contextmanager
def _restricted_to(cpus: Sequence[int]) -> Iterator[None]:
    """Restrict this thread, and the processes that it starts, to the CPUs for a while."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, cpus)
    except OSError as error:
        raise NativeError(
            f"this process could not be restricted to CPUs {', '.join(map(str, cpus))}: "
            f"{error.strerror}. A container may forbid it: leave out --cpus, and choose more "
            "threads than CPUs, which are not pinned"
        ) from error
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
