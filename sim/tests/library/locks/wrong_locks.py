"""Wrong variants of the library's locks: one change of the text, and how the checker shows it."""

from dataclasses import dataclass

from locksim.lang import Struct
from locksim.library.registry import essay, from_text, resolve


@dataclass(frozen=True)
class Wrong:
    """A lock with one piece of its text replaced.

    Arguments:
        lock: the library's name. what: the mistake. old: text that occurs once. new: instead.
        found: the property that is violated first.
        threads, rounds: the smallest client that shows it.
    """

    lock: str
    what: str
    old: str
    new: str
    found: str
    threads: int = 2
    rounds: int = 1

    def __str__(self) -> str:
        return f"{self.lock}: {self.what}"

    def struct(self) -> type[Struct]:
        """The class, compiled from the changed text."""
        code = resolve(self.lock).compiled()
        text = code.source.replace(essay(resolve(self.lock)), "")
        assert 1 == text.count(self.old), f"{self}: {text.count(self.old)} places"
        return from_text(text.replace(self.old, self.new), f"{self.lock}.py", code.name).struct


_LOOK = "        same = (yield self.value.load(RELAXED)) == expected\n"
_MARK = """\
        yield self.futex.value.compare_swap(value, value | SLEEPERS, RELAXED)
        yield from self.futex.wait(value | SLEEPERS)
"""
_BARE = "        yield from self.futex.wait(value)\n"
MISTAKES = [
    Wrong(
        "anderson",
        "fewer places than CPUs",
        "ACQ_REL)) % n_cpus()",
        "ACQ_REL)) % 2",
        "exclusion",
        3,
    ),
    Wrong("anderson", "keeps its flag", "[place].store(0,", "[place].store(1,", "exclusion"),
    Wrong("graunke_thakkar", "does not flip", "store(1 - flag, R", "store(flag, R", "deadlock"),
    Wrong("graunke_thakkar", "waits for itself", "[before // 2]", "[me]", "deadlock"),
    Wrong(
        "k42",
        "forgets the one that came meanwhile",
        "            after = yield from self.wait_for_link(node)\n        yield",
        "            return\n        yield",
        "deadlock",
        3,
    ),
    Wrong(
        "k42",
        "keeps an old successor",
        "yield self.queue.next.store(NULL, RELAXED)",
        "yield pause()",
        "deadlock",
    ),
    Wrong(
        "hemlock",
        "does not wait for the answer",
        "            while (yield me.given.load(ACQUIRE)):\n                yield pause()\n",
        "",
        "exclusion",
        3,
        2,
    ),
    Wrong(
        "hemlock",
        "does not answer",
        "yield before.given.store(0, RELEASE)",
        "yield pause()",
        "deadlock",
    ),
    Wrong(
        "twa",
        "does not look again",
        "if ticket - (yield self.now_serving.load(ACQUIRE)) > NEXT:",
        "if seen >= 0:",
        "deadlock",
        3,
    ),
    Wrong("twa", "wakes the one after the next", "(served + NEXT)", "(served + 2)", "deadlock", 3),
    Wrong(
        "reciprocating",
        "goes past the end of the batch",
        "if after == end:",
        "if after == me:",
        "deadlock",
    ),
    Wrong(
        "reciprocating",
        "takes a batch and frees the lock",
        "swap(self.taken, ACQUIRE)",
        "swap(NULL, ACQUIRE)",
        "memory",
    ),
    Wrong(
        "cna",
        "loses those that it put aside",
        "yield near.aside.store(aside, RELAXED)",
        "yield pause()",
        "deadlock",
        3,
    ),
    Wrong(
        "cna",
        "puts aside and keeps the link",
        "yield last.next.store(NULL, RELAXED)",
        "yield pause()",
        "deadlock",
        3,
        2,
    ),
    Wrong(
        "cohort",
        "keeps the upper lock for none",
        "taken - served > 1",
        "taken - served > 0",
        "deadlock",
    ),
    Wrong(
        "cohort",
        "says too late that it gives the upper lock back",
        "yield mine.owns.store(0, RELAXED)",
        "yield pause()",
        "exclusion",
    ),
    Wrong(
        "hmcs",
        "the next of a socket does not join above",
        "yield from self.leave(mine.queue, me, JOIN_ABOVE)",
        "yield from self.leave(mine.queue, me, FIRST)",
        "deadlock",
    ),
    Wrong(
        "hmcs",
        "never leaves the upper queue",
        "self.leave(self.upper, mine.node, FIRST)",
        "self.leave(mine.queue, me, JOIN_ABOVE)",
        "deadlock",
    ),
    Wrong(
        "phase_fair",
        "writers look alike",
        "fetch_add(PRESENT | (ticket & PHASE), R",
        "fetch_add(PRESENT, R",
        "deadlock",
        2,
        2,
    ),
    Wrong(
        "phase_fair",
        "does not wait for the readers",
        "(yield self.readers_out.load(ACQUIRE)) != before",
        "(yield self.readers_out.load(ACQUIRE)) > before",
        "exclusion",
    ),
    Wrong(
        "peterson",
        "gives the turn to itself",
        "turn.store(1 - side, R",
        "turn.store(side, R",
        "exclusion",
    ),
    Wrong(
        "peterson",
        "leaves the lower gate too early",
        "        for below in",
        "        yield from self.leave(self.gates[leaf >> 1], leaf & 1)\n        for below in",
        "exclusion",
        3,
    ),
    Wrong(
        "dekker",
        "keeps its flag up",
        "yield gate.wants[side].store(0, RELAXED)",
        "yield pause()",
        "deadlock",
    ),
    Wrong("dekker", "keeps the turn", "turn.store(1 - side, R", "turn.store(side, R", "deadlock"),
    Wrong(
        "filter", "one level less", "range(1, n_cpus())", "range(1, n_cpus() - 1)", "exclusion", 3
    ),
    Wrong(
        "bakery",
        "does not say that it chooses",
        "[me].store(1, RELAXED)",
        "[me].store(0, RELAXED)",
        "exclusion",
    ),
    Wrong("bakery", "no order of equal numbers", "other < me", "other < other", "exclusion"),
    Wrong(
        "futex",
        "hides the other sleepers",
        "wait(SLEEPERS)\n            value = yield self.futex.value.swap(SLEEPERS, ACQUIRE)",
        "wait(SLEEPERS)\n            value = yield self.futex.value.swap(HELD, ACQUIRE)",
        "deadlock",
        3,
    ),
    Wrong(
        "futex",
        "wakes before it frees",
        "yield self.futex.value.store(FREE, RELEASE)\n            yield from self.futex.wake()",
        "yield from self.futex.wake()\n            yield self.futex.value.store(FREE, RELEASE)",
        "deadlock",
    ),
    Wrong("futex", "wakes no sleeper", "!= HELD:", "< FREE:", "deadlock"),
    Wrong("futex", "sleeps without a look", "== expected", "!= expected + 1", "deadlock"),
    Wrong(
        "futex",
        "looks before it queues",
        f"        yield from self.bucket.acquire()\n{_LOOK}",
        f"{_LOOK}        yield from self.bucket.acquire()\n",
        "deadlock",
    ),
    Wrong("futex_rwlock", "a writer wakes one only", "wake_all()\n\n", "wake()\n\n", "deadlock", 3),
    Wrong(
        "futex_rwlock",
        "the last reader wakes no sleeper",
        "if after == 0 and (waiters or value & SLEEPERS):",
        "if after < 0:",
        "deadlock",
    ),
    Wrong(
        "futex_rwlock",
        "a woken writer forgets the other sleepers",
        "if waiters or value & SLEEPERS:",
        "if value & SLEEPERS:",
        "deadlock",
        3,
    ),
    Wrong("futex_rwlock", "sleeps unmarked", _MARK, _BARE, "deadlock"),
    Wrong(
        "futex_rwlock",
        "the last reader keeps the mark",
        "0 if value & WRITER == 1 else value - 1",
        "value - 1",
        "deadlock",
    ),
    Wrong(
        "futex_rwlock",
        "a woken writer goes in without the lock",
        "while not (yield from self.write_try_acquire())",
        "if not (yield from self.write_try_acquire())",
        "exclusion",
    ),
    Wrong(
        "futex_rwlock",
        "a reader sleeps behind readers",
        "            if value & WRITER == WRITER:",
        "            if value:",
        "deadlock",
    ),
    Wrong(
        "osq",
        "leaves and keeps the link to itself",
        "if (yield before.next.compare_swap(me, NULL, ACQ_REL)) == me:",
        "if me:",
        "deadlock",
        3,
    ),
    Wrong(
        "osq",
        "does not see that it has been served",
        "            if (yield me.locked.load(ACQUIRE)):\n                return 1\n",
        "",
        "deadlock",
    ),
    Wrong(
        "osq",
        "lets the one behind leave at the same time",
        "after = yield me.next.swap(NULL, ACQUIRE)\n                if",
        "after = yield me.next.load(ACQUIRE)\n                if",
        "deadlock",
        3,
    ),
    Wrong(
        "osq",
        "takes the others along",
        "compare_swap(me, before, ACQ_REL)",
        "compare_swap(me, NULL, ACQ_REL)",
        "exclusion",
    ),
    Wrong(
        "mutex",
        "does not say that it waits",
        "yield self.owner.fetch_or(WAITERS, RELAXED)",
        "yield pause()",
        "deadlock",
    ),
    Wrong(
        "mutex",
        "sleeps without another try",
        "            yield from self.join(me)\n            holder = yield from self.take(0)\n",
        "            yield from self.join(me)\n",
        "deadlock",
    ),
    Wrong(
        "mutex",
        "hands over and forgets to say so",
        "| WAITERS | PICKUP",
        "| WAITERS",
        "deadlock",
    ),
    Wrong(
        "mutex",
        "frees what it was asked to hand over",
        "while not value & HANDOFF:",
        "while True:",
        "assertion",
    ),
    Wrong(
        "mutex",
        "keeps its place among the spinners",
        "        if not first:\n            yield from self.queue.release()\n",
        "",
        "deadlock",
        2,
        2,
    ),
    Wrong(
        "percpu_rwsem",
        "keeps its count where a writer blocks",
        "        yield from self.count_out()\n        return 0",
        "        return 0",
        "deadlock",
    ),
    Wrong(
        "percpu_rwsem",
        "does not wait for the readers",
        "while (yield from self.readers()):",
        "while (yield from self.readers()) > n_cpus():",
        "exclusion",
    ),
    Wrong("percpu_rwsem", "wakes no writer", "if writer:", "if writer > n_cpus():", "deadlock"),
    Wrong(
        "percpu_rwsem",
        "forgets the list",
        "        yield from self.serve_line()\n",
        "",
        "deadlock",
    ),
    Wrong(
        "percpu_rwsem",
        "joins the list without another try",
        "got = yield from self.come_in(reads)\n        if not got",
        "got = 0\n        if not got",
        "deadlock",
    ),
    Wrong(
        "rwsem",
        "wakes readers and does not count them",
        "change = change + READER",
        "change = change + 0",
        "exclusion",
        3,
    ),
    Wrong(
        "rwsem",
        "does not see that a writer was quicker",
        "            if count & WRITER:\n                # A",
        "            if count & HANDOFF & WRITER:\n                # A",
        "exclusion",
        3,
    ),
    Wrong("rwsem", "readers leave silently", "== WAITERS:", "== WAITERS + 1:", "deadlock"),
    Wrong(
        "rwsem",
        "forgets who waits behind it",
        "if first and last:",
        "if first:",
        "deadlock",
        3,
    ),
    Wrong(
        "rwsem",
        "waits and is counted as a reader",
        "change = WAITERS - READER",
        "change = WAITERS",
        "deadlock",
        2,
        2,
    ),
    Wrong(
        "rwsem",
        "downgrades silently",
        "        if count & WAITERS:\n            yield from self.wake_readers()\n",
        "",
        "deadlock",
    ),
]
"""Wrong on any machine."""

