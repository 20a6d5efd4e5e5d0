"""Among the shortest counterexamples the one with the fewest context switches."""

import itertools
import time

import pytest
from checker import zoo
from checker.classics import Peterson

from locksim.checker import Budget, check_lock, check_workload
from locksim.checker.models.model import model
from locksim.checker.search import switches as switches_module
from locksim.checker.search.explore import explore
from locksim.checker.search.switches import NotKnownError, Switches
from locksim.kinds.checking import clients_of, walk_of_lock
from locksim.lang import RELAXED, Workload, thread, word
from locksim.library.locks.mcs import MCSLock

SMALL = [
    (zoo.TASTestThenSet, "sc"),
    (zoo.TASTestThenSet, "tso"),
    (zoo.TASTestThenSet, "c11"),
    (zoo.TicketPlainIncrement, "sc"),
    (zoo.TicketWrongComparison, "sc"),
    (zoo.TTASTryLooksOnly, "sc"),
    (zoo.RWReaderLooksFirst, "tso"),
    (Peterson, "tso"),
]


def switched(threads):
    """How often the thread changes from one step to the next."""
    return sum(a != b for a, b in itertools.pairwise(threads))


def ways(walk, state, found, length):
    """The threads of every path of some steps whose last one goes wrong in a certain way."""
    for move in walk.moves(state):
        if length > 1 and move.to is not None:
            for rest in ways(walk, move.to, found, length - 1):
                yield [move.thread, *rest]
        elif length == 1 and move.found == found:
            yield [move.thread]


@pytest.mark.covering("lock", every=2)
@pytest.mark.parametrize(("lock", "memory"), SMALL)
def test_no_shortest_path_has_fewer_switches(lock, memory):
    """All paths of that length, one after another."""
    verdict = check_lock(lock, threads=2, memory=memory, simplest=False)
    steps = verdict.counterexample.steps
    walk = walk_of_lock(lock, threads=2, memory=memory, client=verdict.client)
    all_ways = list(ways(walk, walk.start, verdict.found, len(steps)))
    assert min(map(switched, all_ways)) == switched([step.thread for step in steps])
    assert not any(ways(walk, walk.start, verdict.found, len(steps) - 1))


def test_each_state_has_its_fewest():
    """As an enumeration of all shortest paths to all states of a lock finds them."""
    (client, *_) = clients_of(MCSLock, 2, 1)
    found = explore(model(client.workload, 2, "sc"))
    last = found.states - 1
    least = Switches(found, last, time.process_time() + 60)
    space, paths = found.space, {0: {()}}
    for state in range(1, 60):
        paths[state] = {
            (*path, space.edge_via[e] // 64)
            for before in range(state)
            for e in range(space.edge_start[before], space.edge_start[before + 1])
            if space.edges[e] == state and space.depth[before] + 1 == space.depth[state]
            for path in paths[before]
        }
        expected = min(map(switched, paths[state]))
        path = [via // 64 for via in least.path(state)]
        assert tuple(path) in paths[state]
        assert expected == switched(path)


class Deadlocking(Workload):
    """Each thread raises a flag of its own, and waits forever if it sees the other's."""

    first = word()
    second = word()
    stuck = word()

    def thread(self):
        if thread() == 0:
            yield self.first.store(1, RELAXED)
            seen = yield self.second.load(RELAXED)
        else:
            yield self.second.store(1, RELAXED)
            seen = yield self.first.load(RELAXED)
        if seen:
            while (yield self.stuck.load(RELAXED)) == 0:
                pass


def test_a_deadlock_and_a_wrong_end_have_few_switches():
    """Both threads stand still after the second one has come to its last step alone."""
    verdict = check_workload(Deadlocking(), threads=2)
    threads = [step.thread for step in verdict.counterexample.steps]
    assert ("deadlock", 1) == (verdict.found, switched(threads))
    verdict = check_workload(Deadlocking(), threads=1, expect={"first": 2})
    assert ("assertion", 0) == (
        verdict.found,
        switched([step.thread for step in verdict.counterexample.steps]),
    )


def test_without_time_the_verdict_says_so(monkeypatch):
    """The counterexample is as short, and a limit says what was not looked for."""

    def late(self):
        raise NotKnownError

    usual = check_lock(zoo.TASTestThenSet, threads=2)
    monkeypatch.setattr(switches_module.Switches, "look", late)
    verdict = check_lock(zoo.TASTestThenSet, threads=2, budget=Budget())
    assert len(usual.counterexample.steps) == len(verdict.counterexample.steps)
    assert [] == usual.limits
    assert "fewer context switches: the search for it did not come to an end" in verdict.limits[0]
