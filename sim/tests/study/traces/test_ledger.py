"""The ledger says what theory says: which locks' hand-overs grow with the number of CPUs."""

import math

import pytest
from study.traces.traced import contended

from locksim.library.locks.clh import CLHLock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock

CPUS = (4, 8, 16)


def per_acquisition(lock, cpus, **settings):
    """Mean transfers of a contended acquisition."""
    return contended(lock, cpus, rows=1_500 * cpus, **settings).ledger().per_acquisition()


@pytest.mark.parametrize("lock", [MCSLock, CLHLock])
def test_queue_locks_are_constant(lock):
    """Each waiter spins on a line of its own: the number of CPUs makes no difference."""
    found = [per_acquisition(lock, n) for n in CPUS]
    assert max(found) - min(found) < 0.1
    assert max(found) < 8


def test_ticket_grows_by_one_for_each_cpu():
    """Every release takes the word from all waiters, each of which reads it again."""
    found = [per_acquisition(TicketLock, n) for n in CPUS]
    slopes = [
        (b - a) / (m - n) for a, b, n, m in zip(found, found[1:], CPUS, CPUS[1:], strict=False)
    ]
    assert all(0.9 < slope < 1.1 for slope in slopes), found


@pytest.mark.parametrize("lock", [TASLock, TTASLock])
def test_storms_grow_with_the_number_of_waiters(lock):
    """Waiters that swap, or rush in after each release, cost more the more they are.

    Few of them get in: the cost stands in acquisitions that never end.
    """
    few, many = (
        contended(lock, n, rows=1_500 * n, hold_ps=200_000).ledger().per_completion("lock")
        for n in (4, 16)
    )
    assert many > 2 * few


def test_ticket_waiters_pay_at_the_line_that_waits():
    """The dearest row names the word that all read, and the source line that reads it."""
    table = contended(TicketLock, 8).ledger().table()
    first = table.iloc[0]
    assert ("lock.now_serving", "read", "acquire") == (first["word"], first["kind"], first["phase"])
    assert "while (yield self.now_serving.load(ACQUIRE)) != ticket:" == first["source"]
    assert ("ticket.py", "TicketLock.acquire") == (first["file"], first["method"])


def test_table_and_mean_agree():
    """The rows' numbers sum to the mean, and their costs to the time of the acquisitions."""
    ledger = contended(MCSLock, 4).ledger()
    table = ledger.table()
    assert math.isclose(table["per_acquisition"].sum(), ledger.per_acquisition())
    warm = {a.number for a in ledger.warm()}
    whole = ledger.acquisitions()
    chosen = whole[whole["acquisition"].isin(warm)]
    assert math.isclose(table["cost_ns"].sum(), chosen["transfer_ns"].mean())
    assert chosen["complete"].all()


def test_phases_add_up():
    """Acquire, hold and release are all there is."""
    ledger = contended(TicketLock, 4, words=1).ledger()
    parts = [ledger.per_acquisition(phases=(p,)) for p in ("acquire", "hold", "release")]
    assert all(part > 0 for part in parts)
    assert math.isclose(ledger.per_acquisition(), sum(parts))


def test_elements_of_an_array_are_one_word():
    """The nodes of all CPUs stand in one row."""
    table = contended(MCSLock, 4).ledger().table()
    assert "lock.nodes[·].locked" in set(table["word"])


def test_nothing_complete_is_no_number():
    """A trace that ends too soon has no mean, and an empty table."""
    ledger = contended(TicketLock, 4, rows=10).ledger()
    assert math.isnan(ledger.per_acquisition())
    assert ledger.table().empty
