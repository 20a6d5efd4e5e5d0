from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class OwnFirst(RWLock):
    locks = percpu(TicketLock)

    def read_acquire(self):
        yield from self.locks[cpu()].acquire()

    def read_release(self):
        yield from self.locks[cpu()].release()

    def write_acquire(self):
        for i in range(n_cpus()):
            yield from self.locks[(cpu() + i) % n_cpus()].acquire()

    def write_release(self):
        for i in range(n_cpus()):
            yield from self.locks[i].release()
