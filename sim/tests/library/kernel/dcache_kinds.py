"""All kinds of directory caches, for tests."""

from __future__ import annotations

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
