"""Locks whose words count for ever: fair ones, unfair ones, and some that cannot be moved back."""

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    Lock,
    array,
    doorway,
    param,
    pause,
    word,
)


class Ticket(Lock):
    """A ticket lock that counts from anywhere, in steps of any size.

    Arguments:
        start: the first ticket. step: from one to the next.
    """

    start = param(0)
    step = param(1)
    next_ticket = word()
    serving = word()

    def setup(self):
        yield self.next_ticket.store(self.start)
        yield self.serving.store(self.start)

    def acquire(self):
        mine = yield self.next_ticket.fetch_add(self.step, RELAXED)
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + self.step, RELEASE)


class TicketAtLeast(Ticket):
    """It waits while its number is larger than the one that is served."""

    def acquire(self):
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.serving.load(ACQUIRE)) < mine:
            yield pause()


class TicketByDistance(Ticket):
    """As TicketByRetries, but what it looks at is how far its number is off."""

    def acquire(self):
        mine = yield self.next_ticket.load(RELAXED)
        while True:
            found = yield self.next_ticket.compare_swap(mine, mine + 1, RELAXED)
            if found - mine == 0:
                break
            mine = found
            yield pause()
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()


class TicketImpatient(Ticket):
    """Wrong: who has seen three others served goes in."""

    def acquire(self):
        seen = yield self.serving.load(RELAXED)
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while True:
            served = yield self.serving.load(ACQUIRE)
            if served == mine or seen + 2 < served:
                break
            yield pause()


class TicketByRetries(Ticket):
    """It takes its number by compare-and-swap, and pauses before it tries again."""

    def acquire(self):
        mine = yield self.next_ticket.load(RELAXED)
        while True:
            found = yield self.next_ticket.compare_swap(mine, mine + 1, RELAXED)
            if found == mine:
                break
            mine = found
            yield pause()
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()


class GatedTicket(Ticket):
    """Numbers are taken one at a time, behind a gate that a thread tries again and again."""

    gate = word()

    def acquire(self):
        while (yield self.gate.swap(1, ACQUIRE)):
            yield pause()
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        yield self.gate.store(0, RELEASE)
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()


class MarkedTicket(GatedTicket):
    """It lets the one who leaves pass first, and says where waiting begins."""

    def acquire(self):
        while (yield self.gate.load(RELAXED)):
            yield pause()
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        yield doorway()
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        yield self.gate.store(1, RELAXED)
        served = yield self.serving.load(RELAXED)
        yield self.gate.store(0, RELAXED)
        yield self.serving.store(served + 1, RELEASE)


class MarkedTooEarly(MarkedTicket):
    """It says so before it has a number."""

    def acquire(self):
        yield doorway()
        while (yield self.gate.load(RELAXED)):
            yield pause()
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()


class TicketModulo(Ticket):
    """Only the low bits of a number count.

    Arguments:
        mask: these bits. served_mask: those of the number that is served.
    """

    mask = param(0xFFFF)
    served_mask = param(0xFFFF)

    def acquire(self):
        mine = (yield self.next_ticket.fetch_add(1, RELAXED)) & self.mask
        while ((yield self.serving.load(ACQUIRE)) & self.served_mask) != mine:
            yield pause()


class TicketRemainder(TicketModulo):
    """As many numbers as the lock has room for, which need not be a power of two."""

    room = param(1000)

    def acquire(self):
        mine = (yield self.next_ticket.fetch_add(1, RELAXED)) % self.room
        while (yield self.serving.load(ACQUIRE)) % self.room != mine:
            yield pause()


class TicketKeepsRemainder(TicketModulo):
    """The number that is served is stored as a remainder."""

    def acquire(self):
        mine = (yield self.next_ticket.fetch_add(1, RELAXED)) & self.mask
        while (yield self.serving.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store((served + 1) & self.mask, RELEASE)


class TicketModuloAtLeast(TicketModulo):
    """Compares low bits by size."""

    def acquire(self):
        mine = (yield self.next_ticket.fetch_add(1, RELAXED)) & self.mask
        while ((yield self.serving.load(ACQUIRE)) & self.mask) < mine:
            yield pause()


class TicketSkipping(Ticket):
    """Wrong: it serves the number after the next one."""

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + 2, RELEASE)


class Array(Lock):
    """Anderson's lock: a slot for each waiting thread, found by the remainder of its number."""

    slots = array(4, word())
    next_slot = word()
    mine = word()

    def setup(self):
        yield self.slots[0].store(1)

    def acquire(self):
        number = yield self.next_slot.fetch_add(1, RELAXED)
        while (yield self.slots[number % 4].load(ACQUIRE)) == 0:
            yield pause()
        yield self.slots[number % 4].store(0, RELAXED)
        yield self.mine.store(number, RELAXED)

    def release(self):
        number = yield self.mine.load(RELAXED)
        yield self.slots[(number + 1) & 3].store(1, RELEASE)


class TASWithStatistics(Lock):
    """It counts its failures, and nobody asks for them."""

    held = word()
    failures = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield self.failures.fetch_add(1, RELAXED)
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)


class TASWithLimit(TASWithStatistics):
    """Its behaviour depends on how many failures there were."""

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            if (yield self.failures.fetch_add(1, RELAXED)) > 1000:
                yield pause()
            yield pause()


class TASWithSquare(TASWithStatistics):
    """It squares them, so that differences are not kept."""

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            failures = yield self.failures.fetch_add(1, RELAXED)
            if failures * failures % 7 == 5:
                yield pause()
            yield pause()
