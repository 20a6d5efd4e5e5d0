"""What the grading of a whole course costs, from a sample: each lab's solution and starter.

The sample is graded as students' submissions are, in the sandbox, after the engines are loaded (a
batch loads them once). Of 10 submissions of a student to a lab some are hardly begun and some are
complete, so two numbers are given: the mean of starter and solution for each submission, and the
solution's cost for all of them, which is an upper bound. Nothing here passes or fails.

    python grader/benchmarks/course_cost.py [LAB ...]
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lockgrader.author.mutants import Files, solution, starter, write
from lockgrader.grade import grade
from lockgrader.judging.evaluate import warm
from lockgrader.lab import Lab, load
from locklabs import find, names

KEY = b"the key of a course that is measured"


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a lab's starter and solution, means over the sample's students."""

    lab: str
    starter_s: float
    solution_s: float


def main() -> None:
    """Print the cost of each lab, and of the course."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sample", type=int, default=1, help="students, each with own values")
    options.add_argument("--students", type=int, default=200)
    options.add_argument("--submissions", type=int, default=10)
    options.add_argument("--labs", type=int, default=13, help="in the course")
    options.add_argument("only", nargs="*", help="as lab02; by default all")
    asked = options.parse_args()
    measured = [n for n in names() if not asked.only or n.partition("-")[0] in asked.only]
    warm()
    for name in measured:  # once for nothing: whatever is not compiled yet is compiled here
        _cost(load(find(name)), 1)
    costs = []
    print(f"{'lab':28} {'starter':>9} {'solution':>9}   CPU seconds")
    for name in measured:
        costs.append(_cost(load(find(name)), asked.sample))
        print(f"{name:28} {costs[-1].starter_s:9.2f} {costs[-1].solution_s:9.2f}", flush=True)
    graded = asked.students * asked.labs * asked.submissions
    mean = sum((c.starter_s + c.solution_s) / 2 for c in costs) / len(costs)
    most = sum(c.solution_s for c in costs) / len(costs)
    print(f"\n{len(costs)} labs measured, {asked.sample} students each")
    print(f"{asked.students} students x {asked.labs} labs x {asked.submissions} submissions:")
    print(f"  half of them complete: {graded * mean / 3600:6.1f} core-hours")
    print(f"  all of them complete:  {graded * most / 3600:6.1f} core-hours")


def _cost(lab: Lab, students: int) -> Cost:
    """The cost of one lab."""
    spent = [0.0, 0.0]
    for number in range(students):
        student = f"student{number}"
        for which, files in enumerate((starter(lab), solution(lab, student, KEY))):
            spent[which] += _graded_s(lab, files, student)
    return Cost(lab.name, spent[0] / students, spent[1] / students)


def _graded_s(lab: Lab, files: Files, student: str) -> float:
    """Processor time of grading one submission, children included."""
    with tempfile.TemporaryDirectory(prefix="cost-") as made:
        path = write(files, Path(made) / student)
        before = _used_s()
        grade(lab, path, student=student, key=KEY)
        return _used_s() - before


def _used_s() -> float:
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
