"""The reduction: nothing is missed and nothing made up, whatever the claims begin with."""

import pytest
from checker import litmus
from checker.test_litmus import SHAPES
from checker.zoo import RIGHT, ZOO
from checker.zoo_weak import WEAK
from hypothesis import example, given, settings
from hypothesis import strategies as st

from locksim.checker import check_workload, outcomes
from locksim.checker import explore as exploration
from locksim.checker.check import build, expected, watched
from locksim.checker.client import clients
from locksim.checker.explore import explore
from locksim.checker.leak import leaking
from locksim.checker.progress import doomed
from locksim.checker.verdict import Budget
from locksim.compiler import compile_source
from locksim.lang import RELAXED, Workload, pause, thread, word
from locksim.locks.rcu import RCU

MODELS = ["sc", "tso", "c11"]
all_models = pytest.mark.parametrize("memory", MODELS)

WORDS = ("x", "y", "guarded", "own0", "own1", "own2")


def source(program):
    """A program of threads, threads of blocks, blocks of lines, in the lock language."""
    lines = ["from locksim.lang import *", "from locksim.locks.tas import TASLock"]
    lines += ["class Shape(Workload):", "    lock = part(TASLock)"]
    lines += [f"    {name} = word()" for name in WORDS]
    lines += ["    def thread(self):"]
    for t, blocks in enumerate(program):
        lines += [f"        if thread() == {t}:", "            v = 0"]
        for kind, inner in blocks:
            # What is read decides what is written next, so orders show in the words.
            body = [text.format(own=f"own{t}") for text in inner]
            match kind:
                case "plain":
                    lines += [f"            {text}" for text in body]
                case "locked":
                    lines += ["            yield from self.lock.acquire()"]
                    lines += [f"            {text}" for text in body]
                    lines += ["            yield from self.lock.release()"]
                case "if":
                    lines += ["            if v == 1:"]
                    lines += [f"                {text}" for text in body]
        lines += ["            return"]
    return "\n".join(lines) + "\n"


def accesses(words):
    """A strategy: one line that accesses one of some words."""
    order = st.sampled_from(["RELAXED", "SEQ_CST"])
    kinds = [
        "v = yield self.{w}.load({o})",
        "yield self.{w}.store(v + 1, {o})",
        "v = yield self.{w}.fetch_add(1, {o})",
        "yield fence({o})",
    ]
    return st.builds(
        lambda kind, w, o: kind.replace("{w}", w).replace(
            "{o}", "ACQ_REL" if "fence" in kind and o == "RELAXED" else o
        ),
        st.sampled_from(kinds),
        st.sampled_from(words),
        order,
    )


def blocks():
    """A strategy: a block of lines, mostly such as keep to the claims."""
    return st.one_of(
        st.tuples(st.just("plain"), st.lists(accesses(["x", "y", "{own}"]), max_size=2)),
        st.tuples(st.just("plain"), st.lists(accesses(["{own}"]), min_size=1, max_size=3)),
        st.tuples(st.just("locked"), st.lists(accesses(["guarded", "{own}"]), max_size=3)),
        st.tuples(st.just("if"), st.lists(accesses(["guarded", "own0"]), min_size=1, max_size=1)),
    ).filter(lambda block: block[1] or block[0] == "locked")


PROGRAMS = st.lists(st.lists(blocks(), min_size=1, max_size=3), min_size=2, max_size=2)

READ = "v = yield self.guarded.load(RELAXED)"
LATE = [
    [("locked", ["yield self.guarded.store(2, RELAXED)"])],
    [("plain", ["v = yield self.x.load(RELAXED)"]), ("locked", [READ])],
    [("plain", ["yield self.x.store(1, RELAXED)", READ])],
]
"""The last thread reads without the lock what the others guard."""


@example(LATE, "c11", 0)
@example(LATE, "sc", 0)
@given(PROGRAMS, st.sampled_from(MODELS), st.sampled_from([0, 32]))
@settings(max_examples=80, deadline=None)
def test_outcomes_are_the_same_without_reduction(program, memory, schedules):
    """All final values of all words; also if no schedule has refuted any claim beforehand."""
    shape = compile_source(source(program), "shape.py")["Shape"].struct
    asked = {"threads": len(program), "observe": WORDS, "memory": memory}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploration, "_SCHEDULES", schedules)
        reduced = outcomes(shape(), **asked)
    assert outcomes(shape(), **asked, reduction=False) == reduced


@all_models
@pytest.mark.parametrize("shape", SHAPES, ids=[s[0].__name__ for s in SHAPES])
def test_litmus_shapes_have_the_same_outcomes(shape, memory):
    """With and without."""
    workload, threads, words, *_ = shape
    asked = {"threads": threads, "observe": words, "memory": memory}
    assert outcomes(workload(), **asked) == outcomes(workload(), **asked, reduction=False)


def goes_wrong(client, threads, memory, reduction):
    """Whether an exploration finds anything wrong with a client, and how many states it had."""
    built = build(client, threads, memory, watched("all"), Budget())
    found = explore(built, expect=expected(built, client.expect), reduction=reduction)
    if found.status:
        return True, found.states
    assert found.complete
    return doomed(found) is not None or leaking(found) is not None, found.states


@all_models
@pytest.mark.parametrize("animal", [*ZOO, *WEAK], ids=[a.lock.__name__ for a in [*ZOO, *WEAK]])
def test_zoo_goes_wrong_with_reduction_too(animal, memory):
    """Each client of each broken lock goes wrong exactly if it does so without reduction."""
    for client in clients(animal.lock, animal.threads, animal.rounds):
        whole, _ = goes_wrong(client, animal.threads, memory, reduction=False)
        assert whole == goes_wrong(client, animal.threads, memory, reduction=True)[0]


@all_models
@pytest.mark.parametrize("lock", RIGHT)
def test_right_locks_stay_right_and_never_get_more_states(lock, memory):
    """The reduced graph is a part of the whole one."""
    for client in clients(lock, 2, 2):
        wrong, whole = goes_wrong(client, 2, memory, reduction=False)
        assert not wrong
        again, states = goes_wrong(client, 2, memory, reduction=True)
        assert not again
        assert states <= whole


@all_models
def test_rcu_has_a_good_deal_fewer_states(memory):
    """Each CPU has words of its own, and a lock guards the grace period."""
    client = clients(RCU, 2, 2)[0]
    _, whole = goes_wrong(client, 2, memory, reduction=False)
    assert goes_wrong(client, 2, memory, reduction=True)[1] < 0.8 * whole


class Busy(Workload):
    """One thread goes round on a word of its own for ever; the other's assertion is wrong."""

    own = word()
    x = word()

    def thread(self):
        if thread() == 0:
            while True:
                yield self.own.store(1, RELAXED)
                yield self.own.store(0, RELAXED)
                yield pause()
        else:
            assert (yield self.x.fetch_add(1, RELAXED)) == 1


@all_models
def test_nobody_is_put_off_for_ever(memory):
    """A cycle of local steps does not hide what others do."""
    verdict = check_workload(Busy(), threads=2, memory=memory, property="assertion")
    assert ("violated", "assertion") == (verdict.verdict, verdict.found)


def test_counterexample_is_the_shortest_all_the_same():
    """What is shown comes from the search without reduction."""
    verdict = check_workload(litmus.SB(), threads=2, expect={"r0": 5})
    whole = check_workload(litmus.SB(), threads=2, expect={"r0": 5}, reduction=False)
    assert whole.to_json() | {"seconds": 0} == verdict.to_json() | {"seconds": 0}
