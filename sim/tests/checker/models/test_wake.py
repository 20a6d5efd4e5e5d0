"""What a wake-up hands over: stores that have left the waker's store buffer, and no others."""

import pytest

from locksim.checker import check_workload
from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    Workload,
    block,
    fence,
    param,
    thread,
    wake,
    word,
)

STORE, SEQ_CST_STORE, RELEASE_EXCHANGE, RELAXED_EXCHANGE, LATE_EXCHANGE = range(5)


class Marked(Workload):
    """A sleeper looks at its mark; the waker sets the mark, and wakes it."""

    by = param(STORE)
    mark = word()
    other = word()

    def thread(self):
        if thread() == 0:
            while not (yield self.mark.load(ACQUIRE)):
                yield block()
        else:
            if self.by == STORE:
                yield self.mark.store(1, RELEASE)
            elif self.by == SEQ_CST_STORE:
                yield self.mark.store(1)
            elif self.by == RELEASE_EXCHANGE:
                yield self.mark.swap(1, RELEASE)
            elif self.by == RELAXED_EXCHANGE:
                yield self.mark.swap(1, RELAXED)
            else:
                yield self.mark.store(1, RELAXED)
                yield self.other.swap(1, RELEASE)
            yield wake(0)


class Handed(Workload):
    """What was stored before the wake-up is used after the sleep, with or without a fence."""

    fenced = param(0)
    plain = param(0)
    data = word()
    object = word(plain=True)

    def thread(self):
        if thread() == 0:
            yield block()
            if self.plain:
                assert (yield self.object.load(RELAXED)) == 1
            else:
                assert (yield self.data.load(RELAXED)) == 1
        else:
            if self.plain:
                yield self.object.store(1, RELAXED)
            else:
                yield self.data.store(1, RELAXED)
            if self.fenced:
                yield fence()
            yield wake(0)


@pytest.mark.parametrize(
    ("by", "verdict"),
    [
        (STORE, "violated"),
        (SEQ_CST_STORE, "proven"),
        (RELEASE_EXCHANGE, "proven"),
        (RELAXED_EXCHANGE, "proven"),
        (LATE_EXCHANGE, "proven"),
    ],
)
@pytest.mark.parametrize("memory", ["tso", "c11"])
def test_a_mark_in_the_store_buffer_is_missed(by: int, verdict: str, memory: str) -> None:
    """A sleeper that is woken may not see a plain store of its mark; it sees an exchange."""
    found = check_workload(Marked(by=by), threads=2, memory=memory)
    assert (found.verdict, found.found) == (verdict, "deadlock" if by == STORE else "")


@pytest.mark.parametrize(
    ("memory", "fenced", "plain", "found"),
    [
        ("tso", 0, 0, "assertion"),
        ("c11", 0, 0, "assertion"),
        ("c11", 0, 1, "race"),
        ("tso", 1, 0, ""),
        ("c11", 1, 0, ""),
        ("c11", 1, 1, ""),
    ],
)
def test_a_fence_before_the_wake_up(memory: str, fenced: int, plain: int, found: str) -> None:
    """With a full fence before the wake-up, all that was stored is seen."""
    verdict = check_workload(Handed(fenced=fenced, plain=plain), threads=2, memory=memory)
    assert verdict.found == found


def test_sequential_consistency_has_no_buffers() -> None:
    """Under sc a wake-up overtakes no store."""
    assert check_workload(Marked(by=STORE), threads=2, memory="sc").verdict == "proven"
