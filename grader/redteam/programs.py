"""Two programs in one lock: what is proven is not what is measured.

Each submission to lab 02 is a test-and-set lock at first. When its *switch* has fired, the CPUs
pass the lock round in a ring, without an atomic that fails and with one waiter a line: fair and
cheap, as long as every CPU comes again and again. The switches differ in what they look at, the
forms in where the choice hides. Those to lab 05 change the solution in one place.

``loses`` is the check that must not pass, ``why`` the rule that finds it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

sys.path.insert(0, str(Path(__file__).parent))

from late_caches import CHANGES, WHOLE
from other_algorithms import LOCKS

LANG = (
    "from locksim.lang import (ACQ_REL, ACQUIRE, NULL, RELAXED, RELEASE, Lock, Struct, alloc, "
    "array, block, compute, cpu, fence, n_cpus, n_threads, now, part, pause, percpu, pointer, "
    "random_below, switch, thread, wake, word)\n"
)


@dataclass(frozen=True)
class Program:
    """One submission: the lab's name, the text, and what it must lose."""

    name: str
    lab: str
    text: str
    loses: str
    why: str


@dataclass(frozen=True)
class Switch:
    """When a lock becomes another one.

    Arguments:
        name: what it looks at. fields: lines of the class. entering: statements of acquire() that
            run first. leaving: of release(), which run under the lock. fired: a condition there.
        why: the rule that finds it.
    """

    name: str
    fields: str
    leaving: str
    fired: str
    entering: str = ""
    why: str = "used"


