"""Ways on which no time passes: which loops can repeat on them, and what the linker says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.compiler import CompileError, compile_source
from locksim.compiler.control_flow import label
from locksim.compiler.counted import Counted
from locksim.compiler.ir import Instr
from locksim.compiler.link import LinkError, link
from locksim.compiler.timeless import Timeless, takes_time
from locksim.lang import Lock, Workload, now, part, pause, word
from locksim.lang.layout import Space

SPACE = Space(8, n_cpus=4)


def ways(*instrs: Instr) -> Timeless:
    """The ways through instructions without calls."""
    counted = Counted(instrs, {}, lambda o: o if isinstance(o, int) else None)
    return Timeless(counted, [takes_time(i) for i in instrs])


def test_a_loop_is_found_by_its_ways() -> None:
    """A loop is refused for one free way round, not for an operation that is missing elsewhere."""
    free = (Instr("JZ", ("r1", 3)), Instr("PAUSE"), Instr("JMP", (0,)), Instr("JMP", (0,)))
    assert [0, 3] == ways(*free).loop()
    timed = (Instr("JZ", ("r1", 3)), Instr("PAUSE"), Instr("JMP", (0,)), Instr("RET", (0,)))
    assert [] == ways(*timed).loop()


def test_a_flag_that_is_set_before_the_loop_lets_nobody_past() -> None:
    """``r1 = 0; while not r1: pause()`` takes time; with ``r1`` from elsewhere it may not."""
    loop = (Instr("JNZ", ("r1", 4)), Instr("PAUSE"), Instr("JMP", (1,)), Instr("RET", (0,)))
    assert not ways(Instr("MOV", ("r1", 0)), *loop).returns
    assert ways(Instr("CPU", ("r1",)), *loop).returns


REGISTERS = ("r1", "r2", "r3")


@st.composite
def methods(draw: st.DrawFn) -> list[Instr]:
    """Copies, comparisons, tests and pauses, in any order."""
    n = draw(st.integers(2, 9))
    register, target = st.sampled_from(REGISTERS), st.integers(0, n)
    operand = st.one_of(register, st.integers(0, 2))
    instr = st.one_of(
        st.builds(lambda d, a: Instr("MOV", (d, a)), register, operand),
        st.builds(lambda d, a: Instr("NOT", (d, a)), register, operand),
        st.builds(lambda d, a, b: Instr("LT", (d, a, b)), register, operand, operand),
        st.builds(lambda a, to: Instr("JZ", (a, to)), register, target),
        st.builds(lambda a, b, to: Instr("JNE", (a, b, to)), register, operand, target),
        st.builds(lambda to: Instr("JMP", (to,)), target),
        st.just(Instr("PAUSE")),
    )
    return [*draw(st.lists(instr, min_size=n, max_size=n)), Instr("RET", (0,))]


def run(instrs: list[Instr], at: int, values: dict[str, int]) -> str:
    """The instruction at which a run without time ends, or "" if it does not end."""

    def value(operand: str | int) -> int:
        return operand if isinstance(operand, int) else values[operand]

    for _ in range(len(instrs) * 3 ** len(REGISTERS) + 1):
        instr = instrs[at]
        if instr.op in ("PAUSE", "RET"):
            return instr.op
        numbers = [value(a) for a in instr.args]
        jumps = {
            "JMP": True,
            "JZ": numbers[0] == 0,
            "JNE": len(numbers) > 1 and numbers[0] != numbers[1],
        }
        to = label(instr)
        if to is None:
            result = {"MOV": numbers[1], "NOT": int(not numbers[1])}
            values[instr.args[0]] = result.get(instr.op, int(numbers[1] < numbers[-1]))
        at = to if to is not None and jumps[instr.op] else at + 1
    return ""


@given(methods(), st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_every_run_is_one_of_the_ways(instrs: list[Instr], first: list[int]) -> None:
    """A run that does not end has its loop among them, one that returns its return."""
    found = ways(*instrs)
    for k in (0, *(k + 1 for k, i in enumerate(instrs) if takes_time(i))):
        end = run(instrs, k, dict(zip(REGISTERS, first, strict=True)))
        assert end or found.loop()
    end = run(instrs, 0, dict(zip(REGISTERS, first, strict=True)))
    assert end != "RET" or found.returns


HEAD = "from locksim.lang import *\n\n\nclass L(Lock):\n    items = array(4)\n    lines = word()\n"
LOOKUP = """
entry = yield self.lines.load()
searching = 1
while searching:
    if not entry:
        searching = 0
    elif entry == 3:
        searching = 0
    else:
        entry = yield self.items[entry].load()
"""
BETWEEN = """
again = 1
while again:
    again = 0
    if (yield self.lines.load()):
        again = 1
"""
NO_END = """
entry = yield self.lines.load()
searching = 1
while searching:
    if entry:
        searching = 0
"""
WRONG_FLAG = """
entry = yield self.lines.load()
searching = found = 1
while searching:
    if not entry:
        found = 0
    else:
        searching = yield self.lines.load()
"""


def compiled(text: str) -> object:
    """A lock whose acquire has this body."""
    body = "".join(f"        {line}\n" for line in text.strip().splitlines())
    return compile_source(f"{HEAD}\n    def acquire(self):\n{body}", "l.py")["L"].methods


@pytest.mark.parametrize("text", [LOOKUP, BETWEEN])
def test_a_flag_that_ends_a_loop_needs_no_operation(text: str) -> None:
    """Every way round either performs an operation or sets the flag."""
    assert compiled(text)


@pytest.mark.parametrize(("text", "line"), [(NO_END, 11), (WRONG_FLAG, 11)])
def test_a_flag_that_may_stay_is_refused(text: str, line: int) -> None:
    """One way round leaves the flag and performs nothing; the loop's own line is named."""
    with pytest.raises(CompileError, match=f"l.py:{line}:9: this loop can repeat forever"):
        compiled(text)


class Taken(Lock):
    """Retries with a flag."""

    locked = word()

    def acquire(self):
        taken = 0
        while not taken:
            taken = (yield self.locked.compare_swap(0, 1)) == 0

    def release(self):
        left = -1
        while left < 0:
            left = yield self.locked.swap(0)


class Rarely(Taken):
    """Its methods may do nothing."""

    def acquire(self):
        if now() % 2:
            yield pause()

    def release(self):
        if now() % 2:
            yield self.locked.load()


class Sections(Workload):
    """A loop that leaves all operations to a part."""

    lock = part(Taken)

    def thread(self):
        while True:
            yield from self.section()

    def section(self):
        yield from self.lock.acquire()
        yield from self.lock.release()


def test_a_flag_loop_takes_time_for_its_callers() -> None:
    """The first test of the flag cannot end the loop."""
    assert link(Sections(), SPACE, base=8).code


def test_a_method_that_may_do_nothing_is_named() -> None:
    """The refusal names the part's method, and then the loop that repeats it."""
    with pytest.raises(LinkError) as caught:
        link(Sections(lock=Rarely()), SPACE, base=8)
    first, help_ = str(caught.value).splitlines()
    assert "Rarely.acquire: this method may return without any time passing, and" in first
    assert first.endswith(" repeats it")
    assert "help: perform an operation on every way through the method" == help_
