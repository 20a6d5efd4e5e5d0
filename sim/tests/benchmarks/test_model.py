"""The C model that the fast engine is timed against is the same: it ends in the same state."""

import dataclasses
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim import machine
from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.paced import CONSTANT, EXPONENTIAL, OPEN

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NS, US = 1_000, 1_000_000


def _opponent() -> ModuleType:
    """benchmarks/opponent.py: the benchmarks are scripts, no package."""
    if "locksim_benchmarks_opponent" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "locksim_benchmarks_opponent", BENCHMARKS / "opponent.py"
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return sys.modules["locksim_benchmarks_opponent"]


opponent = _opponent()


def _both(
    workload: CriticalSection,
    name: str,
    cpus: int,
    until_ps: list[int],
    *,
    seed: int = 1,
    jump: bool = True,
    overlap_percent: int | None = None,
    **costs: int,
) -> tuple[RunResult, RunResult]:
    """The same run by the fast engine and by the C model, stopped at each of the times.

    On every machine with unbounded caches: the C model has no others.

    Arguments:
        overlap_percent: of the cheaper of transfer and invalidation, instead of the machine's.
        costs: what to change in the machine's tables.
    """
    profile = machine.load(name).without_caches()
    # Line hold times by class follow the single ones anew.
    anew = dict.fromkeys(("tenure_class_ps", "tenure_plain_class_ps"), ())
    tables = dataclasses.replace(profile.tables(cpus, "compact"), **anew, **costs)
    if overlap_percent is not None:
        parts = np.minimum(tables.transfer_ps, tables.invalidate_ps) * overlap_percent // 100
        tables = dataclasses.replace(tables, overlap_ps=parts)
    image, memory = prepare(workload, tables)
    ours = fast.Session(image, memory, tables, seed=seed, jump=jump)
    theirs = opponent.Opponent(workload, memory, tables, seed=seed, jump=jump)
    for time in until_ps:
        ours.advance(time)
        theirs.advance(time)
    return ours.result(), theirs.result()


def _assert_equal(ours: RunResult, theirs: RunResult) -> None:
    for column, counter in enumerate(CPU_COUNTERS):
        assert ours.cpu[:, column].tolist() == theirs.cpu[:, column].tolist(), counter
    assert ours.locks.tolist() == theirs.locks.tolist()
    assert np.flatnonzero(ours.lines).tolist() == np.flatnonzero(theirs.lines).tolist()
    assert ours.lines.tolist() == theirs.lines.tolist()
    assert ours.memory.tolist() == theirs.memory.tolist()
    assert ours.events == theirs.events


@pytest.mark.parametrize("lock", [TicketLock, TTASLock])
@pytest.mark.parametrize(
    ("name", "cpus"),
    [
        ("ideal-8", 8),  # blocking directory, clean lines from memory
        ("ideal-64", 64),  # every bit of one sharer word
        ("ideal-100", 100),  # more than one sharer word
        ("desktop-4", 4),
        ("pentium3-8way", 8),  # buses
        ("itanium2-32", 32),
        ("westmere-ex-8x10", 80),
        ("xeon-8176-8x28", 70),
    ],
)
def test_equals_fast_engine_on_every_machine(lock: type, name: str, cpus: int) -> None:
    """Default workload, each kind of machine: all counters, meters, lines and words are equal."""
    ours, theirs = _both(CriticalSection(lock=lock), name, cpus, [200 * US])
    assert ours.cpu[:, 0].sum() > 0
    _assert_equal(ours, theirs)


@pytest.mark.parametrize("lock", [TicketLock, TTASLock])
@pytest.mark.parametrize("jump", [True, False])
@pytest.mark.parametrize(
    "parameters",
    [
        {"words": 0, "think_ps": 0},  # the store buffer still holds the release
        {"words": 3, "hold_ps": 5 * NS, "think_ps": 0},
        {"words": 40, "think_ps": 20 * NS, "think_times": CONSTANT},  # a full store buffer
        {"words": 1, "hold_ps": 300 * NS, "think_ps": 1},
    ],
)
def test_equals_fast_engine_under_contention(
    lock: type, jump: bool, parameters: dict[str, int]
) -> None:
    """Long and short holds without think time, idle spins jumped over or not: equal."""
    workload = CriticalSection(lock=lock, **parameters)
    _assert_equal(*_both(workload, "xeon-8176-8x28", 9, [20 * US], seed=5, jump=jump))


