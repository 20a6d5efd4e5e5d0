"""Linking: registers, addresses and calls of a whole program, and what is refused."""

import dataclasses

import pytest
from spinners import Hoarder, Turns
from spinners import Node as SpinnersNode

from locksim.compiler import bytecode as b
from locksim.compiler import compile_class
from locksim.compiler.bytecode import WIDTH
from locksim.compiler.ir import Instr
from locksim.compiler.link import LinkError, link
from locksim.compiler.portable import code_from_json, code_to_json
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.lang import (
    NS,
    Lock,
    Struct,
    Workload,
    array,
    compute,
    cpu,
    param,
    part,
    pause,
    percpu,
    word,
)
from locksim.lang.layout import Space
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.machine import load

SPACE = Space(8, 4)


def refusal(workload: Workload) -> str:
    """The message with which a workload is refused."""
    with pytest.raises(LinkError) as caught:
        link(workload, SPACE, base=8)
    assert 2 == caught.value.exit_code
    return str(caught.value)


class Leaf(Struct):
    """Called from several places."""

    factor = param(3)
    total = word()

    def scale(self, n):
        return n * self.factor

    def add(self, n):
        old = yield self.total.fetch_add(self.scale(n))
        return old


class Tree(Workload):
    """Calls of calls, the same method on two descriptions."""

    left = part(Leaf)
    right = part(Leaf(factor=10), padded=True)
    items = array(3)
    own = percpu(word())

    def thread(self):
        a = 1
        x = yield from self.twice(2)
        b = yield from self.right.add(a)
        yield self.items[2].store(a + b + x)
        yield self.own[cpu()].store(a)

    def twice(self, n):
        kept = n + 5
        yield from self.left.add(n)
        old = yield from self.left.add(n)
        return old + kept


def test_what_a_linked_program_computes():
    """Arguments, results, parameters, locals across calls, arrays and per-CPU words."""
    tables = load("desktop-4").tables(1)
    image, memory = prepare(Tree(), tables, heap_lines=8)
    result = fast.run(image, memory, tables, seed=1, until_ps=10**9)
    root = memory.root
    words = result.memory
    assert 12 == words[int(root.left.total)]
    assert 10 == words[int(root.right.total)]
    assert 1 + 0 + (6 + 7) == words[int(root.items[2])]
    assert 1 == words[int(root.own[0])]


def test_the_table():
    """Every row has WIDTH columns and a place; jumps and calls lead into the table."""
    image = link(CriticalSection(lock=MCSLock), SPACE, base=8)
    assert {WIDTH} == {len(row) for row in image.code}
    assert len(image.code) == len(image.places)
    jumps = [b.JMP, b.JZ, b.JNZ, b.JEQ, b.JNE, b.JLT, b.JLE, b.JGT, b.JGE]
    for row in image.code:
        target = row[1] if row[0] in jumps else row[2] if row[0] == b.CALL else 0
        assert 0 <= target < len(image.code)
    assert b.EXIT == image.code[image.entry + 2][0]
    assert {"critical_section.py", "paced.py", "mcs.py"} == {
        p.file.split("/")[-1] for p in image.places
    }


def windows(image):
    """Caller and callee of each CALL row, as sets of the registers that each writes."""
    starts = sorted({int(r[2]) for r in image.code if r[0] == b.CALL})
    bounds = dict(zip(starts, [*starts[1:], len(image.code)], strict=True))
    writes = {}
    for start, end in bounds.items():
        rows = image.code[start:end]
        no_result = [b.JMP, b.JZ, b.JNZ, b.RET, b.MARK, b.SPIN, b.SPIN_ENTER, b.ASSERT]
        no_result += [b.JEQ, b.JNE, b.JLT, b.JLE, b.JGT, b.JGE, b.STORE, b.FENCE, b.PAUSE]
        no_result += [b.COMPUTE, b.BLOCK, b.WAKE, b.FREE, b.EXIT]
        writes[start] = {int(r[1]) for r in rows if r[0] not in no_result}
    for start, end in bounds.items():
        for row in image.code[start:end]:
            if row[0] == b.CALL:
                yield int(row[1]), writes[start], writes[int(row[2])]


@pytest.mark.parametrize(
    "workload", [Tree(), CriticalSection(lock=TicketLock), CriticalSection(lock=MCSLock)], ids=repr
)
def test_windows_do_not_overlap(workload):
    """What a callee computes with is none of its caller's registers, nor a constant."""
    image = link(workload, SPACE, base=8)
    found = 0
    constants = {k for k, value in enumerate(image.registers) if value}
    for link_register, callers, callees in windows(image):
        # A caller writes its callee's self, arguments and link register, and nothing else of it.
        first = min(callees - callers, default=link_register)
        own = {r for r in callers if r < first}
        assert set() == own & (callees - callers)
        assert link_register not in callees
        assert set() == callees & constants
        found += 1
    assert found


