"""What carries the result of 2004: the conclusions of ablations.md."""

from functools import cache

from locksim.papers.ablations import mechanisms as ablations


@cache
def rows() -> dict[tuple[str, str], ablations.Row]:
    """The table at 4 and 32 CPUs, once for all tests."""
    table = ablations.table((4, 32), operations=30, replications=2)
    return {(row.variant, row.kernel): row for row in table}


def test_no_queueing_no_collapse() -> None:
    """The same cost of a request without the queue: the square is gone, at most linear is left."""
    assert rows()["unchanged", "spinlock"].growth > 8**1.8
    assert rows()["no queueing at the line", "spinlock"].growth < 8


def test_no_queueing_no_plateau() -> None:
    """Readers that do not queue for the lock's line scale nearly as RCU does."""
    assert rows()["unchanged", "rwlock"].growth > 8
    assert rows()["no queueing at the line", "rwlock"].growth < 1.6


def test_storing_the_mark_bounces_the_line() -> None:
    """RCU that stores used = 1 on every hit is no longer flat."""
    assert rows()["unchanged", "rcu"].growth < 1.02
    assert rows()["used = 1 on every hit", "rcu"].growth > 4


def test_locks_stand_in_the_order_of_the_literature() -> None:
    """At 32 CPUs: MCS before ticket before TTAS, and MCS grows about linearly with the waiters."""
    seconds = {
        name: rows()[variant, "spinlock"].seconds[32]
        for name, variant in (("ttas", "unchanged"), ("ticket", "ticket lock"), ("mcs", "MCS lock"))
    }
    assert seconds["mcs"] < 0.25 * seconds["ticket"]
    assert seconds["ticket"] < 0.7 * seconds["ttas"]
    assert 6 < rows()["MCS lock", "spinlock"].growth < 12
