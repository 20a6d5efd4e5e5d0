from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import RUNNING, Scheduler, Task, TaskList


class YieldLoses(Scheduler):
    lock = part(TTASLock, padded=True)
    ready = part(TaskList, padded=True)

    def setup(self):
        yield from self.number_tasks()
        for t in range(n_cpus(), n_threads()):
            yield self.tasks[t].active.store(1)
            yield from self.ready.append(self.tasks[t])

    def put_aside(self, number):
        task = yield from self.ready.take_out(number)
        yield task.active.store(0)

    def idle(self):
        while not (yield self.halted.load(ACQUIRE)):
            yield from self.schedule()
            yield pause()

    def halt(self):
        yield self.halted.store(1)

    def begin(self):
        yield from self.lock.release()

    def resched(self):
        yield from self.schedule()

    def schedule(self):
        prev = thread()
        yield from self.lock.acquire()
        if prev >= n_cpus():
            yield self.tasks[prev].active.store(0, RELAXED)
        task = yield from self.ready.take()
        chosen = cpu()
        if task:
            chosen = yield task.number.load(RELAXED)
        # The lock is held across the switch; whoever goes on lets it go.
        if chosen != prev:
            yield switch(chosen)
        yield from self.lock.release()

    def wake_up_process(self, task: Task):
        yield from self.lock.acquire()
        yield task.state.store(RUNNING, RELAXED)
        asleep = (yield task.active.load(RELAXED)) == 0
        if asleep:
            yield task.active.store(1, RELAXED)
            yield from self.ready.append(task)
        yield from self.lock.release()
        return asleep