@given(
    lock=st.sampled_from([TicketLock, TTASLock]),
    name=st.sampled_from(["ideal-70", "pentium3-8way", "itanium2-32", "westmere-ex-8x10"]),
    cpus=st.integers(1, 70),
    words=st.integers(0, 20),
    hold_ps=st.integers(0, 400 * NS),
    think_ps=st.integers(0, 3 * US),
    exponential=st.booleans(),
    seed=st.integers(0, 2**40),
    jump=st.booleans(),
    tenure_ps=st.integers(0, 100 * NS),
    tenure_plain_ps=st.integers(0, 100 * NS),
    jitter_ps=st.integers(0, 20 * NS),
    line_busy_percent=st.sampled_from([1, 37, 100]),
    overlap_percent=st.sampled_from([0, 45, 99]),
    stops=st.lists(st.integers(1, 10 * US), min_size=1, max_size=3),
)
def test_equals_fast_engine_on_random_settings(
    lock: type,
    name: str,
    cpus: int,
    words: int,
    hold_ps: int,
    think_ps: int,
    exponential: bool,
    seed: int,
    jump: bool,
    tenure_ps: int,
    tenure_plain_ps: int,
    jitter_ps: int,
    line_busy_percent: int,
    overlap_percent: int,
    stops: list[int],
) -> None:
    """Any parameters and some costs, stopped at any times (also in the middle of idle rounds)."""
    cpus = min(cpus, machine.load(name).n_cpus)
    workload = CriticalSection(
        lock=lock,
        words=words,
        hold_ps=hold_ps,
        think_ps=think_ps,
        think_times=EXPONENTIAL if exponential else CONSTANT,
    )
    ours, theirs = _both(
        workload,
        name,
        cpus,
        sorted(stops),
        seed=seed,
        jump=jump,
        tenure_ps=tenure_ps,
        tenure_plain_ps=tenure_plain_ps,
        jitter_ps=jitter_ps,
        line_busy_percent=line_busy_percent,
        overlap_percent=overlap_percent,
    )
    _assert_equal(ours, theirs)


def test_refuses_another_lock() -> None:
    """A lock that is not coded in model.c is refused by name, not run as something else."""
    tables = machine.load("ideal-2").tables(2, "compact")
    workload = CriticalSection(lock=MCSLock)
    _, memory = prepare(workload, tables)
    with pytest.raises(opponent.OpponentError, match=r"TicketLock or TTASLock, not .*MCS"):
        opponent.Opponent(workload, memory, tables, seed=1)


def test_refuses_another_rhythm() -> None:
    """What model.c does not know is not run as a closed load instead."""
    tables = machine.load("ideal-2").tables(2, "compact")
    workload = CriticalSection(lock=TicketLock, arrivals=OPEN)
    _, memory = prepare(workload, tables)
    with pytest.raises(opponent.OpponentError, match="only a closed load"):
        opponent.Opponent(workload, memory, tables, seed=1)


def test_refuses_mechanisms_that_act_under_load() -> None:
    """It knows the queue of a line only, first come first served."""
    tables = machine.load("ideal-2").with_protocol(arbitration="random").tables(2, "compact")
    workload = CriticalSection(lock=TicketLock)
    _, memory = prepare(workload, tables)
    with pytest.raises(opponent.OpponentError, match="none of the mechanisms that act under load"):
        opponent.Opponent(workload, memory, tables, seed=1)


def test_refuses_caches_that_end() -> None:
    """Its CPUs keep every line; the message says how to get such a machine."""
    tables = machine.load("pentium3-8way").tables(2, "compact")
    workload = CriticalSection(lock=TicketLock)
    _, memory = prepare(workload, tables)
    with pytest.raises(opponent.OpponentError, match=r"no finite caches\nhelp: .*without_caches"):
        opponent.Opponent(workload, memory, tables, seed=1)


def test_says_what_to_install_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a C compiler the message says what is missing and how to get it."""
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    opponent.compiler.cache_clear()
    with pytest.raises(opponent.OpponentError, match="no C compiler found") as caught:
        opponent.compiler()
    assert "apt install gcc" in str(caught.value)