COUNT = "{0} = (yield self.{0}.load(RELAXED)) + 1\nyield self.{0}.store({0}, RELAXED)\n"
SWITCHES = (
    Switch("acquisitions", "uses = word()\n", COUNT.format("uses"), "uses > 60"),
    Switch(
        "own-acquisitions",
        "mine = percpu(word())\n",
        "mine = (yield self.mine[cpu()].load(RELAXED)) + 1\n"
        "yield self.mine[cpu()].store(mine, RELAXED)\n",
        "mine > 6",
    ),
    Switch("number-of-cpus", "", "", "n_cpus() > 4", why="refused"),
    Switch("number-of-threads", "", "", "n_threads() > 4", why="refused"),
    Switch("clock", "", "time = now()\n", "time > 20000000", why="refused"),
    Switch("high-cpu", "", "", "cpu() > 3"),
    Switch("high-thread", "", "", "thread() > 4"),
    Switch("third-of-the-cpus", "", "", "cpu() // 3 % 4 == 2"),
    Switch(
        "waiters",
        "waiting = word()\n",
        "waiting = yield self.waiting.fetch_add(-1, RELAXED)\n",
        "waiting > 3",
        entering="yield self.waiting.fetch_add(1, RELAXED)\n",
    ),
    Switch(
        "a-cpu-was-here",
        "seen = array(1024, word())\n",
        "yield self.seen[cpu()].store(1, RELAXED)\n",
        "(yield self.seen[5].load(RELAXED))",
    ),
    Switch(
        "several-cpus-were-here",
        "seen = array(1024, word())\n",
        "yield self.seen[cpu()].store(1, RELAXED)\nn = 0\n"
        "for i in range(8):\n    n = n + (yield self.seen[i].load(RELAXED))\n",
        "n > 3",
    ),
    Switch(
        "highest-cpu",
        "highest = word()\n",
        "highest = yield self.highest.load(RELAXED)\n"
        "highest = highest + (cpu() > highest) * (cpu() - highest)\n"
        "yield self.highest.store(highest, RELAXED)\n",
        "highest > 3",
    ),
    Switch(
        "changes-of-owner",
        "owner = word(99)\nchanges = word()\n",
        "other = (yield self.owner.load(RELAXED)) != cpu()\n"
        "changes = (yield self.changes.load(RELAXED)) + other\n"
        "yield self.changes.store(changes, RELAXED)\nyield self.owner.store(cpu(), RELAXED)\n",
        "changes > 30",
    ),
    Switch(
        "history",
        "hash = word(1)\n",
        "hash = ((yield self.hash.load(RELAXED)) * 29 + cpu()) % 65536\n"
        "yield self.hash.store(hash, RELAXED)\n",
        "hash % 32 == 17",
    ),
    Switch("chance", "", "drawn = random_below(16)\n", "drawn == 7"),
    Switch("setup", "", "", "(yield self.mode.load(RELAXED))", why="refused"),
    Switch(
        "same-cpu-twice",
        "owner = word(99)\ntwice = word()\n",
        "same = (yield self.owner.load(RELAXED)) == cpu()\n"
        "twice = (yield self.twice.load(RELAXED)) + same\n"
        "yield self.twice.store(twice, RELAXED)\nyield self.owner.store(cpu(), RELAXED)\n",
        "twice > 4",
    ),
    Switch(
        "bit-of-a-ticket",
        "ticket = word()\n",
        "ticket = yield self.ticket.fetch_add(1, RELAXED)\n",
        "(ticket >> 5) & 1",
    ),
    Switch(
        "arrivals-before-departures",
        "came = word()\nleft = word()\n",
        "left = (yield self.left.fetch_add(1, RELAXED)) + 1\n"
        "came = yield self.came.load(RELAXED)\n",
        "came - left > 3",
        entering="yield self.came.fetch_add(1, RELAXED)\n",
    ),
    Switch(
        "sum-of-the-cpus",
        "total = word()\n",
        "total = (yield self.total.load(RELAXED)) + cpu()\n"
        "yield self.total.store(total, RELAXED)\n",
        "total > 100",
    ),
    Switch(
        "power-of-two",
        "uses = word(1)\n",
        "uses = (yield self.uses.load(RELAXED)) * 2\nuses = uses + (uses == 0)\n"
        "yield self.uses.store(uses, RELAXED)\n",
        "uses > 1 << 40",
    ),
)
NEXT = "(cpu() + 1) % (1 + (yield self.top.load(RELAXED)))"
FIELDS = """
locked = word()
mode = word()
top = word()
gates = array(1024, word(), padded=True)
"""
TOP = """top = yield self.top.load(RELAXED)
yield self.top.store(top + (cpu() > top) * (cpu() - top), RELAXED)
"""
BRANCH = (
    """while True:
    if (yield self.mode.load(ACQUIRE)):
        if (yield self.gates[cpu()].load(ACQUIRE)):
            yield self.gates[cpu()].store(0, RELAXED)
            return
    elif not (yield self.locked.swap(1, ACQUIRE)):
        return
    yield pause()
""",
    f"""if @FIRED@:
    yield self.mode.store(1, RELAXED)
if (yield self.mode.load(RELAXED)):
    yield self.gates[{NEXT}].store(1, RELEASE)
else:
    yield self.locked.store(0, RELEASE)
""",
)
ARITHMETIC = (
    """late = yield self.mode.load(ACQUIRE)
while (yield self.gates[late * (1 + cpu())].compare_swap(late, 1 - late, ACQUIRE)) != late:
    yield pause()
    late = yield self.mode.load(ACQUIRE)
""",
    f"""late = (yield self.mode.load(RELAXED)) | ((@FIRED@) != 0)
yield self.mode.store(late, RELAXED)
yield self.gates[late * (1 + {NEXT})].store(late, RELEASE)
""",
)


def _method(name: str, body: str) -> str:
    return f"\n    def {name}(self):\n{indent(body, ' ' * 8)}"


def _lock(switch: Switch, form: tuple[str, str], *, hidden: bool = False) -> str:
    """The lock with a switch; ``hidden``: a helper method decides."""
    acquire, release = form
    fired = switch.fired
    more = ""
    if hidden:
        more = _method("fired", f"{switch.leaving}yield pause()\nreturn {fired}\n")
        fired = "(yield from self.fired())"
    body = TOP + ("" if hidden else switch.leaving) + release.replace("@FIRED@", fired)
    if switch.name == "setup":
        more += _method("setup", "yield self.mode.store(n_cpus() > 4, RELAXED)\n")
    return (
        f"{LANG}\n\nclass MCS(Lock):\n{indent((switch.fields + FIELDS).strip(), ' ' * 4)}\n"
        + _method("acquire", switch.entering + acquire)
        + _method("release", body)
        + more
    )


