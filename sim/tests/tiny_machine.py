"""A tiny machine with round costs, and workloads made of functions, for computed timelines.

CPUs 0 and 1 are in node 0, CPUs 2 and 3 in node 1, two to a node. All costs are in picoseconds
and differ, so that a sum tells which costs are in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arrays import reference_run

from locksim.core.memory import Memory, build
from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.trace import MARK, NAMES
from locksim.lang import Program, Struct, Workload, compute, cpu, part, percpu, word
from locksim.lang.ops import Mark
from locksim.machine import MachineTables

L1, STORE, RMW, FENCE, PAUSE = 1, 2, 5, 7, 3
TRANSFER, TRANSFER_FAR = 100, 300
MEMORY, MEMORY_FAR = 150, 400
INVALIDATE, INVALIDATE_FAR, EACH = 60, 200, 9
ALLOC, FREE, WAKE, SWITCH = 11, 13, 17, 1000
A, A2, B, C = 8, 9, 16, 24
"""Addresses of the words of a Board: a and a2 share line 1, b is on line 2, c on line 3."""
P2 = 48
"""Address of CPU 2's own word; its line 6 is at home in node 1 (with four CPUs)."""

Row = tuple[int, int, str, int, int]


class Pair(Struct):
    """Two words on one line."""

    first = word()
    second = word()


class Node(Struct):
    """What programs allocate."""

    value = word()
    other = word()


class Board(Workload):
    """Words to work on, and a program for each CPU."""

    pair = part(Pair, padded=True)
    b = word(padded=True)
    c = word(padded=True)
    own = percpu(word())
    programs: tuple[Callable[[Any], Program], ...] = ()

    @property
    def a(self) -> Any:
        """The first word of line 1."""
        return self.pair.first

    @property
    def a2(self) -> Any:
        """The second word of line 1."""
        return self.pair.second

    def thread(self) -> Program:
        """Run this CPU's program; a CPU without one has nothing to do."""
        if cpu() < len(self.programs):
            yield from self.programs[cpu()](self)


def tables(n_cpus: int = 4, **changes: Any) -> MachineTables:
    """The tiny machine; ``changes`` replace fields of its tables."""
    node_of = tuple(c // 2 for c in range(n_cpus))
    n_nodes = node_of[-1] + 1
    distance = [[2 if a == b else 3 for b in node_of] for a in node_of]
    for c in range(n_cpus):
        distance[c][c] = 0
    home = tuple(tuple(2 if a == b else 3 for b in node_of) for a in range(n_nodes))
    settings: dict[str, Any] = {
        "n_cpus": n_cpus,
        "n_nodes": n_nodes,
        "words_per_line": 8,
        "store_buffer_entries": 4,
        "node_of": node_of,
        "distance": tuple(map(tuple, distance)),
        "home_distance": home,
        "transfer_ps": (0, 20, TRANSFER, TRANSFER_FAR),
        "memory_ps": (0, 0, MEMORY, MEMORY_FAR),
        "invalidate_ps": (0, 10, INVALIDATE, INVALIDATE_FAR),
        "overlap_ps": (0,) * 4,
        "l1_hit_ps": L1,
        "store_ps": STORE,
        "rmw_ps": RMW,
        "fence_ps": FENCE,
        "pause_ps": PAUSE,
        "tenure_ps": 0,
        "tenure_plain_ps": changes.get("tenure_ps", 0),
        "jitter_ps": 0,
        "line_busy_percent": 100,
        "invalidate_each_ps": EACH,
        "shared_read_ps": 40,
        "bus_ps": 50,
        "alloc_ps": ALLOC,
        "free_ps": FREE,
        "context_switch_ps": SWITCH,
        "wake_ps": WAKE,
        "blocking": 0,
        "clean_nearest": 0,
        "bus_kind": 0,
    }
    return MachineTables(**settings | changes)


def board(*programs: Callable[[Any], Program], cpus: int = 4, heap_lines: int = 64) -> Memory:
    """Memory for programs, one a CPU, on the tiny machine."""
    cls = type("Board", (Board,), {"programs": programs})
    return build(cls(), tables(cpus), [Node], heap_lines=heap_lines)


def run(
    *programs: Callable[[Any], Program],
    cpus: int = 4,
    until_ps: int = 10**9,
    seed: int = 1,
    stall_ps: int | None = None,
    heap_lines: int = 64,
    **changes: Any,
) -> RunResult:
    """Run programs, one a CPU, with a trace."""
    return reference_run(
        board(*programs, cpus=cpus, heap_lines=heap_lines),
        tables(cpus, **changes),
        seed=seed,
        until_ps=until_ps,
        trace=True,
        stall_ps=stall_ps,
    )


def timeline(result: RunResult) -> list[Row]:
    """The rows of a trace, readable: (time, agent, what, address, value)."""
    assert result.trace is not None
    rows = []
    for time, agent, what, address, value in result.trace.tolist():
        name = Mark(what - MARK).name.lower() if what >= MARK else NAMES[what]
        rows.append((time, agent, name, address, value))
    return rows


def rows_of(*programs: Callable[[Any], Program], **settings: Any) -> list[Row]:
    """The timeline of a run of programs."""
    return timeline(run(*programs, **settings))


def notes(*programs: Callable[[Any], Program], **settings: Any) -> list[tuple[int, int, int]]:
    """When programs noted what: (time, CPU, number)."""
    rows = rows_of(*programs, **settings)
    return [(time, agent // 2, at) for time, agent, what, at, _ in rows if what == "note"]


def served(*programs: Callable[[Any], Program], **settings: Any) -> list[tuple[int, int, int, int]]:
    """The requests in the order in which they were served: (time, agent, line, completion)."""
    rows = rows_of(*programs, **settings)
    return [(time, agent, at, ready) for time, agent, what, at, ready in rows if what == "served"]


def counts(result: RunResult, cpu_number: int) -> dict[str, int]:
    """A CPU's counters that are not zero."""
    row = result.cpu[cpu_number].tolist()
    return {name: n for name, n in zip(CPU_COUNTERS, row, strict=True) if n}


def after(delay_ps: int, program: Callable[[Any], Program]) -> Callable[[Any], Program]:
    """The program, begun at a time."""

    def later(self: Any) -> Program:
        yield compute(delay_ps)
        yield from program(self)

    return later
