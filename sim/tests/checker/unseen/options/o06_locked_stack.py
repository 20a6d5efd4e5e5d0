from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class LockedStack(Struct):
    lock = part(TicketLock)
    depth = word()
    items = array(8)

    def push(self, value):
        yield from self.lock.acquire()
        depth = yield self.depth.load(RELAXED)
        yield self.items[depth].store(value, RELAXED)
        yield self.depth.store(depth + 1, RELAXED)
        yield from self.lock.release()

    def pop(self):
        value = 0
        yield from self.lock.acquire()
        depth = yield self.depth.load(RELAXED)
        if depth:
            value = yield self.items[depth - 1].load(RELAXED)
            yield self.depth.store(depth - 1, RELAXED)
        yield from self.lock.release()
        return value