TOO_WEAK = [
    Wrong(
        "anderson",
        "takes its place RELAXED",
        "fetch_add(1, ACQ_REL)",
        "fetch_add(1, RELAXED)",
        "race",
    ),
    Wrong("graunke_thakkar", "joins RELAXED", "flag, ACQ_REL)", "flag, RELAXED)", "exclusion"),
    Wrong(
        "k42",
        "can be found before its node is ready",
        "compare_swap(last, node, ACQ_REL)",
        "compare_swap(last, node, ACQUIRE)",
        "deadlock",
        3,
    ),
    Wrong(
        "hemlock",
        "joins without release",
        "self.grants[cpu()], ACQ_REL)\n        if",
        "self.grants[cpu()], ACQUIRE)\n        if",
        "exclusion",
        3,
        2,
    ),
    Wrong(
        "twa",
        "reads the slot RELAXED",
        "seen = yield self.waiting[ticket % self.slots].load(ACQUIRE)",
        "seen = yield self.waiting[ticket % self.slots].load(RELAXED)",
        "deadlock",
        3,
    ),
    Wrong(
        "reciprocating",
        "opens the gate RELAXED",
        "after.gate.store(end, RELEASE)",
        "after.gate.store(end, RELAXED)",
        "race",
    ),
    Wrong(
        "cna",
        "hands over RELAXED",
        "yield after.go.store(1, RELEASE)",
        "yield after.go.store(1, RELAXED)",
        "race",
    ),
    Wrong(
        "cohort",
        "gives the upper lock back RELAXED",
        "store(served + 1, RELEASE)",
        "store(served + 1, RELAXED)",
        "race",
    ),
    Wrong(
        "hmcs",
        "tells its successor RELAXED",
        "store(status, RELEASE)",
        "store(status, RELAXED)",
        "race",
    ),
    Wrong(
        "phase_fair",
        "readers leave RELAXED",
        "fetch_add(READER, RELEASE)",
        "fetch_add(READER, RELAXED)",
        "race",
    ),
    Wrong(
        "peterson",
        "one fence, as x86 needs",
        "            yield fence()\n        yield gate.turn",
        "            yield fence(ACQUIRE)\n        yield gate.turn",
        "exclusion",
    ),
    Wrong(
        "dekker",
        "takes its flag down RELAXED at the end",
        "store(0, RELEASE)",
        "store(0, RELAXED)",
        "race",
    ),
    Wrong(
        "futex_rwlock",
        "readers leave RELAXED",
        "compare_swap(value, after, RELEASE)",
        "compare_swap(value, after, RELAXED)",
        "race",
    ),
    Wrong("filter", "waits RELAXED", "theirs.load(ACQUIRE)", "theirs.load(RELAXED)", "race"),
    Wrong(
        "bakery",
        "goes back RELAXED",
        "[cpu()].store(0, RELEASE)",
        "[cpu()].store(0, RELAXED)",
        "race",
    ),
    Wrong(
        "osq",
        "serves RELAXED",
        "yield after.locked.store(1, RELEASE)",
        "yield after.locked.store(1, RELAXED)",
        "race",
    ),
    Wrong(
        "percpu_rwsem",
        "readers leave RELAXED",
        "mine.store(count - 1, RELEASE)",
        "mine.store(count - 1, RELAXED)",
        "race",
    ),
]
"""One order too weak: wrong under c11 only."""
