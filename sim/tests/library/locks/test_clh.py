"""CLH: nodes change hands, and none is shared or lost."""

from hypothesis import given
from hypothesis import strategies as st
from programs import Increments

from locksim.lang.ops import Kind
from locksim.library.locks.clh import CLHLock

threads = st.integers(1, 6)
seeds = st.integers(0, 2**32)


def node_words(run, n_threads):
    """The addresses of the N + 1 nodes that the lock was built with."""
    lock = run.root.lock
    return {int(lock.spare.locked)} | {int(lock.nodes[i].locked) for i in range(n_threads)}


@given(n_threads=threads, seed=seeds)
def test_at_rest_each_node_has_one_owner(interleave, n_threads, seed):
    """When all is done, the CPUs' nodes and the one in tail are the N + 1 nodes, each once."""
    run = interleave(Increments(lock=CLHLock), n_threads, seed)
    lock = run.root.lock
    owned = [run.word(lock.mine[i]) for i in range(n_threads)] + [run.word(lock.tail)]
    assert node_words(run, n_threads) == set(owned)
    assert n_threads + 1 == len(owned)
    assert 0 == sum(run.memory.words[node] for node in owned)


@given(n_threads=threads, seed=seeds)
def test_waiters_spin_on_their_predecessors_node(interleave, n_threads, seed):
    """A thread reads only the node that its swap on tail gave it."""
    run = interleave(Increments(lock=CLHLock), n_threads, seed)
    nodes = node_words(run, n_threads)
    last = int(run.root.lock.spare.locked)
    before = {}
    for t, op in run.performed:
        if op.kind == Kind.SWAP:
            before[t], last = last, op.a
        elif op.kind == Kind.LOAD and op.address in nodes:
            assert before[t] == op.address


@given(n_threads=threads, seed=seeds)
def test_a_waiter_pauses_between_two_looks(interleave, n_threads, seed):
    """No thread loads the same node twice in a row: the meters count who waits as contended."""
    run = interleave(Increments(lock=CLHLock), n_threads, seed)
    nodes = node_words(run, n_threads)
    previous = {}
    for t, op in run.performed:
        if op.kind == Kind.LOAD and op.address in nodes:
            assert previous[t] != op.address
        previous[t] = op.address if op.kind == Kind.LOAD else None


def test_nodes_change_hands(interleave):
    """Under contention a CPU ends up with a node that another brought."""
    run = interleave(Increments(lock=CLHLock), 4, 1)
    lock = run.root.lock
    brought = [int(lock.nodes[i].locked) for i in range(4)]
    assert brought != [run.word(lock.mine[i]) for i in range(4)]
