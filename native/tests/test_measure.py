"""Locks on real cores: right ones are accepted, a wrong one is found, bad requests are refused."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locknative
from locknative import ExclusionError, NativeError, StuckError, _kernels, measure
from locknative.host.provenance import Recorder
from locknative.measure import WORK
from locknative.results import Validation

CPUS = sorted(os.sched_getaffinity(0))
PATIENCE_S = 600.0
"""A guard against a hang: eight spinning threads on a busy machine take their time."""
EXCLUSIVE = ["tas", "ttas", "ttas_backoff", "ticket", "mcs", "clh", "qspinlock", "futex"]
WITH_READERS = ["rwlock", "rwlock_writer", "qrwlock", "brlock", "futex_rwlock"]
SEQUENCE = ["seqlock", "seqlock_exclusive", "seqrwlock"]
COUNTED = ["lockref", "lockref_spinlock"]
RCU = ["rcu_memb", "rcu_mb", "rcu_qsbr", "rcu_bp"]
ALL = EXCLUSIVE + WITH_READERS + SEQUENCE + COUNTED + RCU
LITTLE = WORK // 10
"""Acquisitions of all threads of a short test. On a busy machine the handoff of a queue lock waits
until the next thread has a CPU again, so a queue lock's test costs time for each acquisition."""


def validate_a_little(lock: str, threads: int) -> Validation:
    """Validate with less work than :func:`locknative.validate` takes at least; unpinned."""
    tallies, updates = _kernels.run(
        lock,
        "validate",
        threads,
        [],
        iterations=LITTLE // threads,
        patience_ns=int(1e9 * PATIENCE_S),
    )
    rows = [{**tally._asdict(), "count": tally.acquisitions} for tally in tallies]
    return Validation.of(lock, rows, updates, Recorder((), *measure.build()).finish())


def test_names() -> None:
    """The locks carry the simulator's names; no lock at all is not among them."""
    assert ALL == locknative.locks()