def _locks() -> list[Program]:
    made = []
    for switch in SWITCHES:
        for how, form in (("branch", BRANCH), ("arithmetic", ARITHMETIC)):
            text = _lock(switch, form)
            made.append(Program(f"{switch.name}-{how}", "lab02", text, "mcs-proven", switch.why))
        hides = _lock(switch, ARITHMETIC, hidden=True)
        made.append(Program(f"{switch.name}-helper", "lab02", hides, "mcs-proven", switch.why))
    return made


def _caches() -> list[Program]:
    """Changes of the solution of lab 05: [old, new] pairs; ``@`` begins each program's text."""
    return [
        Program(f"cache-{name}", "lab05", "\0".join(old + "\1" + new for old, new in changes), *end)
        for name, changes, *end in CACHES
    ]


USES = (
    "    rcu = part(QSBR, padded=True)\n",
    "    rcu = part(QSBR, padded=True)\n    uses = word()\n",
)
LANGUAGE = ("    array,\n", "    array,\n    cpu,\n    n_cpus,\n    percpu,\n    thread,\n")
LOOKUP = "        decision = 0\n        yield from self.rcu.read_lock()\n"
COUNTED = """        uses = (yield self.uses.load(RELAXED)) + 1
        yield self.uses.store(uses, RELAXED)
"""
WAIT = """        if old:
            yield from self.rcu.synchronize_rcu()
            yield free(old)
"""
FREE_ALL = """        if gone:
            yield from self.rcu.synchronize_rcu()
"""
RETURN = "        yield from self.rcu.read_unlock()\n        return decision\n"
PUBLISH = "        yield link.store(new, RELEASE)\n"
CACHES = (
    (
        "misses-after-many-uses",
        [USES, (LOOKUP, COUNTED + "        if uses > 60:\n            return 0\n" + LOOKUP)],
        "alone",
        "used",
    ),
    (
        "misses-after-many-uses-arithmetic",
        [
            USES,
            (LOOKUP, COUNTED + LOOKUP),
            (RETURN, RETURN.replace("decision\n", "decision * (uses < 60)\n")),
        ],
        "alone",
        "used",
    ),
    (
        "misses-large-keys",
        [(RETURN, RETURN.replace("decision\n", "decision * (key < 65536)\n"))],
        "alone",
        "used",
    ),
    (
        "misses-on-high-cpus",
        [LANGUAGE, (RETURN, RETURN.replace("decision\n", "decision * (cpu() < 3)\n"))],
        "alone",
        "used",
    ),
    (
        "misses-on-high-threads",
        [LANGUAGE, (RETURN, RETURN.replace("decision\n", "decision * (thread() < 3)\n"))],
        "alone",
        "used",
    ),
    (
        "misses-with-many-cpus",
        [LANGUAGE, (RETURN, RETURN.replace("decision\n", "decision * (n_cpus() < 5)\n"))],
        "alone",
        "refused",
    ),
    (
        "frees-large-keys-at-once",
        [
            (
                WAIT,
                """        if old:
            if key < 65536:
                yield from self.rcu.synchronize_rcu()
            yield free(old)
""",
            )
        ],
        "replace-proven",
        "used",
    ),
    (
        "frees-at-once-on-high-cpus",
        [
            LANGUAGE,
            (
                WAIT,
                """        if old:
            if cpu() < 3:
                yield from self.rcu.synchronize_rcu()
            yield free(old)
""",
            ),
        ],
        "replace-proven",
        "used",
    ),
    (
        "frees-at-once-later",
        [
            USES,
            (
                WAIT,
                f"""        if old:
{indent(COUNTED, "    ")}            if uses < 10:
                yield from self.rcu.synchronize_rcu()
            yield free(old)
""",
            ),
        ],
        "replace-proven",
        "used",
    ),
    (
        "reclaims-at-once-on-high-cpus",
        [LANGUAGE, (FREE_ALL, FREE_ALL.replace("if gone:", "if gone and cpu() < 3:"))],
        "reclaim-proven",
        "used",
    ),
    (
        "forgets-to-reclaim-large-keys",
        [
            (
                "                if (yield entry.used.load(RELAXED)):\n",
                "                if (yield entry.used.load(RELAXED)) or "
                "(yield entry.tag.load(RELAXED)) > 65535:\n",
            )
        ],
        "alone",
        "used",
    ),
    (
        "tables-of-pairs-of-cpus",
        [
            LANGUAGE,
            ("slots = array(N_SLOTS,", "slots = array(32 * N_SLOTS,"),
            ("self.slots[key % N_SLOTS].load", "self.slots[key % N_SLOTS + 4 * (cpu() // 2)].load"),
            (
                "link = self.slots[key % N_SLOTS]",
                "link = self.slots[key % N_SLOTS + 4 * (cpu() // 2)]",
            ),
            ("range(N_SLOTS)", "range(32 * N_SLOTS)"),
        ],
        "alone",
        "used",
    ),
    (
        "tables-of-groups-of-cpus",
        [
            LANGUAGE,
            ("slots = array(N_SLOTS,", "slots = array(16 * N_SLOTS,"),
            ("self.slots[key % N_SLOTS].load", "self.slots[key % N_SLOTS + 4 * (cpu() // 4)].load"),
            (
                "link = self.slots[key % N_SLOTS]",
                "link = self.slots[key % N_SLOTS + 4 * (cpu() // 4)]",
            ),
            ("range(N_SLOTS)", "range(16 * N_SLOTS)"),
        ],
        "alone",
        "used",
    ),
    (
        "unlocked-on-high-cpus",
        [
            LANGUAGE,
            (
                "        yield from self.lock.acquire()\n"
                "        link = self.slots[key % N_SLOTS]\n",
                "        if cpu() < 3:\n            yield from self.lock.acquire()\n"
                "        link = self.slots[key % N_SLOTS]\n",
            ),
            (
                PUBLISH + "        yield from self.lock.release()\n",
                PUBLISH + "        if cpu() < 3:\n            yield from self.lock.release()\n",
            ),
        ],
        "writers-proven",
        "used",
    ),
    (
        "old-copy-for-large-keys",
        [
            (
                PUBLISH,
                "        if key < 65536 or not old:\n            yield link.store(new, RELEASE)\n"
                "        else:\n            old = new\n",
            )
        ],
        "alone",
        "used",
    ),
    (
        "wrong-half-for-large-keys",
        [
            (
                "decision = allowed + (audit << 32)",
                "decision = allowed + (audit << 32) + (key > 65535) * (allowed > 1)",
            )
        ],
        "alone",
        "used",
    ),
)

