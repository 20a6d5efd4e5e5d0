"""When a grace period may end: after the readers that were there when it began, and no others."""

from __future__ import annotations

from random import Random

from locksim import machine
from locksim.engine.prepared import prepare
from locksim.engine.reference.engine import run
from locksim.lang.ops import US
from locksim.play.drills.problem import Problem
from locksim.play.drills.programs import workload

_LONGEST_US = 400
_GRID_US = 5
"""All times that are drawn are multiples of it. Accesses to memory take some ns each, all together
less than half of it: they belong to the machine, not to the answer."""


def grace_period(drawn: Random) -> Problem:
    """Readers on some CPUs, and an updater that waits for a grace period."""
    readers = drawn.randrange(3, 5)
    spans: list[tuple[int, int, int]] = []
    programs: list[list[str]] = []
    for cpu in range(readers):
        lines, now = [], 0
        for _ in range(drawn.randrange(1, 3)):
            pause, length = 10 * drawn.randrange(1, 6), 10 * drawn.randrange(1, 8)
            spans.append((cpu, now + pause, now + pause + length))
            lines += [f"yield compute({pause} * US)", f"yield self.entered[{cpu}].fetch_add(1)"]
            lines += [f"yield compute({length} * US)", f"yield self.left[{cpu}].fetch_add(1)"]
            now += pause + length
        programs.append(lines)
    begins = 10 * drawn.randrange(3, 9) + 5
    # A reader that is inside has entered once more than it has left.
    waits = [f"yield compute({begins} * US)"]
    # All of them at once, before it waits for any.
    waits += [f"seen{cpu} = yield self.entered[{cpu}].load()" for cpu in range(readers)]
    for cpu in range(readers):
        waits += [
            f"while (yield self.left[{cpu}].load()) < seen{cpu}:",
            "    yield compute(100 * NS)",
        ]
    programs.append([*waits, "yield self.ended.store(now())"])
    words = {
        "ended": "word(0, padded=True)",
        "entered": "percpu(word(0))",
        "left": "percpu(word(0))",
    }
    cpus = readers + 1
    tables = machine.load(f"ideal-{cpus}").tables(cpus)
    _, memory = prepare(workload(words, programs), tables)
    result = run(memory, tables, seed=1, until_ps=_LONGEST_US * US)
    at = next(address for address, name in memory.names if name == "ended")
    end_us = _GRID_US * round(int(result.memory[at]) / (_GRID_US * US))
    shown = "\n".join(f"  CPU {cpu} reads from {start} to {end} µs" for cpu, start, end in spans)
    before = [f"CPU {cpu} (until {end} µs)" for cpu, start, end in spans if start < begins < end]
    why = (
        f"It waits for those that read at {begins} µs: {', '.join(before)}."
        if before
        else f"No CPU reads at {begins} µs, so there is nothing to wait for."
    )
    return Problem(
        f"{shown}\n\nAt {begins} µs an updater has unlinked an object and calls "
        "synchronize_rcu().\n"
        "At what time may it free the object, at the earliest, in µs?",
        "a number, such as 85",
        frozenset({(float(end_us),)}),
        f"{why}\nReaders that begin later cannot find the object, and need not be waited for.",
    )
