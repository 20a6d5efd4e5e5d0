"""The error of the model: its table, the class of a question, and what it does to a result."""

from pathlib import Path

import pytest
from hypothesis import given as given_by
from hypothesis import strategies as st

from locksim.kinds import LoadSettings, plain_load
from locksim.lang import Workload
from locksim.library.workloads.shared_counter import SharedCounter
from locksim.study.model_error import (
    CLASSES,
    ONE,
    OWN,
    QUEUE,
    SEVERAL,
    SLEEPING,
    Given,
    class_of,
    given,
    learned,
    model_effect,
    slower_and_faster,
)
from locksim.study.simulation import Simulation, simulate


def simulated(workload: Workload, cpus: int = 4) -> Simulation:
    """A short run."""
    return simulate(workload, machine="desktop-4", cpus=cpus, operations=20, replications=1)


def load(lock: str) -> Workload:
    """A lock with little to do inside and outside."""
    found: Workload = plain_load(lock, LoadSettings(hold_ps=0, think_ps=50_000)).workload
    return found


def test_the_table_has_every_class() -> None:
    """Each with a factor above one, from some curves; and the part that locks do not share."""
    found = learned()
    assert set(CLASSES) == set(found.classes)
    assert all(1 < error.factor < 4 and error.curves for error in found.classes.values())
    assert 0 < found.apart <= 1


def test_the_page_shows_the_table() -> None:
    """Factor and curves of each class, and what is not shared."""
    page = (Path(__file__).parents[3] / "docs/explain/uncertainty.md").read_text(encoding="utf-8")
    for kind, error in learned().classes.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| {kind} |"))
        assert row.endswith(f"| {error.factor} | {error.curves} |")
    assert f"Of the model's errors {learned().apart} is not shared" in page


@pytest.mark.parametrize(
    ("kind", "workload"),
    [
        (ONE, load("ticket")),
        (ONE, load("ttas")),
        (ONE, SharedCounter()),
        (QUEUE, load("mcs")),
        (QUEUE, load("clh")),
        (QUEUE, load("brlock")),
        (SLEEPING, load("futex")),
        (SEVERAL, SharedCounter(words=5)),
    ],
)
def test_the_class_follows_from_the_run(kind: str, workload: Workload) -> None:
    """On four CPUs; on one CPU no line moves, whatever the program."""
    assert kind == class_of(simulated(workload))
    assert OWN == class_of(simulated(workload, cpus=1))


def test_given_work_has_no_error() -> None:
    """Nothing is faster than its private work; on one CPU only the operations may be slower."""
    alone, four = (simulated(load("ticket"), cpus) for cpus in (1, 4))
    work = given(alone, load("ticket"))
    assert 0 < given(four, load("ticket")).own < work.own < 1
    one = model_effect(alone, load("ticket"), 1.0, rate=False)
    assert work.own < one.low < 1 < one.high < learned().classes[OWN].factor
    waiting = model_effect(four, load("ticket"), 1.0, rate=False)
    assert given(four, load("ticket")).own < waiting.low
    assert learned().classes[ONE].factor == pytest.approx(waiting.high)


def test_a_lock_that_is_always_held_has_little_error() -> None:
    """Ten microseconds under the lock: the throughput follows from them."""
    long = plain_load("ticket", LoadSettings(hold_ps=10_000_000, think_ps=0)).workload
    run = simulated(long)
    assert 0.9 < given(run, long).serial < 1
    effect = model_effect(run, long, 1.0, rate=True)
    assert 0.9 < effect.low < 1 < effect.high < 1.1


def test_a_rate_is_moved_as_its_time_is() -> None:
    """The highest rate is one over the shortest time."""
    run = simulated(load("mcs"))
    time, rate = (model_effect(run, load("mcs"), 1.0, rate=rate) for rate in (False, True))
    assert (1 / time.high, 1 / time.low) == pytest.approx((rate.low, rate.high))
    assert f"{QUEUE}; learned from " in rate.why


@given_by(st.floats(1, 10), st.floats(0, 1), st.floats(0, 1), st.sampled_from(CLASSES))
def test_no_time_moves_by_more_than_the_factor(
    factor: float, own: float, serial: float, kind: str
) -> None:
    """And by all of it where no work is given."""
    slower, faster = slower_and_faster(factor, kind, Given(own, serial))
    assert 1 - 1e-12 <= slower <= factor * (1 + 1e-12)
    assert 1 - 1e-12 <= faster <= factor * (1 + 1e-12)
    assert (factor, factor) == pytest.approx(slower_and_faster(factor, kind, Given(0, 0)))


def test_waits_that_were_seen_are_all_that_is_in_doubt() -> None:
    """Of a CPU that works for 90 % of its time, the other tenth is off by the factor."""
    slower, faster = slower_and_faster(2.0, "several lines", Given(0.9, 0.1), seen=True)
    assert (1.1, 1 / 0.95) == (pytest.approx(slower), pytest.approx(faster))
    assert slower_and_faster(2.0, "several lines", Given(0.9, 0.1))[0] == pytest.approx(1.9)
