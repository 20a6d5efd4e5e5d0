"""Locks that are right and another algorithm than their name, or another one where more CPUs wait.

They exclude, so no proof finds them. ``LOCKS`` has the class and its fields and methods by name;
what they lose is the proof of that class, by how it waits.
"""

from __future__ import annotations

QUEUE_FIELDS = """    tail = pointer(Waiter)
    places = percpu(Waiter)
"""
ENTER = """        me = self.places[cpu()]
        yield me.next.store(NULL, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            yield me.waiting.store(1, RELAXED)
            yield before.next.store(me, RELEASE)
            while (yield me.waiting.load(ACQUIRE)):
                yield pause()
"""
LEAVE = """        me = self.places[cpu()]
        after = yield me.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(me, NULL, RELEASE)) == me:
                return
            while not after:
                yield pause()
                after = yield me.next.load(ACQUIRE)
"""
PASS_ON = "        yield after.waiting.store(0, RELEASE)\n"
FREE = "        yield self.locked.store(0, RELEASE)\n"
TAKE = "        while (yield self.locked.swap(1, ACQUIRE)):\n            yield pause()\n"
READ = """        while True:
            while (yield self.locked.load(RELAXED)):
                yield pause()
            if not (yield self.locked.swap(1, ACQUIRE)):
                break
"""
TICKET = "    next = word()\n    turn = word()\n"
SERVE = """        turn = yield self.turn.load(RELAXED)
        yield self.turn.store(turn + 1, RELEASE)
"""
WAIT = "        while (yield self.turn.load(ACQUIRE)) != mine:\n            yield pause()\n"
DRAW = "        mine = yield self.next.fetch_add(1, RELAXED)\n"
TRY = "        yield self.locked.swap(1, ACQUIRE)\n"
ONE = "    locked = word()\n"
BOTH = QUEUE_FIELDS + "    locked = word(padded=True)\n"


def _lock(fields: str, acquire: str, release: str) -> str:
    return f"{fields}\n    def acquire(self):\n{acquire}\n    def release(self):\n{release}"


SWAP_TWO = """        second = yield after.next.load(ACQUIRE)
        if second:
            third = yield second.next.load(ACQUIRE)
            if third:
                yield after.next.store(third, RELAXED)
                yield second.next.store(after, RELEASE)
                after = second
"""


def _handed_over(takes: str) -> str:
    """A queue whose head takes a shared word, and lets the next one come to its head."""
    leave = LEAVE.split("\n", 1)[1]  # `me` is known
    return ENTER + takes + leave + PASS_ON


