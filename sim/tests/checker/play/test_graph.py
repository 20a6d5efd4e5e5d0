"""The game's graph: as many states as the exploration finds, and hints that are shortest."""

import json

import pytest
from checker.classics import Peterson, PetersonFence
from checker.zoo import ZOO

from locksim.checker import CheckError, check_lock
from locksim.checker.play.graph import explore, graph
from locksim.checker.search.explore import explore as compiled
from locksim.kinds.checking import walk_of_lock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock

both_models = pytest.mark.parametrize("memory", ["sc", "tso"])


@both_models
@pytest.mark.parametrize("lock", [TicketLock, MCSLock, ReaderPreferenceRWLock, PetersonFence])
def test_right_locks_have_the_explorations_states(lock, memory):
    """Two searches that share only the step find equally many, and no way to break it."""
    walk = walk_of_lock(lock, threads=2, memory=memory)
    found = explore(walk, walk.start)
    assert compiled(walk.model).states == len(found.states)
    assert ({}, {}) == (found.ends, found.toward)


@pytest.mark.covering("animal", "memory", every=4)
@both_models
@pytest.mark.parametrize("animal", ZOO, ids=[a.lock.__name__ for a in ZOO])
def test_hints_are_as_short_as_the_counterexample(animal, memory):
    """The distance from the start is the length of the checker's shortest path."""
    options = {"threads": animal.threads, "rounds": animal.rounds, "memory": memory}
    verdict = check_lock(animal.lock, **options, simplest=False)
    walk = walk_of_lock(animal.lock, client=verdict.client, **options)
    found = explore(walk, walk.start)
    if not found.complete:
        pytest.skip(f"more than {len(found.states)} states")
    via, distance = found.toward[0]
    assert len(verdict.counterexample.steps) == distance
    # Following the hints breaks it, in as many steps as they say.
    at = 0
    while distance:
        assert (via, distance) == found.toward[at]
        (k,) = [k for k, move in enumerate(found.moves[at]) if move.via == via]
        after = found.next[at][k]
        distance -= 1
        if after < 0:
            assert found.moves[at][k].found
            break
        at = after
        via = found.toward[at][0] if distance else -1
    else:
        assert at in found.ends
    assert 0 == distance


def test_page_data_is_the_graph():
    """Walking the memo as the page does leads through the same states as the walk."""
    walk = walk_of_lock(Peterson, threads=2, memory="tso")
    game = json.loads(json.dumps(graph(walk)))
    found = explore(walk, walk.start)
    n = game["threads"]
    seen, todo = {tuple(game["start"])}, [game["start"]]
    while todo:
        state = todo.pop()
        if ",".join(map(str, state)) in game["ends"]:
            continue
        for thread in range(n):
            for _, row, shared, step, wrong, _ in game["memo"][f"{state[thread]},{state[n]}"]:
                assert (row < 0) == bool(wrong)
                assert game["steps"][step]["thread"] == thread
                if row < 0:
                    continue
                to = [*state[:thread], row, *state[thread + 1 : n], shared]
                if tuple(to) not in seen:
                    seen.add(tuple(to))
                    todo.append(to)
    assert seen <= {tuple(map(int, key.split(","))) for key in _keys(game)} | seen
    assert len(found.states) == game["states"]
    assert len(seen) <= game["states"]


@pytest.mark.parametrize("who", [0, 1])
def test_page_says_who_holds_the_lock(who):
    """Two states that differ only in who holds the lock: each names its own holder."""
    game = graph(walk_of_lock(TASLock, threads=2, memory="sc"))
    state, n = game["start"], game["threads"]
    (_, row, shared, *_), *_ = game["memo"][f"{state[who]},{state[n]}"]
    after = [row if thread == who else state[thread] for thread in range(n)]
    expected = ["● holds lock" if thread == who else "" for thread in range(n)]
    assert expected == [game["rows"][row]["says"] for row in after]
    assert "1" in game["shared"][shared]


def _keys(game):
    return [*game["hints"], *game["ends"]]


def test_too_many_states_are_refused():
    """The message says how to make the game smaller."""
    with pytest.raises(CheckError, match="more than 50 states, too many for a page"):
        graph(walk_of_lock(MCSLock, threads=2), max_states=50)
