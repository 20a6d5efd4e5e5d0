"""RCU: proven, and grace periods that are too short are found."""

import pytest
from checker.proofs import for_all_sizes
from checker.reclaim import CarelessRCU, ForgetfulRCU, HastyRCU
from kinds.verdicts import verdict_of

from locksim.checker import check_lock, replay
from locksim.kinds.checking import clients_of
from locksim.kinds.rcu import Box, Version
from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    ReadCopyUpdate,
    cpu,
    fence,
    n_cpus,
    pause,
    percpu,
)
from locksim.library.locks.rcu import RCU
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.locks.srcu import SRCU


class CountingReaders(ReadCopyUpdate):
    """Right: each CPU counts how deep it is inside; an updater waits until each was outside."""

    depth = percpu()

    def read_lock(self):
        depth = yield self.depth[cpu()].load(RELAXED)
        yield self.depth[cpu()].store(depth + 1, RELAXED)
        yield fence()

    def read_unlock(self):
        depth = yield self.depth[cpu()].load(RELAXED)
        yield self.depth[cpu()].store(depth - 1, RELEASE)

    def synchronize_rcu(self):
        yield fence()
        for i in range(n_cpus()):
            while (yield self.depth[i].load(ACQUIRE)):
                yield pause()

    def quiescent(self):
        yield pause()

    def offline(self):
        yield pause()


class FlaggedReaders(CountingReaders):
    """Wrong: the inner reader's end is taken for the outer one's."""

    def read_lock(self):
        yield self.depth[cpu()].store(1, RELAXED)
        yield fence()

    def read_unlock(self):
        yield self.depth[cpu()].store(0, RELEASE)


class InnerRankOnly(SRCU):
    """Wrong: the outer reader is forgotten when the inner one ends."""

    def read_lock(self):
        index = yield self.index.load(RELAXED)
        yield self.cpus[cpu()].came[index & 1].store(1, RELAXED)
        yield self.cpus[cpu()].went[index & 1].store(0, RELAXED)
        yield fence()
        return index & 1

    def read_unlock(self, rank):
        yield fence()
        yield self.cpus[cpu()].went[rank].store(1, RELAXED)


class CountsQuiescentStates(ReadCopyUpdate):
    """Right: each CPU counts its quiescent states; a grace period waits until all counts differ."""

    passed = percpu()
    gone = percpu()

    def read_lock(self):
        yield fence(ACQUIRE)

    def read_unlock(self):
        yield fence(RELEASE)

    def quiescent(self):
        passed = yield self.passed[cpu()].load(RELAXED)
        yield self.passed[cpu()].store(passed + 1, RELEASE)
        yield fence()

    def offline(self):
        yield self.gone[cpu()].store(1, RELEASE)

    def synchronize_rcu(self):
        yield self.gone[cpu()].store(1, RELEASE)
        yield fence()
        for i in range(n_cpus()):
            before = yield self.passed[i].load(RELAXED)
            while (yield self.gone[i].load(ACQUIRE)) == 0:
                if (yield self.passed[i].load(ACQUIRE)) != before:
                    break
                yield pause()
        yield self.gone[cpu()].store(0, RELAXED)
        yield fence()


class NeverQuiescent(QSBR):
    """Wrong: only a way offline lets a grace period end."""

    def quiescent(self):
        yield pause()


class StaysOffline(QSBR):
    """Wrong: after a grace period of its own a CPU counts as offline until it is quiescent."""

    def online(self):
        yield pause()


BROKEN = [CarelessRCU, ForgetfulRCU, HastyRCU]


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_rcu_is_proven(memory):
    """No reader sees freed memory or half an object, and everything is freed."""
    verdict = check_lock(RCU, threads=2, memory=memory)
    assert for_all_sizes(verdict)


@pytest.mark.covering("rcu", "memory")
@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("rcu", BROKEN)
def test_short_grace_period_is_found(rcu, memory):
    """The verdict calls it by its name, and the generators confirm it."""
    verdict = check_lock(rcu, threads=2, memory=memory, simplest=False)
    assert ("violated", "memory") == (verdict.verdict, verdict.found)
    assert verdict.counterexample.message.startswith("grace-period violation: ")
    client = next(c for c in clients_of(rcu, 2, 1) if c.name == verdict.client)
    types = [Box, Version]
    assert "memory" == replay(verdict.counterexample, client, memory=memory, types=types)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("client", ["", "nested readers"])
def test_readers_may_nest(client, memory):
    """Who counts them is right; who only marks a reader is right as long as none nests."""
    assert "proven" == verdict_of(CountingReaders, client, memory=memory)
    wrong = verdict_of(FlaggedReaders, client or "1 readings", memory=memory, types=[Box])
    assert ("memory" if client else "proven") == wrong


@pytest.mark.covering("memory", "rcu")
@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("rcu", [RCU, QSBR])
def test_readers_may_stay_online(rcu, memory):
    """Their quiescent states alone let a grace period end."""
    assert "proven" == verdict_of(rcu, "readers stay online", threads=3, memory=memory)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_quiescent_states_may_be_counted(memory):
    """A counter that grows with each of them makes no endless search."""
    assert check_lock(CountsQuiescentStates, threads=2, memory=memory).is_proof()


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize(
    ("rcu", "violated"), [(NeverQuiescent, "assertion"), (StaysOffline, "memory")]
)
def test_a_reader_that_is_not_seen_is_found(rcu, violated, memory):
    """It never reports while it stays online, or it is not waited for when it reads again."""
    client = "readers stay online"
    assert violated == verdict_of(rcu, client, memory=memory, types=[Box])
    others = [c.name for c in clients_of(rcu, 2, 1) if c.name != client]
    assert {"proven"} == {verdict_of(rcu, other, memory=memory) for other in others}


def test_sleepable_readers_may_nest_too():
    """Each with a rank of its own."""
    assert "proven" == verdict_of(InnerRankOnly, "1 readings", types=[Box])
    assert "memory" == verdict_of(InnerRankOnly, "nested readers", types=[Box])
