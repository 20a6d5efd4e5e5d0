"""The sleeping semaphore: counts, and wakes in the order of arrival."""

import pytest

from locksim.engine import fast
from locksim.engine.trace import MARK
from locksim.kernel.loopback import Loopback
from locksim.lang import NS, Workload, compute, n_cpus, note, param, part, thread
from locksim.lang.ops import Mark
from locksim.machine import load
from locksim.simulation import prepare


class Giver(Workload):
    """A task gives three, one by one; three others take one each."""

    tasks = param(4)
    kernel = part(Loopback)

    def setup(self):
        for t in range(n_cpus() + 1, n_cpus() + 4):
            yield from self.kernel.scheduler.begin_asleep(t, self.kernel.semaphores[0].queue)

    def thread(self):
        yield from self.kernel.scheduler.idle()

    def task(self):
        yield from self.kernel.scheduler.begin()
        if thread() == n_cpus():
            for _ in range(3):
                yield compute(50_000 * NS)
                yield from self.kernel.up(0)
        else:
            yield from self.kernel.down(0)
            yield note(thread() - n_cpus())
        yield from self.kernel.scheduler.exit()


@pytest.mark.parametrize("cpus", [1, 3])
def test_first_come_first_woken(cpus):
    """The sleepers get one each, in the order in which they slept, and none is left."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    image, memory = prepare(Giver(), tables, heap_lines=0)
    result = fast.run(image, memory, tables, seed=1, until_ps=10**12, trace=True)
    assert cpus == result.finished
    passed = [row[3] for row in result.trace.tolist() if row[2] == MARK + Mark.NOTE]
    expected = [1, 2, 3] if cpus > 1 else [3, 2, 1]  # on one CPU the last woken is listed first
    assert expected == passed
    assert 0 == result.memory[int(memory.root.kernel.semaphores[0].count)]
