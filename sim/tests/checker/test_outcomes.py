"""The compiled exploration against a plain one: random programs, all outcomes, both models."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from locksim.checker import outcomes
from locksim.compiler import compile_source

WORDS = ("x", "y")
BUFFER = 8
# An operation: (name, word, value). A load goes to the thread's next result word.
operations = st.one_of(
    st.tuples(st.just("store"), st.sampled_from(WORDS), st.integers(1, 2)),
    st.tuples(st.just("load"), st.sampled_from(WORDS), st.just(0)),
    st.tuples(st.just("swap"), st.sampled_from(WORDS), st.integers(1, 2)),
    st.tuples(st.just("fetch_add"), st.sampled_from(WORDS), st.just(1)),
    st.tuples(st.just("fence"), st.just("x"), st.just(0)),
)
programs = st.lists(st.lists(operations, min_size=1, max_size=3), min_size=2, max_size=3)
READING = ("load", "swap", "fetch_add")


def results(program):
    """Names of the words that take what a program reads, thread by thread."""
    return [
        [f"r{t}_{i}" for i, op in enumerate(thread) if op[0] in READING]
        for t, thread in enumerate(program)
    ]


def source(program):
    """The program in the lock language."""
    names = results(program)
    lines = ["from locksim.lang import *", "class Random(Workload):"]
    lines += [f"    {w} = word()" for w in [*WORDS, *(n for names_ in names for n in names_)]]
    lines += ["    def thread(self):"]
    for t, ops in enumerate(program):
        lines.append(f"        if thread() == {t}:")
        for i, (name, word, value) in enumerate(ops):
            access = f"yield self.{word}.{name}"
            match name:
                case "store":
                    lines.append(f"            {access}({value}, RELAXED)")
                case "load":
                    lines.append(f"            v{t}_{i} = {access}(RELAXED)")
                case "fence":
                    lines.append("            yield fence(SEQ_CST)")
                case _:
                    lines.append(f"            v{t}_{i} = {access}({value}, RELAXED)")
        lines += [f"            yield self.{n}.store(v{n[1:]}, RELAXED)" for n in names[t]]
    return "\n".join(lines) + "\n"


def plain_outcomes(program, tso):
    """The outcomes by a search over (positions, memory, buffers, results), in the plainest way."""
    start = (
        (0,) * len(program),
        (0,) * len(WORDS),
        ((),) * len(program),
        ((),) * len(program),
    )
    seen, todo, found = {start}, [start], set()
    while todo:
        at, memory, buffers, read = todo.pop()
        after = []
        for t, ops in enumerate(program):
            if buffers[t]:
                (word, value), *rest = buffers[t]
                flushed = put(memory, word, value)
                after.append((at, flushed, put(buffers, t, tuple(rest)), read))
            if at[t] == len(ops):
                continue
            name, text, value = ops[at[t]]
            word = WORDS.index(text)
            moved = put(at, t, at[t] + 1)
            if name == "load":
                seen_here = [v for w, v in buffers[t] if w == word]
                got = seen_here[-1] if seen_here else memory[word]
                after.append((moved, memory, buffers, put(read, t, (*read[t], got))))
            elif name == "store" and tso:
                buffered = put(buffers, t, (*buffers[t], (word, value)))
                after.append((moved, memory, buffered, read))
            elif name == "store":
                after.append((moved, put(memory, word, value), buffers, read))
            elif not buffers[t]:
                got = memory[word]
                new = {"swap": value, "fetch_add": got + value, "fence": got}[name]
                kept = read if name == "fence" else put(read, t, (*read[t], got))
                after.append((moved, put(memory, word, new), buffers, kept))
        if not after:
            found.add((*memory, *(v for thread in read for v in thread)))
        for state in after:
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return found


def put(row, index, value):
    """A tuple with one element replaced."""
    return (*row[:index], value, *row[index + 1 :])


@example([[("store", "x", 1), ("store", "x", 2), ("load", "x", 0)], [("load", "x", 0)]], True)
@example([[("store", "x", 1), ("load", "y", 0)], [("store", "y", 1), ("load", "x", 0)]], True)
@given(programs, st.booleans())
@settings(max_examples=60, deadline=None)
def test_outcomes_are_those_of_a_plain_search(program, tso):
    """Nothing is missed by merging steps and states, and nothing is made up."""
    cls = compile_source(source(program), "random.py")["Random"].struct
    observe = (*WORDS, *(name for names in results(program) for name in names))
    memory = "tso" if tso else "sc"
    assert plain_outcomes(program, tso) == outcomes(
        cls(), threads=len(program), observe=observe, memory=memory
    )
