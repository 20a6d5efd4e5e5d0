"""Directory entries: a path is whole whoever renames meanwhile, and no reference is lost."""

import pytest
from engine.engine_pair import compare, run_pair
from interleaving import ViolationError
from library.kernel.dcache_kinds import KINDS

from locksim import machine, simulate
from locksim.core.result import RunResult
from locksim.lang import Workload, note, part
from locksim.lang.ops import Kind
from locksim.library.kernel.dcache_seqretry import SeqRetryDcache
from locksim.library.kernel.dcache_seqrwlock import SeqRWLockDcache
from locksim.library.kernel.dcache_seqwriter import SeqWriterDcache
from locksim.library.workloads.paths import COMPONENTS, WHOLE, Paths

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


class Alone(Workload):
    """One CPU renames and asks, twice."""

    dcache = part(SeqWriterDcache(components=COMPONENTS), padded=True)

    def thread(self):
        for name in range(3, 5):
            yield from self.dcache.d_move(name)
            path = yield from self.dcache.d_path()
            yield note(path)


class Unguarded(SeqRetryDcache):
    """Never looks whether a rename came by."""

    def walk_leave(self, attempt, token):
        return (yield from self.rename_lock.read_retry(token)) * 0


@every_kind
def test_a_path_is_its_names(interleave, kind):
    """The digits of the path are the names, for who is alone."""
    run = interleave(Alone(dcache=kind(components=COMPONENTS)), 1, 1)
    assert [3 * WHOLE, 4 * WHOLE] == [
        subject for _, mark, subject in run.log if mark.name == "NOTE"
    ]


@every_kind
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 8))]
)
def test_paths_are_whole_among_renames(interleave, kind, seed):
    """No path mixes two renames, in random interleavings; the workload asserts it."""
    run = interleave(Paths(rounds=12, dcache=kind(components=COMPONENTS)), 3, seed)
    assert 3 * 12 == sum(mark.name == "DONE" for _, mark, _ in run.log)


def test_a_walk_that_does_not_look_back_is_torn(interleave):
    """The same load finds a walk without its second look."""
    with pytest.raises((ViolationError, AssertionError)):
        for seed in range(40):
            interleave(Paths(rounds=12, dcache=Unguarded(components=COMPONENTS)), 3, seed)


@every_kind
def test_references_come_back(interleave, kind):
    """After all walks the root is held once, as before."""
    run = interleave(Paths(rounds=10, dcache=kind(components=COMPONENTS)), 3, 5)
    root = run.root.dcache.dentries[0].count
    counted = run.word(root.count) if hasattr(root, "count") else run.word(root.lock_count) >> 32
    assert 1 == counted


@pytest.mark.covering("kind", "cpus")
@every_kind
@pytest.mark.parametrize("cpus", [2, 5, 8])
def test_both_engines_agree(kind, cpus):
    """Row for row, jumping or not."""
    tables = machine.load("westmere-ex-8x10").tables(cpus, "scatter")
    pair = run_pair(
        Paths(dcache=kind(components=COMPONENTS, prepend_ps=3000)),
        tables,
        seed=cpus,
        until_ps=12_000_000,
    )
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    assert pair.expected.trace is not None
    assert int(Kind.COMPUTE) in pair.expected.trace[:, 2]


def test_what_a_walk_costs():
    """Lines moved for each call on 16 CPUs: none, about four, more than twice as many."""

    def transactions(kind):
        load = Paths(move_percent=0, think_ps=20_000_000, dcache=kind())
        run = simulate(load, machine="westmere-ex-8x10", cpus=16, operations=40, replications=2)
        return run.transactions().mean

    assert transactions(SeqRetryDcache) < 0.1
    assert 3 < transactions(SeqRWLockDcache) < 7
    assert transactions(SeqWriterDcache) > 2 * transactions(SeqRWLockDcache)
