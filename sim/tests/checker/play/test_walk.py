"""Walking by hand: the same steps, states and faults as the exploration's."""

from dataclasses import replace

import pytest
from checker.classics import Peterson
from checker.zoo import ZOO

from locksim.checker import CheckError, check_lock
from locksim.kinds.checking import walk_of_lock
from locksim.library.locks.ticket import TicketLock

both_models = pytest.mark.parametrize("memory", ["sc", "tso"])


def path_of(told):
    """A counterexample's steps as moves."""
    return [s.thread * 64 + (63 if s.action == "flush" else s.choice) for s in told.steps]


@pytest.mark.covering("animal", "memory")
@both_models
@pytest.mark.parametrize("animal", ZOO, ids=[a.lock.__name__ for a in ZOO])
def test_counterexample_can_be_walked(animal, memory):
    """Every step of it is a move, is told alike, and the last one breaks the lock.

    A move knows its state and no earlier steps, so its operands are numbers.
    """
    options = {"threads": animal.threads, "rounds": animal.rounds, "memory": memory}
    verdict = check_lock(animal.lock, **options, simplest=False)
    told = verdict.counterexample
    walk = walk_of_lock(animal.lock, **options, client=verdict.client)
    state, steps = walk.start, []
    for via in path_of(told):
        move = walk.move(state, *divmod(via, 64))
        assert move is not None
        steps.append(move.step)
        state = move.to
    assert [replace(step, operands=[]) for step in told.steps] == [
        replace(step, operands=[]) for step in steps
    ]
    if state is None:
        assert (told.found, told.message) == (move.found, move.message)


def test_moves_of_a_store_buffer():
    """Under TSO a buffered store is a move of its own, and shows in the thread's buffer."""
    walk = walk_of_lock(Peterson, threads=2, memory="tso")
    first = walk.moves(walk.start)
    assert [("run", 0), ("run", 1)] == [(move.action, move.thread) for move in first]
    after = first[0].to
    assert ["run", "flush"] == [move.action for move in walk.moves_of(after, 0)]
    assert 1 == len(walk.thread(after, 0)["buffer"])
    flushed = walk.move(after, 0, 63)
    assert [] == walk.thread(flushed.to, 0)["buffer"]


def test_all_have_finished():
    """At a right end there is no move and nothing wrong."""
    walk = walk_of_lock(TicketLock, threads=1, memory="tso")
    state = walk.start
    while moves := walk.moves(state):
        state = moves[0].to
    assert ("", "") == walk.ended(state, moves)
    assert walk.thread(state, 0)["done"]


def test_unknown_client_is_refused():
    """The message lists the lock's clients."""
    with pytest.raises(CheckError, match="there are: acquire and count up"):
        walk_of_lock(TicketLock, client="nobody")
