"""A cache of decisions that forgets nothing but what a reclaim takes out."""

from locksim.lang import *

__all__ = ["Decisions"]

ROOM = 4


class Decisions(Struct):
    """The methods of ``DecisionCache``, one at a time.

    ``lookup(key)`` gives ``value + (audit << 32)``, 0 if there is no decision; ``reclaim()`` takes
    out what was neither looked up nor replaced since the last time, and gives how many.
    """

    KEY = 1
    AUDIT = 1
    keys = array(ROOM)
    decisions = array(ROOM)
    used = array(ROOM)

    def lookup(self, key):
        decision = 0
        for i in range(ROOM):
            if (yield self.keys[i].load()) == key:
                yield self.used[i].store(1)
                decision = yield self.decisions[i].load()
        return decision

    def replace(self, key, value, audit):
        at = ROOM
        for i in range(ROOM):
            found = yield self.keys[i].load()
            if found == key or (found == 0 and at == ROOM):
                at = i
        yield self.keys[at].store(key)
        yield self.decisions[at].store(value + (audit << 32))
        yield self.used[at].store(1)

    def reclaim(self):
        taken = 0
        for i in range(ROOM):
            if (yield self.keys[i].load()) != 0 and (yield self.used[i].swap(0)) == 0:
                yield self.keys[i].store(0)
                yield self.decisions[i].store(0)
                taken = taken + 1
        return taken
