"""How often a cache line moves, or its state changes, when CPUs use it one after another."""

from __future__ import annotations

from random import Random

from locksim import machine
from locksim.engine.prepared import prepare
from locksim.engine.reference.engine import run
from locksim.lang.ops import US
from locksim.play.drills.problem import Problem
from locksim.play.drills.programs import workload

_APART_US = 10
_DOES = {"load": "reads", "store": "writes", "fetch_add": "counts up"}


def transfers(drawn: Random) -> Problem:
    """Some CPUs that use one word in a given order, each when the one before has finished."""
    cpus = drawn.randrange(2, 5)
    steps = [
        (drawn.randrange(cpus), drawn.choice(("load", "load", "store", "fetch_add")))
        for _ in range(drawn.randrange(5, 9))
    ]
    programs: list[list[str]] = []
    for cpu in range(cpus):
        lines, passed = [], 0
        for number, (who, what) in enumerate(steps, start=1):
            if who == cpu:
                lines.append(f"yield compute({(number - passed) * _APART_US} * US)")
                lines.append(f"yield self.x.{what}({'' if what == 'load' else '1'})")
                passed = number
        programs.append(lines or ["yield compute(1 * US)"])
    tables = machine.load(f"ideal-{cpus}").tables(cpus)
    _, memory = prepare(workload({"x": "word(0, padded=True)"}, programs), tables)
    counts = [0]
    for number in range(1, len(steps) + 1):
        until = (number * _APART_US + _APART_US // 2) * US
        result = run(memory, tables, seed=1, until_ps=until)
        counts.append(sum(int(n) for n in result.lines))
    asked = "\n".join(f"  {k}. CPU {who} {_DOES[what]} x" for k, (who, what) in enumerate(steps, 1))
    moved = [
        f"  {k}. CPU {who} {_DOES[what]}: {'1 transfer' if counts[k] > counts[k - 1] else 'none'}"
        for k, (who, what) in enumerate(steps, 1)
    ]
    return Problem(
        f"No CPU has the line of x at first. One after another:\n\n{asked}\n\n"
        "How many line transfers is that? A transfer brings the line to a CPU, or gives a\n"
        "CPU that has a copy the right to write it.",
        "a number, such as 4",
        frozenset({(float(counts[-1]),)}),
        "A CPU that wrote last, or has a copy and only reads, needs no transfer.\n"
        + "\n".join(moved),
    )
