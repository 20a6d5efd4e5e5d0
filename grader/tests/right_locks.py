"""Right variants of four spinlocks, each as a class ``L``: other source, the same algorithm.

``HEAD`` goes before each; a TAS or TTAS lock without a release gets ``RELEASE``. ``BACKS_OFF`` has
right locks that are another algorithm: their waiters pause longer where more CPUs wait.
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
TAS = {
    "compare-swap": """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()
""",
    "owner": """class L(Lock):
    locked = word()

    def acquire(self):
        while True:
            owner = yield self.locked.compare_swap(0, cpu() + 1, ACQUIRE)
            if owner == 0:
                return
            yield pause()
""",
    "fetch-or": """class L(Lock):
    locked = word(padded=True)

    def acquire(self):
        while (yield self.locked.fetch_or(1, ACQUIRE)) & 1:
            yield pause()
""",
    "fence": """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, RELAXED)):
            yield pause()
        yield fence(ACQUIRE)
""",
    "inverted": """class L(Lock):
    locked = word(1)

    def acquire(self):
        while not (yield self.locked.swap(0, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(1, RELEASE)
""",
    "tests-first": """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.load(RELAXED)) or (yield self.locked.swap(1, ACQUIRE)):
            yield pause()
""",
}
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
    "patient": """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            while (yield self.locked.load(RELAXED)):
                yield compute(300 * NS)
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
    "compares-and-swaps": NODE
    + PLAIN.replace(
        "        before = yield self.tail.swap(me, ACQ_REL)\n",
        """        before = yield self.tail.load(RELAXED)
        found = yield self.tail.compare_swap(before, me, ACQ_REL)
        while found != before:
            before = found
            found = yield self.tail.compare_swap(before, me, ACQ_REL)
""",
    )
    + QUEUE,
    "tries-the-tail": NODE
    + PLAIN.replace(
        "        before = yield self.tail.swap(me, ACQ_REL)\n",
        """        if not (yield self.tail.compare_swap(NULL, me, ACQ_REL)):
            return
        before = yield self.tail.swap(me, ACQ_REL)
""",
    )
    + QUEUE,
    "flag-says-go": (NODE + PLAIN + QUEUE)
    .replace("waiting = word()", "go = word()")
    .replace("me.waiting.store(1,", "me.go.store(0,")
    .replace("while (yield me.waiting.load(ACQUIRE))", "while not (yield me.go.load(ACQUIRE))")
    .replace("after.waiting.store(0,", "after.go.store(1,"),
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
    "patient": TICKET_HEAD + TAKE.replace("yield pause()", "yield compute(200 * NS)") + SERVE,
    "spins-then-pauses": TICKET_HEAD
    + """
    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        tries = 0
        while (yield self.now.load(ACQUIRE)) != mine:
            if tries < 4:
                tries = tries + 1
                yield pause()
            else:
                yield compute(200 * NS)
"""
    + SERVE,
    "statistics": TICKET_HEAD.replace("now = word()", "now = word()\n    turns = word()")
    + TAKE
    + """        turns = yield self.turns.load(RELAXED)
        yield self.turns.store(turns + 1, RELAXED)
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
BACKS_OFF = {
    "ttas-random": """class L(Lock):
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
    "ticket-proportional": TICKET_HEAD
    + """
    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        now = yield self.now.load(ACQUIRE)
        while now != mine:
            yield compute(100 * NS * (mine - now))
            now = yield self.now.load(ACQUIRE)
"""
    + SERVE,
    "ticket-by-cpu": TICKET_HEAD
    + TAKE.replace("yield pause()", "yield compute(cpu() // 3 * 400 * NS)")
    + SERVE,
    "ticket-beyond-two": TICKET_HEAD
    + """
    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        ahead = 1
        while ahead:
            ahead = mine - (yield self.now.load(ACQUIRE))
            yield compute(max(ahead - 2, 0) * 100 * NS)
"""
    + SERVE,
    "ticket-loops": TICKET_HEAD
    + """
    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        now = yield self.now.load(ACQUIRE)
        while now != mine:
            for _ in range(mine - now):
                yield pause()
            now = yield self.now.load(ACQUIRE)
"""
    + SERVE,
    "ttas-after-a-try": """class L(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield compute(cpu() // 32 * 2000 * NS)
            while (yield self.locked.load(RELAXED)):
                yield pause()
""",
}
