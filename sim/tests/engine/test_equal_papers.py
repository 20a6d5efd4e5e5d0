"""Both engines agree on the programs of every experiment that can be reproduced, shortened."""

from collections.abc import Callable

import pytest
from engine.engine_pair import compare, run_pair

from locksim import machine as machines
from locksim.core.result import RunResult
from locksim.lang import Workload
from locksim.papers import names
from locksim.papers.curves.sets import SETS, workload
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.kaigai_2004 import experiment as kaigai_2004
from locksim.papers.lmbench_2001 import experiment as lmbench_2001
from locksim.papers.long_2013 import setting as long_2013
from locksim.papers.moore_2006 import experiment as moore_2006

US = 10**6
"""Picoseconds in a microsecond."""


def lmbench(experiment: lmbench_2001.Lmbench2001, row: str) -> Workload:
    """A row of lmbench with the checks of its path."""
    costs = lmbench_2001.Costs(200_000, 120_000, 38.0, 8.0, experiment.far)
    (line,) = (one for one in lmbench_2001.published(experiment.name) if one.name == row)
    return lmbench_2001.program(line, costs)


def chatroom(kernel: str) -> Workload:
    """A room of three users who send one message each."""
    return franke_2001.workload(kernel, 1, franke_2001.Costs(), messages=1, users=3)


def slob(kernel: str) -> Workload:
    """SLOB with work so short that paths and log meet within the run."""
    work = long_2013.Work(
        read_ps=2 * US,
        write_ps=2 * US,
        write_kernel_ps=US,
        log_ps=US,
        slice_ps=5 * US,
    )
    return work.slob((3, 3), kernel)


Case = tuple[Callable[[], Workload], str, int, int]
CASES: dict[str, list[Case]] = {
    "smalley-2001-lmbench": [
        (lambda: lmbench(lmbench_2001.SMALLEY, "0KB create"), "pentium2-333", 1, 1200 * US)
    ],
    "franke-2001-lmbench": [
        (lambda: lmbench(lmbench_2001.FRANKE, "TCP"), "pentium3-8way", 1, 1200 * US)
    ],
    "franke-2001-chatroom": [(lambda: chatroom("vanilla"), "pentium3-8way", 2, 10**12)],
    "franke-2001-lockmeter": [(lambda: chatroom("selinux"), "pentium3-8way", 2, 10**12)],
    "franke-2001-kernprof": [
        (lambda kernel=kernel: chatroom(kernel), "pentium3-8way", 4, 10**12)
        for kernel in ("vanilla", "selinux")
    ],
    "kaigai-2004": [
        (
            lambda kernel=kernel: kaigai_2004.RcuTest(
                other_ps=US,
                cache=kaigai_2004.cache(kernel, kaigai_2004.Work(US, 500_000)),
            ),
            "itanium2-32",
            4,
            40 * US,
        )
        for kernel in kaigai_2004.KERNELS
    ],
    "moore-2006-netlabel": [
        (
            lambda test=test: moore_2006.workload("C_F_NoC", test, moore_2006.Works(), n_labels=3),
            "two-hosts-2006",
            moore_2006.THREADS,
            100 * US,
        )
        for test in moore_2006.TESTS
    ],
    **{
        curves.name: [
            (lambda row=row: workload(row, US // 10), curves.machine, 4, 20 * US)
            for row in curves.rows
        ]
        for curves in SETS
    },
    "long-2013-redo": [(lambda: slob("without"), "westmere-ex-8x10", 5, 60 * US)],
    "long-2013-awr": [(lambda: slob("with"), "westmere-ex-8x10", 5, 60 * US)],
}
"""By experiment: a program, its machine, CPUs, and the simulated time in picoseconds."""


def test_every_experiment_is_here() -> None:
    """A new one needs a case."""
    assert sorted(names()) == sorted(CASES)


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("make", "machine", "cpus", "until_ps"),
    [
        # Of the cases of a paper, which differ in few things, one is enough most of the time.
        pytest.param(*case, id=f"{name}-{i}", marks=[pytest.mark.slow] if i else [])
        for name in CASES
        for i, case in enumerate(CASES[name])
    ],
)
def test_both_engines_give_one_trace(
    make: Callable[[], Workload], machine: str, cpus: int, until_ps: int, part: int
) -> None:
    """Row for row, and the same counts of CPUs and locks; for a part of the time, or all of it."""
    tables = machines.load(machine).tables(cpus)
    pair = run_pair(make(), tables, seed=3, until_ps=until_ps // part)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    assert pair.expected.trace is not None
    assert len(pair.expected.trace) > 100
