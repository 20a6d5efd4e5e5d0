"""Grade the same submissions on a calm machine and beside stress-ng, and compare all verdicts.

Decisions are compared as bytes: verdicts, points, messages, counterexamples, seeds. The times are
reported and may differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lab02_batch
import page
from rich.console import Console

from lockgrader.batch.run import grade_all
from lockgrader.batch.tasks import tasks
from lockgrader.lab import load
from locklabs import find

STRESS = ("--cpu", "4", "--vm", "1", "--vm-bytes", "128m", "--fork", "2", "--switch", "2")
"""Spinners for twice the CPUs, pages touched, processes made and ended, context switches."""
LONGEST_S = 600


@dataclass(frozen=True)
class Twice:
    """Submissions graded twice.

    Arguments:
        equal: how many got the same, byte for byte. verdicts: how many verdicts that are.
        calm_s, loaded_s: seconds on the clock.
    """

    submissions: int
    equal: int
    verdicts: int
    calm_s: float
    loaded_s: float


def main() -> int:
    """Grade twice, print, and write the page if asked to; the exit code."""
    options = _options()
    status = Console(stderr=True)
    if shutil.which("stress-ng") is None:
        status.print("error: stress-ng is not installed\nhelp: apt-get install stress-ng")
        return 2
    with tempfile.TemporaryDirectory(prefix="loaded-") as made:
        lab02_batch.make(Path(made) / "in", options.count, seed=2)
        with status.status(f"grading {options.count} submissions to lab 02, twice"):
            twice = graded_twice(Path(made) / "in", Path(made))
    told = (
        f"{twice.submissions} submissions to lab 02, {twice.verdicts} verdicts, graded without "
        f"and then beside `stress-ng {' '.join(STRESS)}`: {twice.equal} of {twice.submissions} "
        f"results are the same byte for byte. It took {twice.loaded_s / twice.calm_s:.1f} times as "
        f"long.\n\n{page.machine()}"
    )
    print(told)
    if options.write:
        page.write("loaded", told)
    return int(twice.equal != twice.submissions)


def graded_twice(submissions: Path, folder: Path) -> Twice:
    """Grade submissions to lab 02 in one process at a time: calmly, then under stress."""
    decided: list[list[str]] = []
    seconds = []
    for name in ("calm", "loaded"):
        with stressed() if name == "loaded" else contextlib.nullcontext():
            todo = tasks(submissions, folder / name)
            began = time.monotonic()
            results = grade_all(
                load(find("lab02")), todo, key=b"k" * 16, profile="namespaces", processes=1
            )
            seconds.append(time.monotonic() - began)
        decided.append([json.dumps(r.decided(), sort_keys=True) for r in results])
    calm, loaded = decided
    equal = sum(a == b for a, b in zip(calm, loaded, strict=True))
    return Twice(len(calm), equal, sum(len(r.checks) for r in results), *seconds)


@contextlib.contextmanager
def stressed() -> Iterator[None]:
    """stress-ng runs meanwhile; it ends itself should this process not come to it."""
    child = subprocess.Popen(
        ["stress-ng", *STRESS, "--timeout", str(LONGEST_S), "--quiet"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(1)
        if child.poll() is not None:
            raise RuntimeError(f"stress-ng ended at once, with exit code {child.returncode}")
        yield
    finally:
        child.terminate()
        child.wait(30)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=12, help="submissions")
    parser.add_argument("--write", action="store_true", help="write it to docs/evidence/grading.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
