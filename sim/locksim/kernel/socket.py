"""One direction of a connection over the loopback: a bounded queue of messages, and two sleepers.

Mechanism. The socket's lock guards the number of queued messages. A sender that finds the buffer
full, or a receiver that finds it empty, sets itself sleeping and registers, both under the lock,
and gives up its CPU; it begins the call again when it is woken. A receiver sleeps only on an empty
buffer, so only the message that ends the emptiness wakes it; a sender is woken when the buffer has
been emptied to a half. A message that finds others still queued joins them: TCP appends it to the
segment that is waiting, and no packet is made (``SENT`` as against ``NEW_PACKET``).

Invariants. 0 <= queued <= capacity. Whoever sleeps here is registered, or is about to be woken.

Cost in line transfers. The line of lock and count moves when the other end touched it last: at
every call of two that run side by side on two CPUs, once a batch where one of them has slept.

Not modelled. Bytes, segments' sizes, acknowledgements, timers. What the protocol's code costs and
which other lines it touches is the system call's business (see the workload).
"""

from locksim.lang import NULL, RELAXED, RELEASE, Struct, param, part, pointer, word
from locksim.locks.ttas import TTASLock
from locksim.schedulers.linux_2_4 import SLEEPING, Task

__all__ = ["NEW_PACKET", "SENT", "WOULD_BLOCK", "MessageQueue", "Socket"]

WOULD_BLOCK = 0
SENT = 1
NEW_PACKET = 2


class MessageQueue(Struct):
    """Messages on their way, with room for one sleeping reader and one sleeping writer.

    Arguments:
        capacity: messages from which on a writer is to wait.
    """

    capacity = param(64)
    lock = part(TTASLock)
    queued = word()
    reader = pointer(Task)
    writer = pointer(Task)

    def put(self):
        # Whatever the capacity.
        yield from self.lock.acquire()
        queued = yield self.queued.load(RELAXED)
        yield self.queued.store(queued + 1, RELAXED)
        yield from self.lock.release()
        return SENT if queued else NEW_PACKET

    def has_room(self, task: Task):
        # 0: full, and the task is to sleep.
        yield from self.lock.acquire()
        room = (yield self.queued.load(RELAXED)) < self.capacity
        if not room:
            yield from self.sleep_as_writer(task)
        yield from self.lock.release()
        return room

    def send(self, task: Task):
        yield from self.lock.acquire()
        queued = yield self.queued.load(RELAXED)
        how = WOULD_BLOCK
        if queued >= self.capacity:
            yield from self.sleep_as_writer(task)
        else:
            yield self.queued.store(queued + 1, RELAXED)
            how = SENT if queued else NEW_PACKET
        yield from self.lock.release()
        return how

    def receive(self, task: Task):
        # Gives what was queued before, 0: nothing, and the task is to sleep.
        yield from self.lock.acquire()
        queued = yield self.queued.load(RELAXED)
        if queued:
            yield self.queued.store(queued - 1, RELAXED)
        else:
            yield task.state.store(SLEEPING, RELAXED)
            yield self.reader.store(task, RELAXED)
        yield from self.lock.release()
        return queued

    def sleep_as_writer(self, task: Task):
        yield task.state.store(SLEEPING, RELAXED)
        yield self.writer.store(task, RELAXED)

    def sleeping_reader(self):
        # For who sent into the empty buffer: whom to wake, if anybody.
        return (yield self.reader.swap(NULL, RELEASE))

    def sleeping_writer(self, queued):
        # For who received, with what receive() gave: whom to wake, if anybody.
        if queued != self.capacity // 2 + 1:
            return NULL
        return (yield self.writer.swap(NULL, RELEASE))


class Socket(MessageQueue):
    """One direction of a connection (struct sock of Linux 2.4, in outline)."""
