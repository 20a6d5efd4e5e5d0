"""What the explorer finds in small programs, each of which is right or has one thing wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.explorer import Exploration, Program, Search
from locknative.explorer.search import run
from locksim.checker.limits import is_proof

PROGRAMS = Path(__file__).parents[1] / "programs"


def explored(
    name: str, *defines: str, memories: tuple[str, ...] = ("sc", "tso"), **how: object
) -> dict[str, Exploration]:
    """Return what is found in a program under each memory model."""
    with Program([PROGRAMS / name], defines) as program:
        return {
            memory: run(program, Search(memory=memory, **how))  # type: ignore[arg-type]
            for memory in memories
        }


def under_sc(name: str, *defines: str, **how: object) -> Exploration:
    """Return what is found in a program under sequential consistency."""
    return explored(name, *defines, memories=("sc",), **how)["sc"]


@pytest.mark.parametrize(
    ("test", "threads", "weak"),
    [
        ("SB", 2, True),
        ("SB_FENCED", 2, False),
        ("SB_SEQ_CST", 2, False),
        ("MP", 2, False),
        ("LB", 2, False),
        ("S", 2, False),
        ("R", 2, True),
        ("TWO_PLUS_TWO_W", 2, False),
        ("IRIW", 4, False),
        ("CORR", 2, False),
        ("N6", 2, True),
    ],
)
def test_litmus(test: str, threads: int, weak: bool) -> None:
    """The outcomes are those of sequential consistency and of x86 (docs/explain/checker.md)."""
    found = explored("litmus.c", f"TEST={test}", threads=threads)
    assert is_proof(found["sc"].verdict)
    assert ("violated" if weak else "proven") == found["tso"].verdict


@pytest.mark.parametrize("case", range(8))
def test_orders(case: int) -> None:
    """Each way to hand a plain word over is right, or a data race, as C11 says."""
    for found in explored("orders.c", f"CASE={case}", threads=3).values():
        expected = "race" if case % 2 else ""
        assert expected == found.found
        assert case % 2 or found.verdict == "proven"


@pytest.mark.parametrize(
    ("bug", "says"),
    [
        (1, "use after free"),
        (2, "double free"),
        (3, "overflow"),
        (4, "leak"),
        (5, "never gave out"),
        (6, "null pointer"),
    ],
)
def test_memory(bug: int, says: str) -> None:
    """Each misuse of memory is found, and called what it is."""
    found = under_sc("memory.c", f"BUG={bug}")
    assert found.counterexample is not None
    assert says in found.counterexample.message


def test_memory_used_well() -> None:
    """What is freed, or can be reached through another block, is no leak."""
    assert is_proof(under_sc("memory.c", "BUG=0").verdict)


@pytest.mark.parametrize("case", [0, 1, 2, 4])
def test_waits_that_end(case: int) -> None:
    """Loops that wait are explored to the end, whatever they wait on, and however they give up."""
    for found in explored("waits.c", f"CASE={case}").values():
        assert is_proof(found.verdict)


def test_wait_that_changes_memory() -> None:
    """A loop that changes memory in every round makes room for others in the end."""
    found = under_sc("waits.c", "CASE=3", preemptions=0)
    assert "bounded" == found.verdict


def test_wait_for_ever() -> None:
    """Who waits for what nobody writes is named."""
    found = under_sc("waits.c", "CASE=5")
    assert found.counterexample is not None
    assert "deadlock" == found.found
    assert "thread 0 spins at waits.c:" in found.counterexample.message


def test_loop_on_a_plain_word() -> None:
    """A loop that reads a plain word, which nothing changes, is recognised too."""
    found = under_sc("waits.c", "CASE=6")
    assert found.counterexample is not None
    assert "thread 0 spins at waits.c:" in found.counterexample.message


@pytest.mark.parametrize("locked", [0, 1])
@pytest.mark.parametrize(("setup", "place"), [(1, "locklab_setup()"), (0, "locklab_check()")])
def test_setup_and_check_wait_forever(setup: int, place: str, locked: int) -> None:
    """No other thread runs then: this run is the one that decides."""
    defines = f"IN_SETUP={setup}", f"LOCKED={locked}"
    memories = ("sc", "tso", "c11")
    whole = explored("alone_waits.c", *defines, memories=memories)
    bounded = explored("alone_waits.c", *defines, memories=memories, preemptions=1)
    for found in [*whole.values(), *bounded.values()]:
        assert ("violated", "deadlock") == (found.verdict, found.found)
        assert found.counterexample is not None
        assert f"{place} " in found.counterexample.message


@pytest.mark.covering("case", every=2)
@pytest.mark.parametrize(
    ("case", "found"),
    [
        (0, ""),
        (1, "deadlock"),
        (2, ""),
        (3, "deadlock"),
        (4, ""),
        (5, "race"),
        (6, ""),
        (7, "deadlock"),
        (8, ""),
        (9, "exclusion"),
        (10, ""),
        (11, "deadlock"),
        (12, ""),
        (13, "deadlock"),
    ],
)
def test_pthreads(case: int, found: str) -> None:
    """What POSIX offers is right where it is used rightly, and a mistake is told."""
    assert found == under_sc("pthreads.c", f"CASE={case}").found


def test_c11_threads() -> None:
    """C11's threads, mutexes and condition variables do what they should."""
    assert is_proof(under_sc("c11.c").verdict)


@pytest.mark.parametrize("flavour", [(), ("CALL",), ("QSBR",), ("QSBR", "CALL"), ("DEFER",)])
def test_rcu(flavour: tuple[str, ...]) -> None:
    """A pointer under RCU is right in each flavour, with synchronize_rcu and with call_rcu."""
    for found in explored("rcu.c", *flavour).values():
        assert is_proof(found.verdict)


@pytest.mark.parametrize(
    ("bug", "found", "says"),
    [
        (1, "rcu", "without being registered"),
        (2, "race", "frees"),
        (3, "race", "writes"),
        (4, "race", "frees"),
        (5, "leak", "never freed"),
    ],
)
def test_rcu_misused(bug: int, found: str, says: str) -> None:
    """Each misuse of RCU is found."""
    seen = under_sc("rcu.c", f"BUG={bug}")
    assert found == seen.found
    assert seen.counterexample is not None
    assert says in seen.counterexample.message


def test_peterson_needs_a_fence_on_x86() -> None:
    """Peterson's lock is right under SC; under TSO only with SEQ_CST stores."""
    weak = explored("peterson.c", "ORDER=memory_order_release")
    strong = explored("peterson.c")
    assert ("proven", "violated") == (weak["sc"].verdict, weak["tso"].verdict)
    assert ("proven", "proven") == (strong["sc"].verdict, strong["tso"].verdict)
