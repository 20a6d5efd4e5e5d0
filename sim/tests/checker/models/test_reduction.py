"""The reduction: nothing is missed and nothing made up, whatever the claims begin with."""

import pytest
from checker.models import litmus
from checker.models.locked_shapes import LATE, PROGRAMS, WORDS, source
from checker.models.test_litmus import SHAPES
from checker.zoo import RIGHT, ZOO
from checker.zoo_weak import WEAK
from hypothesis import given
from hypothesis import strategies as st

from locksim.checker import check_workload, outcomes
from locksim.checker.check import build, expected, watched
from locksim.checker.models.layout import WATCH_EXCLUSION
from locksim.checker.models.model import address_of, model
from locksim.checker.question import Question
from locksim.checker.search import explore as exploration
from locksim.checker.search.explore import Request, explore
from locksim.checker.search.leak import leaking
from locksim.compiler import compile_source
from locksim.kinds.checking import clients_of
from locksim.lang import RELAXED, Workload, pause, thread, word
from locksim.library.locks.rcu import RCU

MODELS = ["sc", "tso", "c11"]
all_models = pytest.mark.parametrize("memory", MODELS)


def ends(program, weak, memory, reduction, schedules=32):
    """The values that the words of a program can have at the end."""
    shape = compile_source(source(program, weak), "shape.py")["Shape"].struct
    built = model(shape(), len(program), memory, watch=WATCH_EXCLUSION)
    at = [address_of(built.memory, name) for name in WORDS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploration, "_SCHEDULES", schedules)
        found = explore(built, Request(reduction=reduction))
    assert (0, True, False) == (found.status, found.complete, found.forgot)
    rows = [found.shared_row(found.row_numbers(state)[-1]) for state in found.finals]
    return {tuple(row[address] for address in at) for row in rows}


@given(PROGRAMS, st.booleans(), st.sampled_from(MODELS), st.sampled_from([0, 32]))
def test_random_programs_end_as_without_reduction(program, weak, memory, schedules):
    """All final values of all words; also if no schedule has refuted any claim beforehand."""
    whole = ends(program, weak, memory, reduction=False)
    assert whole == ends(program, weak, memory, True, schedules)


@all_models
@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize("schedules", [0, 32])
@pytest.mark.parametrize("program", range(len(LATE)))
def test_claims_that_are_refuted_late_do_no_harm(program, schedules, weak, memory):
    """All begins again without the claim."""
    whole = ends(LATE[program], weak, memory, reduction=False)
    assert whole == ends(LATE[program], weak, memory, True, schedules)


@all_models
@pytest.mark.parametrize("shape", SHAPES, ids=[s[0].__name__ for s in SHAPES])
def test_litmus_shapes_have_the_same_outcomes(shape, memory):
    """With and without."""
    workload, threads, words, *_ = shape
    asked = {"threads": threads, "observe": words, "memory": memory}
    assert outcomes(workload(), **asked) == outcomes(workload(), **asked, reduction=False)


def goes_wrong(client, threads, memory, reduction):
    """Whether an exploration finds anything wrong with a client, and how many states it had."""
    asked = Question(threads=threads, memory=memory)
    built = build(client, asked, watched(asked))
    found = explore(built, Request(expect=expected(built, client.expect), reduction=reduction))
    if found.status:
        return True, found.states
    assert found.complete
    return bool(found.doomed() or leaking(found)), found.states


@pytest.mark.covering("animal", "memory", every=4)
@all_models
@pytest.mark.parametrize("animal", [*ZOO, *WEAK], ids=[a.lock.__name__ for a in [*ZOO, *WEAK]])
def test_zoo_goes_wrong_with_reduction_too(animal, memory):
    """Each client of each broken lock goes wrong exactly if it does so without reduction."""
    for client in clients_of(animal.lock, animal.threads, animal.rounds):
        whole, _ = goes_wrong(client, animal.threads, memory, reduction=False)
        assert whole == goes_wrong(client, animal.threads, memory, reduction=True)[0]


@pytest.mark.covering("lock", "memory")
@all_models
@pytest.mark.parametrize("lock", RIGHT)
def test_right_locks_stay_right_and_never_get_more_states(lock, memory):
    """The reduced graph is a part of the whole one."""
    for client in clients_of(lock, 2, 2):
        wrong, whole = goes_wrong(client, 2, memory, reduction=False)
        assert not wrong
        again, states = goes_wrong(client, 2, memory, reduction=True)
        assert not again
        assert states <= whole


@all_models
def test_rcu_has_a_good_deal_fewer_states(memory):
    """Each CPU has words of its own, and a lock guards the grace period."""
    client = clients_of(RCU, 2, 2)[0]
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