def test_a_method_is_linked_once_for_each_description():
    """Two parts of one description share their code; another parameter makes another copy."""
    image = link(Tree(), SPACE, base=8)
    calls = [int(r[2]) for r in image.code if r[0] == b.CALL]
    names = [image.places[target].method for target in calls]
    assert 2 == len({t for t, n in zip(calls, names, strict=True) if n == "Leaf.add"})
    assert 1 == len({t for t, n in zip(calls, names, strict=True) if n == "Tree.twice"})


def test_allocated_types():
    """An image lists what its threads allocate, once each."""
    assert (SpinnersNode,) == link(Hoarder(), SPACE, base=8).types
    assert () == link(Turns(), SPACE, base=8).types


class Given(Workload):
    """Calls whatever lock it is given."""

    lock = part(Lock)

    def thread(self):
        yield from self.lock.acquire()
        yield from self.lock.release()


class NoRelease(Lock):
    """Half a lock."""

    locked = word()

    def acquire(self):
        yield self.locked.store(1)


class TakesWho(Lock):
    """A lock whose acquire wants an argument."""

    locked = word()

    def acquire(self, who):
        yield self.locked.store(who)

    def release(self):
        yield self.locked.store(0)


class Wrapper(Lock):
    """A lock round another lock."""

    inner = part(Lock)

    def acquire(self):
        yield from self.inner.acquire()

    def release(self):
        yield from self.inner.release()


def test_an_unknown_method():
    """The message names class, method, caller, and what there is."""
    expected = "NoRelease has no program release(), which thread() calls (it has: acquire)"
    assert expected in refusal(Given(lock=NoRelease))


def test_a_wrong_number_of_arguments():
    """The message names file, line, and both numbers."""
    text = refusal(Given(lock=TakesWho))
    line = Given.thread.__code__.co_firstlineno + 1
    assert f"test_link.py:{line}: acquire() of TakesWho takes 1 arguments, not 0" in text


def test_a_lock_round_a_lock_is_no_recursion():
    """The same method on another description is another program."""
    assert link(Given(lock=Wrapper(inner=Wrapper(inner=TicketLock))), SPACE, base=8).code


class Sized(Struct):
    """A struct whose layout depends on its settings."""

    n = param(2)
    items = array("n")

    def last(self):
        return self.n - 1


class PassesSized(Workload):
    """Passes a struct to a helper, gives it back, and picks one of two."""

    sized = part(Sized)
    other = part(Sized)

    def thread(self):
        yield from self.use(self.same(self.sized))
        yield from self.use(self.other if cpu() else self.sized)

    def same(self, sized: Sized) -> Sized:
        return sized

    def use(self, sized: Sized):
        yield sized.items[sized.last()].store(1)


class ReturnsOne(PassesSized):
    """Gives one of two as a pointer to any."""

    def thread(self):
        yield self.choose().items[0].store(1)

    def choose(self) -> Sized:
        return self.other if cpu() else self.sized


@pytest.mark.parametrize("cls", [PassesSized, ReturnsOne])
def test_a_pointer_means_the_default_settings(cls):
    """Other settings are refused: bytecode would take the defaults, a live program would not."""
    assert link(cls(), SPACE, base=8).code
    text = refusal(cls(sized=Sized(n=5), other=Sized(n=5)))
    assert "test_link.py:" in text
    assert "takes Sized(n=5) for Sized(n=2): a pointer to Sized means a struct of exactly" in text
    assert text.endswith("help: declare the default settings in a class of its own, and name it")


class AllWaysTakeTime(Workload):
    """Every way round the loop performs something."""

    flag = word()

    def thread(self):
        while True:
            if cpu() == 1:
                yield pause()
                continue
            yield from self.step()

    def step(self):
        yield compute(3 * NS)


class SometimesTakesTime(AllWaysTakeTime):
    """A callee that may return at once."""

    def step(self):
        if cpu() == 3:
            yield compute(3 * NS)


def test_a_cycle_without_time():
    """A way round a loop that only the callee could make take time is refused."""
    text = refusal(SometimesTakesTime())
    wanted = "SometimesTakesTime.thread: this loop can repeat forever without any time passing"
    assert wanted in text
    assert "test_link.py:" in text
    assert "help: perform an operation in every iteration; 'yield pause()'" in text


def test_a_cycle_with_time_on_every_way():
    """Time in a callee counts."""
    assert link(AllWaysTakeTime(), SPACE, base=8).code


def test_recursion():
    """Bytecode that calls itself, as a damaged or foreign one may, is refused with the chain."""
    code = compile_class(AllWaysTakeTime)
    again = Instr("CALL", ("r0", "r0", "self", [], "thread", []))
    step = dataclasses.replace(code.methods["step"], instrs=(again, Instr("RET", (0,))))
    endless = dataclasses.replace(code, methods={**code.methods, "step": step})
    foreign = code_from_json(code_to_json(endless))
    with pytest.raises(LinkError, match=r"calls itself \(thread -> step -> thread\): use a loop"):
        link(foreign.struct(), SPACE, base=8)
