"""Unfolding calls and finding the registers that matter."""

import pytest

from locksim.checker import CheckError
from locksim.checker.models.program import unfold
from locksim.compiler import bytecode as b
from locksim.compiler.link import link
from locksim.kinds.lock import Counting
from locksim.lang import RELAXED, Workload, compute, random_below, random_exponential, word
from locksim.lang.layout import Space
from locksim.library.locks.mcs import MCSLock


class TwoCalls(Workload):
    """Calls one program from two places."""

    count = word()

    def add(self, by):
        old = yield self.count.load(RELAXED)
        yield self.count.store(old + by, RELAXED)

    def thread(self):
        kept = yield self.count.load(RELAXED)
        yield from self.add(1)
        yield from self.add(kept)


class Drawing(Workload):
    """One draw that decides what is stored, one that only takes time."""

    count = word()

    def thread(self):
        yield compute(random_below(1000))
        yield self.count.store(random_below(3), RELAXED)


class Exponential(Workload):
    """A draw without bound that decides what is stored."""

    count = word()

    def thread(self):
        yield self.count.store(random_exponential(10), RELAXED)


def program(workload):
    """The unfolded program for two CPUs."""
    return unfold(link(workload, Space(8, 2), 8))


def rows(found, op):
    """The indexes of the rows with an opcode."""
    return [k for k, row in enumerate(found.code) if row[0] == op]


def kept(found, row):
    """How many registers a thread keeps that rests at a row."""
    return int(found.keep_start[row + 1] - found.keep_start[row])


@pytest.mark.parametrize("workload", [TwoCalls(), Counting(lock=MCSLock), Drawing()])
def test_no_call_is_left(workload):
    """Calls and returns have become jumps within the program."""
    found = program(workload)
    assert not {row[0] for row in found.code} & {b.CALL, b.RET}
    jumps = [row for row in found.code if b.JMP <= row[0] <= b.JGE]
    conditions = {b.JMP, b.JZ, b.JNZ, b.JEQ, b.JNE, b.JLT, b.JLE, b.JGT, b.JGE}
    targets = [row[1] for row in jumps if row[0] in conditions]
    assert 0 <= min(targets) <= max(targets) < len(found.code)


def test_every_call_has_a_copy_of_its_own():
    """A program that is called twice is there twice, with the places of its source."""
    found = program(TwoCalls())
    loads = rows(found, b.LOAD)
    assert 3 == len(loads)
    methods = [found.places[i].method for i in loads]
    assert ["TwoCalls.thread", "TwoCalls.add", "TwoCalls.add"] == methods


def test_what_is_kept_depends_on_the_caller():
    """In the first call the second's argument is kept, in the second nothing of the caller."""
    found = program(TwoCalls())
    first, second = rows(found, b.STORE)
    assert kept(found, first) > kept(found, second)


def test_nothing_is_kept_at_the_end():
    """A thread that has returned has no registers."""
    found = program(Counting(lock=MCSLock))
    (end,) = rows(found, b.EXIT)
    assert 0 == kept(found, end)


def test_only_a_draw_that_matters_is_marked():
    """The duration of a compute decides nothing."""
    found = program(Drawing())
    assert [0, 1] == sorted(found.code[i][b.WIDTH - 1] for i in rows(found, b.RANDOM))


def test_draw_without_bound_that_matters_is_refused():
    """The message names the place and a way out."""
    with pytest.raises(CheckError, match=r"test_program\.py:\d+: .*random_exponential"):
        program(Exponential())