LOCKS = {
    "qspinlock": (
        "MCS",
        _lock(
            BOTH,
            "        if not (yield self.locked.swap(1, ACQUIRE)):\n            return\n"
            + _handed_over(READ),
            FREE,
        ),
    ),
    "queue-before-a-word": (
        "MCS",
        _lock(
            BOTH,
            _handed_over(
                "        while (yield self.locked.load(ACQUIRE)):\n            yield pause()\n"
                "        yield self.locked.store(1, RELAXED)\n"
            ),
            FREE,
        ),
    ),
    "queue-before-test-and-set": ("MCS", _lock(BOTH, _handed_over(TAKE), FREE)),
    "queue-hands-to-the-second": ("MCS", _lock(QUEUE_FIELDS, ENTER, LEAVE + SWAP_TWO + PASS_ON)),
    "queue-hands-to-the-second-at-times": (
        "MCS",
        _lock(
            QUEUE_FIELDS + "    turns = word()\n",
            ENTER,
            LEAVE + "        turns = yield self.turns.load(RELAXED)\n"
            "        yield self.turns.store(turns + 1, RELAXED)\n"
            + SWAP_TWO.replace("if third:", "if third and turns % 5 == 0:")
            + PASS_ON,
        ),
    ),
    "queue-with-a-gate": (
        "MCS",
        _lock(
            QUEUE_FIELDS + "    inside = word(padded=True)\n",
            "        while (yield self.inside.load(RELAXED)) > 3:\n            yield pause()\n"
            "        yield self.inside.fetch_add(1, RELAXED)\n" + ENTER,
            "        yield self.inside.fetch_add(-1, RELAXED)\n" + LEAVE + PASS_ON,
        ),
    ),
    "queue-pauses-by-cpu": (
        "MCS",
        _lock(
            QUEUE_FIELDS,
            ENTER.replace("yield pause()", "yield compute(cpu() // 3 * 100000)"),
            LEAVE + PASS_ON,
        ),
    ),
    "queue-as-test-and-set": ("TAS", _lock(QUEUE_FIELDS, ENTER, LEAVE + PASS_ON)),
    "queue-with-a-swap-as-test-and-set": (
        "TAS",
        _lock(BOTH, "        yield self.locked.swap(0, RELAXED)\n" + ENTER, LEAVE + PASS_ON),
    ),
    "queue-and-word-as-test-and-set": ("TAS", _lock(BOTH, _handed_over(TAKE), FREE)),
    "ticket-as-test-and-set": ("TAS", _lock(TICKET, DRAW + WAIT, SERVE)),
    "ticket-by-atomics-as-test-and-set": (
        "TAS",
        _lock(TICKET, DRAW + WAIT.replace("load(ACQUIRE)", "fetch_add(0, ACQUIRE)"), SERVE),
    ),
    "ticket-and-word-as-test-and-set": (
        "TAS",
        _lock(TICKET + ONE, DRAW + WAIT + TRY, FREE + SERVE),
    ),
    "queue-as-test-test-and-set": (
        "TTAS",
        _lock(
            BOTH,
            "        yield self.locked.load(RELAXED)\n        yield self.locked.swap(0, ACQUIRE)\n"
            + ENTER.replace(
                "                yield pause()",
                "                yield self.locked.load(RELAXED)\n                yield pause()",
            ),
            LEAVE + PASS_ON,
        ),
    ),
    "ticket-as-test-test-and-set": (
        "TTAS",
        _lock(
            TICKET + ONE,
            "        yield self.locked.load(RELAXED)\n" + DRAW + WAIT + TRY,
            FREE + SERVE,
        ),
    ),
    "queue-and-word-as-test-test-and-set": ("TTAS", _lock(BOTH, _handed_over(READ), FREE)),
    "blind-from-cpu-32": (
        "TTAS",
        _lock(
            ONE,
            READ.replace(
                "while (yield self.locked.load(RELAXED)):",
                "while (yield self.locked.load(RELAXED)) > cpu() // 32:",
            ),
            FREE,
        ),
    ),
    "blind-to-odd-owners": (
        "TTAS",
        _lock(
            ONE,
            READ.replace(
                "while (yield self.locked.load(RELAXED)):",
                "while (yield self.locked.load(RELAXED)) % 2:",
            ).replace("swap(1,", "compare_swap(0, cpu() + 1,"),
            FREE,
        ),
    ),
    "pauses-from-cpu-3": (
        "TTAS",
        _lock(
            ONE,
            READ.replace(
                "                yield pause()\n",
                "                yield compute(cpu() // 3 * 400000)\n"
                "                yield pause()\n",
            ),
            FREE,
        ),
    ),
    "pauses-by-waiters": (
        "TTAS",
        _lock(
            ONE + "    waiters = word(padded=True)\n",
            "        waiters = yield self.waiters.fetch_add(1, RELAXED)\n"
            + READ.replace("yield pause()", "yield compute(max(waiters - 2, 0) * 100000)")
            + "        yield self.waiters.fetch_add(-1, RELAXED)\n",
            FREE,
        ),
    ),
    "pauses-after-lost-tries": (
        "TTAS",
        _lock(
            ONE,
            "        lost = 0\n"
            + READ.replace(
                "                break\n",
                "                break\n            lost = lost + 1\n"
                "            yield compute(max(lost - 8, 0) * 200000)\n",
            ),
            FREE,
        ),
    ),
    "proportional": (
        "Ticket",
        _lock(
            TICKET,
            DRAW + "        ahead = 1\n        while ahead:\n"
            "            ahead = mine - (yield self.turn.load(ACQUIRE))\n"
            "            yield compute(max(ahead - 2, 0) * 100000)\n",
            SERVE,
        ),
    ),
    "pauses-in-a-crowd": (
        "Ticket",
        _lock(
            TICKET,
            DRAW + "        turn = yield self.turn.load(ACQUIRE)\n        while turn != mine:\n"
            "            yield compute((mine - turn) // 20 * 1000000 + 1000)\n"
            "            turn = yield self.turn.load(ACQUIRE)\n",
            SERVE,
        ),
    ),
    "gate": (
        "Ticket",
        _lock(
            TICKET,
            "        crowd = 1\n        while crowd:\n"
            "            drawn = yield self.next.load(RELAXED)\n"
            "            served = yield self.turn.load(RELAXED)\n"
            "            crowd = max(drawn - served - 3, 0)\n" + DRAW + WAIT,
            SERVE,
        ),
    ),
    "gate-of-40": (
        "Ticket",
        _lock(
            TICKET,
            "        crowd = 1\n        while crowd:\n"
            "            drawn = yield self.next.load(RELAXED)\n"
            "            served = yield self.turn.load(RELAXED)\n"
            "            crowd = max(drawn - served - 40, 0)\n" + DRAW + WAIT,
            SERVE,
        ),
    ),
    "draws-anew": (
        "Ticket",
        _lock(
            TICKET + ONE,
            "        yield self.next.fetch_add(1, RELAXED)\n" + READ,
            SERVE + FREE,
        ),
    ),
}
