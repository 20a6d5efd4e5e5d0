"""Caches of lab 05 that are wrong later: after many uses, with many entries, under a long read.

``CHANGES`` has changes of the solution, ``WHOLE`` whole files; each names the check that must not
pass.
"""

from __future__ import annotations

FIELD = "    rcu = part(QSBR, padded=True)\n"
PUBLISH = "        yield link.store(new, RELEASE)\n"
WAIT = """        if old:
            yield from self.rcu.synchronize_rcu()
            yield free(old)
"""
GRACE = "            yield from self.rcu.synchronize_rcu()\n            yield free(old)\n"
FREE_ALL = """        if gone:
            yield from self.rcu.synchronize_rcu()
        while gone:
            rest = yield gone.gone.load(RELAXED)
            yield free(gone)
            gone = rest
"""
TAKE = "                if (yield entry.used.load(RELAXED)):\n"
LOOKUP = "        decision = 0\n        yield from self.rcu.read_lock()\n"
LANGUAGE = ("    array,\n", "    array,\n    cpu,\n    pause,\n    percpu,\n")
Changes = list[tuple[str, str]]


def _ring(size: int) -> Changes:
    """A replaced entry is freed so many replacements later."""
    return [
        (FIELD, f"{FIELD}    ring = array({size}, pointer(Entry), padded=True)\n    at = word()\n"),
        (
            PUBLISH,
            f"""{PUBLISH}        victim = NULL
        if old:
            at = yield self.at.load(RELAXED)
            yield self.at.store((at + 1) % {size}, RELAXED)
            victim = yield self.ring[at].load(RELAXED)
            yield self.ring[at].store(old, RELAXED)
""",
        ),
        (WAIT, "        if victim:\n            yield free(victim)\n"),
    ]


def _reclaim_ring(size: int) -> Changes:
    """A reclaimed entry is freed so many reclaimed entries later."""
    return [
        (FIELD, f"{FIELD}    ring = array({size}, pointer(Entry), padded=True)\n    at = word()\n"),
        (
            FREE_ALL,
            f"""        while gone:
            rest = yield gone.gone.load(RELAXED)
            at = (yield self.at.fetch_add(1, RELAXED)) % {size}
            victim = yield self.ring[at].swap(gone, ACQUIRE)
            if victim:
                yield free(victim)
            gone = rest
""",
        ),
    ]


CHANGES: dict[str, tuple[Changes, str]] = {
    **{f"ring-of-{n}": (_ring(n), "replace-proven") for n in (4, 16, 60, 150, 400)},
    **{f"reclaim-ring-of-{n}": (_reclaim_ring(n), "reclaim-proven") for n in (4, 16, 60, 400)},
    "graveyard": (
        [
            (FIELD, f"{FIELD}    dead = pointer(Entry)\n"),
            (
                WAIT,
                """        if old:
            dead = yield self.dead.swap(old, RELAXED)
            yield old.gone.store(dead, RELAXED)
""",
            ),
        ],
        "replace-proven",
    ),
    "waits-for-the-first-60": (
        [
            (FIELD, f"{FIELD}    times = word()\n"),
            (
                GRACE,
                """            if (yield self.times.fetch_add(1, RELAXED)) < 60:
                yield from self.rcu.synchronize_rcu()
            yield free(old)
""",
            ),
        ],
        "replace-proven",
    ),
    "waits-for-the-first-300": (
        [
            (FIELD, f"{FIELD}    times = word()\n"),
            (
                GRACE,
                """            if (yield self.times.fetch_add(1, RELAXED)) < 300:
                yield from self.rcu.synchronize_rcu()
            yield free(old)
""",
            ),
        ],
        "replace-proven",
    ),
    "waits-for-young-entries": (
        [
            ("    used = word()\n", "    used = word()\n    age = word()\n"),
            (
                PUBLISH,
                "        if old:\n            age = yield old.age.load(RELAXED)\n"
                "            yield new.age.store(age + 1, RELAXED)\n" + PUBLISH,
            ),
            (
                GRACE,
                """            if (yield old.age.load(RELAXED)) < 30:
                yield from self.rcu.synchronize_rcu()
            yield free(old)
""",
            ),
        ],
        "replace-proven",
    ),
    "waits-when-few-are-there": (
        [
            (FIELD, f"{FIELD}    entries = word()\n"),
            (
                PUBLISH,
                f"{PUBLISH}        entries = yield self.entries.load(RELAXED)\n"
                "        entries = entries + (old == NULL)\n"
                "        yield self.entries.store(entries, RELAXED)\n",
            ),
            (
                GRACE,
                """            if entries < 12:
                yield from self.rcu.synchronize_rcu()
            yield free(old)
""",
            ),
        ],
        "replace-proven",
    ),
    "reclaims-the-first-six": (
        [
            ("        taken = 0\n", "        taken = 0\n        seen = 0\n"),
            (
                TAKE,
                "                seen = seen + 1\n"
                "                if (yield entry.used.load(RELAXED)) + seen // 7:\n",
            ),
        ],
        "alone",
    ),
    "reclaims-the-first-thirty": (
        [
            ("        taken = 0\n", "        taken = 0\n        seen = 0\n"),
            (
                TAKE,
                "                seen = seen + 1\n"
                "                if (yield entry.used.load(RELAXED)) + seen // 31:\n",
            ),
        ],
        "alone",
    ),
    "miscounts-many": ([("        return taken\n", "        return min(taken, 9)\n")], "alone"),
    "marks-on-few-cpus": (
        [
            LANGUAGE,
            (
                "            if not (yield entry.used.load(RELAXED)):\n",
                "            if not (yield entry.used.load(RELAXED)) + cpu() // 4:\n",
            ),
        ],
        "alone",
    ),
    "forgets-long-chains": (
        [
            (
                LOOKUP,
                LOOKUP.replace("decision = 0\n", "decision = 0\n        seen = 0\n"),
            ),
            (
                "            entry = yield entry.next.load(ACQUIRE)\n        if entry:",
                "            entry = yield entry.next.load(ACQUIRE)\n            seen = seen + 1\n"
                "        if entry and seen < 5:",
            ),
        ],
        "alone",
    ),
}

