"""A setup is made once, and each run begins from what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.explorer import Exploration, Program, Search
from locknative.explorer.search import run
from locksim.checker.limits import is_proof

PROGRAM = Path(__file__).parents[1] / "programs" / "begun.c"
MOST = 1_000_000


def explored(*defines: str, **how: object) -> Exploration:
    """Return what is found in the program."""
    with Program([PROGRAM], defines) as program:
        return run(program, Search(max_steps=MOST, **how))  # type: ignore[arg-type]


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("preemptions", [None, 1])
def test_each_run_begins_with_the_same_memory(memory: str, preemptions: int | None) -> None:
    """Statics, blocks and thread-local variables, whatever the run before made of them."""
    found = explored(memory=memory, preemptions=preemptions)
    said = "proven" if is_proof(found.verdict) else found.verdict
    assert ("bounded" if preemptions else "proven") == said, found.counterexample
    assert found.runs > 12


def test_setup_is_made_once_for_each_of_its_numbers() -> None:
    """Three numbers: the steps of three long beginnings and of many short runs."""
    found = explored(memory="c11")
    assert 3 * 40_000 < found.steps < found.runs * 40_000 / 2


def test_as_many_runs_as_without_a_beginning() -> None:
    """What happens in setup has no other order. With a thread made there, the old way is taken."""
    assert explored(memory="sc").runs == explored("LONG=1", memory="sc").runs
    forked = explored("FORKS=1", "LONG=1", memory="sc")
    assert is_proof(forked.verdict), forked.counterexample


def test_random_runs_and_replay() -> None:
    """They make the setup each time; a counterexample's choices lead to it again."""
    assert "sampled" == explored(pct=2, runs=3).verdict
    broken = explored("BUG=3", memory="sc")
    again = explored("BUG=3", memory="sc", replay=broken.choices)
    assert broken.counterexample == again.counterexample


def test_workers_make_the_same_search() -> None:
    """Each of two processes makes setups of its own."""
    assert explored(memory="sc").traces == explored(memory="sc", workers=2).traces


@pytest.mark.parametrize(
    ("bug", "says"), [(1, "use after free"), (2, "overflow"), (3, "a data race")]
)
def test_what_setup_leaves_is_watched(bug: int, says: str) -> None:
    """Blocks that it has freed or made, and words that it has written."""
    found = explored(f"BUG={bug}", memory="sc")
    assert found.counterexample is not None
    assert says in found.counterexample.message


def on_errands(bug: int, **how: object) -> Exploration:
    """Return what is found where threads do something before they begin."""
    with Program([PROGRAM.with_name("errands.c")], [f"BUG={bug}"]) as program:
        return run(program, Search(**how))  # type: ignore[arg-type]


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("preemptions", [None, 1])
def test_errands_come_before_everything(memory: str, preemptions: int | None) -> None:
    """Each on its thread's own stack; nothing races with them, and what they malloc stays."""
    found = on_errands(0, memory=memory, preemptions=preemptions)
    said = "proven" if is_proof(found.verdict) else found.verdict
    assert ("bounded" if preemptions else "proven") == said, found.counterexample
    assert found.runs >= 2


@pytest.mark.parametrize("looks", [4, 8, 10, 11])
def test_a_loop_that_counts_in_one_place_is_no_wait(looks: int) -> None:
    """Not each round is watched: what was seen earlier says nothing about the next ones."""
    with Program([PROGRAM.with_name("toggled.c")], [f"LOOKS={looks}"]) as program:
        found = run(program, Search(max_steps=MOST))
    assert is_proof(found.verdict), found.counterexample


@pytest.mark.parametrize(
    ("bug", "says"), [(1, "thread 1 spins at errands.c:"), (2, "that will do")]
)
def test_an_errand_that_fails_is_shown(bug: int, says: str) -> None:
    """The counterexample is this errand, and no earlier one."""
    found = on_errands(bug).counterexample
    assert found is not None
    assert says in found.message
    assert {1} == {step.thread for step in found.steps}
    assert [398] == [step.old for step in found.steps if step.operation == "fetch_add"]
    assert len(found.steps) < 60


@pytest.mark.parametrize(
    ("bug", "says"), [(3, "makes a thread"), (4, "locklab_as(1): it is for locklab_setup()")]
)
def test_misplaced_errands(bug: int, says: str) -> None:
    """They are a part of setup, where nobody else runs."""
    found = on_errands(bug)
    assert "unfinished" == found.verdict
    assert says in found.limits[0]


def with_callbacks(waits: int, bug: int = 0, **how: object) -> Exploration:
    """Return what is found where setup leaves memory to call_rcu."""
    with Program([PROGRAM.with_name("callbacks.c")], [f"WAITS={waits}", f"BUG={bug}"]) as program:
        return run(program, Search(max_steps=MOST, **how))  # type: ignore[arg-type]


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_callbacks_that_setup_waits_for(memory: str) -> None:
    """They are over when the threads begin: nothing is found, and setup is made once."""
    found = with_callbacks(1, memory=memory, preemptions=1)
    assert "bounded" == found.verdict, found.counterexample
    assert found.runs > 20
    assert found.steps < found.runs * 500


def test_a_callback_that_setup_does_not_wait_for() -> None:
    """It runs among the threads, and what it writes is ordered by nothing."""
    assert "bounded" == with_callbacks(0, preemptions=1).verdict
    found = with_callbacks(0, bug=1, preemptions=1).counterexample
    assert found is not None
    assert "freed" in found.message
    assert "a data race" in found.message
