from locksim.lang import *


class Dice17(Lock):
    """Draws one of 17 words to count in."""

    held = word()
    counts = array(17)

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
        yield self.counts[random_below(17)].fetch_add(1, RELAXED)

    def release(self):
        yield self.held.store(0, RELEASE)


class Dice2(Lock):
    """Draws one of two words to count in."""

    held = word()
    counts = array(2)

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
        yield self.counts[random_below(2)].fetch_add(1, RELAXED)

    def release(self):
        yield self.held.store(0, RELEASE)


class BackOff(Lock):
    """Stays away for a random time, of more than 16 values."""

    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
            yield compute(1 + random_below(1000))

    def release(self):
        yield self.held.store(0, RELEASE)
