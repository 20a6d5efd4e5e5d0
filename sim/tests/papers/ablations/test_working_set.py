"""What the end of the caches does: the conclusions of ablations.md."""

from functools import cache

import pytest

from locksim import machine as machines
from locksim.library.workloads.walk import SpacedWalk, Walk
from locksim.papers.ablations.working_set import (
    MACHINE,
    TURNS,
    Turn,
    per_object_ns,
    turn_us,
    turns,
)


@cache
def walked_ns(kind: type[Walk], n: int) -> float:
    """Time of one object on the machine of 2001."""
    return per_object_ns(machines.load(MACHINE), kind, n)


@cache
def table(*, endless: bool) -> dict[tuple[int, int], Turn]:
    """The context switches, once for all tests."""
    machine = machines.load(MACHINE)
    found = turns(machine.without_caches() if endless else machine)
    return {(t.processes, t.kilobytes): t for t in found}


def test_tasks_8_kb_apart_share_one_set_of_l1() -> None:
    """Four fit, and a fifth sends all of them to the second level: a step at the ways."""
    l1_ns, private_ns = 4.285, 12
    assert l1_ns == pytest.approx(walked_ns(SpacedWalk, 4))
    assert private_ns == pytest.approx(walked_ns(SpacedWalk, 5))
    assert private_ns == pytest.approx(walked_ns(SpacedWalk, 256))


def test_more_than_256_tasks_go_to_memory() -> None:
    """8 ways of 32 sets: 16 objects more overflow half of the sets, 32 more all of them."""
    memory_ns = 210 + 40 / 2
    assert memory_ns == pytest.approx(walked_ns(SpacedWalk, 288), rel=0.02)
    half = (128 * 12 + 144 * memory_ns) / 272
    assert half == pytest.approx(walked_ns(SpacedWalk, 272), rel=0.02)


def test_side_by_side_the_same_tasks_fit() -> None:
    """512 lines are 16 KB: L1 holds them all."""
    assert 4.285 == pytest.approx(walked_ns(Walk, 512))


def test_without_end_distance_does_not_matter() -> None:
    """Caches without end know no sets."""
    endless = machines.load(MACHINE).without_caches()
    assert 4.285 == pytest.approx(per_object_ns(endless, SpacedWalk, 512))


def test_a_turn_costs_what_others_have_driven_out() -> None:
    """Arrays of 16 KB fill L1: each turn fetches its own again from the second level."""
    found = table(endless=False)
    refetched_us = 512 * (12 - 4.285) / 1000
    for processes in (2, 8, 16):
        assert refetched_us == pytest.approx(found[processes, 16].plain_us, rel=0.01)
    assert 0 == pytest.approx(found[2, 0].plain_us, abs=1e-6)


def test_checks_push_out_arrays_that_just_fit() -> None:
    """Two arrays of 8 KB fill L1: what a turn's checks use takes the place of some 40 lines."""
    found = table(endless=False)
    assert 0 == pytest.approx(found[2, 8].plain_us, abs=1e-6)
    assert 0.2 < found[2, 8].added_us < 0.4


def test_checks_stay_where_their_lines_are_used_often_enough() -> None:
    """Between two turns' checks pass 8 KB, two lines a set: they are not driven out."""
    found = table(endless=False)
    for processes in (8, 16):
        assert 256 * (12 - 4.285) / 1000 == pytest.approx(found[processes, 8].plain_us, rel=0.01)
        assert 0 == pytest.approx(found[processes, 8].added_us, abs=1e-3)


@pytest.mark.slow
def test_checks_do_not_explain_the_rows_of_lmbench() -> None:
    """16 KB fill L1, 64 KB exceed it four times: one process alone has lost as much."""
    found = table(endless=False)
    for row in ((2, 0), (2, 64), (8, 64), (16, 64)):
        assert 0 == pytest.approx(found[row].added_us, abs=1e-3)
    for processes in (2, 8, 16):
        assert found[processes, 16].added_us < 0
    for turn in table(endless=True).values():
        assert 0 == pytest.approx(turn.added_us, abs=1e-3)


def test_every_row_is_there() -> None:
    """Seven of lmbench's, and three with half of L1; one process alone is what is taken off."""
    assert [*TURNS] == [*table(endless=False)]
    assert 0 == pytest.approx(turn_us(machines.load(MACHINE), 1, 16, 4))
