"""Histories: an order is found exactly where one of all permutations is one."""

import itertools

from checker.spec.small import Register
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.checker.spec.calls import read_plan
from locksim.checker.spec.history import CONDITIONS, Explained, operations
from locksim.checker.spec.sequential import Specification
from locksim.library.specs.queue import FIFO
from locksim.library.specs.stack import LIFO

REGISTER = Specification(Register, 2)
PLAN = read_plan("write(1); read() | write(2); read()", REGISTER)
BOUNDS = st.integers(0, 2)


def known(counts):
    """A thread's word: how many are over, and what each of its operations had seen."""
    word = 0
    for count in counts:
        word = word * 8 + count
    return word * 8 + len(counts)


def reads(order):
    """What the two reads give in an order of the four operations."""
    value, found = 0, {}
    for k in order:
        if k % 2 == 0:
            value = 1 + k // 2
        else:
            found[k] = value
    return found


@settings(deadline=None)
@given(st.tuples(BOUNDS, BOUNDS), st.tuples(BOUNDS, BOUNDS), st.tuples(BOUNDS, BOUNDS))
def test_an_order_is_found_where_there_is_one(first, second, results):
    """Of a register, with what each operation saw chosen at random."""
    first, second = tuple(sorted(first)), tuple(sorted(second))
    before = [set(range(2, 2 + n)) for n in first] + [set(range(n)) for n in second]
    before[1] |= {0}
    before[3] |= {2}
    fits = any(
        all(before[k] <= set(order[: order.index(k)]) for k in range(4))
        and (results[0], results[1]) == (reads(order)[1], reads(order)[3])
        for order in itertools.permutations(range(4))
    )
    end = Explained(REGISTER, PLAN, "linearizability")
    values = (known(first), known(second), 0, results[0], 0, results[1])
    assert fits == (end.wrong(values) == "")


def test_quiescent_orders_come_from_moments_with_nothing_under_way():
    """Two overlapping operations, then one: only the last has others before it."""
    own = (0, 0, 0b001)
    before = (0, 0, 0b011)
    assert (0, 0, 0b011) == CONDITIONS["quiescent-consistency"](before, own)
    assert own == CONDITIONS["sequential-consistency"](before, own)
    overlapping = (0, 0b001, 0)  # the third spans both
    assert (0, 0, 0) == CONDITIONS["quiescent-consistency"](overlapping, (0, 0b001, 0))


def test_the_first_calls_make_the_state_before():
    """They are no part of the history."""
    lifo = Specification(LIFO, 1)
    end = Explained(lifo, read_plan("push(7) || pop()", lifo), "linearizability")
    assert "" == end.wrong((1, 7))
    assert "before all: push(7)" in end.wrong((1, 0))


def test_states_are_made_by_running_the_program():
    """A queue's: results, an empty one, and where it waits nothing."""
    fifo = Specification(FIFO, 2)
    put, take = (o.call for o in operations(read_plan("enqueue(3); dequeue()", fifo)))
    start = fifo.start(put)
    ((full, nothing),) = fifo.outcomes(start, put, 0)
    ((_, taken),) = fifo.outcomes(full, take, 1)
    ((_, none),) = fifo.outcomes(start, take, 1)
    assert (0, 3, 0) == (nothing, taken, none)
