"""rcutest and avc_mix take any cache, and use it as they say."""

from itertools import pairwise

import pytest

from locksim.lang import Struct, note
from locksim.lang.ops import Kind, Mark
from locksim.library.avc.avc_rcu import AvcRCU, AvcRcuNode
from locksim.library.avc.avc_rwlock import AvcRWLock
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.avc.no_check import NoCheck
from locksim.library.workloads.avc_mix import SUBJECTS, TCLASS, AvcMix
from locksim.library.workloads.rcutest import RcuTest

CACHES = [
    NoCheck(),
    AvcSpinlock(n_slots=8, n_nodes=20),
    AvcSpinlock(n_slots=8, n_nodes=20, use_reference=1),
    AvcRWLock(n_slots=8, n_nodes=20),
    AvcRCU(n_slots=8, threshold=20),
]
TYPES = (AvcRcuNode,)
every_cache = pytest.mark.parametrize("cache", CACHES, ids=str)


class Recorder(Struct):
    """A cache that only notes what it is asked: 1000 · what + a number."""

    def has_perm(self, ssid, tsid, tclass, requested):
        assert tclass == TCLASS
        yield note(ssid - 1 + SUBJECTS * (tsid - 1))
        return 0

    def update(self, ssid, tsid, tclass, granted):
        yield note(1_000_000)
        return 0

    def syscall_exit(self):
        yield note(2_000_000)


@pytest.mark.covering("cache", "workload")
@every_cache
@pytest.mark.parametrize("workload", [RcuTest, AvcMix])
def test_every_cache_fits(interleave, workload, cache):
    """Every CPU gets its work done with every cache."""
    run = interleave(workload(cache=cache), 3, 1, types=TYPES, steps=8000, finite=False)
    assert {0, 1, 2} == set(run.marks(Mark.DONE))


@every_cache
def test_rcutest_hits(interleave, cache):
    """All processes ask for one key, and it is there from the start: nobody ever misses."""
    server_ps = 123
    cache = cache if isinstance(cache, NoCheck) else type(cache)(security_server_ps=server_ps)
    run = interleave(RcuTest(cache=cache), 3, 2, types=TYPES, steps=8000, finite=False)
    assert [] == [op for _, op in run.performed if op.kind == Kind.COMPUTE and op.a == server_ps]
    assert len(run.marks(Mark.DONE)) > 30


def test_rcutest_other_work(interleave):
    """Work outside the check is spread evenly about its mean, and stays within the jitter."""
    workload = RcuTest(other_ps=1000, jitter_ps=100, cache=NoCheck)
    run = interleave(workload, 1, 0, steps=10_000, finite=False)
    ends = run.moments  # NoCheck leaves no marks: each is the end of an iteration
    works = [
        sum(op.a for _, op in run.performed[start:end] if op.kind == Kind.COMPUTE)
        for start, end in pairwise(ends)
    ]
    assert 895 <= min(works) < 910
    assert 1090 < max(works) <= 1100
    assert abs(sum(works) / len(works) - 1000) < 10


def test_rcutest_shares_nothing_but_the_cache(interleave):
    """Without a check no two CPUs touch the same word."""
    run = interleave(RcuTest(cache=NoCheck), 3, 1, steps=3000, finite=False)
    users: dict[int, set[int]] = {}
    for t, op in run.performed:
        if op.address:
            users.setdefault(op.address, set()).add(t)
    assert {1} == {len(threads) for threads in users.values()}


@pytest.mark.parametrize("skew", [0, 1])
def test_avc_mix_keys(interleave, skew):
    """Keys cover their range; with skew the lower half gets far more than half of the checks."""
    workload = AvcMix(n_keys=100, skew=skew, updates_per_thousand=100, cache=Recorder)
    run = interleave(workload, 1, 6, steps=30_000, finite=False)
    notes = [value for _, mark, value in run.log if mark == Mark.NOTE]
    keys = [value for value in notes if value < 1_000_000]
    assert set(range(0, 100 if not skew else 60)) <= set(keys)
    assert max(keys) <= 99
    low = sum(key < 50 for key in keys) / len(keys)
    assert abs(low - (0.85 if skew else 0.5)) < 0.05
    updates = notes.count(1_000_000)
    assert abs(updates / (updates + len(keys)) - 0.1) < 0.02
    assert abs(notes.count(2_000_000) - updates - len(keys)) <= 1


def test_avc_mix_reclaims(interleave):
    """More keys than entries: the RCU cache frees entries while it runs, and stays bounded."""
    workload = AvcMix(n_keys=200, updates_per_thousand=50, cache=AvcRCU(n_slots=16, threshold=20))
    run = interleave(workload, 3, 8, types=TYPES, steps=60_000, finite=False)
    assert len([op for _, op in run.performed if op.kind == Kind.FREE]) > 20
    assert run.word(run.root.cache.active_nodes) <= 20 + 3
