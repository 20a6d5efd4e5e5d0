"""Every lock of the library is proven under each memory model that it claims.

The numbers of states are those of the table in docs/evidence/states.md, which the script makes.
"""

import importlib.util
from pathlib import Path

import pytest
from checker.proofs import for_all_sizes

from locksim.checker import check_lock
from locksim.library.registry import resolve

FILE = Path(__file__).parents[2] / "benchmarks" / "states.py"
spec = importlib.util.spec_from_file_location("states", FILE)
states = importlib.util.module_from_spec(spec)
spec.loader.exec_module(states)

DEAR = {("rcu", "c11", 3), ("lockref", "c11", 3), ("filter", "c11", 3), ("bakery", "c11", 3)}
DEAR |= {("mutex", "tso", 3), ("rwsem", "tso", 3)}
DEAR |= {("percpu_rwsem", "c11", 2), ("percpu_rwsem", "c11", 3)}


def claims():
    """Every lock, model and size; of three threads all but one model of each lock are slow."""
    for i, entry in enumerate(states.locks()):
        models = entry.struct.MODELS
        short = [m for m in models if (entry.name, m, 3) not in DEAR]
        for memory in models:
            for threads, rounds in states.SIZES.items():
                slow = (entry.name, memory, threads) in DEAR or (
                    threads > 2 and memory != short[i % len(short)]
                )
                yield pytest.param(
                    entry,
                    memory,
                    threads,
                    rounds,
                    id=f"{entry.name}-{memory}-{threads}",
                    marks=[pytest.mark.slow] if slow else [],
                )


@pytest.mark.covering("entry", every=2)
@pytest.mark.parametrize(("entry", "memory", "threads", "rounds"), [*claims()])
def test_lock_is_proven(entry, memory, threads, rounds):
    """Exclusion, progress and the count hold in every interleaving, whatever the buffers' size."""
    verdict = check_lock(
        entry.struct, threads=threads, rounds=rounds, memory=memory, budget=states.BUDGET
    )
    assert for_all_sizes(verdict)
    published = states.published()[entry.name, memory, threads]
    assert published == verdict.states, "make the table anew: sim/benchmarks/states.py --write"


@pytest.mark.slow
@pytest.mark.parametrize("memory", states.MEMORY)
@pytest.mark.parametrize("name", ["qspinlock", "cna", "reciprocating"])
def test_lock_is_proven_in_the_size_that_it_needs(name, memory):
    """Some lines matter only with more threads or rounds than the table has."""
    lock = resolve(name).struct
    threads, rounds = lock.NEEDS_THREADS, getattr(lock, "NEEDS_ROUNDS", 1)
    verdict = check_lock(lock, threads=threads, rounds=rounds, memory=memory, budget=states.BUDGET)
    assert for_all_sizes(verdict)


def test_there_are_locks():
    """The registry gives the ones that this test is about."""
    assert {"tas", "ttas", "ticket", "mcs", "rwlock", "seqlock", "lockref", "qspinlock"} <= {
        e.name for e in states.locks()
    }
