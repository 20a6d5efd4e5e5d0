"""Memory orders: where a program has them, which are weaker, and programs with other ones."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.compiler import compile_source
from locksim.compiler.bytecode import ASSERT, FENCE, JMP, Image
from locksim.compiler.link import link
from locksim.compiler.orders import (
    GONE,
    TRAP,
    Operation,
    is_weaker,
    operations,
    with_orders,
)
from locksim.lang.layout import Space
from locksim.lang.ops import ACQ_REL, ACQUIRE, RELAXED, RELEASE, SEQ_CST, Order
from locksim.library.locks.cohort import CohortLock
from locksim.library.locks.peterson import PetersonLock

PROGRAM = """
from locksim.lang import *

class Program(Workload):
    cells = array(2)

    def thread(self):
        yield self.cells[0].store(1, {store})
        seen = yield self.cells[1].load({load})
        yield fence({fence})
        yield self.cells[seen % 2].swap(seen, {swap})
"""
NAMES = ("load", "store", "swap", "fence")
KNOWN = {
    "load": (RELAXED, ACQUIRE, SEQ_CST),
    "store": (RELAXED, RELEASE, SEQ_CST),
    "swap": tuple(Order),
    "fence": (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST),
}
CHOICES = st.fixed_dictionaries({name: st.sampled_from(KNOWN[name]) for name in NAMES})


def program(orders: dict[str, Order]) -> type:
    """Return the class with some orders."""
    text = PROGRAM.format(**{name: order.name for name, order in orders.items()})
    return compile_source(text, "program.py")["Program"].struct


@cache
def linked_of(*orders: Order) -> Image:
    """Return the linked program with the orders of NAMES."""
    return link(
        program(dict(zip(NAMES, orders, strict=True)))(), Space(8, 2, 0), 8, weak_fences=True
    )


def linked(orders: dict[str, Order]) -> Image:
    """Return the linked program with some orders."""
    return linked_of(*(orders[name] for name in NAMES))


@given(CHOICES, CHOICES)
@settings(max_examples=15)
def test_a_program_with_other_orders_is_the_one_that_is_written_so(before, after):
    """The linked code is equal, whichever orders the source has; a SEQ_CST store is a swap."""
    changes = {op.position: after[op.name] for op in operations(program(before))}
    assert linked(after).code == with_orders(linked(before), changes).code


def test_a_fence_that_is_gone_is_a_step_to_the_next_row():
    """The other rows stay; a trap is an assertion that fails."""
    orders = {name: KNOWN[name][-1] for name in NAMES}
    image = linked(orders)
    fence = next(op for op in operations(program(orders)) if op.name == "fence")
    at = [row[0] for row in image.code].index(FENCE)
    gone = with_orders(image, {fence.position: GONE}).code
    assert (JMP, at + 1) == gone[at][:2]
    assert {at} == {k for k, row in enumerate(gone) if row != image.code[k]}
    trap = with_orders(image, {fence.position: TRAP}).code[at]
    assert (ASSERT, 0) == (trap[0], image.registers[trap[2]])
    assert image is with_orders(image, {})


def test_operations_are_named_as_in_the_source():
    """Those of one line are told apart, and the parts of a struct have theirs."""
    found = operations(program({name: KNOWN[name][-1] for name in NAMES}))
    names = ["cells[0].store", "cells[1].load", "fence", "cells[seen % 2].swap"]
    assert names == [op.text for op in found]
    assert [8, 9, 10, 11] == [op.position[1] for op in found]
    assert {"Program.thread"} == {op.method for op in found}
    waiting = [op for op in operations(PetersonLock) if op.method.endswith("wait_for")]
    assert ["other.load", "turn.load"] == [op.text for op in waiting]
    assert 1 == len({op.position[1] for op in waiting})
    classes = [op.method.partition(".")[0] for op in operations(CohortLock)]
    assert ["UpperLock", "CohortLock", "TicketLock"] == [*dict.fromkeys(classes)]


def test_orders_of_the_file_come_before_those_of_other_files():
    """The cohort lock's own parts, then those of its ticket locks."""
    files = [op.position[0].rpartition("/")[2] for op in operations(CohortLock)]
    assert ["cohort.py", "ticket.py"] == [*dict.fromkeys(files)]


@pytest.mark.parametrize(
    ("name", "order", "weaker"),
    [
        ("load", SEQ_CST, [RELAXED, ACQUIRE]),
        ("store", RELEASE, [RELAXED]),
        ("fetch_add", ACQ_REL, [RELAXED, ACQUIRE, RELEASE]),
        ("fence", SEQ_CST, [GONE, ACQUIRE, RELEASE, ACQ_REL]),
        ("compare_swap", RELAXED, []),
    ],
)
def test_weaker_orders_are_those_that_the_language_allows(name, order, weaker):
    """The weakest comes first; a fence can go."""
    assert weaker == Operation(("", 1, 0), "", name, name, order).weaker()


@given(st.sampled_from(sorted(KNOWN)), st.data())
def test_next_weaker_orders_bound_all_that_are_weaker(name, data):
    """Each weaker order is one of the next, or weaker than one; none of these is between."""
    operation = Operation(("", 1, 0), "", name, name, SEQ_CST)
    order = data.draw(st.sampled_from([*operation.weaker(), SEQ_CST]))
    following = operation.next_weaker(order)
    below = [o for o in operation.weaker() if o != order and is_weaker(o, order)]
    assert all(any(is_weaker(o, top) for top in following) for o in below)
    assert not any(a != z and is_weaker(a, z) for a in following for z in following)
