"""Torture and sanitizers: right locks pass, wrong ones are seen, mistakes are refused."""

from __future__ import annotations

import native_zoo as zoo
import pytest

from locknative.errors import NativeError
from locknative.explorer.locks import locks
from locknative.explorer.torture import PATIENCE_S, TOOLS, Builder, torture

BUGS = {str(bug): bug for bug in zoo.bugs()}


@pytest.mark.parametrize("lock", locks())
def test_right_locks_pass(lock: str) -> None:
    """A short trial of each lock shows nothing, and every acquisition is counted."""
    with Builder("torture") as builder:
        trial = torture(builder, lock, threads=3, seconds=0.1)
    assert ("passed", "") == (trial.verdict, trial.detail)
    assert trial.acquisitions >= 3


@pytest.mark.parametrize("tool", ["tsan", "asan"])
def test_right_locks_pass_under_sanitizers(tool: str) -> None:
    """A spinlock, a queue lock and a reader-writer lock show nothing."""
    with Builder(tool) as builder:
        for lock in ("ticket", "mcs", "rwlock"):
            assert "passed" == torture(builder, lock, threads=2, seconds=0.1).verdict


@pytest.mark.covering("tool", every=2)
@pytest.mark.parametrize(
    ("tool", "name", "verdict"),
    [
        ("torture", "tas/tries-once", "wrong"),
        ("torture", "ttas/waits-while-free", "stuck"),
        ("torture", "seqlock/reads-while-written", "wrong"),
        ("torture", "brlock/one-stays-locked", "stuck"),
        ("tsan", "ticket/release-relaxed", "race"),
    ],
)
def test_wrong_locks_are_seen(tool: str, name: str, verdict: str) -> None:
    """What a tool surely sees is called what it is; it may take several trials.

    Two threads of a wrong lock are inside even if they never run at the same time, as those of a
    busy machine.
    """
    bug = BUGS[name]
    seen = set()
    with Builder(tool) as builder, bug.folder() as folder:
        for seed in range(20):
            seen.add(
                torture(
                    builder,
                    bug.lock,
                    threads=4,
                    seconds=0.2,
                    seed=seed,
                    includes=[folder],
                    patience_s=0.2 if verdict == "stuck" else PATIENCE_S,
                ).verdict
            )
            if verdict in seen:
                break
    assert verdict in seen


def test_unfairness_shows() -> None:
    """In a FIFO lock no thread is passed much more often than there are others."""
    with Builder("torture") as builder:
        trial = torture(builder, "ticket", threads=3, seconds=0.2)
    # A thread that is late before it has drawn its number has not joined the queue yet.
    assert 0 < trial.passed < trial.acquisitions


def test_unknown_names() -> None:
    """Tools and locks that are not there are refused with those that are."""
    with pytest.raises(NativeError, match="known: asan, torture, tsan"):
        Builder("valgrind")
    with Builder(TOOLS[0]) as builder, pytest.raises(NativeError, match="did you mean 'mcs'"):
        torture(builder, "mcz")
