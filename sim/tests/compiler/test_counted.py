"""Loops that end by themselves: which ones count, and what the linker learns about arguments."""

import pytest

from locksim.compiler import CompileError, compile_class, compile_source
from locksim.compiler.counted import MOST, Counted
from locksim.compiler.ir import Instr
from locksim.compiler.link import LinkError, link
from locksim.compiler.timeless import Timeless
from locksim.lang import Lock, Workload, cpu, param, part, pause, thread, word
from locksim.lang.layout import Space

SPACE = Space(8, n_cpus=4)


def counted(*instrs: Instr, **arguments: bool) -> Counted:
    """The counted loops of some instructions; parameters are not known yet."""
    return Counted(instrs, arguments, lambda o: o if isinstance(o, int) else None)


def loop(
    start: object = 0,
    end: object = 9,
    step: object = 1,
    body: tuple[Instr, ...] = (),
) -> tuple[Instr, ...]:
    """``for r1 in range(start, end, step): body``; the test is at the head."""
    last = 3 + len(body)
    head = Instr("JGE", ("r1", end, last + 1))
    again = (Instr("ADD", ("r1", "r1", step)), Instr("JMP", (1,)))
    return (Instr("MOV", ("r1", start)), head, *body, *again, Instr("RET", (0,)))


def test_a_loop_to_a_constant_or_a_parameter_counts() -> None:
    """Such a loop needs no time."""
    for end in (9, "$n"):
        found = counted(*loop(end=end))
        assert {3} == found.back
        assert [] == Timeless(found, [False] * 5).loop()


def test_a_loop_that_is_tested_at_its_end_counts() -> None:
    """The form of a range that is known to go round once."""
    instrs = (
        Instr("MOV", ("r1", 0)),
        Instr("THREAD", ("r2",)),
        Instr("ADD", ("r1", "r1", 1)),
        Instr("JLT", ("r1", 9, 1)),
        Instr("RET", (0,)),
    )
    assert {3} == counted(*instrs).back


@pytest.mark.parametrize(
    ("name", "instrs"),
    [
        ("it counts away from its end", loop(step=-1)),
        ("it does not move", loop(step=0)),
        ("its step is not a constant", loop(step="r2")),
        ("its end is not known", loop(end="r2")),
        ("its start is not known", loop(start="r2")),
        ("its end is far away", loop(end=MOST + 1)),
        ("its body moves the counter", loop(body=(Instr("MOV", ("r1", 0)),))),
        (
            "its body moves the end",
            (Instr("MOV", ("r2", 9)), *loop(end="r2", body=(Instr("ADD", ("r2", "r2", 1)),))),
        ),
        ("its body goes back past the step", loop(body=(Instr("JZ", ("r2", 1)),))),
    ],
)
def test_a_loop_that_may_not_end_does_not_count(name: str, instrs: tuple[Instr, ...]) -> None:
    """Each differs in one thing from a loop that does; or a way round without the step is left."""
    found = counted(*instrs, r2=False)
    assert Timeless(found, [False] * len(instrs)).loop()[0] in (1, 2), name


def test_a_loop_that_is_entered_in_the_middle_does_not_count() -> None:
    """A jump from outside past the test could go round without it."""
    body = (Instr("THREAD", ("r2",)),)
    inside = (*loop(body=body)[:-1], Instr("JMP", (2,)))
    assert {4} == counted(*loop(body=body)).back
    assert set() == counted(*inside).back


def test_numbers_of_the_program_itself_are_known() -> None:
    """Where the thread runs, and what is computed from that; not what memory holds."""
    ends = (
        Instr("NCPUS", ("r2",)),
        Instr("ADD", ("r3", "r2", 1)),
        Instr("LOAD", ("r4", "r0", "self", ["word"], 0)),
        Instr("ADD", ("r5", "r4", "r2")),
        Instr("MOV", ("r6", 0)),
        Instr("ADD", ("r6", "r6", 1)),
        Instr("JZ", ("r4", 5)),
        Instr("LOAD", ("r2", "r0", "self", ["word"], 0)),
        Instr("RET", (0,)),
    )
    found = counted(*ends, r0=False, r7=True, r8=False)
    known = {r: found.is_known(r, 4) for r in ("r2", "r3", "r4", "r5", "r7", "r8", "r9")}
    assert {"r2", "r3", "r7"} == {r for r, is_known in known.items() if is_known}
    # Each reader sees what was written before it: memory's number, or a sum that grows.
    assert not found.is_known("r2", 8)
    assert not found.is_known("r6", 8)


HEAD = "from locksim.lang import *\n\n\nclass L(Lock):\n    n = param(4)\n    flags = array('n')\n"


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(self.n):\n    if i != thread():\n        yield self.flags[i].load()",
        "for i in range(thread() + 1, n_threads()):\n    if i:\n        yield pause()",
        "for i in range(self.n - 1, 0, -1):\n    for j in range(i):\n        if j:\n"
        "            yield pause()",
        "i = 0\nwhile i < self.n:\n    if i == cpu():\n        yield pause()\n    i += 1",
    ],
)
def test_what_is_written_counts(text: str) -> None:
    """Ranges over constants, params and thread numbers, nested ones, and a while that counts."""
    body = "".join(f"        {line}\n" for line in text.splitlines())
    assert compile_source(f"{HEAD}\n    def acquire(self):\n{body}", "l.py")["L"].methods


class Scans(Lock):
    """A helper that counts to its argument."""

    flags = word()

    def up_to(self, n):
        found = 0
        for i in range(n):
            found += i
        return found


class CountsToAResult(Workload):
    """Its range ends where a helper says."""

    scan = part(Scans)

    def thread(self):
        for i in range(self.scan.up_to(3)):
            if i == cpu():
                yield pause()


class ScansNumbers(Workload):
    """The helper is given constants, params and the thread's number."""

    scan = part(Scans)
    n = param(5)

    def thread(self):
        yield pause()
        self.scan.up_to(self.n)
        self.scan.up_to(thread() + 1)


class ScansMemory(ScansNumbers):
    """One of its callers passes what memory holds."""

    limit = word()

    def thread(self):
        yield pause()
        self.scan.up_to(self.n)
        self.scan.up_to((yield self.limit.load()))


def refusal(workload: Workload) -> str:
    """What the linker says."""
    with pytest.raises(LinkError) as caught:
        link(workload, SPACE, base=8)
    return str(caught.value)


def test_the_linker_asks_every_caller() -> None:
    """A helper may count to its argument if all callers pass such a number, and not otherwise."""
    assert link(ScansNumbers(), SPACE, base=8).code
    text = refusal(ScansMemory())
    assert "Scans.up_to: this loop may count for very long without any time passing" in text
    assert "help: perform an operation in every iteration; or count to a constant" in text


def test_the_linker_knows_parameters() -> None:
    """A parameter that is small by default may be set to a large number."""
    assert link(ScansNumbers(n=MOST), SPACE, base=8).code
    assert "may count for very long" in refusal(ScansNumbers(n=MOST + 1))


def test_a_result_is_not_known() -> None:
    """What a helper gives may come from anywhere, so the compiler refuses it."""
    with pytest.raises(CompileError, match="this loop may count for very long"):
        compile_class(CountsToAResult)
