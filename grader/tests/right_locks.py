"""Right variants of three spinlocks, each as a class ``L``: other source, the same algorithm.

``HEAD`` goes before each; a TTAS lock without a release gets ``RELEASE``.
"""

HEAD = """from locksim.lang import (
    ACQ_REL, ACQUIRE, NS, NULL, RELAXED, RELEASE, Lock, Struct, compute, cpu, fence, pause, percpu,
    pointer, random_below, thread, word,
)


"""
RELEASE = """
    def release(self):
        yield self.locked.store(0, RELEASE)
"""
TTAS = {
    "compare-swap": """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.compare_swap(0, 1, ACQUIRE)) != 0:
            while (yield self.locked.load(RELAXED)):
                yield pause()
""",
    "helper": """class L(Lock):
    locked = word()

    def acquire(self):
        yield from self.quiet()
        while (yield self.locked.swap(1, ACQUIRE)):
            yield from self.quiet()

    def quiet(self):
        while (yield self.locked.load(RELAXED)):
            yield pause()
""",
    "backoff": """class L(Lock):
    locked = word()

    def acquire(self):
        longest = 100 * NS
        while (yield self.locked.swap(1, ACQUIRE)):
            while (yield self.locked.load(RELAXED)):
                yield compute(random_below(longest) + 1)
            longest = longest + longest
            if longest > 5000 * NS:
                longest = 5000 * NS
""",
    "fetch-or": """class L(Lock):
    locked = word()

    def acquire(self):
        while True:
            if not (yield self.locked.load(RELAXED)):
                if not (yield self.locked.fetch_or(1, ACQUIRE)):
                    return
            yield pause()
""",
    "statistics": """class L(Lock):
    locked = word()
    taken = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            while (yield self.locked.load(RELAXED)):
                yield pause()
        taken = yield self.taken.load(RELAXED)
        yield self.taken.store(taken + 1, RELAXED)
""",
    "fence": """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, RELAXED)):
            while (yield self.locked.load(RELAXED)):
                yield pause()
        yield fence(ACQUIRE)
""",
    "inverted": """class L(Lock):
    locked = word(1)

    def acquire(self):
        while not (yield self.locked.swap(0, ACQUIRE)):
            while not (yield self.locked.load(RELAXED)):
                yield pause()

    def release(self):
        yield self.locked.store(1, RELEASE)
""",
}
NODE = """class Node(Struct):
    next = pointer("Node")
    waiting = word()


"""
QUEUE = """
    def release(self):
        me = self.places[cpu()]
        after = yield me.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(me, NULL, RELEASE)) == me:
                return
            after = yield me.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield me.next.load(ACQUIRE)
        yield after.waiting.store(0, RELEASE)
"""
PLAIN = """class L(Lock):
    tail = pointer(Node)
    places = percpu(Node)

    def acquire(self):
        me = self.places[cpu()]
        yield me.next.store(NULL, RELAXED)
        yield me.waiting.store(1, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            yield before.next.store(me, RELEASE)
            while (yield me.waiting.load(ACQUIRE)):
                yield pause()
"""
MCS = {
    "flag-first": NODE + PLAIN + QUEUE,
    "thread": (NODE + PLAIN + QUEUE).replace("cpu()", "thread()"),
    "fence": NODE
    + PLAIN.replace("load(ACQUIRE)", "load(RELAXED)")
    + "            yield fence(ACQUIRE)\n"
    + QUEUE,
    "helper": NODE
    + PLAIN.replace(
        "            while (yield me.waiting.load(ACQUIRE)):\n                yield pause()\n",
        "            yield from self.wait(me)\n",
    )
    + """
    def wait(self, me: Node):
        while (yield me.waiting.load(ACQUIRE)):
            yield pause()
"""
    + QUEUE,
    "patient": (NODE + PLAIN + QUEUE).replace("yield pause()", "yield compute(300 * NS)"),
    "statistics": NODE.replace("    waiting", "    turns = word()\n    waiting")
    + PLAIN
    + """        turns = yield me.turns.load(RELAXED)
        yield me.turns.store(turns + 1, RELAXED)
"""
    + QUEUE,
    "looks-at-the-tail": (NODE + PLAIN + QUEUE).replace(
        "ACQUIRE)):\n                yield pause()\n\n",
        "ACQUIRE)):\n                yield self.tail.load(RELAXED)\n\n",
    ),
}
TICKET_HEAD = """class L(Lock):
    next = word()
    now = word()
"""
SERVE = """
    def release(self):
        now = yield self.now.load(RELAXED)
        yield self.now.store(now + 1, RELEASE)
"""
TAKE = """
    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        while (yield self.now.load(ACQUIRE)) != mine:
            yield pause()
"""
TICKETS = {
    "plain": TICKET_HEAD + TAKE + SERVE,
    "apart": TICKET_HEAD.replace("now = word()", "now = word(padded=True)") + TAKE + SERVE,
    "fetch-add-release": TICKET_HEAD
    + TAKE
    + """
    def release(self):
        yield self.now.fetch_add(1, RELEASE)
""",
    "proportional": TICKET_HEAD
    + """
    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        now = yield self.now.load(ACQUIRE)
        while now != mine:
            yield compute(100 * NS * (mine - now))
            now = yield self.now.load(ACQUIRE)
"""
    + SERVE,
    "helper": TICKET_HEAD
    + """
    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        yield from self.wait(mine)

    def wait(self, mine):
        while (yield self.now.load(ACQUIRE)) != mine:
            yield pause()
"""
    + SERVE,
    "from-one": TICKET_HEAD.replace("word()", "word(1)") + TAKE + SERVE,
}
