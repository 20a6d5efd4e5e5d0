"""Threads that come different numbers of times."""

import pytest

from locksim.kinds.visits import NOBODY, Visits, uneven


@pytest.mark.parametrize("threads", range(1, 9))
def test_a_thread_at_either_end_stays_away(threads):
    """One alone has nobody to differ from."""
    away = {visits.away for visits in uneven(threads)} - {NOBODY}
    assert ({0, threads - 1} if threads > 1 else set()) == away


def test_two_threads_also_come_both():
    """Three are two where one is away."""
    assert {Visits(NOBODY, 0), Visits(NOBODY, 1)} <= {*uneven(2)}
    assert [Visits(0, 2), Visits(2, 0)] == uneven(3)


def test_visits_are_counted_and_named():
    """The name is part of a verdict."""
    visits = Visits(away=0, more=2)
    assert [0, 1, 2] == [visits.of(thread, 1) for thread in range(3)]
    assert "thread 0 stays away, thread 2 comes once more" == visits.name
    assert "thread 1 comes once more" == Visits(NOBODY, 1).name
