"""Which loops may be idle spins: re-reading words that the CPU already holds, changing nothing.

The fast engine jumps over whole iterations of such a loop. That is exact if an iteration in which
every load hits leaves the thread as it found it. Statically: the body only loads, pauses and
computes; it writes no register that is live at its head (each iteration then starts from the same
registers); and no register is written twice in it (so that the registers in the middle of an
iteration are those of the iteration before). Whether the loads hit, the engine sees when it runs.
"""

from __future__ import annotations

from locksim.compiler.control_flow import label, successors
from locksim.compiler.ir import SIGNATURES, Instr, MethodCode

_ALLOWED = frozenset(
    ["LOAD", "PAUSE", "COMPUTE", "MOV", "NEG", "INV", "NOT", "ADD", "SUB", "MUL", "FLOORDIV", "MOD"]
    + ["AND", "OR", "XOR", "SHL", "SHR", "EQ", "NE", "LT", "LE", "GT", "GE", "JMP", "JZ", "JNZ"]
    + ["JEQ", "JNE", "JLT", "JLE", "JGT", "JGE", "ADDR", "INDEX", "CPU", "THREAD", "NCPUS", "FENCE"]
    + ["NTHREADS", "NODE"]
)


def spin_loops(method: MethodCode) -> dict[int, int]:
    """The candidate loops of a method: index of the first instruction → index of the last.

    Of loops that begin at the same instruction (``while True:`` around a ``while``) it is the
    longest idle one.
    """
    instrs = method.instrs
    live = _live(instrs)
    found: dict[int, int] = {}
    for j, instr in enumerate(instrs):
        head = label(instr)
        if head is not None and head <= j and _idle(instrs, head, j, live[head]):
            found[head] = j
    return found


def uses(instr: Instr) -> set[str]:
    """The registers that an instruction reads."""
    found: list[object] = []
    for role, operand in zip(SIGNATURES[instr.op], instr.args, strict=True):
        if role in ("a", "base"):
            found.append(operand)
        elif role == "args":
            found.extend(operand)
    return {o for o in found if isinstance(o, str) and o.startswith("r")}


def defines(instr: Instr) -> str | None:
    """The register that an instruction writes."""
    signature = SIGNATURES[instr.op]
    return str(instr.args[0]) if signature and signature[0] == "d" else None


def _idle(instrs: tuple[Instr, ...], head: int, last: int, live: set[str]) -> bool:
    body = instrs[head : last + 1]
    written = [d for d in map(defines, body) if d is not None]
    return (
        all(i.op in _ALLOWED for i in body)
        and not any(i.op == "FENCE" and i.args[0] == 4 for i in body)
        and any(i.op == "LOAD" for i in body)
        and len(set(written)) == len(written)
        and not set(written) & live
        # A jump into the middle from outside would make an iteration that did not begin at the
        # head.
        and not any(
            head < target <= last
            for k, i in enumerate(instrs)
            if not head <= k <= last and (target := label(i)) is not None
        )
    )


def _live(instrs: tuple[Instr, ...]) -> list[set[str]]:
    """Registers that may be read, before they are written, from each instruction on."""
    live: list[set[str]] = [set() for _ in instrs]
    changed = True
    while changed:
        changed = False
        for k in range(len(instrs) - 1, -1, -1):
            instr = instrs[k]
            ways = [j for j in successors(instrs, k) if j < len(instrs)]
            after = set[str]().union(*(live[j] for j in ways))
            new = (after - {defines(instr)}) | uses(instr)
            if new != live[k]:
                live[k] = new
                changed = True
    return live
