"""Limits of a proof: said where they can matter for the program, and nowhere else."""

import pytest

from locksim.checker import Budget, check_workload
from locksim.checker.limits import LIMITS, exit_code, is_proof, limit, proven
from locksim.checker.models.layout import STATIC
from locksim.checker.models.model import model
from locksim.lang import (
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    SEQ_CST,
    Struct,
    Workload,
    alloc,
    array,
    fence,
    free,
    param,
    pointer,
    thread,
    word,
)


class LoadBuffering(Workload):
    """Each thread reads the other's word, and writes its own."""

    words = array(2)
    seen = array(2)
    order = param(int(RELAXED))
    depends = param(0)

    def thread(self):
        me = thread()
        if self.order:
            got = yield self.words[1 - me].load(ACQUIRE)
        else:
            got = yield self.words[1 - me].load(RELAXED)
        if self.depends:
            yield self.words[me].store(got + 1, RELAXED)
        else:
            yield self.words[me].store(1, RELAXED)
        yield self.seen[me].store(got, RELAXED)


class Fenced(Workload):
    """As LoadBuffering, with a fence between."""

    words = array(2)

    def thread(self):
        yield self.words[1 - thread()].load(RELAXED)
        yield fence(ACQUIRE)
        yield self.words[thread()].store(1, RELAXED)


class OneWay(Workload):
    """Both threads read one word and write the other: nobody answers."""

    here = word()
    there = word()

    def thread(self):
        yield self.here.load(RELAXED)
        yield self.there.store(1, RELAXED)


class Hearsay(Workload):
    """Thread 0 writes x by SEQ_CST and raises a flag; thread 1 sees the flag and reads x."""

    x = word()
    flag = word()
    order = param(int(RELAXED))

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, SEQ_CST)
            if self.order:
                yield self.flag.store(1, RELEASE)
            else:
                yield self.flag.store(1, RELAXED)
        elif (yield self.flag.load(ACQUIRE)):
            yield self.x.load(SEQ_CST)


class Filling(Workload):
    """Thread 0 stores many values into a word; thread 1 reads it."""

    x = word()
    times = param(20)

    def thread(self):
        if thread() == 0:
            for i in range(self.times):
                yield self.x.store(i + 1, RELAXED)
        else:
            yield self.x.load(RELAXED)


class Node(Struct):
    """An object of the heap."""

    value = word()


class HeapHearsay(Workload):
    """As Hearsay, with a flag on the heap."""

    x = word()
    flag = pointer(Node)

    def thread(self):
        if thread() == 0:
            node = yield alloc(Node)
            yield self.flag.store(node, RELEASE)
            yield self.x.store(1, SEQ_CST)
            yield node.value.store(1, RELAXED)
        else:
            node = yield self.flag.load(ACQUIRE)
            if node and (yield node.value.load(ACQUIRE)):
                yield self.x.load(SEQ_CST)


class Reused(Workload):
    """Thread 0 frees an object, and keeps its address; thread 1 allocates one, and may compare."""

    kept = word()
    freed = word()
    forgets = param(0)
    number = param(0)
    compares = param(1)
    holds = param(0)

    def thread(self):
        if thread() == 0:
            node = yield alloc(Node)
            if self.number:
                yield self.kept.store(self.number, RELAXED)
            else:
                yield self.kept.store(node, RELAXED)
            if self.forgets:
                yield self.kept.store(NULL, RELAXED)
            yield free(node)
            yield self.freed.store(1, RELEASE)
        elif (yield self.freed.load(ACQUIRE)):
            before = 0
            if self.holds:
                before = yield self.kept.load(RELAXED)
            other = yield alloc(Node)
            if self.compares and other == (yield self.kept.load(RELAXED)):
                yield self.freed.store(2, RELAXED)
            if self.holds:
                yield self.kept.store(before, RELAXED)
            yield free(other)


def named(workload, memory, **options):
    """The names of the limits of a proof."""
    verdict = check_workload(workload, threads=2, memory=memory, **options)
    assert verdict.is_proof(), verdict
    assert proven(verdict.limits) == verdict.verdict
    starts = {name: text.partition("{")[0] for name, text in LIMITS.items()}
    return [next(n for n, start in starts.items() if s.startswith(start)) for s in verdict.limits]


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        (LoadBuffering(), True),
        (LoadBuffering(order=1), False),
        (LoadBuffering(depends=1), False),
        (Fenced(), False),
        (OneWay(), False),
    ],
    ids=["relaxed", "acquire", "depends", "fence", "no answer"],
)
def test_load_buffering(workload, expected):
    """Only a RELAXED load with an independent RELAXED store behind it, and somebody who answers."""
    assert ["load-buffering"] * expected == named(workload, "c11")
    assert [] == named(workload, "tso")


def test_seq_cst_beside_weaker_orders():
    """A RELAXED flag orders two SEQ_CST accesses here, and not in C11; a RELEASE does in both."""
    assert ["seq-cst"] == named(Hearsay(), "c11")
    assert [] == named(Hearsay(order=1), "c11")


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_reuse_of_freed_objects(memory):
    """The order of reuse matters while a pointer to a freed object is in use."""
    heap = model(Reused(), 2, memory).tables.size[STATIC]
    for expected, workload in [
        (True, Reused()),
        (False, Reused(forgets=1)),
        (False, Reused(compares=0)),  # no thread sees which object it gets
        (True, Reused(compares=0, holds=1)),
        (False, Reused(number=heap)),  # a number, not a pointer
    ]:
        assert ["reuse"] * expected == named(workload, memory, property="memory")


class SetUp(Workload):
    """Thread 0 frees an object that setup has made; thread 1 compares its address."""

    kept = pointer(Node)
    freed = word()

    def setup(self):
        yield self.kept.store((yield alloc(Node)))

    def thread(self):
        if thread() == 0:
            node = yield self.kept.load(RELAXED)
            yield free(node)
            yield self.freed.store(1, RELEASE)
        elif (yield self.freed.load(ACQUIRE)):
            other = yield alloc(Node)
            if other == (yield self.kept.load(RELAXED)):
                yield self.freed.store(2, RELAXED)
            yield free(other)


def test_pointers_of_the_setup_count():
    """An object may be older than the first step."""
    assert ["reuse"] == named(SetUp(), "sc", property="memory")


@pytest.mark.parametrize(("memory", "limit"), [("tso", "buffers"), ("c11", "history")])
def test_what_is_full_gets_more_room(memory, limit):
    """A size that was not given grows where it is full, up to the largest; a given one stays."""
    given = Budget(buffer_entries=8, history=8)
    assert [] == named(Filling(), memory)
    assert [limit] == named(Filling(), memory, budget=given)
    assert [limit] == named(Filling(times=70), memory)


def test_words_on_the_heap_have_names():
    """A limit names a word by its object and field, never by its address."""
    verdict = check_workload(HeapHearsay(), threads=2, memory="c11", property="memory")
    assert ["accesses of Node@2.value that do not synchronise"] == [
        text.partition(" order")[0] for text in verdict.limits
    ]


def test_the_verdict_carries_its_limits():
    """A proof with a limit is one still; --strict gives it an exit code of its own."""
    assert ("proven", "proven within limits") == (proven([]), proven([limit("allocation")]))
    assert [True, True, False, False] == [
        is_proof(v) for v in ("proven", "proven within limits", "violated", "unfinished")
    ]
    some = ["proven", "proven within limits"]
    assert (0, 4) == (exit_code(some), exit_code(some, strict=True))
    assert (3, 1) == (exit_code([*some, "unfinished"]), exit_code([*some, "violated"], strict=True))
