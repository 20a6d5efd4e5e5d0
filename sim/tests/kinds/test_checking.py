"""The test clients of a lock follow from its kind."""

import inspect
from typing import get_type_hints

import pytest

from locksim.checker import CheckError, check_lock, check_spec, check_workload
from locksim.checker.question import Keywords, Question
from locksim.compiler import compile_source
from locksim.kinds.checking import clients_of
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rcu import RCU, RcuHead
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock

NO_TRY = """
from locksim.lang import *

class Plain(Lock):
    word_ = word()

    def acquire(self):
        while (yield self.word_.swap(1)) != 0:
            yield pause()

    def release(self):
        yield self.word_.store(0)
"""


@pytest.mark.parametrize("lock", [TicketLock, TicketLock(), MCSLock])
def test_lock_that_can_be_tried_has_further_clients(lock):
    """Some only wait, one tries first, one tries a lock that is held; all others count sections."""
    found = clients_of(lock, 3, 2)
    names = ["Counting", "Trying", "CountingUnevenly", "CountingUnevenly", "TryingAHeldLock"]
    assert names == [type(c.workload).__name__ for c in found]
    assert [6, 6, 5, 5, None] == [c.expect.get("count") for c in found]


def test_lock_without_try_has_no_tries():
    """Also where the class exists only as parsed text."""
    code = compile_source(NO_TRY, "plain.py")["Plain"]
    found = clients_of(code.struct, 2, 1)
    assert [2, 2, 2, 3, 3] == [c.expect["count"] for c in found]


@pytest.mark.parametrize(("threads", "rounds", "writings"), [(2, 2, (2, 2)), (3, 1, (2, 1))])
def test_rwlock_has_two_mixtures(threads, rounds, writings):
    """What one thread reads in the first it writes in the second."""
    found = clients_of(ReaderPreferenceRWLock, threads, rounds)[:2]
    assert [{"count": w, "copy": w} for w in writings] == [c.expect for c in found]


def test_rcu_has_clients_of_four_sorts():
    """Threads wait for grace periods, nest, stay, hand over; a fault there has its own name."""
    found = clients_of(RCU, 2, 1)
    assert [
        "1 readings, 1 replacements; thread 0 replaces first",
        "1 readings, 1 replacements; thread 1 replaces first",
        "nested readers",
        "readers stay online",
        "call_rcu",
    ] == [c.name for c in found]
    assert {"grace-period violation"} == {c.means["memory"] for c in found}


def test_clients_have_names_of_their_own():
    """A verdict names the client that found the fault."""
    for lock in (TicketLock, ReaderPreferenceRWLock, RCU):
        names = [c.name for c in clients_of(lock, 3, 1)]
        assert len(names) == len(set(names))


def test_what_is_no_lock_is_refused():
    """The message says what to do instead."""
    with pytest.raises(CheckError, match=r"is not a [^$]*Lock[^$]*FILE.py:CLASS"):
        clients_of(RcuHead, 2, 1)


@pytest.mark.parametrize("function", [check_lock, check_spec, check_workload])
def test_keywords_of_a_question_are_in_the_signature(function):
    """``help()`` shows each with its default; editors see the same names and types."""
    shown = inspect.signature(function).parameters
    fields = {one: Question.__dataclass_fields__[one].type for one in Keywords.__annotations__}
    assert fields == {one: shown[one].annotation for one in fields}
    asked = Question()
    assert {one: getattr(asked, one) for one in fields} == {o: shown[o].default for o in fields}
    assert not any(one.kind is one.VAR_KEYWORD for one in shown.values())


def test_keywords_are_fields_of_a_question():
    """All but those whose default each function has of its own, with the same types."""
    of_question = get_type_hints(Question)
    own = {"name", "threads", "rounds"}
    assert {one: of_question[one] for one in of_question if one not in own} == get_type_hints(
        Keywords
    )
