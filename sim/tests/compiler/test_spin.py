"""Which loops the fast engine may jump over."""

import pytest
from engine.engine_pair import compare, idle_rows, run_pair
from hypothesis import given
from hypothesis import strategies as st
from spinners import FreedUnderASpinner, Handover, SameMoment, Turns
from tiny_machine import tables

from locksim.compiler import compile_class
from locksim.compiler.ir import Instr, MethodCode
from locksim.compiler.spin import defines, label, spin_loops, uses
from locksim.lang import (
    ACQUIRE,
    RELAXED,
    SEQ_CST,
    Struct,
    array,
    compute,
    cpu,
    done,
    fence,
    note,
    pause,
    random_below,
    word,
)
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock


class Idle(Struct):
    """Loops whose rounds are all alike as long as nothing changes."""

    a = word()
    b = word()
    items = array(4)

    def one_load(self):
        while (yield self.a.load()) == 0:
            yield pause()

    def no_pause(self):
        while (yield self.a.load()) == 0:
            pass

    def two_loads(self):
        while (yield self.a.load()) == 0 and (yield self.b.load(ACQUIRE)) == 0:
            yield pause()

    def result_used_later(self):
        while True:
            value = yield self.a.load(ACQUIRE)
            if value:
                break
            yield pause()
        return value

    def waits_a_fixed_time(self, n):
        while (yield self.items[n & 3].load()) == cpu():
            yield compute(n * 3)

    def weak_fence(self):
        while (yield self.a.load(RELAXED)) == 0:
            yield fence(ACQUIRE)

    def goes_on_at_once(self):
        while (yield self.a.load()) == 0:
            if (yield self.b.load()) == 0:
                continue
            yield pause()


class Busy(Struct):
    """Loops that change something, or whose rounds differ."""

    a = word()
    b = word()

    def swaps(self):
        while (yield self.a.swap(1)) != 0:
            yield pause()

    def stores(self):
        while (yield self.a.load()) != 0:
            yield self.b.store(1, RELAXED)

    def counts(self):
        n = 0
        while (yield self.a.load()) == 0:
            n += 1
            yield pause()
        return n

    def backs_off(self):
        delay = 1
        while (yield self.a.load()) == 0:
            yield compute(delay)
            delay = delay * 2

    def draws(self):
        while (yield self.a.load()) == 0:
            yield compute(random_below(10))

    def counts_down(self, n):
        for _ in range(n):
            yield self.a.load()

    def full_fence(self):
        while (yield self.a.load()) == 0:
            yield fence(SEQ_CST)

    def notes(self):
        while (yield self.a.load()) == 0:
            yield note(1)

    def works(self):
        while (yield self.a.load()) == 0:
            yield done()

    def calls(self):
        while (yield self.a.load()) == 0:
            yield from self.step()

    def step(self):
        yield pause()

    def only_pauses(self):
        while True:
            yield pause()

    def remembers(self, last):
        while (yield self.a.load()) != last:
            last = yield self.b.load()
            yield pause()


IDLE = [name for name in vars(Idle) if not name.startswith("_") and callable(vars(Idle)[name])]
BUSY = [name for name in vars(Busy) if not name.startswith("_") and callable(vars(Busy)[name])]


@pytest.mark.parametrize("name", IDLE)
def test_candidates(name):
    """Loops that load, pause and compute the same thing each round are candidates."""
    method = compile_class(Idle).methods[name]
    loops = spin_loops(method)
    assert 1 == len(loops)
    ((head, last),) = loops.items()
    assert head == label(method.instrs[last])
    assert "LOAD" in [i.op for i in method.instrs[head : last + 1]]


@pytest.mark.parametrize("name", BUSY)
def test_no_candidates(name):
    """Loops that write, count, draw, call or mark are none."""
    assert {} == spin_loops(compile_class(Busy).methods[name])


