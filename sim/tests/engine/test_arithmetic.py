"""Register arithmetic that leaves 64 bits wraps round in both engines."""

from engine.engine_pair import compare, run_pair
from hypothesis import example, given
from hypothesis import strategies as st

from locksim import machine
from locksim.compiler import compile_source
from locksim.core.result import RunResult
from locksim.lang.words import minus, plus, times, wrap64

# A class that is read from text runs as its bytecode says in the reference engine too: a live one
# computes with Python's numbers, which have no end, until it stores them.
SOURCE = """
from locksim.lang import *


class Computing(Workload):
    a = param(0)
    b = param(0)
    inputs = array(2, word())
    results = array(16, word())
    counter = word()

    def thread(self):
        yield self.inputs[0].store(self.a)
        yield self.inputs[1].store(self.b)
        a = yield self.inputs[0].load()
        b = yield self.inputs[1].load()
        yield self.results[0].store(a + b)
        yield self.results[1].store(a - b)
        yield self.results[2].store(a * b)
        yield self.results[3].store(-a)
        yield self.results[4].store(a + 1)
        yield self.results[5].store(a << (b & 63))
        yield self.results[6].store(a >> (b & 63))
        if a + 1 > a:
            yield self.results[7].store(1)
        if a + b < a:
            yield self.results[8].store(1)
        if b != 0:
            yield self.results[9].store(a // b)
            yield self.results[10].store(a % b)
            yield self.results[11].store(a * b // b)
        yield self.counter.store(a)
        yield self.counter.fetch_add(b)
        yield done()
"""
COMPUTING = compile_source(SOURCE, "computing.py")["Computing"].struct
TABLES = machine.load("pentium3-8way").tables(1, "compact")
LARGEST, SMALLEST = 2**63 - 1, -(2**63)
INT64 = st.one_of(
    st.integers(SMALLEST, LARGEST), st.integers(-2, 65), st.sampled_from([LARGEST, SMALLEST])
)


def wrapped(a, b):
    """What the program leaves in its words, in order."""
    by = b & 63
    divided = [0, 0, 0]
    if b:
        divided = [wrap64(a // b), a % b, wrap64(times(a, b) // b)]
    return [
        plus(a, b), minus(a, b), times(a, b), minus(0, a), plus(a, 1), wrap64(a << by), a >> by,
        int(plus(a, 1) > a), int(plus(a, b) < a), *divided,
    ]  # fmt: skip


@given(INT64, INT64)
@example(LARGEST, 1)
@example(LARGEST, LARGEST)
@example(SMALLEST, -1)
@example(SMALLEST, SMALLEST)
@example(1, 63)
@example(-1, 63)
@example(SMALLEST, 63)
@example(3037000500, 3037000500)
def test_both_engines_wrap_round(a, b):
    """Sums, differences, products, shifts, quotients, and comparisons of what has wrapped."""
    pair = run_pair(COMPUTING(a=a, b=b), TABLES, seed=1, until_ps=100_000_000)
    compare(pair)
    at = {name: address for address, name in pair.memory.names}
    for run in (pair.expected, pair.plain, pair.jumped):
        assert isinstance(run, RunResult)
        assert run.finished
        left = [int(run.memory[at[f"results[{k}]"]]) for k in range(12)]
        assert wrapped(a, b) == left
        assert plus(a, b) == int(run.memory[at["counter"]])
