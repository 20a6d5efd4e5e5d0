"""The weakest orders of programs whose weakest orders are known."""

from functools import partial

import pytest

from locksim.checker import Budget, CheckError, Verdict, check_lock, check_spec, check_workload
from locksim.checker.weakest import refuse, weakest
from locksim.compiler import compile_source
from locksim.compiler.orders import GONE, operations
from locksim.kinds.checking import sizes_of, weaken_lock
from locksim.lang.ops import ACQUIRE, RELAXED, RELEASE, SEQ_CST
from locksim.library.locks.cohort import CohortLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock

MESSAGE = """
from locksim.lang import *

class Message(Workload):
    data = word(plain=True)
    ready = word()

    def thread(self):
        if thread() == 0:
            yield self.data.store(42, RELAXED)
            yield self.ready.store(1, SEQ_CST)
            yield fence(SEQ_CST)
        elif (yield self.ready.load(SEQ_CST)) == 1:
            assert (yield self.data.load(RELAXED)) == 42
"""
BUFFERS = """
from locksim.lang import *

class Buffers(Workload):
    flag = array(2)
    seen = array(2)

    def thread(self):
        yield self.flag[thread()].store(1, SEQ_CST)
        other = yield self.flag[1 - thread()].load(SEQ_CST)
        yield self.seen[thread()].store(other, SEQ_CST)
"""
EXPECTED = "seen[0] == 1 or seen[1] == 1"
LATE = """
from locksim.lang import *

class Late(Workload):
    flag = array(2)
    seen = array(2)

    def thread(self):
        other = yield self.flag[thread()].load({load})
        yield self.flag[1 - thread()].store(1, RELEASE)
        yield self.seen[thread()].store(other, RELAXED)
"""
NOT_BOTH = "seen[0] == 0 or seen[1] == 0"
STRONG = """
from locksim.lang import *

class Strong(Lock):
    next_ticket = word()
    now_serving = word()

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1)
        while (yield self.now_serving.load()) != ticket:
            yield pause()

    def release(self):
        served = yield self.now_serving.load()
        yield self.now_serving.store(served + 1)
        if served < 0:
            yield fence()
            yield self.now_serving.store(0)
"""
REGISTER = """
from locksim.lang import *

class Register(Struct):
    value = word()

    def write(self, value):
        yield self.value.store(value)

    def read(self):
        value = yield self.value.load()
        return value
"""


def parsed(text):
    """The class of a text."""
    return list(compile_source(text, "text.py").values())[-1].struct


def orders(found):
    """The weakest orders, by line."""
    return [(one.operation.position[1], one.order) for one in found.orders]


def test_message_passing_needs_release_and_acquire():
    """The store of the flag releases, its load acquires, and the fence is for nothing."""
    found = weaken_lock(parsed(MESSAGE), threads=2)
    assert [(10, RELAXED), (11, RELEASE), (12, GONE), (13, ACQUIRE), (14, RELAXED)] == orders(found)
    assert found.decided
    assert [False, True, True, True, False] == [one.too_strong for one in found.orders]
    assert [[RELAXED], [RELAXED]] == [
        [loss.order for loss in one.losses] for one in found.orders if one.losses
    ]
    assert {"race"} == {loss.verdict.found for one in found.orders for loss in one.losses}


@pytest.mark.parametrize(
    ("memory", "load"),
    [("c11", SEQ_CST), ("tso", RELAXED)],
)
def test_store_buffering_needs_sequential_consistency(memory, load):
    """C11 asks it of both accesses, x86 of the store alone."""
    found = weaken_lock(parsed(BUFFERS), threads=2, memory=memory, expect=EXPECTED)
    assert [(9, SEQ_CST), (10, load), (11, RELAXED)] == orders(found)
    (loss,) = found.orders[0].losses
    assert (RELEASE, "assertion") == (loss.order, loss.verdict.found)
    assert "tso" == loss.verdict.counterexample.memory


def test_a_ticket_lock_written_without_orders_gets_those_of_the_library():
    """What no thread performs is not weakened; the result is proven, and nothing weaker is."""
    strong = parsed(STRONG)
    found = weaken_lock(strong, threads=3)
    assert [RELAXED, ACQUIRE, RELAXED, RELEASE, SEQ_CST, SEQ_CST] == [o for _, o in orders(found)]
    assert [True] * 4 + [False] * 2 == [one.performed for one in found.orders]
    assert ("proven", 3) == (found.verdict.verdict, found.verdict.threads)
    changed = {one.operation.position: one.order for one in found.orders}
    for one in found.orders[:4]:
        for order in one.operation.next_weaker(one.order):
            weaker = {**changed, one.operation.position: order}
            verdict = check_lock(strong, threads=2, memory="c11", orders=weaker)
            assert "violated" == verdict.verdict


