"""Comparison of LockLab's checker with SPIN: the same locks and granularity, in one run.

    python sim/benchmarks/spin/compare.py [--output FILE]

Needs ``spin`` and a C compiler (Debian: ``apt-get install spin gcc``). SPIN's models are the
``.pml`` files beside this one. Both explore everything under sequential consistency, SPIN without
partial-order reduction, since states are compared, and compiled with -O2. The time is processor
time, the best of some alternating runs, without compilation of either. Locks with fewer than a
hundred thousand states are left out, since their time is too short.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from locksim.checker import check_workload
from locksim.checker.search import compiled as _compiled  # noqa: F401  # for small checks, too
from locksim.kinds.checking import clients_of
from locksim.lang import RELAXED, Lock, array, pause, thread, word
from locksim.lang.struct import Struct
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock

HERE = Path(__file__).parent
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


CASES: list[tuple[str, type[Struct], int, int]] = [
    ("peterson", Peterson, 2, 2),
    ("peterson", Peterson, 2, 30),
    ("ticket", TicketLock, 3, 2),
    ("ticket", TicketLock, 5, 3),
    ("mcs", MCSLock, 3, 2),
    ("mcs", MCSLock, 4, 3),
    ("rwlock", ReaderPreferenceRWLock, 3, 2),
    ("rwlock", ReaderPreferenceRWLock, 5, 3),
]
"""Model, lock, threads, rounds."""


def main(output: Path | None = None) -> int:
    """Print a table, write its ratios; 1 if verdicts or states differ, 0 also without SPIN."""
    missing = [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]
    if missing:
        print(f"not compared: {' and '.join(missing)} is not installed (apt-get install spin gcc)")
        return 0
    head = ("lock", "threads", "rounds", "states", "SPIN's", "states/s", "SPIN's", "ratio")
    print("{:<10} {:>7} {:>6} {:>10} {:>10} {:>12} {:>12} {:>6}".format(*head))
    different, rows = 0, []
    for name, lock, threads, rounds in CASES:
        client = clients_of(lock, threads, rounds)[0]
        with tempfile.TemporaryDirectory() as folder:
            pan = compiled(name, threads, rounds, Path(folder))
            ours, theirs = [], []
            for _ in range(RUNS):
                begun = time.process_time()
                verdict = check_workload(
                    client.workload, threads=threads, expect=client.expect, reduction=False
                )
                ours.append(time.process_time() - begun)
                states, errors, seconds = explored(pan)
                theirs.append(seconds)
        different += states != verdict.states or (errors == 0) != (verdict.verdict == "proven")
        mine, its = verdict.states / min(ours), states / min(theirs)
        speed = f"{mine:>12,.0f} {its:>12,.0f} {mine / its:>6.2f}" if states >= ENOUGH else ""
        if states >= ENOUGH:
            what = f"{name}, {threads} threads, {rounds} rounds: states a second"
            rows.append({"what": what, "value": mine / its, "ours": mine, "theirs": its})
        print(f"{name:<10} {threads:>7} {rounds:>6} {verdict.states:>10,} {states:>10,} {speed}")
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")
    return int(different > 0)


def compiled(name: str, threads: int, rounds: int, folder: Path) -> Path:
    """Compile SPIN's verifier of a model."""
    for file in HERE.glob("*.inc"):
        shutil.copy(file, folder)
    shutil.copy(HERE / f"{name}.pml", folder)
    sizes = [f"-DTHREADS={threads}", f"-DROUNDS={rounds}"]
    subprocess.run(["spin", "-a", *sizes, f"{name}.pml"], cwd=folder, check=True)
    flags = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=4096"]
    subprocess.run(["gcc", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)
    return folder / "pan"


def explored(pan: Path) -> tuple[int, int, float]:
    """Run a verifier; its states, errors and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [str(pan), "-m1000000", "-w22"], cwd=pan.parent, check=True, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    states = re.search(r"(\d+) states, stored", done.stdout)
    errors = re.search(r"errors: (\d+)", done.stdout)
    assert states is not None
    assert errors is not None
    return int(states[1]), int(errors[1]), seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, help="file for the ratios, as JSON")
    sys.exit(main(parser.parse_args().output))
