"""Measure submissions per second and core: LockLab, nbgrader and otter-grader in one run.

Two parts. The first is a batch of 500 different submissions to lab 02 with all its proofs and
simulations: its time and its verdicts. The second is one small exercise in the format of each
grader (:mod:`exercise`): the three take turns on the same notebooks and must agree on every
student's points. The measure is processor time of all processes, including start-up, which a busy
machine changes little. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import exercise
import lab02_batch
import page
from rich.console import Console
from theirs import RIVALS, RivalError, Used, environment, run

OURS = "LockLab"
GRADER_ERROR = 3


@dataclass(frozen=True)
class Row:
    """What grading took.

    Arguments:
        grader: whose. what: was graded. submissions: how many. points: student → points.
        used: time. The ratio is that of processor time, to ours on the same submissions.
    """

    grader: str
    what: str
    submissions: int
    used: Used
    points: dict[str, float | None]

    @property
    def each_s(self) -> float:
        """Processor time of one submission."""
        return self.used.cpu_s / self.submissions


def main() -> int:
    """Measure, print, and write the page if asked to; the exit code."""
    options = _options()
    status = Console(stderr=True)
    told = {}
    rows: list[Row] = []
    try:
        with tempfile.TemporaryDirectory(prefix="throughput-") as made:
            folder = Path(made)
            rounds = []
            for number in range(options.rounds):
                with status.status(f"round {number + 1} of {options.rounds}: the same notebooks"):
                    rounds.append(same(folder / f"round{number}", options, number))
            if rounds:
                rows += [row for one in rounds for row in one]
                told["throughput"] = compared(rounds)
            if options.count:
                with status.status(f"grading {options.count} submissions to lab 02"):
                    whole, kinds, verdicts = lab02(folder, options.count, options.processes)
                rows.append(whole)
                told["batch"] = summed(whole, kinds, verdicts)
    except RivalError as error:
        status.print(f"error: {error}", markup=False)
        return error.exit_code
    print("\n\n".join(told.values()))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if options.write:
        for name, text in told.items():
            page.write(name, text)
    return 0


def lab02(folder: Path, count: int, processes: int) -> tuple[Row, Counter[str], Counter[str]]:
    """Grade a batch for lab 02; what it took, the kinds of submissions, and all verdicts."""
    kinds = lab02_batch.make(folder / "in", count)
    row, documents = _ours(folder, "lab02", "lab 02, complete", processes)
    return row, kinds, Counter(c["verdict"] for one in documents for c in one["checks"])


def same(folder: Path, options: argparse.Namespace, number: int) -> list[Row]:
    """One round: each grader on the same notebooks, in turn; who begins changes."""
    submissions = {}
    for k in range(options.same):
        code, _ = exercise.source(f"student{k:03}", seed=number)
        submissions[f"student{k:03}"] = exercise.notebook(exercise.cells(code))
    rows = []
    names = [OURS, *RIVALS]
    for name in names[number % 3 :] + names[: number % 3]:
        home = folder / name
        if name == OURS:
            exercise.lab(home / "lab")
            (home / "in").mkdir()
            for student, text in submissions.items():
                (home / "in" / f"{student}.ipynb").write_text(text)
            rows.append(_ours(home, str(home / "lab"), "the exercise", 1)[0])
        else:
            home.mkdir(parents=True)
            rival = RIVALS[name](environment(name, options.environments), home)
            rival.prepare(submissions)
            used, points = rival.grade()
            rows.append(Row(rival.name, "the exercise", len(points), used, points))
    return rows


def _ours(folder: Path, lab: str, what: str, processes: int) -> tuple[Row, list[dict[str, object]]]:
    python = Path(sys.executable)
    command = [python, "-m", "locklab", "grade", lab, folder / "in", "-o", folder / "out", "--json"]
    command += ["--jobs", str(processes)]
    used, done = run(command, folder, longest_s=3600)
    if done.returncode not in (0, GRADER_ERROR):  # which the table shows
        raise RivalError(f"our own grading failed:\n{done.stderr[-2000:]}")
    documents = json.loads(done.stdout)
    points = {one["student"]: one["points"] for one in documents}
    shutil.rmtree(folder / "out")
    return Row(OURS, what, len(documents), used, points), documents


def compared(rounds: list[list[Row]]) -> str:
    """The table of the graders that took turns: medians over the rounds."""
    ours = [next(r for r in one if r.grader == OURS) for one in rounds]
    lines = []
    for grader in sorted({row.grader for row in rounds[0]}, key=lambda name: (name != OURS, name)):
        mine = [next(r for r in one if r.grader == grader) for one in rounds]
        each = statistics.median(r.each_s for r in mine)
        ratio = statistics.median(a.each_s / b.each_s for a, b in zip(mine, ours, strict=True))
        agree = sum(
            _equal(a.points[s], b.points[s])
            for a, b in zip(mine, ours, strict=True)
            for s in b.points
        )
        count = sum(r.submissions for r in mine)
        lines.append(
            [grader, str(count), f"{each:.2f}", f"{1 / each:.2f}", f"{ratio:.1f}"]
            + [f"{agree} of {count}"]
        )
    head = ["grader", "notebooks", "CPU s each", "a second and core", "times ours"]
    table = page.table([*head, "same points as ours"], lines)
    return f"{table}\n\n{len(rounds)} rounds; {page.machine()}"


def summed(whole: Row, kinds: Counter[str], verdicts: Counter[str]) -> str:
    """What a batch for lab 02 took, and what came of it."""
    made = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    told = ", ".join(f"{number} {name}" for name, number in verdicts.most_common())
    return (
        f"{whole.submissions} submissions ({made}): {whole.each_s:.2f} s of processor time each, "
        f"{1 / whole.each_s:.2f} a second and core; {whole.used.wall_s:.0f} s on the clock. "
        f"Verdicts: {told}.\n\n{page.machine()}"
    )


def _equal(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and abs(a - b) < 1e-6


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="submissions to lab 02; 0: none")
    parser.add_argument("--same", type=int, default=16, help="notebooks in a round")
    parser.add_argument("--processes", type=int, default=2, help="for the batch for lab 02")
    parser.add_argument(
        "--rounds", type=int, default=3, help="in which the graders take turns; 0: none"
    )
    parser.add_argument(
        "--write", action="store_true", help="write the table to docs/evidence/grading.md"
    )
    parser.add_argument("--output", type=Path, default=Path("out/throughput.json"))
    parser.add_argument(
        "--environments", type=Path, default=Path("build/beside"), help="of the other graders"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
