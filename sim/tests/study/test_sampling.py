"""The sampling profile: it counts every CPU once at each moment, and shares come out right."""

import pytest

from locksim.lang import NS, Workload, block, compute, cpu, done, param, part, word
from locksim.library.locks.ticket import TicketLock
from locksim.study.sampling import IDLE, profile


class Parts(Workload):
    """Three parts of work in one method, one in another; CPU 1 sleeps."""

    total = word()
    lock = part(TicketLock, padded=True)
    hold_ps = param(0)

    def thread(self):
        if cpu() == 1:
            yield block()
        while True:
            yield from self.long()
            yield from self.short()
            if self.hold_ps:
                yield from self.lock.acquire()
                yield compute(self.hold_ps)
                yield from self.lock.release()
            yield self.total.fetch_add(1)
            yield done()

    def long(self):
        yield compute(3000 * NS)

    def short(self):
        yield compute(1000 * NS)


def run(workload, **settings):
    """A profile of a thousand moments."""
    options = {"warmup_ps": 10**7, "every_ps": 10**6, "samples": 1000, "words": {"n": "total"}}
    return profile(workload, machine="desktop-4", **{**options, **settings})


def test_every_cpu_is_looked_at_every_time():
    """Samples add up to CPUs times moments, the sleeping one's among them."""
    found = run(Parts(), cpus=3)
    assert 3 * 1000 == found.total
    assert 1000 == found.count(IDLE)


def test_shares_are_those_of_the_work():
    """Three to one, within four standard errors of a sample."""
    found = run(Parts(), cpus=1)
    share = found.count("Parts.long") / found.count("Parts.long", "Parts.short")
    assert share == pytest.approx(0.75, abs=4 * (0.75 * 0.25 / 1000) ** 0.5)


def test_waiting_is_booked_to_the_lock():
    """Two CPUs that hold a lock nearly always: each waits about half of its time."""
    found = run(Parts(hold_ps=400_000 * NS), cpus=3, every_ps=10**9, warmup_ps=10**9)
    assert found.count("TicketLock.acquire") / 2000 == pytest.approx(0.5, abs=0.03)


def test_words_grow_by_what_was_done():
    """The growth of the named word is that of the window, not of the warm-up."""
    found = run(Parts(), cpus=1)
    assert found.counted["n"] == pytest.approx(found.window_ps / 4_040_000, rel=0.02)


def test_a_run_is_a_function_of_its_seed():
    """Equal for equal seeds."""
    assert run(Parts(), cpus=2, seed=3) == run(Parts(), cpus=2, seed=3)


def test_sampling_changes_nothing():
    """However often one looks, what the program does is the same."""
    often = run(Parts(hold_ps=1000 * NS), cpus=3)
    seldom = run(Parts(hold_ps=1000 * NS), cpus=3, every_ps=10**8, samples=10)
    assert often.counted == seldom.counted
