"""Weakest orders in C: what a header's orders are, and a header with other ones."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from locksim.compiler.orders import GONE, operations
from locksim.lang.ops import ACQ_REL, ACQUIRE, RELAXED, RELEASE
from locksim.library.locks.mcs import MCSLock

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HEADER = """
/* memory_order_seq_cst in a comment is none. */
static inline bool locklab_some_take(struct some *lock)
{
    int free = 0;

    atomic_thread_fence(memory_order_acquire);
    return atomic_compare_exchange_strong_explicit(&lock->cells[at(lock)].held, &free, 1,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

static inline void locklab_some_release(struct some *lock)
{
    locklab_some_give(lock, memory_order_release);
}
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """benchmarks/weakest_orders.py: the benchmarks are scripts, no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import weakest_orders
    finally:
        sys.path.remove(str(BENCHMARKS))
    return weakest_orders


def test_orders_of_a_header(script: ModuleType) -> None:
    """Each with its function and call; one that is passed on counts, and one of a failure."""
    assert [
        ("locklab_some_take", "thread_fence", ACQUIRE),
        ("locklab_some_take", "held.compare_exchange_strong", ACQ_REL),
        ("locklab_some_take", "held.compare_exchange_strong, failing", RELAXED),
        ("locklab_some_release", "locklab_some_give", RELEASE),
    ] == [(one.function, one.text, one.order) for one in script.header_orders(HEADER)]


def test_a_header_with_another_order(script: ModuleType) -> None:
    """Only that one differs; a fence that is gone leaves an expression without effect."""
    fence, swap, *_ = script.header_orders(HEADER)
    assert HEADER.replace("acq_rel", "release") == script.with_change(HEADER, swap, RELEASE)
    assert "(void)(memory_order_acquire);" in script.with_change(HEADER, fence, GONE)
    assert 1 == HEADER.count("atomic_thread_fence")
    assert 0 == script.with_change(HEADER, fence, GONE).count("atomic_thread_fence")


def test_operations_have_counterparts(script: ModuleType) -> None:
    """Each order of the MCS lock in the language, but for the try, which C does not have."""
    found = operations(MCSLock)
    pairs = script.counterparts(found, script.header_orders(script.header("mcs")))
    alone = {operation.method for operation in found if operation not in pairs}
    assert {"MCSLock.try_acquire", "MCSLock.release"} >= alone
    assert all(one.order == operation.order for operation, one in pairs.items())


@pytest.mark.slow
def test_every_order_of_the_ticket_lock_is_needed_in_c(script: ModuleType) -> None:
    """As in the language: the data races without the ACQUIRE, or without the RELEASE."""
    needed = {one.text: found for one, found in script.in_c("ticket").items() if found}
    assert {
        "now_serving.load": [(RELAXED, "race")],
        "now_serving.store": [(RELAXED, "race")],
    } == needed
