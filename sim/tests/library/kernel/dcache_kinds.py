"""All kinds of directory caches, and a load of walks and renames on one, for tests."""

from __future__ import annotations

from locksim.lang import Workload, compute, done, note, param, part, random_below
from locksim.library.kernel.dcache import BASE
from locksim.library.kernel.dcache_seqretry import SeqRetryDcache
from locksim.library.kernel.dcache_seqrwlock import SeqRWLockDcache
from locksim.library.kernel.dcache_seqwriter import SeqWriterDcache, WriterWalkDcache
from locksim.library.kernel.dcache_seqwriter_queued import QueuedSeqWriterDcache

KINDS = [
    SeqWriterDcache,
    SeqRWLockDcache,
    SeqRetryDcache,
    QueuedSeqWriterDcache,
    WriterWalkDcache,
]
COMPONENTS = 4
WHOLE = 1 + BASE + BASE * BASE
"""A path of three equal names is a multiple of it; a torn one is not."""


class Paths(Workload):
    """Every CPU asks for the path again and again, and renames now and then.

    Arguments:
        rounds: calls of a thread; 0: for ever. move_percent: share of the renames.
    """

    rounds = param(0)
    move_percent = param(20)
    think_ps = param(2000)
    dcache = part(SeqWriterDcache(components=COMPONENTS), padded=True)

    def thread(self):
        left = self.rounds
        while self.rounds == 0 or left > 0:
            left -= 1
            yield compute(1 + random_below(self.think_ps))
            if random_below(100) < self.move_percent:
                yield from self.dcache.d_move(random_below(BASE))
            else:
                path = yield from self.dcache.d_path()
                assert path % WHOLE == 0
                yield note(path)
            yield done()
