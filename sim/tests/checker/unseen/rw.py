from locksim.lang import *
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.locks.tas import TASLock


class RoomRWLock(RWLock):
    """The first reader takes the room, the last one gives it back."""

    mutex = part(TASLock)
    readers = word()
    room = word()

    def read_acquire(self):
        yield from self.mutex.acquire()
        readers = yield self.readers.load(RELAXED)
        if readers == 0:
            while (yield self.room.swap(1, ACQUIRE)):
                yield pause()
        yield self.readers.store(readers + 1, RELAXED)
        yield from self.mutex.release()

    def read_release(self):
        yield from self.mutex.acquire()
        readers = yield self.readers.load(RELAXED)
        yield self.readers.store(readers - 1, RELAXED)
        if readers == 1:
            yield self.room.store(0, RELEASE)
        yield from self.mutex.release()

    def write_acquire(self):
        while (yield self.room.swap(1, ACQUIRE)):
            yield pause()

    def write_release(self):
        yield self.room.store(0, RELEASE)


class OneAtATime(RWLock):
    """Readers exclude each other too."""

    held = word()

    def read_acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def read_release(self):
        yield self.held.store(0, RELEASE)

    def write_acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def write_release(self):
        yield self.held.store(0, RELEASE)


class LookThenCount(RWLock):
    """A reader looks for a writer, and then counts itself in."""

    state = word()

    def read_acquire(self):
        while (yield self.state.load(ACQUIRE)) < 0:
            yield pause()
        yield self.state.fetch_add(1, ACQUIRE)

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, -(1 << 32), ACQUIRE)) != 0:
            yield pause()

    def write_release(self):
        yield self.state.fetch_add(1 << 32, RELEASE)


class WriterStoresZero(RWLock):
    """A writer leaves by storing 0, also over readers that are just trying."""

    state = word()

    def read_acquire(self):
        while (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            yield pause()
            while (yield self.state.load(RELAXED)) < 0:
                yield pause()

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, -(1 << 32), ACQUIRE)) != 0:
            yield pause()

    def write_release(self):
        yield self.state.store(0, RELEASE)


class FlagReaders(RWLock):
    """A flag for each reader; RELAXED announcements."""

    writer = word()
    reading = percpu(word())

    def read_acquire(self):
        me = cpu()
        while True:
            yield self.reading[me].store(1, RELAXED)
            if (yield self.writer.load(ACQUIRE)) == 0:
                return
            yield self.reading[me].store(0, RELEASE)
            while (yield self.writer.load(RELAXED)):
                yield pause()

    def read_release(self):
        yield self.reading[cpu()].store(0, RELEASE)

    def write_acquire(self):
        while (yield self.writer.swap(1, ACQ_REL)):
            yield pause()
        for i in range(n_cpus()):
            while (yield self.reading[i].load(ACQUIRE)):
                yield pause()

    def write_release(self):
        yield self.writer.store(0, RELEASE)


class FlagReadersSC(RWLock):
    """The announcements are SEQ_CST, and so is each look at them."""

    writer = word()
    reading = percpu(word())

    def read_acquire(self):
        me = cpu()
        while True:
            yield self.reading[me].store(1, SEQ_CST)
            if (yield self.writer.load(SEQ_CST)) == 0:
                return
            yield self.reading[me].store(0, RELEASE)
            while (yield self.writer.load(RELAXED)):
                yield pause()

    def read_release(self):
        yield self.reading[cpu()].store(0, RELEASE)

    def write_acquire(self):
        while (yield self.writer.swap(1, SEQ_CST)):
            yield pause()
        for i in range(n_cpus()):
            while (yield self.reading[i].load(SEQ_CST)):
                yield pause()

    def write_release(self):
        yield self.writer.store(0, RELEASE)


class SwapSeq(SeqLock):
    """The sequence is the writers' lock too: an odd number is taken by compare-and-swap."""

    sequence = word()

    def read_begin(self):
        while True:
            number = yield self.sequence.load(ACQUIRE)
            if number & 1 == 0:
                break
            yield pause()
        return number

    def read_retry(self, number):
        yield fence(ACQUIRE)
        after = yield self.sequence.load(RELAXED)
        return after != number

    def write_acquire(self):
        while True:
            number = yield self.sequence.load(RELAXED)
            if number & 1 == 0:
                if (yield self.sequence.compare_swap(number, number + 1, ACQUIRE)) == number:
                    break
            yield pause()
        yield fence(RELEASE)

    def write_release(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 1, RELEASE)


class SeqAcquireAfter(SpinSeqLock):
    """The second look is an ACQUIRE load, instead of a fence before it."""

    def read_retry(self, number):
        after = yield self.sequence.load(ACQUIRE)
        return after != number


class SeqReleaseBefore(SpinSeqLock):
    """The odd number is a RELEASE store, instead of a fence behind it."""

    def write_begin(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 1, RELEASE)


class SeqEvenReader(SpinSeqLock):
    """A reader does not wait for an even number."""

    def read_begin(self):
        number = yield self.sequence.load(ACQUIRE)
        return number