@pytest.mark.parametrize("lock", ALL)
def test_every_lock(lock: str) -> None:
    """Every lock excludes two threads, and the work is shared."""
    validation = validate_a_little(lock, 2)
    assert validation.correct
    assert (LITTLE // 2, LITTLE // 2) == validation.counts


@pytest.mark.parametrize("lock", ["ttas_backoff", "mcs"])
def test_more_threads_than_cpus(lock: str) -> None:
    """A simple lock and a queue lock exclude where threads take turns on their CPUs."""
    assert validate_a_little(lock, max(8, 2 * len(CPUS))).correct


@pytest.mark.slow
@pytest.mark.parametrize("lock", ALL)
@pytest.mark.parametrize("threads", [2, 8])
def test_every_lock_for_longer(lock: str, threads: int) -> None:
    """Every lock excludes where threads fit on their CPUs, and where they do not."""
    assert locknative.validate(lock, threads, WORK, patience_s=PATIENCE_S).correct


@settings(max_examples=6)
@given(lock=st.sampled_from(ALL), threads=st.integers(1, 8))
def test_exclusion(lock: str, threads: int) -> None:
    """Every lock excludes, with fewer and with more threads than CPUs, and the work is shared."""
    validation = validate_a_little(lock, threads)
    assert validation.correct
    assert (LITTLE // threads,) * threads == validation.counts


def test_no_lock_is_found_wrong() -> None:
    """Two threads without a lock lose updates, and the exception carries the counts."""
    # One CPU alternates between the threads only every few milliseconds.
    iterations = WORK * (100 if len(CPUS) > 1 else 20_000)
    with pytest.raises(ExclusionError, match="lock 'none' violates mutual exclusion") as caught:
        locknative.validate("none", 2, iterations, patience_s=PATIENCE_S)
    assert caught.value.validation.lost_updates > 0
    assert 1 == caught.value.exit_code


def test_one_thread_needs_no_lock() -> None:
    """The loop has no false alarms: alone, even no lock is correct."""
    assert locknative.validate("none", 1).correct


@pytest.mark.parametrize("lock", WITH_READERS + SEQUENCE + COUNTED)
def test_one_in_eight_is_exclusive(lock: str) -> None:
    """Where a lock can be read, or counts, one section in eight is exclusive."""
    validation = locknative.validate(lock, 2, 2 * WORK, patience_s=PATIENCE_S)
    assert (WORK // 8, WORK // 8) == validation.writes


@pytest.mark.parametrize("lock", RCU)
def test_one_in_64_replaces(lock: str) -> None:
    """Under RCU one operation in 64 publishes a new version and waits for a grace period."""
    validation = locknative.validate(lock, 2, 2 * WORK, patience_s=PATIENCE_S)
    assert (WORK // 64, WORK // 64) == validation.writes


def test_unpinned() -> None:
    """An empty CPU list means no pinning, and so do more threads than CPUs."""
    found = locknative.validate("tas", 2, WORK, cpus=[], patience_s=PATIENCE_S)
    assert () == found.provenance.pinned
    many = len(CPUS) + 1
    found = locknative.validate("tas", many, WORK * many, patience_s=PATIENCE_S)
    assert () == found.provenance.pinned


@pytest.mark.parametrize("lock", ALL)
def test_throughput(lock: str) -> None:
    """Every thread on every CPU gets through, and the record names lock, CPUs and build."""
    order = CPUS[:2][::-1]
    result = locknative.throughput(lock, len(order), 0.02, cpus=order, patience_s=PATIENCE_S)
    assert len(order) == len(result.counts) == len(result.wall_ns) == len(result.cpu_ns)
    assert min(result.counts) > 0
    assert (lock, "write", tuple(order)) == (result.lock, result.side, result.provenance.pinned)
    assert "-fno-lto" in result.provenance.flags
    if result.provenance.compiler.startswith("GNU"):
        assert "-fno-ipa-reference" in result.provenance.flags


@pytest.mark.parametrize("lock", WITH_READERS + SEQUENCE + RCU)
def test_read_side(lock: str) -> None:
    """The read side is timed on request."""
    result = locknative.throughput(lock, 1, 0.01, side="read")
    assert "read" == result.side
    assert result.counts[0] > 0


def test_trials_are_independent() -> None:
    """CLH nodes change hands, yet trials with other numbers of threads follow each other."""
    for threads in (2, 1, 3, 2, 4, 1):
        assert validate_a_little("clh", threads).correct
        locknative.throughput("clh", 1, 0.001)


def test_callers_affinity_is_left_alone() -> None:
    """Threads pin themselves; the caller's own mask stays as it was."""
    locknative.throughput("tas", 1, 0.001, cpus=[CPUS[-1]])
    assert CPUS == sorted(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (lambda: locknative.validate("tickt"), "did you mean 'ticket'"),
        (lambda: locknative.throughput("tickt"), "did you mean 'ticket'"),
        (lambda: locknative.throughput("tas", side="reed"), "did you mean 'read'"),
        (lambda: locknative.throughput("tas", side="read"), "no read side.*rwlock"),
        (lambda: locknative.validate("tas", 0), "at least 1"),
        (lambda: locknative.validate("tas", 2, WORK + 2), "multiple of 40320 and of 2"),
        (lambda: locknative.validate("tas", 11, WORK), f"for example {11 * WORK}"),
        (lambda: locknative.validate("tas", 2, 0), "multiple of 40320"),
        (lambda: locknative.validate("tas", patience_s=-1), "patience must be above 0"),
        (lambda: locknative.throughput("tas", 1, 0.0), "duration must be above 0"),
        (lambda: locknative.throughput("tas", 1, float("nan")), "duration must be above 0"),
        (lambda: locknative.throughput("tas", len(CPUS) + 1), "do not fit"),
        (lambda: locknative.throughput("tas", 1, cpus=[4096]), "CPU 4096 cannot be used"),
        (lambda: locknative.throughput("tas", 1, cpus=[-1]), "CPU -1 cannot be used"),
        (lambda: locknative.throughput("tas", 2, cpus=CPUS[:1] * 2), "twice"),
        (lambda: locknative.throughput("tas", 2, cpus=CPUS[:1]), "1 CPUs for 2 threads"),
        (lambda: locknative.throughput("tas", 1, cpus=[]), "0 CPUs for 1 threads"),
    ],
)
def test_refusals(request_: Callable[[], object], message: str) -> None:
    """An impossible request is refused with what was found and what to do."""
    with pytest.raises(NativeError, match=message) as caught:
        request_()
    assert 2 == caught.value.exit_code


def test_pinning_fails() -> None:
    """A thread that cannot be pinned to its CPU ends the run; no thread is left waiting."""
    with pytest.raises(
        NativeError, match=r"thread 1 could not be pinned to CPU 99999: .*cpus=\[\]"
    ):
        _kernels.run("tas", "validate", 2, [CPUS[0], 99999], WORK)


def test_threads_cannot_be_created(run_python: Callable[[str], str]) -> None:
    """With too little address space for the stacks, those that exist are sent home."""
    assert "True 2" == run_python(
        """
        import resource, locknative
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        try:
            locknative.validate("tas", 960, 40320)
        except locknative.NativeError as error:
            print("of 960 threads could be created" in str(error), error.exit_code)
        """
    )


class AlarmError(Exception):
    """Raised by a signal handler."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """Stop the alarm clock after the test, and restore the handler."""
    before = signal.getsignal(signal.SIGVTALRM)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def test_interrupted(alarm: None) -> None:
    """A signal handler that raises, as for Ctrl-C, ends an hour's run at once."""

    def handler(*_: object) -> None:
        raise AlarmError

    signal.signal(signal.SIGVTALRM, handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    with pytest.raises(AlarmError):
        locknative.throughput("ticket", 1, 3600)


def test_stuck() -> None:
    """Threads that do not come through are sent home, in the middle of their work."""
    with pytest.raises(StuckError, match=r"'mcs' is stuck: 2 threads .* within 0.001 s") as caught:
        locknative.validate("mcs", 2, WORK * 10**9, patience_s=0.001)
    assert 1 == caught.value.exit_code
    assert validate_a_little("mcs", 2).correct


@pytest.mark.parametrize("lock", RCU)
def test_rcu_is_left_in_order(lock: str) -> None:
    """A run under RCU that is given up leaves liburcu fit for the next one."""
    with pytest.raises(StuckError, match=f"'{lock}' is stuck"):
        locknative.validate(lock, 2, WORK * 10**9, patience_s=0.05)
    assert validate_a_little(lock, 2).correct


def test_validation_interrupted(alarm: None) -> None:
    """Validation, too, ends when a signal handler raises."""

    def handler(*_: object) -> None:
        raise AlarmError

    signal.signal(signal.SIGVTALRM, handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
    with pytest.raises(AlarmError):
        locknative.validate("ticket", 2, WORK * 10**9)


def test_not_interrupted(alarm: None) -> None:
    """Signals whose handler returns do not cut a run short."""
    heard: list[int] = []

    def handler(number: int, _: object) -> None:
        heard.append(number)
        if len(heard) == 5:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    signal.signal(signal.SIGVTALRM, handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.1, 0.02)
    while len(heard) < 5:  # the timer counts this process's CPU time, whoever else has the CPUs
        began = time.monotonic()
        locknative.throughput("ticket", 1, 0.2)
        # Not the worker's own time, which begins when the worker gets a CPU.
        assert time.monotonic() - began >= 0.2


def test_not_built(run_python: Callable[[str], str]) -> None:
    """Without the extension the package imports, and each call says how to build it."""
    assert "True 2" == run_python(
        """
        import sys
        sys.modules["locknative._kernels"] = None
        import locknative
        try:
            locknative.locks()
        except locknative.NativeError as error:
            print("make setup" in str(error), error.exit_code)
        """
    )
