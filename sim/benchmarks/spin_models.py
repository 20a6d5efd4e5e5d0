"""Comparison of LockLab's checker with SPIN: the same locks and granularity, in one run.

    python sim/benchmarks/spin_models.py [--output FILE]

Needs ``spin`` and a C compiler (Debian: ``apt-get install spin gcc``). SPIN's models are the
``.pml`` files in ``spin/``; how both are measured is said in :mod:`checkers`. SPIN explores without
partial-order reduction, since states are compared, and compiled with -O2. The compilation of
neither counts. The states are the same, so a ratio of times is one of states a second.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from checkers import COMMON, Case, Explored, Peterson, Rival, output_option, timed

from locksim.library.locks.rwlock import ReaderPreferenceRWLock

MODELS = Path(__file__).parent / "spin"
CASES = [
    *COMMON,
    Case("peterson", Peterson, 2, 30),
    Case("rwlock", ReaderPreferenceRWLock, 3, 2),
    Case("rwlock", ReaderPreferenceRWLock, 5, 3),
]


def main(output: Path | None = None) -> int:
    """Print a table, write its ratios; 1 if verdicts or states differ, 0 also without SPIN."""
    missing = [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]
    if missing:
        print(f"not compared: {' and '.join(missing)} is not installed (apt-get install spin gcc)")
        return 0
    settings = "no partial-order reduction, one core"
    return Rival("SPIN", settings, verifier, same_states=True).compare(CASES, output)


def verifier(case: Case, folder: Path) -> Callable[[], Explored]:
    """Compile SPIN's verifier of a model; return how to run it."""
    for file in MODELS.glob("*.inc"):
        shutil.copy(file, folder)
    shutil.copy(MODELS / f"{case.model}.pml", folder)
    sizes = [f"-DTHREADS={case.threads}", f"-DROUNDS={case.rounds}"]
    subprocess.run(["spin", "-a", *sizes, f"{case.model}.pml"], cwd=folder, check=True)
    flags = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=4096"]
    subprocess.run(["gcc", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)

    def explore() -> Explored:
        said, seconds = timed([str(folder / "pan"), "-m1000000", "-w22"], folder)
        states = re.search(r"(\d+) states, stored", said)
        errors = re.search(r"errors: (\d+)", said)
        assert states is not None, said
        assert errors is not None, said
        return Explored(int(states[1]), errors[1] == "0", seconds)

    return explore


if __name__ == "__main__":
    sys.exit(main(output_option(__doc__)))
