"""The acquisitions of a lock in a simulation, each by its operations on memory.

Source code has too many right forms: a loop in a helper, ``compare_swap`` for ``swap``, statistics
on the way. What an algorithm is, shows in what it does: which words an acquisition reads and
writes, in which order, and which change of which word ends its wait.

An acquisition *polls* a word if two of its loads find different values, and it wrote the word
between them neither by a store nor by an atomic operation. It waited for such a change. The last
one is its *turn*: who waits until the lock is given to them saw it there.
"""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from locksim.core.result import SimulationError
from locksim.engine.trace import MARK
from locksim.lang.ops import NS, Kind, Mark
from locksim.lang.struct import Struct
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.simulation import simulate

__all__ = ["ATOMICS", "Acquisition", "Step", "acquisitions"]

OPERATIONS, WARM_UP = 3, 1
LONGEST_PS = 10**10
THINK_PS = 2_000 * NS
"""Between two acquisitions at least, so that who releases a lock is not the next one to have it."""
MOST = 500_000
"""Operations after which a run ends; a loop that the engine cannot jump over makes so many."""
LEAST = 8
"""Acquisitions that a run must show."""
ATOMICS = range(int(Kind.SWAP), int(Kind.FETCH_XOR) + 1)
_MEMORY = range(int(Kind.LOAD), int(Kind.FETCH_XOR) + 1)
_STEPS = (*_MEMORY, int(Kind.PAUSE), int(Kind.COMPUTE))
_START, _END = MARK + int(Mark.ACQUIRE_START), MARK + int(Mark.ACQUIRED)
Rows = npt.NDArray[np.int64]
Step = tuple[int, int, int]
"""Kind, word, value."""


@dataclass
class Acquisition:
    """One acquisition.

    Arguments:
        cpu: its CPU. ended: whether it has the lock; otherwise the run was over before.
        steps: its operations as (kind, word, value), in order; a pause has no word, and the value
            of a ``compute`` is its time in ps.
        order: the places of its operations in the order of all.
    """

    cpu: int
    ended: bool = False
    steps: list[Step] = field(default_factory=list)
    order: list[int] = field(default_factory=list)

    def atomics(self) -> list[int]:
        """The words of its atomic operations."""
        return [word for kind, word, _ in self.steps if kind in ATOMICS]

    def reread(self) -> set[int]:
        """The words that it loads at least twice."""
        loads = Counter(word for kind, word, _ in self.steps if kind == Kind.LOAD)
        return {word for word, times in loads.items() if times > 1}

    @functools.cached_property
    def changes(self) -> list[tuple[int, int]]:
        """The changes that it waited for: (step, word), in order."""
        found, last = [], dict[int, int]()
        for step, (kind, word, value) in enumerate(self.steps):
            if kind == Kind.LOAD:
                if last.get(word, value) != value:
                    found.append((step, word))
                last[word] = value
            elif kind in _MEMORY:
                last.pop(word, None)
        return found

    @property
    def turn(self) -> int | None:
        """The word of the last change that it waited for; None if it did not wait."""
        return self.changes[-1][1] if self.changes else None

    def queued(self, word: int) -> int | None:
        """When it last used an atomic on a word before it paused or looked for its turn.

        None if it did not, or had waited for a change before: it did not queue up at once. Of one
        that the end of the run cut off, None until it waits.
        """
        found, sure = None, self.ended
        waited = self.changes[0][0] if self.changes else len(self.steps)
        for step, (kind, at, _) in enumerate(self.steps):
            looks = kind == Kind.LOAD and at == self.turn
            if kind in (Kind.PAUSE, Kind.COMPUTE) or looks or step > waited:
                sure = True
                break
            if at == word and kind in ATOMICS:
                found = self.order[step]
        return found if sure else None

    def pauses(self) -> set[tuple[int, int, int]]:
        """What it does between two reads of a word for which it waits.

        Each is (pauses in fours, longest ``compute`` in ps, other operations in eights): a spin
        that the engine jumps over can show an iteration twice. What is short is left out.
        """
        words = {word for _, word in self.changes}
        found = set()
        since: dict[int, list[int]] = {}
        for kind, word, value in self.steps:
            for gap in since.values():
                gap[0] += kind == Kind.PAUSE
                gap[1] = max(gap[1], value * (kind == Kind.COMPUTE))
                gap[2] += kind in _MEMORY
            if word in words and (kind == Kind.LOAD or kind in ATOMICS):
                pauses, longest, others = since.get(word, (0, 0, 0))
                found.add((pauses // 4, longest, others // 8))
                since[word] = [0, 0, 0]
        return found - {(0, 0, 0)}


def acquisitions(lock: Struct, machine: str, cpus: int, hold_ns: int) -> list[Acquisition]:
    """The acquisitions of a run with long critical sections, in the order of their ends.

    Those that the end of the run cut off come last.

    Arguments:
        lock: a description. machine: with at least so many ``cpus``. hold_ns: time in a section.

    Raises:
        SimulationError: a fault, a deadlock, waiters that keep each other from the lock.
    """
    kept = _Kept()
    with contextlib.suppress(_FullError):
        simulate(
            CriticalSection(lock=lock, hold_ps=hold_ns * NS, think_ps=hold_ns * NS // 4 + THINK_PS),
            machine=machine,
            cpus=cpus,
            operations=OPERATIONS,
            warmup=WARM_UP,
            replications=1,
            longest_ps=LONGEST_PS,
            watch=kept,
        )
    found = list(_found(np.concatenate(kept.parts)))
    if sum(one.ended for one in found) < LEAST:
        raise SimulationError(
            f"{cpus} CPUs want the lock, and after {MOST:,} operations hardly any CPU has got it\n"
            "help: a waiter must not keep the others from taking or releasing the lock"
        )
    return found


class _FullError(Exception):
    """The run has shown enough."""


@dataclass
class _Kept:
    """A reader of a trace that keeps the rows of steps and of acquisitions' ends."""

    parts: list[Rows] = field(default_factory=list)
    count: int = 0

    def __call__(self, rows: Rows, _origins: Rows) -> None:
        wanted = (rows[:, 1] % 2 == 0) & np.isin(rows[:, 2], (*_STEPS, _START, _END))
        self.parts.append(rows[wanted])
        self.count += len(self.parts[-1])
        if self.count > MOST:
            raise _FullError


def _found(rows: Rows) -> Iterator[Acquisition]:
    subject = int(rows[rows[:, 2] == _START][0, 3])  # the outermost lock is the first to be asked
    open_: dict[int, Acquisition] = {}
    for place, (_, agent, what, address, value) in enumerate(rows.tolist()):
        cpu = agent // 2
        if what == _START and address == subject:
            open_[cpu] = Acquisition(cpu)
        elif what == _END and address == subject and cpu in open_:
            one = open_.pop(cpu)
            one.ended = True
            yield one
        elif what in _STEPS and cpu in open_:
            open_[cpu].steps.append((what, address if what in _MEMORY else -1, value))
            open_[cpu].order.append(place)
    yield from open_.values()
