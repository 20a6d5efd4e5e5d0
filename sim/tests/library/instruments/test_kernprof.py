"""Kernprof inside a simulated kernel: its counts are those of the kernel's own meters."""

from locksim import machine as machines
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.library.instruments import kernprof
from locksim.papers.franke_2001 import instruments
from locksim.papers.franke_2001 import setting as franke_2001


def test_schedule_is_counted_as_often_as_it_is_called() -> None:
    """The arc's counts on all CPUs are the looks at the run queue, and the totals are all arcs'."""
    tables = machines.load(franke_2001.MACHINE).tables(2)
    described = franke_2001.workload("vanilla", 1, franke_2001.Costs(), messages=1, users=4)
    image, memory = prepare(instruments.profiled(described), tables)
    words = fast.run(image, memory, tables, seed=1, until_ps=10**12).memory
    scheduler = memory.root.kernel.scheduler  # type: ignore[attr-defined]
    calls = [0] * kernprof.FUNCTIONS
    looks = total = 0
    for i in range(2):
        arcs = scheduler.kernprof.tables[i]
        total += int(words[int(arcs.total)])
        looks += int(words[int(scheduler.cpus[i].looks)])
        for function in range(kernprof.FUNCTIONS):
            calls[function] += int(words[int(arcs.arcs[function].count)])
    assert looks == calls[kernprof.SCHEDULE] > 0
    assert sum(calls) == total
    # Two halves of a call: 16 messages a room of 4, each sent twice and received twice.
    assert 2 * 2 * 2 * 4 * 4 >= calls[kernprof.OTHERS] > 0
