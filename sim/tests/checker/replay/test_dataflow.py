"""What operands are made of."""

import pytest

from locksim.checker import check_workload
from locksim.lang import ACQUIRE, RELAXED, RELEASE, SEQ_CST, Workload, fence, thread, word


class Flow(Workload):
    """One thread stores what it computes from what it read."""

    x = word(7)
    y = word()
    data = word(plain=True)

    def thread(self):
        if thread() == 0:
            a = yield self.x.load(ACQUIRE)
            b = yield self.y.fetch_add(a - 3, RELAXED)
            yield fence(RELEASE)
            yield self.x.compare_swap(a, (a + b) & 6, SEQ_CST)
            yield self.y.store(a // 2, RELEASE)
            yield self.data.store(-a)


@pytest.fixture(scope="module")
def steps():
    """The steps of a run of it."""
    verdict = check_workload(Flow(), threads=1, memory="c11", expect="x == 0", simplest=False)
    return verdict.counterexample.steps


def test_operands_are_terms_of_what_steps_read(steps):
    """What is no sum, product or bitwise operation is a number."""
    assert [step.operands for step in steps] == [
        [],
        ["$0 - 3"],
        ["$0", "($0 + $1) & 6"],
        ["3"],
        ["0 - $0"],
    ]


def test_steps_have_their_orders_and_the_fences_behind_them(steps):
    """Plain data has none; a fence that is no step belongs to the one before."""
    assert [(step.order, step.fences) for step in steps] == [
        ("ACQUIRE", []),
        ("RELAXED", ["RELEASE"]),
        ("SEQ_CST", []),
        ("RELEASE", []),
        ("PLAIN", []),
    ]


def test_the_first_values_are_kept(steps):
    """Those of the words in steps that are not 0."""
    verdict = check_workload(Flow(), threads=1, memory="sc", expect="x == 0")
    assert verdict.counterexample.initial == {"x": 7}
