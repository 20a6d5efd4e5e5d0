"""A race names both accesses and the order that is missing."""

import pytest
from checker.zoo_weak import WEAK, TASNoAcquire, TASNoRelease

from locksim.checker import check_lock, check_workload
from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    Struct,
    Workload,
    alloc,
    free,
    param,
    pause,
    pointer,
    thread,
    word,
)


class Sending(Workload):
    """Thread 0 writes data and raises a flag, thread 1 waits for the flag and reads.

    Arguments:
        released, acquired: whether the flag's accesses have the order that they need.
    """

    released = param(0)
    acquired = param(0)
    data = word()
    flag = word()

    def thread(self):
        if thread() == 0:
            yield self.data.store(1, RELAXED)
            if self.released:
                yield self.flag.store(1, RELEASE)
            else:
                yield self.flag.store(1, RELAXED)
        else:
            yield from self.wait()
            yield self.data.load(RELAXED)

    def wait(self):
        """Wait for the flag."""
        if self.acquired:
            while (yield self.flag.load(ACQUIRE)) == 0:
                yield pause()
        else:
            while (yield self.flag.load(RELAXED)) == 0:
                yield pause()


class Node(Struct):
    """One word on the heap."""

    value = word()


class Freeing(Workload):
    """Thread 0 publishes an object that thread 1 frees."""

    shared = pointer(Node)

    def thread(self):
        if thread() == 0:
            node = yield alloc(Node)
            yield node.value.store(5, RELAXED)
            yield self.shared.store(node, RELAXED)
        else:
            node = yield self.shared.load(RELAXED)
            if node:
                yield free(node)


@pytest.mark.parametrize(
    ("released", "acquired", "missing"),
    [
        (0, 1, "the store in step 2 is RELAXED\nhelp: make step 2 RELEASE"),
        (1, 0, "the load in step 3 is RELAXED\nhelp: make step 3 ACQUIRE"),
        (
            0,
            0,
            "the store in step 2 is RELAXED and the load in step 3 is RELAXED\n"
            "help: make step 2 RELEASE and step 3 ACQUIRE",
        ),
    ],
)
def test_the_weak_order_is_named(released, acquired, missing):
    """Both accesses with step, thread and line; then the access whose order is too weak."""
    workload = Sending(released=released, acquired=acquired)
    verdict = check_workload(workload, threads=2, memory="c11", plain=("data",))
    head, first, second, *rest = verdict.counterexample.message.splitlines()
    assert ("race", "two accesses to data are not ordered:") == (verdict.found, head)
    assert first.startswith("  store by thread 0 (step 1, test_races.py:")
    assert second.startswith("  load by thread 1 (step 4, test_races.py:")
    assert f"thread 1 reads flag in step 3 from thread 0's step 2, but {missing}" == "\n".join(rest)


class LastPut(Workload):
    """Who puts the last of two references ends the object.

    Arguments:
        releases: whether the puts are RELEASE; otherwise they are ACQUIRE.
    """

    releases = param(0)
    data = word()
    count = word(2)

    def thread(self):
        yield self.data.load(RELAXED)
        if self.releases:
            old = yield self.count.fetch_add(-1, RELEASE)
        else:
            old = yield self.count.fetch_add(-1, ACQUIRE)
        if old == 1:
            yield self.data.store(1, RELAXED)


@pytest.mark.parametrize("releases", [0, 1])
def test_an_update_keeps_the_half_that_it_has(releases):
    """An update that needs the other half, too, is to become ACQ_REL."""
    verdict = check_workload(LastPut(releases=releases), threads=2, memory="c11", plain=("data",))
    assert verdict.counterexample.message.endswith("ACQ_REL")


def test_without_a_handoff_none_is_blamed():
    """The thread that races has read nothing of the other."""
    workload = Sending(released=1, acquired=1)
    verdict = check_workload(workload, threads=3, memory="c11", plain=("data", "flag"))
    assert "race" == verdict.found
    assert "reads a store of thread" in verdict.counterexample.message.splitlines()[-1]


def test_a_free_races_with_a_store():
    """The object is named, and the store of the other thread."""
    verdict = check_workload(Freeing(), threads=2, memory="c11")
    head, first, second, *_ = verdict.counterexample.message.splitlines()
    assert ("race", "two accesses to Node@2 are not ordered:") == (verdict.found, head)
    assert first.startswith("  store by thread 0 (step 2, ")
    assert second.startswith("  free by thread 1 (step 5, ")


RACING = [animal for animal in WEAK if animal.found == "race"]


@pytest.mark.covering("animal", every=2)
@pytest.mark.parametrize("animal", RACING, ids=[a.lock.__name__ for a in RACING])
def test_each_race_of_a_weak_lock_names_two_steps(animal):
    """Of two threads; both steps are those of the table."""
    verdict = check_lock(animal.lock, threads=animal.threads, rounds=animal.rounds, memory="c11")
    _, first, second, *rest = verdict.counterexample.message.splitlines()
    steps = verdict.counterexample.steps
    earlier = steps[int(first.partition("(step ")[2].partition(",")[0]) - 1]
    assert f"(step {len(steps)}, " in second
    assert steps[-1].address == earlier.address
    assert steps[-1].thread != earlier.thread
    assert rest


@pytest.mark.parametrize(
    ("lock", "missing"), [(TASNoAcquire, "ACQUIRE"), (TASNoRelease, "RELEASE")]
)
def test_the_order_that_a_lock_lacks_is_named(lock, missing):
    """The help names the order that the lock lacks."""
    message = check_lock(lock, threads=2, memory="c11").counterexample.message
    assert message.splitlines()[-1].endswith(missing)
