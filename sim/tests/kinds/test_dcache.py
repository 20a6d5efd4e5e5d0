"""Directory caches: the library's are proven, and each wrong one is caught."""

import pytest
from kinds.verdicts import verdict_of
from kinds.wear import used
from library.kernel.dcache_kinds import KINDS

from locksim.checker.check import check_clients
from locksim.checker.question import Question
from locksim.kinds import LoadError, LoadSettings, kind_of, plain_load
from locksim.lang import ACQUIRE, RELAXED, RELEASE, fence, pause
from locksim.library.kernel.dcache import BASE, Dcache
from locksim.library.kernel.dcache_seqretry import SeqRetryDcache
from locksim.library.locks.seqlock_exclusive import ExclusiveReaderSeqLock
from locksim.library.registry import entries, resolve


class WalksUnguarded(Dcache):
    """Wrong: nothing keeps a walk from meeting a rename."""

    def walk_enter(self, attempt):
        yield pause()
        return attempt

    def walk_leave(self, attempt, token):
        assert attempt == token
        yield fence(RELEASE)
        return 0


class RenamesUnguarded(Dcache):
    """Wrong: a rename takes no lock."""

    def move_acquire(self):
        yield fence(ACQUIRE)

    def move_release(self):
        yield fence(RELEASE)


class LeavesTheRoot(Dcache):
    """Wrong: a walk drops the root's reference before it has taken it, and takes one too many."""

    def d_path(self):
        root = self.dentries[0]
        yield from root.count.get()
        token = yield from self.walk_enter(0)
        path = yield from self.prepend_path()
        yield from self.walk_leave(0, token)
        return path


class ForgetsSomeNames(Dcache):
    """Wrong: a rename leaves the lowest name as it was."""

    def d_move(self, name):
        yield from self.move_acquire()
        for i in range(1, self.components - 1):
            yield self.dentries[i].name.store(name, RELAXED)
        yield from self.move_release()


class ReadsNoName(Dcache):
    """Wrong: every name is 1, as after the first rename."""

    def prepend_path(self):
        yield self.file.load(RELAXED)
        return BASE + 1


class OverlooksWriters(ExclusiveReaderSeqLock):
    """Wrong: a reader does not notice that a writer came by."""

    def read_retry(self, number):
        yield fence(ACQUIRE)
        return 0


MISTAKES = {
    WalksUnguarded: "assertion",
    RenamesUnguarded: "assertion",
    LeavesTheRoot: "assertion",
    ForgetsSomeNames: "assertion",
    ReadsNoName: "assertion",
}
CASES = [(mistake, cache) for mistake in MISTAKES for cache in KINDS]


@pytest.mark.covering("mistake", every=2)
@pytest.mark.parametrize(("mistake", "cache"), CASES, ids=lambda x: x.__name__)
def test_wrong_caches_are_caught(mistake, cache):
    """Each mistake in each cache, and the generators confirm it."""
    wrong = type(f"{mistake.__name__}{cache.__name__}", (mistake, cache), {"__doc__": "Wrong."})
    assert MISTAKES[mistake] in (verdict_of(wrong, "paths"), verdict_of(wrong, "renames"))


def test_a_walk_that_overlooks_a_rename_is_caught():
    """It reads half of the old path and half of the new one."""
    assert "assertion" == verdict_of(
        SeqRetryDcache(rename_lock=OverlooksWriters), "paths beside renames"
    )


@pytest.mark.covering("cache", "memory")
@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("cache", KINDS)
def test_the_librarys_caches_are_proven(cache, memory):
    """By all clients, with two threads."""
    assert "proven" == verdict_of(cache, "", memory=memory)


def test_kernel_paths_have_names_too():
    """They are not listed: most are parts of others."""
    entry = resolve("dcache_seqretry")
    assert ("kernel path", SeqRetryDcache) == (entry.kind, entry.struct)
    assert "dcache_seqretry" not in {listed.name for listed in entries()}


def test_a_plain_load_asks_for_paths():
    """As long as time passes between two calls."""
    load = plain_load("dcache_seqwriter", LoadSettings(think_ps=1_000))
    assert kind_of(SeqRetryDcache) is load.kind
    with pytest.raises(LoadError, match="--think must be at least 1 ns for a directory cache"):
        plain_load("dcache_seqwriter", LoadSettings(think_ps=0))


class FewNumbers(ExclusiveReaderSeqLock):
    """Wrong: the number has five bits."""

    def write_end(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store((number + 1) & 31, RELEASE)


@pytest.mark.parametrize("cache", KINDS)
def test_caches_are_used_and_proven_from_there(cache: type[Dcache]) -> None:
    """Paths and renames of eight CPUs; the names and the root's count are as they began."""
    left = used(cache)
    names = {left.words[name] for name in left.words if name.endswith(".name")}
    assert ({0}, 0) == (names, left.violations)
    clients = kind_of(cache).worn_clients(cache, 2)
    assert check_clients(clients, Question(threads=2, used=left.used)).is_proof()


def test_a_walk_stays_until_a_small_number_comes_round() -> None:
    """The library's number has room for all renames; one of five bits has not."""
    wrong = SeqRetryDcache(rename_lock=FewNumbers)
    *_, staying = kind_of(wrong).worn_clients(wrong, 2)
    assert "violated" == check_clients([staying], Question(threads=2)).verdict