@pytest.mark.parametrize(
    ("lock", "loops"), [(TASLock, 0), (TTASLock, 1), (TicketLock, 1), (MCSLock, 1)]
)
def test_locks(lock, loops):
    """What the library's locks wait with."""
    assert loops == len(spin_loops(compile_class(lock).methods["acquire"]))


def test_nested_loops():
    """The inner loop of two is a candidate; the outer one, entered in its middle by it, is none."""

    class Nested(Struct):
        a = word()
        b = word()

        def both(self):
            while (yield self.a.load()) == 0:
                while (yield self.b.load()) == 0:
                    yield pause()

        def inner(self):
            while (yield self.a.swap(1)) != 0:
                while (yield self.a.load()) != 0:
                    yield pause()

    methods = compile_class(Nested).methods
    assert 1 == len(spin_loops(methods["both"]))
    assert 1 == len(spin_loops(methods["inner"]))


def test_a_jump_into_the_middle():
    """A loop that can be entered elsewhere than at its head is none."""

    def method(*instrs: Instr) -> MethodCode:
        return MethodCode("m", True, (), "int", 3, ("self", "", ""), instrs, 1)

    load = Instr("LOAD", ("r1", "r0", "word", [], 0))
    loop = (load, Instr("PAUSE"), Instr("JZ", ("r1", 1)), Instr("RET", (0,)))
    assert {1: 3} == spin_loops(method(Instr("MOV", ("r2", 1)), *loop))
    assert {} == spin_loops(method(Instr("JZ", ("r0", 2)), *loop))


def test_what_instructions_read_and_write():
    """Operands, bases and arguments of calls are read; a first operand "d" is written."""
    call = Instr("CALL", ("r5", "r1", "self", [], "take", ["r2", 7, "$size"]))
    assert {"r1", "r2"} == uses(call)
    assert "r5" == defines(call)
    assert {"r1", "r2"} == uses(Instr("STORE", ("r1", "self", ["a"], "r2", 0)))
    assert defines(Instr("STORE", ("r1", "self", ["a"], "r2", 0))) is None
    assert label(Instr("RET", (0,))) is None


@given(
    delay_ps=st.integers(0, 2_000),
    n_cpus=st.integers(2, 4),
    pause_ps=st.integers(1, 9),
    tenure_ps=st.integers(0, 50),
)
def test_a_jump_ends_in_the_middle_of_a_round(delay_ps, n_cpus, pause_ps, tenure_ps):
    """Whenever the line goes away, the waiters have done as much as spinning would have."""
    machine = tables(n_cpus, pause_ps=pause_ps, tenure_ps=tenure_ps)
    pair = run_pair(Handover(delay_ps=delay_ps), machine, seed=1, until_ps=20_000)
    compare(pair)
    assert n_cpus == pair.plain.finished


@given(seed=st.integers(0, 2**63 - 1), n_cpus=st.integers(2, 4), until_ps=st.integers(1, 6_000))
def test_a_run_ends_in_the_middle_of_a_jump(seed, n_cpus, until_ps):
    """At the end of a run the counters of the waiters are those of spinning until then."""
    compare(run_pair(Turns(), tables(n_cpus), seed=seed, until_ps=until_ps))


@pytest.mark.parametrize("wait_ps", range(1_000, 1_012))
def test_an_event_made_at_its_own_time(wait_ps):
    """A line that goes away in an event made for the present moment finds later rounds done.

    Waking costs nothing here: CPU 3's wake makes CPU 1's event at the same picosecond, when CPU 2
    has had its round of that time.
    """
    machine = tables(4, wake_ps=0, context_switch_ps=0)
    pair = run_pair(SameMoment(wait_ps=wait_ps), machine, seed=1, until_ps=20_000)
    compare(pair)
    assert 0 < idle_rows(pair)


def test_a_spinner_on_freed_memory():
    """Who spins on an object meets the fault with its next load after the free."""
    pair = run_pair(FreedUnderASpinner(), tables(2), seed=1, until_ps=20_000)
    compare(pair)
    assert "CPU 1 at 0.002" in str(pair.jumped)
    assert "load of word" in str(pair.jumped)
