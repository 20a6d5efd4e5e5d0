"""The sleeping semaphore: counts, and wakes in the order of arrival."""

from locksim.kernel.semaphore import Semaphore
from locksim.lang import RELAXED, Workload, array, note, part
from locksim.lang.ops import Mark
from locksim.schedulers.linux_2_4 import SLEEPING, Task


class Queue(Workload):
    """Three tasks want it; then it is given up four times."""

    semaphore = part(Semaphore, padded=True)
    tasks = array(3, Task, padded=True)

    def thread(self):
        for i in range(3):
            yield note((yield from self.semaphore.down(self.tasks[i])))
            yield note((yield self.tasks[i].state.load(RELAXED)))
        for _ in range(3):
            sleeper = yield from self.semaphore.up()
            if sleeper:
                yield note(100 + (sleeper == self.tasks[1]) + 2 * (sleeper == self.tasks[2]))
            else:
                yield note(99)


def test_first_come_first_woken(interleave):
    """One gets in, two sleep, and are woken in order; then nobody is left."""
    run = interleave(Queue(), 1, 1, steps=1000)
    notes = [value for _, mark, value in run.log if mark == Mark.NOTE]
    assert [1, 0, 0, SLEEPING, 0, SLEEPING, 101, 102, 99] == notes
    assert 3 == run.word(run.root.semaphore.count)
