"""Small programs without branches: written down as data, turned into the lock language.

A program is a list of threads, a thread a list of operations: (name, word, value, order). A load,
swap, fetch_add or compare_swap gives a result, which a word ``r<thread>_<operation>`` takes at the
thread's end. compare_swap expects 0.
"""

from hypothesis import strategies as st

from locksim.checker import outcomes
from locksim.compiler import compile_source

WORDS = ("x", "y")
READING = ("load", "swap", "fetch_add", "compare_swap")
ATOMIC = READING[1:]


def results(program):
    """Names of the words that take what a program reads, thread by thread."""
    return [
        [f"r{t}_{i}" for i, op in enumerate(thread) if op[0] in READING]
        for t, thread in enumerate(program)
    ]


def source(program, words=WORDS):
    """The program in the lock language."""
    names = results(program)
    lines = ["from locksim.lang import *", "class Shape(Workload):"]
    lines += [f"    {w} = word()" for w in [*words, *(n for names_ in names for n in names_)]]
    lines += ["    def thread(self):"]
    for t, ops in enumerate(program):
        lines.append(f"        if thread() == {t}:")
        for i, (name, word, value, order) in enumerate(ops):
            access = f"yield self.{word}.{name}"
            match name:
                case "store":
                    lines.append(f"            {access}({value}, {order})")
                case "load":
                    lines.append(f"            v{t}_{i} = {access}({order})")
                case "fence":
                    lines.append(f"            yield fence({order})")
                case "compare_swap":
                    lines.append(f"            v{t}_{i} = {access}(0, {value}, {order})")
                case _:
                    lines.append(f"            v{t}_{i} = {access}({value}, {order})")
        lines += [f"            yield self.{n}.store(v{n[1:]}, RELAXED)" for n in names[t]]
        lines += ["            return"]
    return "\n".join(lines) + "\n"


def checked_outcomes(program, memory, words=WORDS):
    """What the checker says: a set of (words' values, results in order)."""
    cls = compile_source(source(program, words), "shape.py")["Shape"].struct
    observe = (*words, *(name for names in results(program) for name in names))
    return outcomes(cls(), threads=len(program), observe=observe, memory=memory)


def reads(order, *words):
    """Loads of some words."""
    return [("load", w, 0, order) for w in words]


def write(word, value=1, order="RELAXED"):
    """A store."""
    return ("store", word, value, order)


def fence(order="SEQ_CST"):
    """A fence."""
    return ("fence", "x", 0, order)


def programs(orders, fences):
    """A strategy: two or three threads with one to three operations on two words.

    Arguments:
        orders: operation's name → the orders that it may have. fences: the fences' orders.
    """
    given = [
        st.tuples(st.just(name), st.sampled_from(WORDS), st.integers(1, 2), st.sampled_from(o))
        for name, o in orders.items()
    ]
    given.append(st.tuples(st.just("fence"), st.just("x"), st.just(0), st.sampled_from(fences)))
    thread = st.lists(st.one_of(given), min_size=1, max_size=3)
    return st.lists(thread, min_size=2, max_size=3)
