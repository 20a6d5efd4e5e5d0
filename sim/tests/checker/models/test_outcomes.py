"""The compiled exploration against a plain one: random programs, all outcomes, SC and TSO."""

from checker.models.shapes import WORDS, checked_outcomes, fence, programs, reads, write
from hypothesis import example, given
from hypothesis import strategies as st

RELAXED = ("RELAXED",)
ORDERS = {"store": RELAXED, "load": RELAXED, "swap": RELAXED, "fetch_add": RELAXED}


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
            name, text, value, _ = ops[at[t]]
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


@example([[write("x"), write("x", 2), *reads("RELAXED", "x")], reads("RELAXED", "x")], True)
@example([[write("x"), *reads("RELAXED", "y")], [write("y"), fence(), write("x", 2)]], True)
@given(programs(ORDERS, ["SEQ_CST"]), st.booleans())
def test_outcomes_are_those_of_a_plain_search(program, tso):
    """Nothing is missed by merging steps and states, and nothing is made up."""
    assert plain_outcomes(program, tso) == checked_outcomes(program, "tso" if tso else "sc")