TAS_BODY = """    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)
"""
TTAS_BODY = """    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            while (yield self.locked.load(RELAXED)):
                yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)
"""
TICKET_BODY = """    next = word()
    now = word()

    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        while (yield self.now.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        yield self.now.fetch_add(1, RELEASE)
"""
ANDERSON_BODY = """    next = word()
    gates = array(64, word(), padded=True)
    mine = percpu(word())

    def setup(self):
        yield self.gates[0].store(1)

    def acquire(self):
        place = (yield self.next.fetch_add(1, RELAXED)) % 64
        while not (yield self.gates[place].load(ACQUIRE)):
            yield pause()
        yield self.gates[place].store(0, RELAXED)
        yield self.mine[cpu()].store(place, RELAXED)

    def release(self):
        place = yield self.mine[cpu()].load(RELAXED)
        yield self.gates[(place + 1) % 64].store(1, RELEASE)
"""
EXCHANGED = """    def release(self):
        yield self.locked.store(0, RELEASE)
"""
DECOYS = {
    # A word that is read between the swaps, and never the lock itself.
    "reads-another-word": """    locked = word()
    other = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            while (yield self.other.load(RELAXED)):
                yield pause()
            yield self.other.load(RELAXED)

""",
    "reads-and-does-not-listen": """    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield self.locked.load(RELAXED)

""",
    "read-loop-that-never-runs": """    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            while (yield self.locked.load(RELAXED)) > 1:
                yield pause()

""",
    "reads-once-in-eight": """    locked = word()

    def acquire(self):
        tries = 0
        while (yield self.locked.swap(1, ACQUIRE)):
            tries = tries + 1
            while tries % 8 == 0 and (yield self.locked.load(RELAXED)):
                yield pause()

""",
    "waits-by-compute": """    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield compute(200000)

""",
    "compare-swaps-blindly": """    locked = word()

    def acquire(self):
        while (yield self.locked.compare_swap(0, 1, ACQUIRE)):
            yield pause()

""",
    "adds-blindly": """    locked = word()

    def acquire(self):
        while (yield self.locked.fetch_or(1, ACQUIRE)):
            yield pause()

""",
}
NAMED = {"TAS": TAS_BODY, "TTAS": TTAS_BODY, "Ticket": TICKET_BODY, "Anderson": ANDERSON_BODY}


