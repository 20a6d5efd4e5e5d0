"""Programs that ask for their NUMA node: the threads are dealt to two nodes in every way."""

import inspect
import json

import pytest

from locksim.checker import CheckError, Sampling, check_lock, check_workload, outcomes, replay
from locksim.checker.check import check_clients, dealt
from locksim.checker.client import Client
from locksim.checker.question import Question
from locksim.checker.spec import check_spec
from locksim.checker.verdict import UNBOUNDED
from locksim.core.client import SwitchedTasks
from locksim.kinds.checking import clients_of, sample_lock, walk_of_lock
from locksim.kinds.replay_file import replay_file
from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    Lock,
    Workload,
    done,
    node,
    param,
    part,
    pause,
    pernode,
    thread,
    word,
)
from locksim.library.locks.ticket import TicketLock
from locksim.library.registry import resolve, specification
from locksim.study.use import use


class SpinLock(Lock):
    """Right: one word for all."""

    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)


class NodeLock(Lock):
    """Wrong where two threads are on different nodes: each node has a word of its own."""

    held = pernode(word())

    def acquire(self):
        while (yield self.held[node()].swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held[node()].store(0, RELEASE)


class SameNode(SpinLock):
    """Wrong with two threads on node 1: they take the lock for their node, not for themselves."""

    ours = word()

    def acquire(self):
        if node() == 1 and (yield self.ours.load(RELAXED)):
            return
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
        if node() == 1:
            yield self.ours.store(1, RELAXED)

    def release(self):
        if node() == 1:
            yield self.ours.store(0, RELAXED)
        yield self.held.store(0, RELEASE)


class Crossed(SpinLock):
    """Wrong only with thread 0 on node 1 and another one on node 0."""

    crossed = word()

    def acquire(self):
        if thread() == 0 and node() == 1:
            yield self.crossed.store(1, RELAXED)
        if thread() and node() == 0 and (yield self.crossed.load(RELAXED)):
            return
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()


WRONG = [(NodeLock, "0, 1"), (SameNode, "1, 1"), (Crossed, "1, 0")]


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize(("lock", "nodes"), WRONG)
def test_a_lock_that_is_wrong_on_one_placement_is_found(lock, nodes, memory):
    """The client names the nodes, and the generators confirm the steps on these nodes."""
    verdict = check_lock(lock, threads=2, memory=memory)
    found = verdict.counterexample
    assert ("violated", nodes) == (verdict.verdict, verdict.client.rpartition("nodes ")[2])
    asked = Question(threads=2, memory=memory)
    known = [one for each in clients_of(lock, 2, 1) for one in dealt(each, asked)]
    client = next(one for one in known if one.name == verdict.client)
    assert verdict.found == replay(found, client, memory=found.memory)


@pytest.mark.parametrize(("lock", "nodes"), WRONG[1:])
def test_the_counterexample_holds_on_its_placement_only(lock, nodes):
    """Replayed on other nodes, a step finds something else, or nothing is wrong."""
    verdict = check_lock(lock, threads=2)
    asked = Question(threads=2)
    for each in clients_of(lock, 2, 1):
        for one in dealt(each, asked):
            same = one.name.partition(",")[0] == verdict.client.partition(",")[0]
            if same and not one.name.endswith(nodes):
                with pytest.raises(CheckError):
                    replay(verdict.counterexample, one, memory="sc")


def test_every_placement_is_explored():
    """Three threads are dealt in eight ways; a lock that does not ask has one."""
    asked = Question(threads=3)
    (plain,) = dealt(clients_of(TicketLock, 3, 1)[0], asked)
    ways = dealt(clients_of(NodeLock, 3, 1)[0], asked)
    assert ((), 8) == (plain.nodes, len({one.nodes for one in ways}))


class Meeting(Workload):
    """How many threads are on node 1; who is where makes no difference."""

    there = word()

    def thread(self):
        yield self.there.fetch_add(node())


def test_of_threads_that_are_alike_only_their_number_counts():
    """Three threads are dealt in four ways, and the final values are all there."""
    asked = Question(threads=3, rounds=UNBOUNDED)
    ways = dealt(Client("meet", Meeting()), asked)
    assert [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)] == [one.nodes for one in ways]
    assert {(0,), (1,), (2,), (3,)} == outcomes(Meeting(), observe=("there",), threads=3)


