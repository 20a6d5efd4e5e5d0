"""SLOB: both engines agree under every kernel, and no redo record is lost."""

import pytest
from engine.engine_pair import compare, run_pair

from locksim import machine
from locksim.core.result import RunResult
from locksim.engine.fast.engine import Session
from locksim.engine.prepared import prepare
from locksim.lang import NS
from locksim.library.workloads.slob import LOG_WRITER, RECORDS, Slob
from locksim.papers.long_2013.setting import KERNELS, WORK

SMALL = {
    "read_ps": 2000 * NS,
    "write_ps": 4000 * NS,
    "write_paths_percent": 150,
    "log_ps": 500 * NS,
    "log_paths_percent": 50,
    "write_kernel_ps": 200 * NS,
    "slice_ps": 5000 * NS,
    "semop_ps": 300 * NS,
}


def small(kernel, **settings):
    """A short-winded SLOB under a kernel."""
    like = WORK.slob((8, 64), kernel)
    parts = {name: like._parts[name] for name in ("dcache", "cpus", "sem_lock")}
    return Slob(**{**SMALL, **parts, **settings})


@pytest.mark.covering("kernel", "readers")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("readers", "writers", "sleep_percent"), [(3, 4, 0), (2, 2, 60), (4, 0, 0)]
)
def test_both_engines_agree(kernel, readers, writers, sleep_percent):
    """With more processes than CPUs, with latches, and without writers."""
    tables = machine.load("westmere-ex-8x10").tables(5, "scatter")
    load = small(kernel, readers=readers, writers=writers, sleep_percent=sleep_percent)
    pair = run_pair(load, tables, seed=4, until_ps=60_000_000)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    assert pair.expected.cpu[:, 0].sum() > 10


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_record_is_written_in_turn(kernel):
    """Posted records are written or wait in the ring, one a sleeping writer."""
    writers = 12
    tables = machine.load("westmere-ex-8x10").tables(8, "scatter")
    image, memory = prepare(small(kernel, readers=3, writers=writers), tables)
    session = Session(image, memory, tables, seed=1)
    log = memory.root.log
    for until_ps in range(200_000_000, 2_000_000_001, 200_000_000):
        session.advance(until_ps)
        posted, written = session.word(int(log.posted)), session.word(int(log.written))
        assert 0 <= posted - written <= writers
        waiting = [session.word(int(log.ring[i])) for i in range(RECORDS)]
        left = [process for process in waiting if process != LOG_WRITER]
        assert len(left) == len(set(left)) <= writers
    assert written > 100


def test_idle_without_work():
    """Without readers and writers every CPU sleeps, and the engine says so."""
    tables = machine.load("westmere-ex-8x10").tables(2)
    image, memory = prepare(small("with", readers=1, writers=0), tables)
    session = Session(image, memory, tables, seed=1)
    session.advance(50_000_000)
    assert 1 == sum(at < 0 for at in session.operations())
