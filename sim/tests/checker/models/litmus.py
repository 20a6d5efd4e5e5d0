"""The classic litmus shapes, as workloads; their verdicts are those of the literature.

Sources of the shapes and verdicts: Owens, Sarkar and Sewell, "A better x86 memory model: x86-TSO"
(TPHOLs 2009), and Alglave, Maranget and Tautschnig, "Herding Cats" (TOPLAS 36(2), 2014), whose
names are used here. Every access is RELAXED, so that a model's own order is all that there is;
``r…`` are the words that take what a thread has read.
"""

from locksim.lang import RELAXED, SEQ_CST, Workload, fence, thread, word


class SB(Workload):
    """Store buffering: each stores one word and reads the other's."""

    x = word()
    y = word()
    r0 = word()
    r1 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
            r0 = yield self.y.load(RELAXED)
            yield self.r0.store(r0, RELAXED)
        else:
            yield self.y.store(1, RELAXED)
            r1 = yield self.x.load(RELAXED)
            yield self.r1.store(r1, RELAXED)


class SBFences(Workload):
    """Store buffering with a full fence between."""

    x = word()
    y = word()
    r0 = word()
    r1 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
            yield fence(SEQ_CST)
            r0 = yield self.y.load(RELAXED)
            yield self.r0.store(r0, RELAXED)
        else:
            yield self.y.store(1, RELAXED)
            yield fence(SEQ_CST)
            r1 = yield self.x.load(RELAXED)
            yield self.r1.store(r1, RELAXED)


class SBStores(Workload):
    """Store buffering with SEQ_CST stores."""

    x = word()
    y = word()
    r0 = word()
    r1 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, SEQ_CST)
            r0 = yield self.y.load(RELAXED)
            yield self.r0.store(r0, RELAXED)
        else:
            yield self.y.store(1, SEQ_CST)
            r1 = yield self.x.load(RELAXED)
            yield self.r1.store(r1, RELAXED)


class MP(Workload):
    """Message passing: data, then a flag; the other reads the flag, then the data."""

    x = word()
    y = word()
    r0 = word()
    r1 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
            yield self.y.store(1, RELAXED)
        else:
            r0 = yield self.y.load(RELAXED)
            r1 = yield self.x.load(RELAXED)
            yield self.r0.store(r0, RELAXED)
            yield self.r1.store(r1, RELAXED)


class LB(Workload):
    """Load buffering: each reads one word and then stores the other's."""

    x = word()
    y = word()
    r0 = word()
    r1 = word()

    def thread(self):
        if thread() == 0:
            r0 = yield self.x.load(RELAXED)
            yield self.y.store(1, RELAXED)
            yield self.r0.store(r0, RELAXED)
        else:
            r1 = yield self.y.load(RELAXED)
            yield self.x.store(1, RELAXED)
            yield self.r1.store(r1, RELAXED)


class S(Workload):
    """One stores twice; the other reads the second store and overwrites the first."""

    x = word()
    y = word()
    r0 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(2, RELAXED)
            yield self.y.store(1, RELAXED)
        else:
            r0 = yield self.y.load(RELAXED)
            yield self.x.store(1, RELAXED)
            yield self.r0.store(r0, RELAXED)


class R(Workload):
    """One stores twice; the other overwrites the second and reads the first."""

    x = word()
    y = word()
    r0 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
            yield self.y.store(1, RELAXED)
        else:
            yield self.y.store(2, RELAXED)
            r0 = yield self.x.load(RELAXED)
            yield self.r0.store(r0, RELAXED)


class TwoPlusTwoW(Workload):
    """Two threads store the same two words in opposite order (2+2W)."""

    x = word()
    y = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
            yield self.y.store(2, RELAXED)
        else:
            yield self.y.store(1, RELAXED)
            yield self.x.store(2, RELAXED)


class IRIW(Workload):
    """Independent reads of independent writes: do two readers agree on the order of two stores?"""

    x = word()
    y = word()
    r0 = word()
    r1 = word()
    r2 = word()
    r3 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
        elif thread() == 1:
            yield self.y.store(1, RELAXED)
        elif thread() == 2:
            r0 = yield self.x.load(RELAXED)
            r1 = yield self.y.load(RELAXED)
            yield self.r0.store(r0, RELAXED)
            yield self.r1.store(r1, RELAXED)
        else:
            r2 = yield self.y.load(RELAXED)
            r3 = yield self.x.load(RELAXED)
            yield self.r2.store(r2, RELAXED)
            yield self.r3.store(r3, RELAXED)


class CoRR(Workload):
    """Coherence of reads: a word does not go back."""

    x = word()
    r0 = word()
    r1 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
        else:
            r0 = yield self.x.load(RELAXED)
            r1 = yield self.x.load(RELAXED)
            yield self.r0.store(r0, RELAXED)
            yield self.r1.store(r1, RELAXED)


class N6(Workload):
    """A thread reads its own store while the others' order of stores shows that it is late."""

    x = word()
    y = word()
    r0 = word()
    r1 = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELAXED)
            r0 = yield self.x.load(RELAXED)
            r1 = yield self.y.load(RELAXED)
            yield self.r0.store(r0, RELAXED)
            yield self.r1.store(r1, RELAXED)
        else:
            yield self.y.store(1, RELAXED)
            yield self.x.store(2, RELAXED)