class EachHalf(SpinLock):
    """Alike but for their nodes: the threads of node 1 look first."""

    def acquire(self):
        while (yield self.held.load(RELAXED)) if node() else 0:
            yield pause()
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()


class Keeps(SpinLock):
    """Wrong on both nodes together, asked late: node 1 does not let go after node 0 was there."""

    seen = word()

    def release(self):
        if node() == 0:
            yield self.seen.store(1, RELAXED)
        elif (yield self.seen.load(RELAXED)):
            return
        yield self.held.store(0, RELEASE)


@pytest.mark.parametrize("lock", [EachHalf, NodeLock, SameNode, Keeps])
@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_symmetry_keeps_the_nodes_apart(lock, memory):
    """Exchanged are threads of one node only: the same verdict as without."""
    asked = {"threads": 3, "memory": memory, "client": "acquire and count up"}
    told_apart, exchanged = (check_lock(lock, **asked, symmetry=s) for s in (False, True))
    first, second = ((v.verdict, v.found, v.client) for v in (told_apart, exchanged))
    assert first == second
    assert "" == next(iter(exchanged.told_apart.values()))
    assert exchanged.counterexample or exchanged.states < told_apart.states


def test_random_schedules_are_dealt_too():
    """Each placement gets its share of the schedules."""
    assert "violated" == sample_lock(Crossed, Sampling(schedules=400), threads=2).verdict


def test_a_game_is_played_on_the_nodes_of_the_verdict():
    """The client's name says which."""
    verdict = check_lock(NodeLock, threads=2)
    walk = walk_of_lock(NodeLock, threads=2, memory="sc", client=verdict.client)
    words = {move.step.word for move in walk.moves(walk.start)}
    assert {"lock.held[0]", "lock.held[1]"} == words


@pytest.mark.parametrize("spec", ["", "Mutex"])
def test_a_file_replays_on_the_nodes_of_its_client(tmp_path, spec):
    """The file names the client, and so the nodes; with a specification the calls, too."""
    source, file = tmp_path / "mine.py", tmp_path / "found.json"
    source.write_text(f"from locksim.lang import *\n\n\n{inspect.getsource(NodeLock)}")
    name = f"{source}:NodeLock"
    lock = resolve(name).struct
    if spec:
        verdict = check_spec(lock, specification(spec), spec=spec, name=name)
    else:
        verdict = check_lock(lock, threads=2, name=name)
    file.write_text(json.dumps(verdict.to_json()))
    assert verdict.counterexample.client.endswith("threads on nodes 0, 1")
    assert verdict.found == replay_file(file).found


class Invariant(Workload):
    """An invariant belongs to no thread."""

    there = word()

    def thread(self):
        yield self.there.store(1)

    def invariant(self):
        assert (yield self.there.load()) >= node()


def test_an_invariant_has_no_node():
    """It is asked of a state."""
    with pytest.raises(CheckError, match="an invariant only loads words and asserts"):
        check_workload(Invariant(), threads=2)


class Tasks(SwitchedTasks):
    """A task may go to another node."""

    tasks = param(1)

    def thread(self):
        yield self.stopped.fetch_add(node())

    def task(self):
        yield pause()


def test_tasks_have_no_node_in_a_check():
    """The checker does not follow them."""
    with pytest.raises(CheckError, match="a task may move to another node"):
        check_workload(Tasks(), threads=1)


class Once(Workload):
    """Each thread takes the lock once."""

    lock = part(SpinLock)

    def thread(self):
        yield from self.lock.acquire()
        yield from self.lock.release()
        yield done()


class Knows(Once):
    """The same, and the two threads are on certain nodes."""

    first = param(0)
    second = param(0)

    def thread(self):
        assert node() == (self.second if thread() else self.first)
        yield from super().thread()


@pytest.mark.parametrize("on", [(3, 40), (35, 40), (0, 1)])
def test_threads_on_chosen_cpus_have_the_nodes_of_the_machine(on):
    """They are not dealt: a machine's CPUs have their nodes."""
    where = {"machine": "xeon-8375c-2x32", "cpus": 64, "on": on}
    left = use(Once(), part="lock", **where, seed=1, longest_ps=10**9)
    first, second = (cpu // 32 for cpu in on)
    for other in (0, 1):
        client = Client("once", Knows(first=first, second=second ^ other))
        asked = Question(threads=2, used=left.used)
        verdict = check_clients([client], asked)
        assert [client] == dealt(client, asked)
        assert verdict.is_proof() == (not other)
