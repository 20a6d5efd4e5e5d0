"""The probes on simulated machines read what the machine's costs make them read."""

import pytest

from locksim import simulate
from locksim.lang import Workload
from locksim.library.probes import (
    ContendedAdd,
    FalseSharing,
    HandoffCas,
    HandoffStore,
    OwnSpend,
    ReadLoop,
    ServedNext,
    WriteShared,
)
from locksim.machine import Machine, load

L1, STORE, RMW, TRANSFER = 1000, 1000, 5000, 50_000
"""Costs of ``ideal-N`` in ps; no tenure, no jitter."""


def each_ps(load_: Workload, machine: Machine, cpus: int) -> float:
    """Mean time from one unit of work to the next, all CPUs together."""
    run = simulate(load_, machine=machine, cpus=cpus, operations=300, replications=1)
    return 1e12 / run.throughput().mean


@pytest.fixture(scope="module")
def machine() -> Machine:
    """Four CPUs, every one equally far."""
    return load("ideal-4")


def test_handoff_by_cas_is_one_transfer(machine: Machine) -> None:
    """Between two CPUs that swap all the time, one way is the line's way."""
    assert each_ps(HandoffCas(), machine, 2) == pytest.approx(TRANSFER, rel=0.01)


def test_handoff_by_store_is_two(machine: Machine) -> None:
    """To read a modified line and to take the right to write it are one transaction each."""
    one_way = each_ps(HandoffStore(), machine, 2)
    assert one_way == pytest.approx(2 * TRANSFER, rel=0.05)
    assert each_ps(HandoffStore(pauses=1), machine, 2) >= one_way


def test_tenure_makes_runs(machine: Machine) -> None:
    """A CPU that keeps a contended line for a while adds several times before it loses it."""
    kept = machine.with_costs(tenure=29_000)
    runs = {}
    for name, place in (("without", machine), ("with", kept)):
        run = simulate(ContendedAdd(), machine=place, cpus=2, operations=300, replications=1)
        runs[name] = 1 / run.transactions().mean
    assert runs["without"] == pytest.approx(1, rel=0.05)
    assert runs["with"] == pytest.approx(1 + 29_000 // (RMW + L1), rel=0.05)


def test_thinking_ends_the_fight(machine: Machine) -> None:
    """With long think times two CPUs add without waiting for one another."""
    think_ps = 100 * TRANSFER
    alone = think_ps + RMW + L1 + TRANSFER
    two = each_ps(ContendedAdd(think_ps=think_ps), machine, 2)
    assert two == pytest.approx(alone / 2, rel=0.02)


def test_false_sharing_is_sharing(machine: Machine) -> None:
    """Stores to different words of one line fight as stores to one word do; alone they are free."""
    assert each_ps(FalseSharing(), machine, 1) == pytest.approx(STORE + L1, rel=0.01)
    assert each_ps(FalseSharing(), machine, 4) > 3 * each_ps(FalseSharing(), machine, 1) / 4


def test_write_pays_for_each_reader(machine: Machine) -> None:
    """With a figure for each further sharer, the writer's time grows by it."""
    think_ps = 20 * TRANSFER
    dear = machine.with_costs(invalidate_each=7000)
    two, four = (each_ps(WriteShared(think_ps=think_ps), dear, n) for n in (2, 4))
    # Two readers more; the first one's copy is in the figure for the distance.
    assert four - two == pytest.approx(2 * 7000, rel=0.1)


def test_handoffs_inside_a_group_count_twice(machine: Machine) -> None:
    """Each swap of a contended line is a handoff; in a group of all CPUs each counts twice."""
    assert each_ps(ServedNext(group=4), machine, 4) == pytest.approx(TRANSFER, rel=0.02)
    assert each_ps(ServedNext(group=4, twice=1), machine, 4) == pytest.approx(
        TRANSFER / 2, rel=0.02
    )
    assert each_ps(ServedNext(group=1, twice=1), machine, 4) == pytest.approx(TRANSFER, rel=0.02)


def test_private_work_is_what_was_asked_for(machine: Machine) -> None:
    """Two CPUs of different cores each do their own."""
    assert each_ps(OwnSpend(turn_ps=700), machine, 2) == pytest.approx(350, rel=0.01)


def test_a_readers_loop_takes_its_time(machine: Machine) -> None:
    """It is added to the loads of each section that reads, and to none that writes."""
    reads = {"read_percent": 100, "words": 0, "think_ps": 0}
    assert each_ps(ReadLoop(**reads), machine, 1) == pytest.approx(2 * L1, rel=0.01)
    assert each_ps(ReadLoop(**reads, loop_ps=700), machine, 1) == pytest.approx(
        2 * L1 + 700, rel=0.01
    )
    writes = {**reads, "read_percent": 0}
    alone = each_ps(ReadLoop(**writes), machine, 1)
    assert each_ps(ReadLoop(**writes, loop_ps=700), machine, 1) == alone
