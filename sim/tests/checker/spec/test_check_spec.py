"""``check_spec``: conditions, clients, nondeterminism, what is refused."""

import pytest
from checker.spec.queues import MSQueue, SwingsFirst
from checker.spec.small import (
    Allocating,
    Alternating,
    Coin,
    Counting,
    CountingNetwork,
    Dispenser,
    Flags,
    Nothing,
    OwnCopies,
    Register,
    RelaxedFlags,
    Spinning,
    TakesPointers,
)

from locksim.checker import CheckError, check_spec
from locksim.checker.spec import clients
from locksim.library.locks.lockref import Lockref
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.registry import specification

MODELS = ("sc", "tso", "c11")


def names(implementation, atomic, asked="", threads=0):
    """What the clients do."""
    return [c.name for c in clients(implementation, atomic, threads, asked, "linearizability")]


def verdicts(implementation, atomic, asked, condition="linearizability"):
    """Under the three memory models."""
    return [
        check_spec(implementation, atomic, operations=asked, memory=m, condition=condition).verdict
        for m in MODELS
    ]


@pytest.mark.parametrize("condition", ["linearizability", "sequential-consistency"])
def test_store_buffering_is_no_history_of_two_flags(condition):
    """Both threads miss the other's flag: right under sc only; SEQ_CST stores mend it."""
    asked = "up(1); see(1) | up(2); see(2)"
    assert ["proven", "violated", "violated"] == verdicts(RelaxedFlags, Flags, asked, condition)
    assert ["proven"] * 3 == verdicts(Flags, Flags, asked, condition)


def test_own_copies_are_sequentially_consistent_and_not_linearizable():
    """A read that began when the write was over gives the old value."""
    asked = "write(1) | read()"
    assert ["violated"] * 3 == verdicts(OwnCopies, Register, asked)
    assert ["proven"] * 3 == verdicts(OwnCopies, Register, asked, "sequential-consistency")
    assert ["violated"] * 3 == verdicts(OwnCopies, Register, asked, "quiescent-consistency")


def test_a_counting_network_is_quiescently_consistent_only():
    """A thread gets 1 and then 0 while another is under way."""
    asked = "take() | take(); take()"
    assert "violated" == check_spec(CountingNetwork, Dispenser, operations=asked).verdict
    assert ["proven"] * 3 == verdicts(CountingNetwork, Dispenser, asked, "quiescent-consistency")
    found = verdicts(CountingNetwork, Dispenser, asked, "sequential-consistency")
    assert ["violated"] * 3 == found


def test_a_specification_may_be_nondeterministic():
    """Any result that it could give is right; no other is."""
    assert ["proven"] * 3 == verdicts(Alternating, Coin, "flip() | flip(); flip()")
    assert ["violated"] * 3 == verdicts(Counting, Coin, "flip() | flip(); flip()")


@pytest.mark.slow
def test_a_specification_is_atomic_only_as_a_specification():
    """As an object it is right where each operation is one step, and wrong where it is not."""
    verdicts = {
        name: check_spec(specification(name), specification(name), property="assertion").verdict
        for name in ("Counter", "ReferenceCount", "FIFO", "LIFO", "Mutex")
    }
    one_step = ("Counter", "ReferenceCount")
    assert {n: "proven" if n in one_step else "violated" for n in verdicts} == verdicts


def test_clients_are_all_that_threads_can_do():
    """Values are numbered through; keys take 1 and 2."""
    assert [
        "enqueue(1) | enqueue(2)",
        "enqueue(1) | dequeue()",
        "dequeue() | enqueue(1)",
        "dequeue() | dequeue()",
    ] == names(MSQueue, specification("FIFO"), "1")
    assert 36 == len(names(specification("Set"), specification("Set"), "1"))
    assert 3 == names(MSQueue, specification("FIFO"), "1", 3)[0].count("enqueue")
    assert 8 == len(names(MSQueue, specification("FIFO"), "1,2"))


