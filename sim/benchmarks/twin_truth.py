"""The loads of ``twin_loads.toml`` in the lock language: the truth that twins are judged by.

They differ from a twin where real loads do. Holds may be lognormal or of two lengths. Bursts have a
geometric number of sections with a fixed gap between. One lock of a class may be hotter than the
others. A split gives each section one part at random.
"""

from locksim.lang import *
from locksim.library.workloads.lock_class import MILLI, PERCENT, Exclusive, LockClass

__all__ = ["EXPONENTIAL", "FIXED", "LOGNORMAL", "OWNER", "RANDOM", "TWO", "Truth"]

FIXED, EXPONENTIAL, LOGNORMAL, TWO = range(4)
OWNER, RANDOM, HOT = range(3)
ONE = 1024


class Truth(LockClass):
    """A load of the file.

    Arguments:
        form: of the holds. sigma_milli: of a lognormal one. long_ps, long_tenths: the longer of two
            lengths, and its share in ten thousandths; ``hold_ps`` is then the shorter one.
        users: who takes which. hot_percent: share of the sections that take the first lock.
        gap_ps: inside a burst. burst_milli: thousandths of the sections that another one of the
            same burst follows; 0: no bursts. pause_ps: mean time between bursts.
    """

    form = param(FIXED)
    sigma_milli = param(0)
    long_ps = param(0)
    long_tenths = param(0)
    users = param(RANDOM)
    hot_percent = param(0)
    gap_ps = param(0)
    burst_milli = param(0)
    pause_ps = param(0)
    instances = array("locks", Exclusive, padded=True)

    def thread(self):
        yield compute(1 + random_below(self.pause_ps + 1))
        while True:
            yield from self.section()
            for _ in range(self.batch):
                yield done()
            if random_below(MILLI) < self.burst_milli:
                yield compute(self.gap_ps)
            elif self.pause_ps > 0:
                yield compute(random_exponential(self.pause_ps))

    def chosen(self):
        classes = self.locks // self.parts
        which = thread() % classes
        if self.users == RANDOM:
            which = random_below(classes)
        elif self.users == HOT:
            which = 0
            if random_below(PERCENT) >= self.hot_percent:
                which = 1 + random_below(classes - 1)
        return which * self.parts + random_below(self.parts)

    def spread(self, mean_ps):
        if self.form == EXPONENTIAL:
            return random_exponential(mean_ps)
        if self.form == LOGNORMAL:
            return self.lognormal(mean_ps)
        if self.form == TWO and random_below(10_000) < self.long_tenths:
            return self.long_ps
        return mean_ps

    def lognormal(self, mean_ps):
        """A normal number of twelve uniform ones, and its exponential by a parabola an octave."""
        z = 0 - 12 * ONE // 2
        for _ in range(12):
            z += random_below(ONE)
        x = self.sigma_milli * z // MILLI - self.sigma_milli * self.sigma_milli * ONE // (
            2 * MILLI * MILLI
        )
        y = x * 1477 // ONE
        octave = y // ONE
        f = y - octave * ONE
        p = ONE + f * 672 // ONE + f * f * 352 // (ONE * ONE)
        if octave >= 0:
            return (mean_ps * p // ONE) << octave
        return (mean_ps * p // ONE) >> (0 - octave)
