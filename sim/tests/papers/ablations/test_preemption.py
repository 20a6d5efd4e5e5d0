"""What preemption does to a lock: the conclusions of preemption.md, on shorter runs."""

from functools import cache

import pytest

from locksim.papers.ablations import preemption
from locksim.papers.ablations.preemption import Cell
from locksim.papers.ablations.preemption import cell as simulated


@cache
def cell(variant: str, tasks: int) -> Cell:
    """A cell of the tables."""
    return simulated(variant, tasks, sections=1_500)


def test_spinning_is_better_while_each_task_has_a_cpu() -> None:
    """A waiter that sleeps costs more than the section."""
    assert cell("ticket", 4).section_us < cell("futex", 4).section_us
    assert cell("ticket", 4).switches < 0.1 < cell("futex", 4).switches


def test_a_ticket_lock_collapses_with_one_task_more() -> None:
    """The next in the queue has no CPU: a section takes a hundred times as long and more."""
    assert cell("ticket", 5).section_us > 100 * cell("ticket", 4).section_us


def test_a_lock_that_anyone_may_take_does_not() -> None:
    """It loses the slices in which its holders have no CPU."""
    assert cell("ttas", 5).section_us < 2 * cell("ttas", 4).section_us
    assert cell("ttas", 16).section_us > 1.5 * cell("ttas", 4).section_us


def test_a_futex_mutex_does_not_depend_on_the_number_of_tasks() -> None:
    """Waiters leave their CPUs to others."""
    assert cell("futex", 16).section_us < 1.1 * cell("futex", 4).section_us


def test_a_mutex_that_spins_while_the_owner_runs_has_both() -> None:
    """As fast as a spinlock while each task has a CPU, and hardly slower with more tasks."""
    assert cell("mutex", 4).section_us < 1.02 * cell("ticket", 4).section_us
    assert cell("mutex", 16).section_us < 1.05 * cell("mutex", 4).section_us
    assert cell("mutex", 16).switches < 0.1 < cell("futex", 16).switches


def test_nothing_is_lost_where_a_holder_keeps_its_cpu() -> None:
    """With the preemption of its users the whole effect is gone."""
    for variant in ("ttas, kept", "ticket, kept", "mcs, kept"):
        assert cell(variant, 16).section_us < 1.05 * cell("ticket", 4).section_us


def test_numbers_have_no_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait of some milliseconds is 2,398 us in the table, not 2.4e+03."""
    monkeypatch.setattr(preemption, "cell", lambda variant, tasks: Cell(1.5, 2398.0, 0.0125))
    texts = [list(column.cells) for table in preemption.view() for column in table.columns[1:]]
    assert {"1.5", "2,398", "0.0125"} == {text for column in texts for text in column}
