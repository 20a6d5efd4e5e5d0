"""Measures of structs that are not plain locks: directory caches and counted references."""

import pytest

from lockgrader.finding import Settled
from lockgrader.lab import LabError, Measure
from lockgrader.measuring import runs
from lockgrader.measuring.runs import own_measure, reference
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

OWN = """
from locksim.lang import ACQUIRE, RELAXED, CountedRef, Lock, part, pause, word
from locksim.library.kernel.dcache_seqretry import SeqRetryDcache
from locksim.library.locks.lockref_spinlock import SpinlockRef

class Path(SeqRetryDcache):
    pass

class Torn(SeqRetryDcache):
    def walk_leave(self, attempt, token):
        yield pause()
        return 0

class Word(CountedRef):
    count = word(1)

    def get(self):
        yield self.count.fetch_add(1, RELAXED)

    def put(self):
        count = yield self.count.fetch_add(-1, RELAXED)
        return count - 1

    def references(self):
        count = yield self.count.load(RELAXED)
        return count

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()

class Open(Lock):
    def acquire(self):
        yield pause()

    def release(self):
        yield pause()
"""
CODES = Submitted(codes=compile_source(OWN, "<own.py>"))
SMALL = {"machine": "ideal-8", "cpus": 4, "operations": 30, "replications": 2, "seed": 5}


def measure(**given: object) -> Measure:
    """A small measure."""
    return Measure.model_validate({**SMALL, **given})


def paths(lock: str, *, own: bool = True, **settings: int) -> Measure:
    """Transfers of a call."""
    settings = {"think_ns": 1000, **settings}
    load = {"workload": "paths", "settings": settings}
    return measure(lock=lock, own=own, measure="transfers", progress=0.0, **load)


def test_a_path_of_ones_own_is_measured_as_the_one_of_the_library() -> None:
    """The same program gives the same number, with the components of the load."""
    right = reference(paths("dcache_seqretry", own=False))
    assert right == own_measure(paths("Path"), CODES)
    assert right > reference(paths("dcache_seqretry", own=False, move_percent=0))


def test_a_torn_path_is_not_measured() -> None:
    """The load asks each path for equal names."""
    with pytest.raises(Exception, match="assertion failed"):
        own_measure(paths("Torn", move_percent=50, think_ns=50), CODES)


def test_a_count_that_takes_no_lock_is_measured() -> None:
    """A counted reference need not take its lock; a plain lock that lets all in is refused."""
    counted = {"workload": "counted_ref", "settings": {"think_ns": 2000}, "measure": "transfers"}
    assert 0.0 < own_measure(measure(lock="Word", own=True, **counted), CODES)
    with pytest.raises(Settled, match="mutual exclusion was violated"):
        own_measure(measure(lock="Open", own=True, measure="transfers"), CODES)


def test_a_load_without_a_place_for_it_is_the_labs_mistake() -> None:
    """The message names the load."""
    with pytest.raises(LabError, match="takes no lock and no cache"):
        reference(measure(lock="ticket", measure="transfers", workload="token_ring"))


STARVES = """
from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, cpu, pause, word

class Step(Lock):
    taken = word()

    def acquire(self):
        while (yield self.taken.compare_swap(0, 1, ACQUIRE)) != 0:
            while (yield self.taken.load(RELAXED)):
                yield pause()

    def release(self):
        yield self.taken.store(0, RELEASE)

class Gate(Step):
    first_class = word()

    def acquire(self):
        if cpu() < 4:
            yield self.first_class.fetch_add(1)
        else:
            while (yield self.first_class.load()):
                yield pause()
        yield from super().acquire()

    def release(self):
        if cpu() < 4:
            yield self.first_class.fetch_add(-1)
        yield from super().release()
"""
LOSING = {"machine": "ideal-64", "cpus": 8, "hold_ns": 500, "measure": "time_ns", "progress": 0.1}


def test_a_right_lock_that_goes_in_step_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all transfers take equally long one CPU loses each race; a longer run lets it in."""
    codes = Submitted(codes=compile_source(STARVES, "<own.py>"))
    load = Measure.model_validate({**LOSING, "lock": "Step", "own": True})
    assert 500 < own_measure(load, codes)
    monkeypatch.setattr(runs, "JITTER_PS", 0)
    with pytest.raises(Settled, match=r"CPU \d did "):
        own_measure(load, codes)


def test_a_lock_that_keeps_cpus_out_is_not_measured() -> None:
    """A gate that closes while others want the lock does so in the longer run, too."""
    codes = Submitted(codes=compile_source(STARVES, "<own.py>"))
    with pytest.raises(Settled, match="1,500 units of work for each") as refused:
        own_measure(Measure.model_validate({**LOSING, "lock": "Gate", "own": True}), codes)
    assert "progress" == refused.value.finding.tag
