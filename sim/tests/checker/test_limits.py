"""Limits of a proof: said where they can matter for the program, and nowhere else."""

import pytest

from locksim.checker import check_workload
from locksim.checker.limits import LIMITS, exit_code, is_proof, limit, proven
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


class Node(Struct):
    """An object of the heap."""

    value = word()


class Reused(Workload):
    """Thread 0 frees an object to which a word points; thread 1 allocates one."""

    kept = word()
    freed = word()
    forgets = param(0)

    def thread(self):
        if thread() == 0:
            node = yield alloc(Node)
            yield self.kept.store(node, RELAXED)
            if self.forgets:
                yield self.kept.store(NULL, RELAXED)
            yield free(node)
            yield self.freed.store(1, RELEASE)
        elif (yield self.freed.load(ACQUIRE)):
            other = yield alloc(Node)
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
    """The order of reuse matters while something points to a freed object."""
    assert ["reuse"] == named(Reused(), memory, property="memory")
    assert [] == named(Reused(forgets=1), memory, property="memory")


def test_the_verdict_carries_its_limits():
    """A proof with a limit is one still; --strict gives it an exit code of its own."""
    assert ("proven", "proven within limits") == (proven([]), proven([limit("allocation")]))
    assert [True, True, False, False] == [
        is_proof(v) for v in ("proven", "proven within limits", "violated", "unfinished")
    ]
    some = ["proven", "proven within limits"]
    assert (0, 4) == (exit_code(some), exit_code(some, strict=True))
    assert (3, 1) == (exit_code([*some, "unfinished"]), exit_code([*some, "violated"], strict=True))
