"""Proofs from memory that the CPUs of a measurement have used.

A proof speaks of the states that a few threads reach from fresh memory. A measurement soon leaves
them: words have counted to thousands, and CPUs have high numbers. A program can choose by
arithmetic, without a branch, to behave there otherwise. So the CPUs of the measurement use the
struct until all of them have returned (:mod:`locksim.study.use`), and the same proof begins once
more from what they have left, on CPUs drawn from theirs, with their number as ``n_cpus()``.

The moments are drawn from a seed, one in each of equal parts of a logarithmic scale: a few uses,
some, and as many as a measurement has.
"""

from __future__ import annotations

from dataclasses import dataclass

from lockgrader.finding import Finding
from lockgrader.lab import Proven, Used
from locksim.checker.check import check_clients
from locksim.checker.client import chosen
from locksim.checker.replay.render import table
from locksim.checker.verdict import Budget
from locksim.core.result import DeadlockError, SimulationError
from locksim.kinds import StructKind, kind_of
from locksim.lang.randomness import draw
from locksim.lang.struct import Struct, Workload
from locksim.study.use import Use, drawn_cpus, use

__all__ = ["after_use", "moments"]

LONGEST_PS = 10**11
_MOMENTS = 1 << 21
"""The stream of the moments' draws, beside those of the threads."""


def after_use(check: Proven, used: Used, lock: type[Struct], budget: Budget) -> Finding | None:
    """What is wrong with a struct that many CPUs have used; None if nothing is."""
    kind = kind_of(lock)
    if kind is None:
        return None
    for number, uses in enumerate(moments(used)):
        seed = used.seed + number
        on = drawn_cpus(seed, 2, used.cpus)
        load = kind.wearing(lock, max(1, 2 * uses // used.cpus), on, number)
        if load is None:
            return None
        where = _Where(used, kind, on, seed, uses)
        finding = _at(check, where, lock, load, budget)
        if finding is not None:
            return finding
    return None


def moments(used: Used) -> list[int]:
    """How often the struct is used, by all CPUs together, before each of the proofs."""
    found = []
    for k in range(used.moments):
        low, high = (used.uses ** (j / used.moments) for j in (k, k + 1))
        found.append(int(low + (high - low) * (draw(used.seed, _MOMENTS, k) % 1001) / 1000))
    return found


@dataclass(frozen=True)
class _Where:
    """One of the moments: after ``uses`` uses, with threads on the CPUs ``on``."""

    used: Used
    kind: StructKind
    on: tuple[int, ...]
    seed: int
    uses: int

    @property
    def crowd(self) -> str:
        return f"{self.used.cpus} CPUs of {self.used.machine}"

    def __str__(self) -> str:
        first, second = self.on
        return (
            f"after some {self.uses:,} uses by {self.crowd}, with threads on CPUs {first} and "
            f"{second} ({self.used.memory.upper()})"
        )


def _at(
    check: Proven, where: _Where, lock: type[Struct], load: Workload, budget: Budget
) -> Finding | None:
    """The finding at one moment."""
    used, kind = where.used, where.kind
    try:
        left = use(
            load,
            part=kind.part,
            machine=used.machine,
            cpus=used.cpus,
            on=where.on,
            seed=where.seed,
            longest_ps=LONGEST_PS,
        )
    except SimulationError as error:
        tag = "deadlock" if isinstance(error, DeadlockError) else "fault"
        says = f"{where.crowd} use it, unequally often, and stop: {error}"
        return Finding("fail", 0.0, says, tag=tag)
    wrong = _wrong(left)
    if wrong:
        says = f"{where.crowd} use it, unequally often: {wrong}"
        return Finding("fail", 0.0, says, tag="exclusion")
    for client in chosen(kind.worn_clients(lock, len(where.on)), check.client):
        verdict = check_clients(
            [client],
            name=check.lock,
            threads=len(where.on),
            rounds=1,
            memory=used.memory,
            budget=budget,
            used=left.used,
        )
        example = verdict.counterexample
        if verdict.verdict == "unfinished":
            limits = "; ".join(verdict.limits)
            return Finding("fail", 0.0, f"{where}: {limits}", tag="unfinished")
        if example is not None:
            says = f"{verdict.found} is violated {where}: {example.message}\n{table(example)}"
            return Finding("fail", 0.0, says, tag=verdict.found)
    return None


def _wrong(left: Use) -> str:
    """What a run to the end shows to be wrong; "" if nothing is."""
    if left.violations:
        return f"mutual exclusion was violated {left.violations} times"
    counted = left.words.get("count", left.acquired)
    if counted != left.acquired:
        return f"{left.acquired:,} critical sections counted a word up to {counted:,}"
    return ""
