"""Comparison of LockLab's checker with Harmony: the same locks and granularity, in one run.

    python sim/benchmarks/harmony_models.py [--output FILE]

Harmony's models are the ``.hny`` files in ``harmony/``; it is installed into an environment of its
own (``tools/beside.py``; needs the network the first time). Both explore everything under
sequential consistency, Harmony with one worker and without its analysis after the search. Its
states contain the making of the threads too, so there are more of them. What is compared is the
processor time to the verdict: the best of some alternating runs. Harmony's contains its compiler, a
quarter of a second. Locks with fewer than a hundred thousand of our states have no ratio.
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

from spin.compare import ENOUGH, RUNS, Peterson

from locksim.checker import check_workload
from locksim.checker.search import compiled as _compiled  # noqa: F401  # for small checks, too
from locksim.kinds.checking import clients_of
from locksim.lang import Lock, pause, word
from locksim.lang.struct import Struct
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class Broken(Lock):
    """Test, then set: two threads may see that the lock is free."""

    held = word()

    def acquire(self):  # type: ignore[no-untyped-def]
        """Wait until it is free, and take it: two steps."""
        while (yield self.held.load()):
            yield pause()
        yield self.held.store(1)

    def release(self):  # type: ignore[no-untyped-def]
        """Free it."""
        yield self.held.store(0)


CASES: list[tuple[str, type[Struct], int, int]] = [
    ("broken", Broken, 2, 1),
    ("peterson", Peterson, 2, 2),
    ("ticket", TicketLock, 3, 2),
    ("ticket", TicketLock, 5, 3),
    ("mcs", MCSLock, 3, 2),
    ("mcs", MCSLock, 4, 3),
]
"""Model, lock, threads, rounds."""


def main(output: Path | None = None) -> int:
    """Print a table, write its ratios; 1 if verdicts differ, 0 also where Harmony cannot be had."""
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "beside.py"), "harmony"],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        print(f"not compared: {made.stderr.strip().splitlines()[0]}")
        return 0
    harmony = Path(made.stdout.strip()).with_name("harmony")
    head = ("lock", "threads", "rounds", "states", "Harmony's", "seconds", "Harmony's", "ratio")
    print("{:<10} {:>7} {:>6} {:>10} {:>10} {:>9} {:>9} {:>6}".format(*head))
    different, rows = 0, []
    for name, lock, threads, rounds in CASES:
        client = clients_of(lock, threads, rounds)[0]
        ours, theirs = [], []
        for _ in range(RUNS):
            begun = time.process_time()
            verdict = check_workload(
                client.workload, threads=threads, expect=client.expect, reduction=False
            )
            ours.append(time.process_time() - begun)
            states, right, seconds = explored(harmony, name, threads, rounds)
            theirs.append(seconds)
        different += right != (verdict.verdict == "proven")
        mine, its = min(ours), min(theirs)
        speed = ""
        if verdict.states >= ENOUGH:
            speed = f"{mine:>9.2f} {its:>9.2f} {its / mine:>6.2f}"
            what = f"{name}, {threads} threads, {rounds} rounds: processor time to the proof"
            rows.append(
                {
                    "what": what,
                    "against": "Harmony, one worker",
                    "value": its / mine,
                    "ours": mine,
                    "theirs": its,
                }
            )
        print(f"{name:<10} {threads:>7} {rounds:>6} {verdict.states:>10,} {states:>10,} {speed}")
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")
    return int(different > 0)


def explored(harmony: Path, name: str, threads: int, rounds: int) -> tuple[int, bool, float]:
    """Check a model with Harmony; its states, whether it found no issue, processor seconds."""
    with tempfile.TemporaryDirectory() as folder:
        for file in (HERE / "harmony").glob("*.hny"):
            shutil.copy(file, folder)
        sizes = ["-c", f"THREADS={threads}", "-c", f"ROUNDS={rounds}"]
        how = ["--noweb", "--quick", "-w", "1", "-U", *sizes, f"{name}.hny"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [str(harmony), *how], cwd=folder, check=False, capture_output=True, text=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    states = re.search(r"\* (\d+) states \(", done.stdout)
    assert states is not None, done.stdout + done.stderr
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(states[1]), "No issues found" in done.stdout, seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, help="file for the ratios, as JSON")
    sys.exit(main(parser.parse_args().output))
