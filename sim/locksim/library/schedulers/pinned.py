"""One task a CPU, for ever: the task sleeps with its CPU.

Mechanism. CPU i's idle thread switches to task i, once. A task that waits halts its CPU, and its
waker sends that CPU an interrupt. There is no run queue and nothing to balance. This is how a
benchmark with pinned threads runs, and it is the default when a lock is measured.

Invariant. A task that waits sleeps until its state is RUNNING: the state is written before the
interrupt is sent, by an exchange, so that the woken CPU cannot miss it.
"""

from locksim.lang import *
from locksim.library.schedulers.interface import RUNNING, Scheduler, Task

__all__ = ["Pinned"]


class Pinned(Scheduler):
    """One task a CPU, which halts when the task waits; no more tasks than CPUs."""

    def setup(self):
        yield from self.number_tasks()
        assert n_threads() <= 2 * n_cpus(), "no more tasks than CPUs"

    def idle(self):
        if cpu() + n_cpus() < n_threads():
            yield switch(cpu() + n_cpus())

    def begin(self):
        yield pause()

    def exit(self):
        yield switch(cpu())

    def schedule(self):
        while (yield self.tasks[thread()].state.load(ACQUIRE)) != RUNNING:
            yield block()

    def resched(self):
        yield pause()

    def wake_up_process(self, task: Task):
        before = yield task.state.swap(RUNNING)
        yield wake((yield task.number.load()) - n_cpus())
        return before != RUNNING
