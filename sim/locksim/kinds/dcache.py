"""Directory caches: the path of a file, read while the entries are renamed.

They have no base class of their own: ``d_path`` makes a struct one. In the test clients a rename
gives all entries the same new name, and each rename a greater one. So a path of unequal names is
one that the file never had, and a path of an older name than one already seen is outdated. At the
end the root's count must be what it was.
"""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, offers, resized
from locksim.kinds.load import LoadError, LoadSettings
from locksim.kinds.visits import DrawnVisits
from locksim.lang import *
from locksim.library.kernel.dcache import BASE
from locksim.library.kernel.dcache_seqretry import SeqRetryDcache
from locksim.library.workloads.paths import COMPONENTS, Paths

PATH_FAULTS = {"assertion": "torn or outdated path, or a lost reference"}
"""What a failed assertion is called here."""
FEW = 3
"""Components of a path in the test clients."""


class DcacheKind(StructKind):
    """``d_path`` and ``d_move``."""

    base = Struct
    part = "dcache"
    methods = ("d_path",)
    unit = "paths and renames"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Paths, and a rename now and then.

        Raises:
            LoadError: without time between two calls.
        """
        if settings.think_ps < NS:
            raise LoadError(
                f"--think must be at least 1 ns for a directory cache "
                f"(got {settings.think_ps // NS})"
            )
        cache = resized(struct, components=COMPONENTS)
        return Paths(dcache=cache, think_ps=settings.think_ps)

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """The same."""
        return [Paths(dcache=resized(struct, components=COMPONENTS), think_ps=think_ps // 2)]

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """Thread 0 renames and the others read; two threads rename and read what they wrote."""
        small = resized(struct, components=FEW)
        found = [
            Client(
                "paths beside renames",
                ReadingPaths(dcache=small, rounds=rounds),
                means=PATH_FAULTS,
            )
        ]
        if threads > 1:
            renaming = RenamingTogether(dcache=small)
            found.append(Client("renames beside renames", renaming, means=PATH_FAULTS))
        return found

    def wearing(
        self, struct: Struct | type[Struct], rounds: int, on: tuple[int, ...], number: int
    ) -> Workload:
        """Paths and renames, a number of its own for each thread."""
        return WearingPaths(dcache=resized(struct, components=FEW), rounds=rounds)

    def worn_clients(self, struct: Struct | type[Struct], threads: int) -> list[Client]:
        """The same; and a walk that stays on its way while the names change again and again."""
        found = self.clients(struct, threads, 1)
        if offers(struct, "walk_enter"):
            staying = StayingWalk(dcache=resized(struct, components=FEW))
            name = "renames beside a walk that stays"
            found.append(Client(name, staying, means=PATH_FAULTS))
        return found


class ReadingPaths(Workload):
    """Thread 0 renames and reads, the others read; the names only rise.

    Arguments:
        rounds: renames; the others read once more than that.
    """

    rounds = param(1)
    dcache = part(SeqRetryDcache(components=FEW))
    begun = word()
    gone = word()

    def thread(self):
        seen = 0
        if thread() == 0:
            # Alone, which costs few states: the names that all entries begin with.
            seen = yield from self.read(0)
            assert seen == 0
            yield self.begun.store(1, RELEASE)
            for i in range(self.rounds):
                yield from self.dcache.d_move(i + 1)
                seen = yield from self.read(i + 1)
                assert seen == i + 1  # no other thread renames
        else:
            while not (yield self.begun.load(ACQUIRE)):
                yield pause()
            for _ in range(self.rounds + 1):
                seen = yield from self.read(seen)
        yield from self.leave()

    def read(self, least):
        """The name that all entries have: a certain one or a later one."""
        path = yield from self.dcache.d_path()
        name = path % BASE
        assert path == name * (BASE + 1)
        assert name >= least
        return name

    def leave(self):
        """The last thread that leaves finds the root's count as it was."""
        if (yield self.gone.fetch_add(1, ACQ_REL)) == n_cpus() - 1:
            left = yield from self.dcache.dentries[0].count.references()
            assert left == 1


class RenamingTogether(ReadingPaths):
    """The first two threads rename at once, and read; the others read.

    Arguments:
        rounds: not used.
    """

    def thread(self):
        if thread() < 2:
            yield from self.dcache.d_move(1 + thread())
        yield from self.read(thread() < 2)
        yield from self.leave()


class StayingWalk(ReadingPaths):
    """Thread 1 walks once, and has begun when thread 0 begins to rename for long.

    The walk may stay at each of its steps until any number of renames have gone by: see
    :class:`locksim.kinds.seqlock.StayingReader`.

    Arguments:
        rounds: renames.
    """

    rounds = param(320)

    def thread(self):
        if thread() == 0:
            while not (yield self.begun.load(ACQUIRE)):
                yield pause()
            for _ in range(self.rounds):
                yield from self.dcache.d_move(1)
        elif thread() == 1:
            token = yield from self.dcache.walk_enter(0)
            yield self.begun.store(1, RELEASE)
            name = yield self.dcache.dentries[1].name.load(RELAXED)
            if not (yield from self.dcache.walk_leave(0, token)):
                assert name == 0  # as before the first rename


class WearingPaths(DrawnVisits):
    """Each thread renames and reads paths a number of times of its own.

    The thread that leaves last finds the root's count as it was, and gives all entries the name
    that they began with. The cache lies where the other clients have it, and there is room for
    their words.

    Arguments:
        rounds, think_ps, step, offset: as for :class:`~locksim.kinds.visits.DrawnVisits`.
    """

    dcache = part(SeqRetryDcache(components=FEW))
    gone = word()
    room = array(64, word())

    def thread(self):
        yield from self.come()
        if (yield self.gone.fetch_add(1, ACQ_REL)) == n_cpus() - 1:
            left = yield from self.dcache.dentries[0].count.references()
            assert left == 1  # who takes a reference drops it
            yield from self.dcache.d_move(0)

    def visit(self):
        """Rename, or read."""
        if random_below(2) == 0:
            yield from self.dcache.d_move(random_below(BASE))
        else:
            path = yield from self.dcache.d_path()
            assert path == path % BASE * (BASE + 1)  # all entries have one name
