"""LockLab's checker beside another one: the same locks and granularity, in turn, in one run.

A script gives the other side as a function that prepares a case and returns how to explore it once
(:mod:`spin_models`, :mod:`harmony_models`). Both explore everything under sequential consistency,
ours without reduction. The time is processor time, the best of some alternating runs. Locks with
fewer than a hundred thousand of our states have no ratio, since their time is too short.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from locksim.checker import check_workload
from locksim.kinds.checking import clients_of
from locksim.lang import RELAXED, Lock, array, pause, thread, word
from locksim.lang.struct import Struct
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock

RUNS = 3
ENOUGH = 100_000
"""Smallest number of states for a meaningful time."""


class Peterson(Lock):
    """Peterson's algorithm (IPL 12(3), 1981) for two threads."""

    wants = array(2, word())
    turn = word()

    def acquire(self):  # type: ignore[no-untyped-def]
        """Announce interest, give the other thread precedence, wait."""
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield self.turn.store(1 - me, RELAXED)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) == me:
                return
            yield pause()

    def release(self):  # type: ignore[no-untyped-def]
        """Withdraw the interest."""
        yield self.wants[thread()].store(0, RELAXED)


class Case(NamedTuple):
    """A lock, the name of its model on the other side, and the size of the check."""

    model: str
    lock: type[Struct]
    threads: int
    rounds: int


class Explored(NamedTuple):
    """What the other checker found: states, whether it proved the lock, processor seconds."""

    states: int
    proven: bool
    seconds: float


Prepare = Callable[[Case, Path], Callable[[], Explored]]
"""Prepare a case in an empty folder; return how to explore it once."""
COMMON = [
    Case("peterson", Peterson, 2, 2),
    Case("ticket", TicketLock, 3, 2),
    Case("ticket", TicketLock, 5, 3),
    Case("mcs", MCSLock, 3, 2),
    Case("mcs", MCSLock, 4, 3),
]
"""The cases that every other checker has."""


@dataclass(frozen=True)
class Rival:
    """Another checker.

    Arguments:
        name: for the table's head. settings: of its search. prepare: a case.
        same_states: whether its states are ours, so that their numbers must be equal.
    """

    name: str
    settings: str
    prepare: Prepare
    same_states: bool

    def compare(self, cases: Sequence[Case], output: Path | None) -> int:
        """Print a table, write its ratios; return 1 if verdicts or states differ."""
        head = ("lock", "threads", "rounds", "states", f"{self.name}'s")
        print("{:<10} {:>7} {:>6} {:>10} {:>10} {:>9} {:>9} {:>6}".format(
            *head, "seconds", f"{self.name}'s", "ratio"
        ))  # fmt: skip
        different, rows = 0, []
        for case in cases:
            states, proven, mine, theirs = self._measured(case)
            different += proven != theirs.proven or (self.same_states and states != theirs.states)
            shown = ""
            if states >= ENOUGH:
                ratio = theirs.seconds / mine
                shown = f"{mine:>9.2f} {theirs.seconds:>9.2f} {ratio:>6.2f}"
                what = f"{case.model}, {case.threads} threads, {case.rounds} rounds"
                rows.append(
                    {
                        "what": f"{what}: processor time to the proof",
                        "against": f"{self.name}, {self.settings}",
                        "value": ratio,
                        "ours": mine,
                        "theirs": theirs.seconds,
                    }
                )
            size = f"{case.threads:>7} {case.rounds:>6} {states:>10,} {theirs.states:>10,}"
            print(f"{case.model:<10} {size} {shown}")
        if output is not None:
            output.parent.mkdir(parents=True, exist_ok=True)
            output.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")
        return int(different > 0)

    def _measured(self, case: Case) -> tuple[int, bool, float, Explored]:
        """Our states, whether we proved it, our best time; the other side's best run."""
        from locksim.checker.search import compiled as _compiled  # noqa: F401  # small ones, too

        client = clients_of(case.lock, case.threads, case.rounds)[0]
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            explore = self.prepare(case, Path(folder))
            for _ in range(RUNS):
                begun = time.process_time()
                verdict = check_workload(
                    client.workload, threads=case.threads, expect=client.expect, reduction=False
                )
                ours.append(time.process_time() - begun)
                theirs.append(explore())
        best = min(theirs, key=lambda one: one.seconds)
        return verdict.states, verdict.is_proof(), min(ours), best


def timed(command: Sequence[str], folder: Path) -> tuple[str, float]:
    """Run a command in a folder; what it prints, errors after it, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout + done.stderr, seconds


def output_option(description: str | None) -> Path | None:
    """The file that ``--output`` names, of a script with this docstring."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, help="file for the ratios, as JSON")
    found: Path | None = parser.parse_args().output
    return found
