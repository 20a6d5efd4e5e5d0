"""Small programs with a lock: written down as data, turned into the lock language.

A program is a list of threads, a thread a list of blocks: a kind and some lines. Lines of a "plain"
block stand as they are, of a "locked" one between acquire and release, of an "if" one under a
condition. ``v`` is what was read last, and decides what is written next, so that orders show in the
words at the end; ``{own}`` is a word that is meant for one thread.
"""

from hypothesis import strategies as st

WORDS = ("x", "y", "guarded", "own0", "own1", "own2")
INDENT = " " * 12

HEAD = """
from locksim.lang import *

class Spin(Lock):
    locked = word()
    def acquire(self):
        while (yield self.locked.swap(1, {acquire})) == 1:
            yield pause()
    def release(self):
        yield self.locked.store(0, {release})

class Shape(Workload):
    lock = part(Spin)
"""


def source(program, weak):
    """The program in the lock language; if ``weak`` its lock excludes, and hands nothing over."""
    orders = ("RELAXED", "RELAXED") if weak else ("ACQUIRE", "RELEASE")
    lines = [HEAD.format(acquire=orders[0], release=orders[1])]
    lines += [f"    {name} = word()" for name in WORDS]
    lines += ["    def thread(self):"]
    for t, blocks in enumerate(program):
        lines += [f"        if thread() == {t}:", f"{INDENT}v = 0"]
        for kind, inner in blocks:
            body = [INDENT + text.format(own=f"own{t}") for text in inner]
            if kind == "locked":
                around = [f"{INDENT}yield from self.lock.{end}()" for end in ("acquire", "release")]
                body = [around[0], *body, around[1]]
            if kind == "if":
                body = [f"{INDENT}if v == 1:", *(f"    {line}" for line in body)]
            lines += body
        lines += [f"{INDENT}return"]
    return "\n".join(lines) + "\n"


def load(name, order="RELAXED"):
    """A line: what is read is ``v`` from then on."""
    return f"v = yield self.{name}.load({order})"


def store(name, value="v", order="RELAXED"):
    """A line."""
    return f"yield self.{name}.store({value}, {order})"


def add(name, order="RELAXED"):
    """A line: fetch_add of 1; what was there is ``v`` from then on."""
    return f"v = yield self.{name}.fetch_add(1, {order})"


def accesses(*words):
    """A strategy: one line that accesses one of some words, or a fence."""
    name, order = st.sampled_from(words), st.sampled_from(["RELAXED", "SEQ_CST"])
    return st.one_of(
        st.builds(load, name, order),
        st.builds(store, name, st.just("v + 1"), order),
        st.builds(add, name, order),
        st.sampled_from(["yield fence(ACQ_REL)", "yield fence(SEQ_CST)"]),
    )


def block(kind, least, most, *words):
    """A strategy: a block of ``least`` to ``most`` lines."""
    return st.tuples(st.just(kind), st.lists(accesses(*words), min_size=least, max_size=most))


BLOCKS = st.one_of(
    block("plain", 1, 2, "x", "y", "{own}"),
    block("plain", 1, 3, "{own}"),
    block("locked", 1, 3, "guarded", "{own}"),
    block("if", 1, 1, "guarded", "x", "own0"),
)
"""Most keep to a discipline, of which some others know nothing."""

PROGRAMS = st.lists(st.lists(BLOCKS, min_size=1, max_size=3), min_size=2, max_size=2)

# What the reduction must not take for granted, since something late speaks against it.

NOT_ALONE = [
    [("plain", [load("guarded"), store("own0")])],
    [("plain", [store("x", 1), store("guarded", 1)])],
]
"""A word that one thread alone seems to access, until the other one does."""

NOT_GUARDED = [
    [("locked", [load("guarded"), store("own0"), store("y", 1)])],
    [("locked", [load("guarded"), store("own1"), store("y", 1)])],
    [("plain", [store("x", 1), store("guarded", 1)])],
]
"""A word that a lock seems to guard, until the last thread writes it without."""

NOT_CONSTANT = [
    [("plain", [load("guarded"), store("own0")])],
    [("plain", [load("guarded"), store("own1")])],
    [("plain", [store("x", 1), store("guarded", 1)])],
]
"""A word that everybody seems only to read."""

OLD_VALUE = [
    [("locked", [store("guarded", 1), add("x")])],
    [("locked", [add("x"), store("own1"), load("guarded"), store("y", "v + 1"), add("x")])],
]
"""Under a weak lock whoever comes second may read an old value: that needs the word's messages."""

FENCE_BETWEEN = [
    [("locked", [store("x", 1), store("guarded", 1, "SEQ_CST"), add("y")])],
    [
        ("plain", [load("x")]),
        ("if", ["yield fence(SEQ_CST)", store("own0", 1)]),
        ("locked", [add("y"), store("own1"), load("guarded"), store("own2"), add("x")]),
    ],
]
"""A full fence may come between two steps of one who holds the lock, and knows what went before."""

LATE = [NOT_ALONE, NOT_GUARDED, NOT_CONSTANT, OLD_VALUE, FENCE_BETWEEN]
