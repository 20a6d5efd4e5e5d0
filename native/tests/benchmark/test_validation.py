"""Validation: right locks are accepted, a wrong one is found, impossible requests are refused."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locknative
from locknative import ExclusionError, NativeError, StuckError
from locknative.benchmark.validation import Validation

CPUS = sorted(os.sched_getaffinity(0))
PATIENCE_S = 600.0
"""A guard against a hang: eight spinning threads on a busy machine take their time."""
EXCLUSIVE = ["tas", "ttas", "ttas_backoff", "ticket", "mcs", "clh", "qspinlock", "futex"]
WITH_READERS = ["rwlock", "rwlock_writer", "qrwlock", "brlock", "futex_rwlock"]
SEQUENCE = ["seqlock", "seqlock_exclusive", "seqrwlock"]
COUNTED = ["lockref", "lockref_spinlock"]
RCU = ["rcu_memb", "rcu_mb", "rcu_qsbr", "rcu_bp"]
ALL = EXCLUSIVE + WITH_READERS + SEQUENCE + COUNTED + RCU
LITTLE = 4032
"""Acquisitions of all threads of a short test. On a busy machine the handoff of a queue lock waits
until the next thread has a CPU again, so a queue lock's test costs time for each acquisition."""
MUCH = 40_320
ENDLESS = 10**15


def validate(lock: str, threads: int = 2, acquisitions: int = LITTLE) -> Validation:
    """Validate with much patience."""
    return locknative.validate(lock, threads, acquisitions, patience_s=PATIENCE_S)


def test_names() -> None:
    """The locks carry the simulator's names; no lock at all is not among them."""
    assert ALL == locknative.locks()


@pytest.mark.parametrize("lock", ALL)
def test_every_lock(lock: str) -> None:
    """Every lock excludes two threads, and the work is shared."""
    found = validate(lock)
    assert (True, (LITTLE // 2, LITTLE // 2)) == (found.correct, found.counts)


@pytest.mark.parametrize("lock", ["ttas_backoff", "mcs"])
def test_more_threads_than_cpus(lock: str) -> None:
    """A simple lock and a queue lock exclude where threads take turns on their CPUs."""
    assert validate(lock, max(8, 2 * len(CPUS))).correct


@pytest.mark.slow
@pytest.mark.parametrize("lock", ALL)
@pytest.mark.parametrize("threads", [2, 8])
def test_every_lock_for_longer(lock: str, threads: int) -> None:
    """Every lock excludes where threads fit on their CPUs, and where they do not."""
    assert validate(lock, threads, MUCH).correct


@settings(max_examples=6)
@given(lock=st.sampled_from(ALL), threads=st.integers(1, 8))
def test_exclusion(lock: str, threads: int) -> None:
    """Every lock excludes, with fewer and with more threads than CPUs, and the work is shared."""
    assert (LITTLE // threads,) * threads == validate(lock, threads).counts


def test_no_lock_is_found_wrong() -> None:
    """Two threads without a lock lose updates, and the exception carries the counts."""
    # One CPU alternates between the threads only every few milliseconds.
    acquisitions = MUCH * (100 if len(CPUS) > 1 else 20_000)
    with pytest.raises(ExclusionError, match="lock 'none' violates mutual exclusion") as caught:
        validate("none", 2, acquisitions)
    assert caught.value.validation.lost_updates > 0
    assert 1 == caught.value.exit_code


def test_one_thread_needs_no_lock() -> None:
    """The loop has no false alarms: alone, even no lock is correct."""
    assert validate("none", 1, MUCH).correct


@pytest.mark.parametrize("lock", WITH_READERS + SEQUENCE + COUNTED)
def test_one_in_eight_is_exclusive(lock: str) -> None:
    """Where a lock can be read, or counts, one section in eight is exclusive."""
    assert (LITTLE // 16, LITTLE // 16) == validate(lock).writes


@pytest.mark.parametrize("lock", RCU)
def test_one_in_64_replaces(lock: str) -> None:
    """Under RCU one operation in 64 publishes a new version and waits for a grace period."""
    assert (MUCH // 64, MUCH // 64) == validate(lock, 2, 2 * MUCH).writes


def test_a_lock_in_the_language() -> None:
    """A name of the library is printed as C and compiled first."""
    assert "emitted:ticket" == validate("emitted:ticket").lock


def test_placement() -> None:
    """Threads can be pinned; a thread that cannot be ends the run."""
    assert locknative.validate("tas", 1, LITTLE, CPUS[-1:], PATIENCE_S).correct
    with pytest.raises(NativeError, match=r"2 threads need 2 CPUs|CPU 4096 cannot be used"):
        locknative.validate("tas", 2, LITTLE, [CPUS[0], 4096])


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (lambda: locknative.validate("tickt"), "did you mean 'ticket'"),
        (lambda: locknative.validate("own_add"), "unknown lock 'own_add'"),
        (lambda: locknative.validate("tas", 0), "threads must be at least 1"),
        (lambda: locknative.validate("tas", 3, 2), "at least one for each thread"),
        (lambda: locknative.validate("tas", patience_s=-1), "patience must be above 0"),
        (lambda: locknative.validate("tas", placement="compakt"), "did you mean 'compact'"),
    ],
)
def test_refusals(request_: Callable[[], object], message: str) -> None:
    """An impossible request is refused with what was found and what to do."""
    with pytest.raises(NativeError, match=message) as caught:
        request_()
    assert 2 == caught.value.exit_code


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


@pytest.mark.parametrize("lock", ["mcs", *RCU])
def test_stuck(lock: str) -> None:
    """Threads that do not come through are sent home, in the middle of their work."""
    with pytest.raises(StuckError, match=rf"'{lock}' is stuck: 2 .* within 0.05 s") as caught:
        locknative.validate(lock, 2, ENDLESS, patience_s=0.05)
    assert 1 == caught.value.exit_code


class AlarmError(Exception):
    """Raised by a signal handler."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """Ring in a tenth of a second, by an exception; restore the handler after the test."""

    def handler(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_interrupted(alarm: None) -> None:
    """A signal handler that raises, as for Ctrl-C, ends an hour's run."""
    with pytest.raises(AlarmError):
        locknative.validate("ticket", 2, ENDLESS, patience_s=3600)