def _names() -> list[Program]:
    """Outcome without algorithm: a lock under the name of another, and decoys."""
    made = []
    for name in ("TTAS", "Ticket", "MCS"):
        for other, body in NAMED.items():
            if other != name:
                loses = f"{name.lower()}-proven"
                text = f"{LANG}\n\nclass TAS(Lock):\n{TAS_BODY}\n\nclass {name}(Lock):\n{body}"
                made.append(
                    Program(f"{other.lower()}-as-{name.lower()}", "lab02", text, loses, "waits")
                )
    for how, body in DECOYS.items():
        text = f"{LANG}\n\nclass TAS(Lock):\n{TAS_BODY}\n\nclass TTAS(Lock):\n{body}{EXCHANGED}"
        made.append(Program(how, "lab02", text, "ttas-proven", "waits"))
    return made


def _refusals() -> list[Program]:
    """Each operation that lab 02 refuses, in the method where it decides nothing."""
    made = []
    for call in ("n_cpus()", "n_threads()", "now()"):
        text = f"{LANG}\n\nclass TAS(Lock):\n{TAS_BODY}".replace(
            "        while", f"        unused = {call}\n        while"
        )
        made.append(Program(f"asks-{call[:-2]}", "lab02", text, "tas-proven", "refused"))
    for call in ("block()", "wake(thread())", "switch(thread())"):
        text = f"{LANG}\n\nclass TAS(Lock):\n{TAS_BODY}".replace("pause()", call)
        made.append(
            Program(f"calls-{call.partition('(')[0]}", "lab02", text, "tas-proven", "refused")
        )
    inner = f"{LANG}\n\nclass Inner(Lock):\n{TAS_BODY}".replace("pause()", "compute(n_cpus())")
    outer = """

class TAS(Lock):
    inner = part(Inner)

    def acquire(self):
        yield from self.inner.acquire()

    def release(self):
        yield from self.inner.release()
"""
    made.append(Program("asks-in-a-part", "lab02", inner + outer, "tas-proven", "refused"))
    return made