def test_an_order_that_keeps_a_limit_away_is_kept():
    """Load buffering is not in the model: a proof that depends on that is not as good."""
    found = weaken_lock(parsed(LATE.format(load="ACQUIRE")), threads=2, expect=NOT_BOTH)
    assert [(9, ACQUIRE), (10, RELAXED), (11, RELAXED)] == orders(found)
    (loss,) = found.orders[0].losses
    assert "proven within limits" == loss.verdict.verdict
    assert found.decided
    assert [] == found.verdict.limits
    other = weaken_lock(parsed(LATE.format(load="RELAXED")), threads=2, expect=NOT_BOTH)
    assert [(9, RELAXED), (10, RELEASE), (11, RELAXED)] == orders(other)


def test_the_orders_of_the_library_are_kept():
    """No order of the ticket lock is stronger than needed, and each loss has a counterexample."""
    found = weaken_lock(TicketLock, threads=2)
    assert not any(one.too_strong for one in found.orders)
    assert ["race"] * 3 == [loss.verdict.found for one in found.orders for loss in one.losses]


def test_code_of_other_files_stays_as_it_is():
    """The cohort lock is made of ticket locks, whose orders are theirs."""
    found = weaken_lock(CohortLock, threads=2)
    assert ["ticket.py"] == [file.rpartition("/")[2] for file in found.elsewhere]
    assert {"cohort.py"} == {one.operation.position[0].rpartition("/")[2] for one in found.orders}


def test_a_specification_can_be_what_is_proven():
    """A register without SEQ_CST is still one that each thread sees in one order."""
    register = parsed(REGISTER)
    ask = partial(check_spec, register, register, memory="c11", condition="linearizability")
    found = weakest(register, ask, Budget())
    assert ("proven", "linearizability") == (found.verdict.verdict, found.verdict.condition)
    assert found.decided


def test_what_is_not_proven_has_no_weakest_orders():
    """The verdict on the given orders is the answer."""
    found = weaken_lock(parsed(BUFFERS), threads=2, expect="seen[0] == 1")
    assert ("violated", ()) == (found.verdict.verdict, found.orders)


def test_an_order_that_is_needed_at_a_larger_size_is_kept():
    """Two threads do without the ACQUIRE of the ticket's load, three do not: it comes back."""
    load = next(op for op in operations(TTASLock) if op.order == ACQUIRE)

    def ask(*, threads, orders, **more):
        if threads == 2:
            return Verdict("ttas", 2, "c11", "all", "proven", 1, 1, 0.1, ran=ran)
        return check_lock(TTASLock, threads=2, memory="c11", orders=orders, **more)

    ran = check_lock(TTASLock, threads=2, memory="c11").ran
    found = weakest(TTASLock, ask, Budget(), sizes=[{"threads": 2}, {"threads": 3}])
    kept = {one.operation: one.order for one in found.orders}
    assert ACQUIRE == kept[load]
    assert found.decided


def test_a_budget_that_is_used_up_keeps_what_is_not_decided():
    """Orders that no check could refute stay, and the answer says that they are not decided."""
    given = check_workload(parsed(MESSAGE)(), threads=2, memory="c11")
    asked = []

    def ask(*, orders, **more):
        asked.append(orders)
        verdict = "proven" if not orders else "unfinished"
        return Verdict("m", 2, "c11", "all", verdict, 1, 1, 0.1, ran=given.ran)

    found = weakest(parsed(MESSAGE), ask, Budget())
    assert not found.decided
    assert not any(one.too_strong for one in found.orders)
    assert found.checks == len(asked)


def test_small_sizes_are_asked_first_where_the_size_is_free():
    """A workload, or a condition on final values, fixes the number of threads."""
    small, whole = {"threads": 2, "rounds": 1}, {"threads": 3, "rounds": 1}
    assert [small, whole] == sizes_of(TicketLock, 3, 1)
    assert [small] == sizes_of(TicketLock, 2, 1)
    assert [whole] == sizes_of(TicketLock, 3, 1, "lock.next_ticket == 3")
    assert [whole] == sizes_of(parsed(MESSAGE), 3, 1)


@pytest.mark.parametrize(("memory", "asked"), [("sc", "all"), ("tso", "starvation")])
def test_questions_without_orders_are_refused(memory, asked):
    """Under sc all orders are one, and starvation is no matter of them."""
    with pytest.raises(CheckError, match="help: "):
        refuse(memory, asked)
