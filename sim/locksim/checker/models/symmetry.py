"""Are the threads exchangeable, so that it does not matter which of them is where?

Threads that run the same program differ in their number only. If no word, no register and no jump
ever depends on it, two states that differ in who is where behave alike, and one of them is enough:
a state's rows of threads are sorted, without their numbers (Ip and Dill, Formal Methods in System
Design 9, 1996). How often a thread is inside a lock stands in its own row, and goes with it.

A thread may ask for its number before its first operation, to choose its part: then its place in
the program says which part it has. Where a number is kept or asked for later, or threads are woken
or have heaps of their own, words hold numbers of threads or addresses of their queue nodes. They
would have to be renamed along, and the threads are told apart instead.

Where the threads are dealt to NUMA nodes, those of one node are alike: the number in a row is then
that of the first thread of its node, from which ``node()`` is answered.
"""

from __future__ import annotations

from locksim.checker.models.program import (
    Program,
    defines,
    live,
    reaching,
    successors,
    uses,
)
from locksim.compiler import bytecode as b
from locksim.compiler.control_flow import reachable
from locksim.core.faults import place

_ASKS = (b.CPU, b.THREAD)
_NUMBERED = {
    b.BLOCK: "threads sleep and are woken by their number",
    b.WAKE: "threads sleep and are woken by their number",
    b.ALLOC: "each CPU has free lists of its own",
    b.FREE: "each CPU has free lists of its own",
}


def told_apart(program: Program, *, again: bool) -> str:
    """Why threads cannot be exchanged for one another, with the place; "" if they can.

    Arguments:
        program: what all threads run. again: whether a thread may run it any number of times.
    """
    code, alive = program.code, live(program.code)

    def after(k: int) -> list[int]:
        return [program.entry] if again and code[k][0] == b.EXIT else successors(code[k], k)

    runs = reachable([program.entry], after)
    rests = [k for k in runs if code[k][0] >= b.FIRST_OPERATION or code[k][0] in (b.EXIT, b.RANDOM)]
    later = reachable([j for k in rests for j in after(k)], after)
    known, numbers = reaching(program, alive), set()
    for k in sorted(runs):
        row, at = code[k], program.places[k]
        if row[0] in _NUMBERED:
            return f"{_NUMBERED[row[0]]} ({place(at.file, at.line)})"
        if row[0] in _ASKS and alive[k + 1] & defines(row):
            if k in later:
                return f"a thread asks for its number ({place(at.file, at.line)})"
            numbers.add(k)
    grown: set[int] = set()
    while numbers - grown:
        grown |= numbers
        for k, registers in known.items():
            if defines(code[k]) and any(
                uses(code[k]) >> r & 1 and numbers & d for r, d in registers.items()
            ):
                numbers.add(k)
    for k in sorted(rests):
        if any(numbers & d for d in known[k].values()):
            at = program.places[k]
            return f"a thread keeps its number ({place(at.file, at.line)})"
    return ""