def _odd() -> list[Program]:
    """Locks that are right for some CPUs only, or in some runs only."""

    def tas(acquire: str, release: str, fields: str = "locked = word()\n") -> str:
        return (
            f"{LANG}\n\nclass TAS(Lock):\n{indent(fields, ' ' * 4)}"
            + _method("acquire", acquire)
            + _method("release", release)
        )

    free = "yield self.locked.store(0, RELEASE)\n"
    swap = "while (yield self.locked.swap(1, ACQUIRE)):\n    yield pause()\n"
    both = "locked = word()\nturn = word()\n"
    lines = "locks = array(1024, word())\n"

    def one_of(which: str) -> tuple[str, str, str]:
        return (
            f"while (yield self.locks[{which}].swap(1, ACQUIRE)):\n    yield pause()\n",
            f"yield self.locks[{which}].store(0, RELEASE)\n",
            lines,
        )

    locks = {
        "a-lock-for-each-four": one_of("cpu() // 4"),
        "a-lock-for-each-three": one_of("cpu() // 3"),
        "a-lock-for-the-high": one_of("(cpu() > 3) * 1"),
        "a-lock-for-each-high": one_of("(cpu() > 3) * cpu()"),
        "a-lock-for-each-high-thread": one_of("(thread() > 3) * thread()"),
        "only-the-first-cpu": ("while cpu() > 2:\n    yield pause()\n" + swap, free),
        "only-low-threads": ("while thread() > 2:\n    yield pause()\n" + swap, free),
        "none-for-the-high": ("if cpu() > 3:\n    yield pause()\n    return\n" + swap, free),
        "gives-up-by-cpu": (
            "tries = 0\nwhile (yield self.locked.swap(1, ACQUIRE)):\n    tries = tries + 1\n"
            "    if tries > 100 - 97 * (cpu() > 3):\n        return\n    yield pause()\n",
            free,
        ),
        "breaks-after-many": (
            "turn = yield self.turn.fetch_add(1, RELAXED)\n"
            "while (yield self.locked.swap(1, ACQUIRE)) and turn < 40:\n    yield pause()\n",
            free,
            both,
        ),
        "breaks-by-arithmetic": (
            "turn = (yield self.turn.fetch_add(1, RELAXED)) // 40\n"
            "while (yield self.locked.swap(1, ACQUIRE)) > turn:\n    yield pause()\n",
            free,
            both,
        ),
        "keeps-it-after-many": (
            swap,
            "turn = yield self.turn.fetch_add(1, RELAXED)\n"
            "yield self.locked.store(turn > 200, RELEASE)\n",
            both,
        ),
        "weaker-after-many": (
            "turn = (yield self.turn.fetch_add(1, RELAXED)) // 50\n"
            "while (yield self.locked.swap(1 - (turn == 1), ACQUIRE)):\n    yield pause()\n",
            free,
            both,
        ),
        "breaks-after-20000": (
            "turn = (yield self.turn.fetch_add(1, RELAXED)) // 20000\n"
            "while (yield self.locked.swap(1, ACQUIRE)) > turn:\n    yield pause()\n",
            free,
            both,
        ),
        "breaks-after-1500-each": (
            "mine = yield self.mine[cpu()].load(RELAXED)\n"
            "yield self.mine[cpu()].store(mine + 1, RELAXED)\n"
            "while (yield self.locked.swap(1, ACQUIRE)) > mine // 1500:\n    yield pause()\n",
            free,
            "locked = word()\nmine = percpu(word())\n",
        ),
        "blind-from-cpu-32": (swap.replace("(1,", "(1 - cpu() // 32 % 2,"), free),
        "tickets-modulo-32": (
            "mine = yield self.locked.fetch_add(1, RELAXED)\n"
            "while ((yield self.turn.load(ACQUIRE)) - mine) & 31:\n    yield pause()\n",
            "mine = yield self.turn.load(RELAXED)\nyield self.turn.store(mine + 1, RELEASE)\n",
            both,
        ),
        "turns-of-the-low": (
            "while cpu() < 3 and (yield self.locked.swap(1, ACQUIRE)):\n    yield pause()\n"
            "while cpu() > 2 and (yield self.turn.load(ACQUIRE)) != cpu():\n    yield pause()\n",
            "if cpu() < 3:\n    yield self.locked.store(0, RELEASE)\nelse:\n"
            "    yield self.turn.store(cpu() + 1, RELEASE)\n",
            both,
        ),
    }
    return [
        Program(f"tas-{name}", "lab02", tas(*body), "tas-proven", "used")
        for name, body in locks.items()
    ]


def _other_algorithms() -> list[Program]:
    """Right locks that are not what their name says."""
    node = """class Waiter(Struct):
    next = pointer("Waiter")
    waiting = word()
"""
    first = f"class TAS(Lock):\n{TAS_BODY}"
    made = []
    for name, (kind, body) in LOCKS.items():
        before = "" if kind == "TAS" else f"{first}\n\n"
        text = f"{LANG}\n\n{node}\n\n{before}class {kind}(Lock):\n{body}"
        lower = kind.lower()
        made.append(Program(f"{lower}-{name}", "lab02", text, f"{lower}-proven", "waits"))
    return made


def _late_caches() -> list[Program]:
    """Caches that are wrong later, or with more entries, or under a longer read."""
    texts = [(n, "\0".join(map("\1".join, changes)), x) for n, (changes, x) in CHANGES.items()]
    texts += [(name, text, loses) for name, (text, loses) in WHOLE.items()]
    return [Program(f"late-{name}", "lab05", text, loses, "used") for name, text, loses in texts]


PROGRAMS = [
    *_locks(),
    *_caches(),
    *_names(),
    *_refusals(),
    *_odd(),
    *_other_algorithms(),
    *_late_caches(),
]
