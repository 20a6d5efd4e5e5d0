"""Where control goes next: from an instruction, and from one node of a graph to all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from locksim.compiler.ir import SIGNATURES, Instr


def label(instr: Instr) -> int | None:
    """The index that a jump goes to, None for anything else."""
    signature = SIGNATURES[instr.op]
    return int(instr.args[signature.index("label")]) if "label" in signature else None


def successors(instrs: Sequence[Instr], k: int) -> list[int]:
    """The instructions that may run after instruction ``k``."""
    after = [] if instrs[k].op in ("JMP", "RET") else [k + 1]
    target = label(instrs[k])
    return after if target is None else [*after, target]


def reachable(starts: Iterable[int], after: Callable[[int], Iterable[int]]) -> set[int]:
    """The nodes of a graph that can be reached: the starts, and what comes after them."""
    reached = set(starts)
    todo = list(reached)
    while todo:
        new = set(after(todo.pop())) - reached
        reached |= new
        todo += new
    return reached


def cycle(ways: Sequence[Sequence[int]], starts: Iterable[int]) -> list[int]:
    """The nodes of the first cycle that a depth-first walk finds, in order; none without one.

    Arguments:
        ways: for each node those after it.
        starts: where the walk begins; a start past the last node is ignored.
    """
    done: set[int] = set()
    for start in starts:
        if start >= len(ways) or start in done:
            continue
        path = {start: list(ways[start])}  # each node on the way, and what it has not yet tried
        while path:
            todo = path[next(reversed(path))]
            if not todo:
                done.add(path.popitem()[0])
                continue
            to = todo.pop()
            if to in path:
                nodes = list(path)
                return nodes[nodes.index(to) :]
            if to not in done:
                path[to] = list(ways[to])
    return []
