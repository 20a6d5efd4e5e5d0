from locksim.lang import *


class Partitioned(Lock):
    """Partitioned ticket lock (Dice, 2011), two grants."""

    tickets = word()
    grant = array(2)
    held = word()

    def acquire(self):
        ticket = yield self.tickets.fetch_add(1, RELAXED)
        while (yield self.grant[ticket % 2].load(ACQUIRE)) != ticket:
            yield pause()
        yield self.held.store(ticket, RELAXED)

    def release(self):
        after = (yield self.held.load(RELAXED)) + 1
        yield self.grant[after % 2].store(after, RELEASE)


class TicketLess(Lock):
    """Waits while the number served is below its own."""

    tickets = word()
    serving = word()

    def acquire(self):
        ticket = yield self.tickets.fetch_add(1, RELAXED)
        while (yield self.serving.load(ACQUIRE)) < ticket:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + 1, RELEASE)


class TicketTwo(Lock):
    """Even numbers only."""

    tickets = word()
    serving = word()

    def acquire(self):
        ticket = yield self.tickets.fetch_add(2, RELAXED)
        while (yield self.serving.load(ACQUIRE)) != ticket:
            yield pause()

    def try_acquire(self):
        ticket = yield self.serving.load(ACQUIRE)
        old = yield self.tickets.compare_swap(ticket, ticket + 2, RELAXED)
        return old == ticket

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + 2, RELEASE)


class TicketTryBack(Lock):
    """A try that fails gives its number back."""

    tickets = word()
    serving = word()

    def acquire(self):
        ticket = yield self.tickets.fetch_add(1, RELAXED)
        while (yield self.serving.load(ACQUIRE)) != ticket:
            yield pause()

    def try_acquire(self):
        ticket = yield self.tickets.fetch_add(1, RELAXED)
        if (yield self.serving.load(ACQUIRE)) == ticket:
            return 1
        yield self.tickets.fetch_add(-1, RELAXED)
        return 0

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + 1, RELEASE)


class Alternate(Lock):
    """Strictly one after the other, round and round."""

    turn = word()

    def acquire(self):
        while (yield self.turn.load(ACQUIRE)) != cpu():
            yield pause()

    def release(self):
        yield self.turn.store((cpu() + 1) % n_cpus(), RELEASE)


class AlternateTwo(Lock):
    """The same for two."""

    turn = word()

    def acquire(self):
        while (yield self.turn.load(ACQUIRE)) != cpu():
            yield pause()

    def release(self):
        yield self.turn.store(1 - cpu(), RELEASE)


class TwiceEach(Lock):
    """Each of two threads twice in a row."""

    served = word()

    def acquire(self):
        while ((yield self.served.load(ACQUIRE)) // 2) % 2 != cpu():
            yield pause()

    def release(self):
        served = yield self.served.load(RELAXED)
        yield self.served.store((served + 1) % 4, RELEASE)
