"""Metered methods that call one another count once; a recursive lock may be entered again."""

import json
from pathlib import Path

import pytest
from checker import nested
from engine.engine_pair import compare, run_pair

from locksim import machine
from locksim.checker import check_lock, check_workload, replay
from locksim.compiler import compile_source
from locksim.compiler.portable import code_from_json, code_to_json
from locksim.core.result import RunResult
from locksim.engine.counters import LOCK_COUNTERS
from locksim.kinds.checking import clients_of
from locksim.library.workloads.critical_section import CriticalSection

RIGHT = [
    nested.AcquireByTry,
    nested.AcquireByHelper,
    nested.Recursive,
    nested.SaysNotRecursive,
    nested.ReadersFirst,
]
WRONG = [nested.AcquireByRacyTry, nested.ReleasesAsWriter, nested.RecursiveLeftAtOnce]
MODELS = ["sc", "tso", "c11"]
all_models = pytest.mark.parametrize("memory", MODELS)


@all_models
@pytest.mark.parametrize("lock", RIGHT, ids=lambda lock: lock.__name__)
def test_an_inner_method_is_no_second_acquisition(lock, memory):
    """No thread is said to enter twice."""
    assert check_lock(lock, threads=2, memory=memory).is_proof()


@all_models
def test_readers_that_enter_as_writers_exclude_only_too_much(memory):
    """Two readers never meet, which their client finds; nobody is said to enter twice."""
    assert check_lock(nested.OneForAll, memory=memory, property="exclusion").is_proof()
    assert "deadlock" == check_lock(nested.OneForAll, threads=2, memory=memory).found


@all_models
@pytest.mark.parametrize("lock", WRONG, ids=lambda lock: lock.__name__)
def test_what_the_outer_method_lets_in_is_found(lock, memory):
    """The generators confirm it."""
    verdict = check_lock(lock, threads=2, memory=memory, property="exclusion")
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)
    client = next(c for c in clients_of(lock, 2, 1) if c.name == verdict.client)
    example = verdict.counterexample
    assert "exclusion" == replay(example, client, memory=example.memory)


@all_models
def test_only_who_says_so_may_enter_again(memory):
    """A nesting client: right for a recursive lock, and a violation for another."""
    right, wrong = (
        check_workload(nested.EntersTwice(lock=lock), threads=2, memory=memory)
        for lock in (nested.Recursive, nested.SaysNotRecursive)
    )
    assert "proven" == right.verdict
    assert ("violated", "exclusion") == (wrong.verdict, wrong.found)


def test_a_recursive_lock_is_checked_with_a_client_that_nests():
    """Others are not."""
    names = [[c.name for c in clients_of(lock, 2, 1)] for lock in (nested.Recursive, WRONG[0])]
    assert ["acquire twice, and count up between"] == [n for n in names[0] if "twice" in n]
    assert [] == [n for n in names[1] if "twice" in n]


@all_models
def test_reading_twice(memory):
    """A reader may enter again, and is inside until it has left as often."""
    assert check_workload(nested.ReadsTwice(), threads=2, memory=memory).is_proof()
    verdict = check_workload(nested.LeavesTooOften(), threads=1, memory=memory)
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)
    assert "which it does not hold" in verdict.counterexample.message


def metered(workload):
    """The meter of a workload's lock after a run on four CPUs, on which both engines agree."""
    pair = run_pair(workload, machine.load("ideal-4").tables(4, "compact"), seed=1, until_ps=10**7)
    compare(pair)
    assert isinstance(pair.plain, RunResult)
    return dict(zip(LOCK_COUNTERS, pair.plain.locks[0].tolist(), strict=True))


def test_the_engines_count_an_acquisition_once():
    """A lock that acquires by trying has rejected nothing, and violated nothing."""
    row = metered(CriticalSection(lock=nested.AcquireByHelper, think_ps=1000))
    assert (0, 0) == (row["rejected"], row["violations"])
    assert row["total"] > 0


def test_the_engines_count_a_hold_until_the_outermost_release():
    """Four threads enter twice: four acquisitions, each held for both computations."""
    row = metered(nested.EntersTwice())
    assert (4, 0, 0) == (row["total"], row["violations"], row["owner"])
    assert row["hold_ps"] >= 4 * 8_000


def test_a_lock_that_is_only_text():
    """Its generators, made from bytecode, count an acquisition once."""
    text = Path(nested.__file__).read_text(encoding="utf-8").partition("class OneForAll")[0]
    read = compile_source(text, "nested.py")["AcquireByHelper"]
    row = metered(CriticalSection(lock=read.struct, think_ps=1000))
    assert (0, 0) == (row["rejected"], row["violations"])


def test_recursive_is_part_of_a_description():
    """It can be written in a file that is only parsed, and it travels in a document."""
    text = "from locksim.lang import *\nclass L(Lock):\n    RECURSIVE = True\n    held = word()\n"
    parsed = compile_source(text, "l.py")["L"]
    read = code_from_json(json.loads(json.dumps(code_to_json(parsed))))
    assert [True, True] == [code.struct.RECURSIVE for code in (parsed, read)]
