from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class ReaderFlags(RWLock):
    lock = part(TicketLock, padded=True)
    writer = word(padded=True)
    reading = percpu(word())

    def read_acquire(self):
        while True:
            yield self.reading[cpu()].store(1, RELEASE)
            if (yield self.writer.load(ACQUIRE)) == 0:
                return
            yield self.reading[cpu()].store(0, RELEASE)
            while (yield self.writer.load(RELAXED)):
                yield pause()

    def read_release(self):
        yield self.reading[cpu()].store(0, RELEASE)

    def write_acquire(self):
        yield from self.lock.acquire()
        yield self.writer.store(1, RELAXED)
        yield fence()
        for i in range(n_cpus()):
            while (yield self.reading[i].load(ACQUIRE)):
                yield pause()

    def write_release(self):
        yield self.writer.store(0, RELEASE)
        yield from self.lock.release()
