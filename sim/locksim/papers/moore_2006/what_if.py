"""What-ifs of moore-2006-netlabel: several labels, several CPUs, the corrected index.

The source's traffic has one label, so its cache always hits, whatever its index does. The index of
Linux up to 2.6.25 (``hash & 6``) leaves room for 40 labels behind four locks, instead of 1280
behind 128. These what-ifs show from which load on the error matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache as once

from locksim import machine as machines
from locksim.library.avc.cipso import INDEX_ALL, INDEX_AS_IT_WAS, Cipso
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.workloads.label_lookups import LabelLookups
from locksim.machine import Machine
from locksim.papers.moore_2006.experiment import fit, measure, rate_of, workload
from locksim.papers.moore_2006.setting import Works
from locksim.papers.what_if import Comparison, Runs, what_if
from locksim.study.simulation import Interval, simulate

ROW = "C_FlCat"
TESTS = ("tcp_stream", "tcp_rr")
LABELS = (1, 30, 60, 120, 480)
MESSAGES = 1000
"""Measured messages, times four; the warm-up has as many, so that every label occurred."""
SERVER = "westmere-ex-8x10"
CPUS = (4, 16, 64)
RECEIVERS_LABELS = 32


@what_if(
    "moore-2006-netlabel-index",
    of="moore-2006-netlabel",
    title="The label cache with the corrected index, and many labels",
    change="7 bits of the hash select the bucket, not by hash & 6: 1280 entries, not 40",
)
def index(runs: Runs) -> Iterator[Comparison]:
    """Simulate C_FlCat with the old and the corrected index for growing numbers of labels."""
    plan = [(test, n) for test in TESTS for n in LABELS]
    for i, (test, n) in enumerate(plan):
        runs.report(f"{test} with {n} labels", i / len(plan))
        before, after = (_rate(test, n, mask, runs) for mask in (INDEX_AS_IT_WAS, INDEX_ALL))
        unit = "Mbit/s" if test == "tcp_stream" else "1/s"
        yield Comparison(test, f"{n} labels", before, after, unit, "higher")


@what_if(
    "moore-2006-netlabel-cpus",
    of="moore-2006-netlabel",
    title="The label cache with the corrected index, and many receiving CPUs",
    change="128 locks instead of four, on a machine of 80 CPUs that all receive labels",
)
def cpus(runs: Runs) -> Iterator[Comparison]:
    """Simulate 32 labels, which fit in both caches, for growing numbers of receiving CPUs."""
    for i, n in enumerate(CPUS):
        runs.report(f"{n} CPUs", i / len(CPUS))
        before, after = (_receivers(n, mask, runs) for mask in (INDEX_AS_IT_WAS, INDEX_ALL))
        row = f"{RECEIVERS_LABELS} labels"
        yield Comparison(row, f"{n} CPUs", before, after, "messages/s", "higher")


@once
def _profile() -> Machine:
    return machines.load("two-hosts-2006")


@once
def _works() -> Works:
    return fit(_profile())


def _rate(test: str, n_labels: int, mask: int, runs: Runs) -> Interval:
    program = workload(ROW, test, _works(), n_labels=n_labels, index_mask=mask)
    run = measure(
        _profile(),
        ROW,
        test,
        _works(),
        MESSAGES,
        warmup=MESSAGES,
        replications=runs.replications,
        seed=runs.seed,
        program=program,
    )
    return rate_of(run, ROW, test)[0]


def _receivers(n: int, mask: int, runs: Runs) -> Interval:
    works = _works()
    labels = NetLabel(
        option_ps=works.long_ps, translate_ps=works.server_ps, cache=Cipso(index_mask=mask)
    )
    run = simulate(
        LabelLookups(labels=labels, n_labels=RECEIVERS_LABELS, other_ps=works.receive_ps),
        machine=SERVER,
        cpus=n,
        placement="scatter",
        operations=200,
        warmup=100,
        replications=runs.replications,
        seed=runs.seed,
    )
    if not run.complete:
        raise KeyboardInterrupt  # a mean over too few replications is not a cell
    return run.throughput()
