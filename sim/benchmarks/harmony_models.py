"""Comparison of LockLab's checker with Harmony: the same locks and granularity, in one run.

    python sim/benchmarks/harmony_models.py [--output FILE]

Harmony's models are the ``.hny`` files in ``harmony/``; it is installed into an environment of its
own (``tools/beside.py``; needs the network the first time). How both are measured is said in
:mod:`checkers`. Harmony runs with one worker and without its analysis after the search. Its states
contain the making of the threads too, so there are more of them, and its time contains its
compiler, a quarter of a second.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from checkers import COMMON, Case, Explored, Rival, output_option, timed

from locksim.lang import Lock, pause, word

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


CASES = [Case("broken", Broken, 2, 1), *COMMON]


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
    prepare = partial(models, Path(made.stdout.strip()).with_name("harmony"))
    return Rival("Harmony", "one worker", prepare, same_states=False).compare(CASES, output)


def models(harmony: Path, case: Case, folder: Path) -> Callable[[], Explored]:
    """Copy the models into a folder; return how to check one of them."""
    for file in (HERE / "harmony").glob("*.hny"):
        shutil.copy(file, folder)
    sizes = ["-c", f"THREADS={case.threads}", "-c", f"ROUNDS={case.rounds}"]
    how = ["--noweb", "--quick", "-w", "1", "-U", *sizes, f"{case.model}.hny"]

    def explore() -> Explored:
        said, seconds = timed([str(harmony), *how], folder)
        states = re.search(r"\* (\d+) states \(", said)
        assert states is not None, said
        return Explored(int(states[1]), "No issues found" in said, seconds)

    return explore


if __name__ == "__main__":
    sys.exit(main(output_option(__doc__)))
