"""Every CPU asks for the path of a file again and again, and renames the entries now and then.

A rename gives all entries the same new name, so a path that mixes old and new names stops the run.
One unit of work is one path or one rename.
"""

from locksim.lang import *
from locksim.library.kernel.dcache import BASE
from locksim.library.kernel.dcache_seqwriter import SeqWriterDcache

__all__ = ["Paths"]

COMPONENTS = 4
WHOLE = 1 + BASE + BASE * BASE
"""A path of three equal names is a multiple of it; a torn one is not."""


class Paths(Workload):
    """One file below three directories, many CPUs.

    Arguments:
        rounds: calls of a thread; 0: for ever. move_percent: share of the renames.
        think_ps: mean time between two calls, in picoseconds, at least 1; uniform, up to twice it.
    """

    rounds = param(0)
    move_percent = param(20)
    think_ps = param(1000)
    dcache = part(SeqWriterDcache(components=COMPONENTS), padded=True)

    def thread(self):
        left = self.rounds
        while self.rounds == 0 or left > 0:
            left -= 1
            yield compute(1 + random_below(2 * self.think_ps))
            if random_below(100) < self.move_percent:
                yield from self.dcache.d_move(random_below(BASE))
            else:
                path = yield from self.dcache.d_path()
                assert path % WHOLE == 0
                yield note(path)
            yield done()