def test_clients_that_the_specification_forbids_are_left_out():
    """No release without an acquire, and no acquire that no release follows."""
    assert ["acquire(); release() | acquire(); release()"] == names(
        TASLock, specification("Mutex"), "2"
    )
    assert "put(); get() | get(); put()" not in names(Lockref, specification("ReferenceCount"))
    assert "get(); put() | get(); put()" in names(Lockref, specification("ReferenceCount"))


def test_a_verdict_names_the_specification_and_the_client():
    """With them the file can be replayed."""
    verdict = check_spec(SwingsFirst, specification("FIFO"), spec="FIFO", name="x.py:Queue")
    assert ("FIFO", "linearizability", "x.py:Queue") == (
        verdict.spec,
        verdict.condition,
        verdict.lock,
    )
    assert verdict.client in names(SwingsFirst, specification("FIFO"))


def test_the_message_says_which_order_was_impossible():
    """Operations with results, what was over before, and what would have been right."""
    verdict = check_spec(OwnCopies, Register, operations="write(5) | read()")
    assert (
        "no order of these operations is one of Register:\n"
        "  thread 0: write(5)\n"
        "  thread 1: read() returned 0, after thread 0's write(5)\n"
        "the longest beginning that is: write(5)\n"
        "  next, thread 1's read() would return 5, not 0"
    ) == verdict.counterexample.message


@pytest.mark.parametrize(
    ("implementation", "atomic", "asked", "why"),
    [
        (TicketLock, "FIFO", "", r"TicketLock has no enqueue\(\), as FIFO has"),
        (
            TASLock,
            "Mutex",
            "release()",
            "these calls can come in an order in which an assertion of Mutex fails",
        ),
        (
            TASLock,
            "Mutex",
            "1",
            "each client can come in an order in which an assertion of Mutex fails",
        ),
        (TASLock, "Mutex", "aquire()", r"Mutex has no aquire\(\); did you mean 'acquire'"),
        (MSQueue, "FIFO", "enqueue() | dequeue()", r"takes 1 arguments \(value\), not 0"),
        (MSQueue, "FIFO", "enqueue(a)", r"cannot read 'enqueue\(a\)'"),
        (MSQueue, "FIFO", "dequeue() |", "cannot read ''"),
        (MSQueue, "FIFO", "two", "give a number, one for each thread, or the calls"),
        (MSQueue, "FIFO", "1,2,3", "that is 3 threads, not 2"),
        (MSQueue, "FIFO", "0", "give each thread 1 to 7 operations"),
        (MSQueue, "FIFO", "7", "16,384 clients: 2 different calls"),
    ],
)
def test_what_makes_no_sense_is_refused(implementation, atomic, asked, why):
    """The message says what to write."""
    with pytest.raises(CheckError, match=why):
        check_spec(implementation, specification(atomic), operations=asked)


def test_an_operation_that_takes_a_pointer_is_refused():
    """A client could only make one up."""
    with pytest.raises(CheckError, match=r"TakesPointers.write\(\) takes a pointer"):
        check_spec(TakesPointers, Register)


@pytest.mark.parametrize(
    ("atomic", "why"),
    [
        (Nothing, "Nothing has no operations"),
        (Allocating, "Allocating allocates"),
        (Spinning, r"Spinning.flip\(\) does not end"),
    ],
)
def test_what_cannot_be_a_specification_is_refused(atomic, why):
    """It has to have operations, states in words, and ends."""
    with pytest.raises(CheckError, match=why):
        check_spec(atomic, atomic, operations="1")


def test_other_requests_that_make_no_sense():
    """Conditions, properties and threads."""
    fifo = specification("FIFO")
    with pytest.raises(CheckError, match="unknown condition 'linear'"):
        check_spec(MSQueue, fifo, condition="linear")
    with pytest.raises(CheckError, match="--property starvation cannot be used with --spec"):
        check_spec(MSQueue, fifo, property="starvation")
    with pytest.raises(CheckError, match="names 2 threads, and --threads 3"):
        check_spec(MSQueue, fifo, operations="dequeue() | dequeue()", threads=3)
