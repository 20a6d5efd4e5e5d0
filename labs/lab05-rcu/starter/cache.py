"""A decision cache under RCU, for you to write.

lookup, replace and reclaim do nothing yet. Try: locklab lab check
"""

from locksim.lang import (  # everything that you need
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    DecisionCache,
    Struct,
    alloc,
    array,
    free,
    part,
    pause,
    pointer,
    word,
)
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.locks.ttas import TTASLock

N_SLOTS = 4


class Entry(Struct):
    """A decision and its key, the tag. You may add fields."""

    tag = word()
    allowed = word()
    audit = word()
    used = word()
    next = pointer("Entry")


class Cache(DecisionCache):
    """Chains of entries; the chain of a key begins at slots[key % N_SLOTS]."""

    slots = array(N_SLOTS, pointer(Entry))
    lock = part(TTASLock, padded=True)
    rcu = part(QSBR, padded=True)

    def lookup(self, key):
        """Return allowed + (audit << 32) of the key's entry, or 0."""
        yield from self.rcu.read_lock()
        yield from self.rcu.read_unlock()
        return 0

    def replace(self, key, allowed, audit):
        """Make this the key's decision: copy, publish, wait, free."""
        yield pause()

    def reclaim(self):
        """Remove entries that were not used since the last call; return their number."""
        yield pause()
        return 0

    def quiescent(self):
        """Report that this CPU uses no entry."""
        yield from self.rcu.quiescent()

    def offline(self):
        """Report that this CPU stops."""
        yield from self.rcu.offline()
