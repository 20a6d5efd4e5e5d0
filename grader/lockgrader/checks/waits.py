"""How a lock waits: the algorithm that a handout asks for, recognised by what it does.

Source code has too many right forms: a loop in a helper, ``compare_swap`` for ``swap``, statistics
on the way. So the lock runs on a few CPUs with long critical sections, and each acquisition is
judged by its operations on memory, from the meter's mark at its start to the one at its end. Only
the algorithm decides which words are read and written there, and in which order.

A word that an acquisition reads at least twice is one that it waits for: nothing else needs to be
read again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lockgrader.lab import Waits
from locksim import machine as machines
from locksim.engine.trace import MARK
from locksim.lang.ops import NS, Kind, Mark
from locksim.lang.struct import Struct
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.simulation import simulate

__all__ = ["Acquisition", "acquisitions", "wrong_wait"]

OPERATIONS, WARM_UP = 12, 4
LONGEST_PS = 10**11
OWN_SHARE = 0.4
"""Of the times that a CPU waits, those on its own line; two nodes in turn are all right."""
_WAITS = -1
_ATOMICS = range(int(Kind.SWAP), int(Kind.FETCH_XOR) + 1)
_MEMORY = range(int(Kind.LOAD), int(Kind.FETCH_XOR) + 1)
_START, _END = MARK + int(Mark.ACQUIRE_START), MARK + int(Mark.ACQUIRED)
Rows = npt.NDArray[np.int64]


@dataclass
class Acquisition:
    """One acquisition: its CPU, and its operations on memory as (kind, word, value), in order."""

    cpu: int
    steps: list[tuple[int, int, int]] = field(default_factory=list)

    def waited_for(self) -> set[int]:
        """The words that it read at least twice."""
        reads = Counter(word for kind, word, _ in self.steps if kind == Kind.LOAD)
        return {word for word, times in reads.items() if times > 1}

    def atomics(self) -> list[int]:
        """The words of its atomic operations."""
        return [word for kind, word, _ in self.steps if kind in _ATOMICS]

    def tries_blindly(self) -> bool:
        """Whether it tries an atomic again although the last read did not find the lock free."""
        if not self.atomics():
            return False
        _, word, free = next(s for s in reversed(self.steps) if s[0] in _ATOMICS)
        own = [(kind, value) for kind, at, value in self.steps if at == word]
        tries = [k for k, (kind, _) in enumerate(own) if kind in _ATOMICS]
        return any(own[k - 1] != (Kind.LOAD, free) for k in tries[1:])


def acquisitions(lock: Struct, waits: Waits) -> list[Acquisition]:
    """The acquisitions of a run with long critical sections, in the order of their ends.

    Raises:
        SimulationError: a fault, a deadlock.
    """
    parts: list[Rows] = []
    load = CriticalSection(lock=lock, hold_ps=waits.hold_ns * NS, think_ps=waits.hold_ns * NS // 4)
    simulate(
        load,
        machine=waits.machine,
        cpus=waits.cpus,
        operations=OPERATIONS,
        warmup=WARM_UP,
        replications=1,
        longest_ps=LONGEST_PS,
        watch=lambda rows, _: parts.append(rows.copy()),
    )
    return list(_found(np.concatenate(parts)))


def _found(rows: Rows) -> Iterator[Acquisition]:
    subject = int(rows[rows[:, 2] == _START][0, 3])  # the outermost lock is the first to be asked
    open_: dict[int, Acquisition] = {}
    for _, agent, what, address, value in rows[rows[:, 1] % 2 == 0].tolist():
        cpu = agent // 2
        if what == _START and address == subject:
            open_[cpu] = Acquisition(cpu)
        elif what == _END and address == subject and cpu in open_:
            yield open_.pop(cpu)
        elif what in _MEMORY and cpu in open_:
            open_[cpu].steps.append((what, address, value))


def wrong_wait(name: str, lock: Struct, waits: Waits) -> tuple[str, str]:
    """What is wrong with the way in which a lock waits, and one word for it; "" if nothing is.

    Arguments:
        name: of the lock, for the message. lock: its description. waits: what is asked.
    """
    seen = acquisitions(lock, waits)
    if "tests-first" in waits.demands and any(a.tries_blindly() for a in seen):
        says = "tries an atomic operation again without having read that the lock is free"
        return f"{name}.acquire() {says}", "spins-by-writing"
    if "retries" in waits.demands:
        again = sum(len(a.atomics()) > 1 for a in seen)
        if not any(a.waited_for() for a in seen) or not again:
            says = "never tries again: all waiters must read the lock, and try when it is free"
            return f"{name}.acquire() {says}", "another-algorithm"
    if "one-atomic" in waits.demands and any(len(a.atomics()) > 1 for a in seen):
        says = "makes several atomic operations; the algorithm needs one"
        return f"{name}.acquire() {says}", "another-algorithm"
    if "same-word" in waits.demands and not _one_word(seen):
        says = "the waiters wait on many words; under this algorithm all wait on one"
        return f"{name}.acquire(): {says}", "another-algorithm"
    if "own-line" in waits.demands:
        return _shared_line(name, seen, waits)
    return "", ""


def _one_word(seen: list[Acquisition]) -> bool:
    """Whether most of the acquisitions that wait do so on one and the same word."""
    waiting = [one.waited_for() for one in seen if one.waited_for()]
    times = Counter(word for words in waiting for word in words)
    return 2 * max(times.values(), default=0) > len(waiting)


def _shared_line(name: str, seen: list[Acquisition], waits: Waits) -> tuple[str, str]:
    """Whether each CPU mostly waits on one line, on which no other CPU waits."""
    words_per_line = machines.load(waits.machine).tables(waits.cpus, "compact").words_per_line
    times: dict[int, Counter[int]] = {}
    users: dict[int, set[int]] = {}
    for one in seen:
        lines = {word // words_per_line for word in one.waited_for()}
        if lines:
            times.setdefault(one.cpu, Counter())[_WAITS] += 1
        for line in lines:
            times[one.cpu][line] += 1
            users.setdefault(line, set()).add(one.cpu)
    if 2 * len(times) < waits.cpus:
        says = f"only {len(times)} of {waits.cpus} CPUs wait by reading"
        return f"{name}.acquire(): {says}", "another-algorithm"
    for cpu, counts in times.items():
        own = max((n for line, n in counts.items() if users.get(line) == {cpu}), default=0)
        if own < OWN_SHARE * counts[_WAITS]:
            most = max(map(len, users.values()))
            says = (
                f"up to {most} CPUs wait on one line"
                if most > 1
                else f"CPU {cpu} waits on {len(counts) - 1} lines, one after the other"
            )
            return f"{name}.acquire(): {says}; each must have a line of its own", (
                "another-algorithm"
            )
    return "", ""