UNDER_LOCKS = '''"""A decision cache."""

from locksim.lang import *

N_SLOTS = 4


class Entry(Struct):
    tag = word()
    allowed = word()
    audit = word()
    used = word()
    next = pointer("Entry")


class Cache(DecisionCache):
    slots = array(N_SLOTS, pointer(Entry))
    locks = array(130, word(padded=True))
    many = word(padded=True)
    mine = percpu(word())

    def take(self, which):
        while True:
            while (yield self.locks[which].load(RELAXED)):
                yield pause()
            if not (yield self.locks[which].swap(1, ACQUIRE)):
                return

    def give(self, which):
        yield self.locks[which].store(0, RELEASE)

    def lookup(self, key):
        answer = 0
@WHICH@
        yield from self.take(which)
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(RELAXED)
        if entry:
            if not (yield entry.used.load(RELAXED)):
                yield entry.used.store(1, RELAXED)
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            answer = allowed + (audit << 32)
        yield from self.give(which)
        return answer

    def replace(self, key, allowed, audit):
        yield from self.take(0)
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(RELAXED)
        if not entry:
            entry = yield alloc(Entry)
            if entry:
                yield entry.tag.store(key, RELAXED)
                first = yield self.slots[key % N_SLOTS].load(RELAXED)
                yield entry.next.store(first, RELAXED)
                yield self.slots[key % N_SLOTS].store(entry, RELEASE)
                many = yield self.many.load(RELAXED)
                yield self.many.store(many + 1, RELAXED)
        if entry:
            yield entry.allowed.store(allowed, RELAXED)
            yield entry.audit.store(audit, RELAXED)
            yield entry.used.store(1, RELAXED)
        yield from self.give(0)

    def reclaim(self):
        taken = 0
        yield from self.take(0)
        for i in range(N_SLOTS):
            link = self.slots[i]
            entry = yield link.load(RELAXED)
            while entry:
                if (yield entry.used.load(RELAXED)):
                    yield entry.used.store(0, RELAXED)
                    link = entry.next
                else:
                    rest = yield entry.next.load(RELAXED)
                    yield link.store(rest, RELEASE)
                    yield free(entry)
                    taken = taken + 1
                entry = yield link.load(RELAXED)
        yield from self.give(0)
        return taken

    def quiescent(self):
        yield pause()

    def offline(self):
        yield pause()
'''
HITS = """        hits = yield self.mine[cpu()].load(RELAXED)
        yield self.mine[cpu()].store(min(hits + 1, 300), RELAXED)
        which = hits // 300 * (cpu() + 1)"""
ENTRIES = """        many = yield self.many.load(RELAXED)
        which = min(many // 9, 1) * (cpu() + 1)"""
MANY = ENTRIES.replace("9", "50")
CROWD = """        which = cpu() // 48 * (cpu() + 1)"""
KEYS = """        which = min(key // 50, 1) * (cpu() + 1)"""
WHOLE = {
    f"lock-by-{name}": (UNDER_LOCKS.replace("@WHICH@", which), loses)
    for name, which, loses in (
        ("hits", HITS, "replace-proven"),
        ("entries", ENTRIES, "replace-proven"),
        ("many-entries", MANY, "replace-proven"),
        ("high-cpu", CROWD, "replace-proven"),
        ("key", KEYS, "writers-proven"),
    )
}
