"""One exercise in three formats: ours, nbgrader's, otter-grader's.

A student writes a notebook with some functions; each question is one expression with one right
number, and a tolerance. In our format the notebook's last cell collects the numbers, and a lab
compares them outside the sandbox; in the other two each question is a test that evaluates the
expression in the student's own interpreter. Same notebook, same numbers, same tolerance, same
points.
"""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path
from typing import Any

__all__ = ["MOST", "QUESTIONS", "SOLUTION", "WRONG", "cells", "lab", "notebook", "otter", "source"]

TOLERANCE = 1e-3
SOLUTION = '''\
def amdahl(parallel, cpus):
    """Speedup of a program of which a part runs in parallel (Amdahl, 1967)."""
    return 1 / ((1 - parallel) + parallel / cpus)


def usl(sigma, kappa, cpus):
    """Relative throughput under contention and coherency delay (Gunther, 2007)."""
    return cpus / (1 + sigma * (cpus - 1) + kappa * cpus * (cpus - 1))


def peak(sigma, kappa):
    """Number of CPUs with the highest throughput."""
    return ((1 - sigma) / kappa) ** 0.5


def repairman(think, hold, cpus):
    """Mean time in a queue of one server, by mean value analysis."""
    queue = 0.0
    for n in range(1, cpus + 1):
        response = hold * (1 + queue)
        queue = n * response / (think + response)
    return response
'''
WRONG = (
    ("parallel / cpus)", "parallel * cpus)"),
    ("(1 - parallel) +", "parallel +"),
    ("sigma * (cpus - 1)", "sigma * cpus"),
    ("kappa * cpus * (cpus - 1)", "kappa * cpus"),
    ("** 0.5", "** 2"),
    ("(1 - sigma) / kappa", "sigma / kappa"),
    ("hold * (1 + queue)", "hold * queue"),
    ("n * response / (think + response)", "response / (think + response)"),
    ("range(1, cpus + 1)", "range(1, cpus)"),
    ("    return 1 /", "    return 1 //"),
)
"""Mistakes: what stands in the solution, and what is written instead."""
QUESTIONS = {
    "half_on_7": "amdahl(0.55, 7)",
    "most_on_6": "amdahl(0.91, 6)",
    "most_on_64": "amdahl(0.99, 64)",
    "usl_on_8": "usl(0.05, 0.001, 8)",
    "usl_on_32": "usl(0.05, 0.001, 32)",
    "usl_on_64": "usl(0.02, 0.0005, 64)",
    "peak_first": "peak(0.05, 0.001)",
    "peak_second": "peak(0.02, 0.0005)",
    "wait_on_2": "repairman(870.0, 130.0, 2)",
    "wait_on_8": "repairman(900.0, 100.0, 8)",
    "wait_on_16": "repairman(900.0, 100.0, 16)",
    "wait_on_32": "repairman(900.0, 100.0, 32)",
}
MOST = len(QUESTIONS)
"""Points: one a question."""


def expected() -> dict[str, float]:
    """Question → the right number."""
    names: dict[str, Any] = {}
    exec(SOLUTION, names)
    return {name: float(eval(text, names)) for name, text in QUESTIONS.items()}


def source(student: str, seed: int) -> tuple[str, int]:
    """A student's functions, and how many mistakes are in them: none or one to three."""
    draw = random.Random(f"{seed} {student}")
    text, count = SOLUTION, draw.choice((0, 0, 1, 2, 3))
    for old, new in draw.sample(WRONG, count):
        text = text.replace(old, new, 1)
    return f"# {student}, draft {draw.randrange(10**9)}\n{text}", count


def cells(code: str) -> list[dict[str, Any]]:
    """A notebook's cells: the functions, and the answers that ours collects."""
    answers = ",\n".join(f"    {name!r}: {text}" for name, text in QUESTIONS.items())
    return [
        _cell("markdown", "# Laws of scalability", grade_id="intro"),
        _cell("code", code, grade_id="functions", solution=True),
        _cell("code", f"answers = {{\n{answers},\n}}", grade_id="answers"),
    ]


def notebook(made: list[dict[str, Any]]) -> str:
    """A notebook as JSON."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    return json.dumps(document | {"nbformat_minor": 5}, indent=1)


def nbgrader_source() -> str:
    """The instructor's notebook for nbgrader: the tests are cells, and hidden from students."""
    begin, end = "### BEGIN SOLUTION", "### END SOLUTION"
    made = cells(f"{begin}\n{SOLUTION}{end}")
    for name, value in expected().items():
        test = f"assert abs(({QUESTIONS[name]}) - {value!r}) <= {TOLERANCE} * {abs(value)!r}"
        hidden = f"### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS"
        made.append(_cell("code", hidden, grade_id=f"test_{name}", points=1))
    return notebook(made)


def otter(folder: Path) -> Path:
    """The autograder for otter-grader: one file of tests a question.

    Arguments:
        folder: where it is written. Returns the zip.
    """
    path = folder / "autograder.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("otter_config.json", json.dumps({"lang": "python", "show_hidden": True}))
        for name, value in expected().items():
            code = f">>> abs(({QUESTIONS[name]}) - {value!r}) <= {TOLERANCE} * {abs(value)!r}\nTrue"
            case = {"code": code, "hidden": True, "locked": False}
            suite = {
                "cases": [case],
                "scored": True,
                "setup": "",
                "teardown": "",
                "type": "doctest",
            }
            test = {"name": name, "points": 1, "suites": [suite]}
            made.writestr(f"tests/{name}.py", f"OK_FORMAT = True\n\ntest = {test!r}\n")
    return path


def lab(folder: Path) -> None:
    """Write our lab: its checks are data, and compare outside the sandbox."""
    lines = ["format = 2", 'name = "laws"', 'title = "Laws of scalability"']
    lines += ['answers = "answers.ipynb"', "seconds = 10"]
    for name, value in expected().items():
        shown = name.replace("_", "-")
        lines += ["", "[[check]]", f'name = "{shown}"', f'title = "{QUESTIONS[name]}"']
        lines += ['kind = "answer"', f'answer = "{name}"', f"expected = {value!r}"]
        lines += [f"tolerance = {TOLERANCE}", "points = 1"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lab.toml").write_text("\n".join(lines) + "\n")


def _cell(
    kind: str, text: str, *, grade_id: str, solution: bool = False, points: int = 0
) -> dict[str, Any]:
    """A cell with nbgrader's metadata, which the others do not look at."""
    about = {"grade_id": grade_id, "grade": bool(points), "solution": solution}
    about |= {"locked": not solution, "task": False, "schema_version": 3}
    about |= {"points": points} if points else {}
    cell: dict[str, Any] = {"cell_type": kind, "id": grade_id.replace("_", "-")}
    cell |= {"metadata": {"nbgrader": about}, "source": text}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
