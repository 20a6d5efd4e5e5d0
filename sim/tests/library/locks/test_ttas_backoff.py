"""The back-off lock's waits: random, growing, bounded."""

from hypothesis import given
from hypothesis import strategies as st
from programs import Increments

from locksim.lang.ops import Kind
from locksim.library.locks.ttas_backoff import TTASBackoffLock

BASE, BOUND = 100, 450


def waits(run):
    """Lengths of the waits of each acquisition: a list for every run of failures of one thread."""
    open_waits, runs = {}, []
    for t, op in run.performed:
        if op.kind == Kind.COMPUTE:
            open_waits.setdefault(t, []).append(op.a)
        elif op.kind == Kind.STORE and t in open_waits:
            runs.append(open_waits.pop(t))
    return runs


@given(seed=st.integers(0, 2**32))
def test_limits_double_up_to_the_bound(interleave, seed):
    """The k-th wait of an acquisition lies in 1 … min(base · 2^k, bound)."""
    run = interleave(Increments(lock=TTASBackoffLock(base_ps=BASE, bound_ps=BOUND)), 5, seed)
    for lengths in waits(run):
        for k, length in enumerate(lengths):
            assert 1 <= length <= min(BASE * 2**k, BOUND)


def test_waits_differ(interleave):
    """Waits are drawn: two threads that fail together do not come back together."""
    seen = set()
    for seed in range(10):
        run = interleave(Increments(lock=TTASBackoffLock(base_ps=BASE, bound_ps=BOUND)), 5, seed)
        seen |= {length for lengths in waits(run) for length in lengths}
    assert len(seen) > 20
    assert max(seen) > BASE
