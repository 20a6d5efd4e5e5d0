"""The grader killed at random moments and started again: nothing is lost, nothing graded twice.

A moment is drawn from a seed: after so many results, and a part of the time that one takes.
"""

import contextlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_lab import KEY, TAS, hand_in, make_lab, result_of

from lockgrader.batch import run as batch
from lockgrader.batch.run import grade_all
from lockgrader.batch.tasks import tasks
from lockgrader.grade import grade
from lockgrader.lab import load
from lockgrader.result import Result
from lockgrader.sandbox import available

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

Kill = Callable[[], None]
Start = Callable[[Path, Path, Path], tuple[Callable[[], bool], Kill]]
"""Grade (lab, submissions, results); whether it still runs, and how to end it at once."""


def forked(lab: Path, submissions: Path, results: Path) -> tuple[Callable[[], bool], Kill]:
    """The batch in a child of this process, which saves it the imports.

    The last submission is held up for ever, so the kill always comes before the end.
    """
    last = max(path.name for path in submissions.iterdir())

    def grade_or_wait(*arguments: Any, student: str, **options: Any) -> Result:
        while student == last:
            signal.pause()
        return grade(*arguments, student=student, **options)

    def run() -> None:
        # In the child alone, whose workers are forked from it.
        batch.grade = grade_or_wait  # type: ignore[attr-defined]
        todo = tasks(submissions, results)
        grade_all(load(lab), todo, key=KEY, profile="namespaces", processes=2)

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()

    def kill() -> None:
        child.kill()
        child.join()

    return child.is_alive, kill


def command(lab: Path, submissions: Path, results: Path) -> tuple[Callable[[], bool], Kill]:
    """The command as a user starts it; killed by itself, or with everything that it has started."""
    child = subprocess.Popen(
        [sys.executable, "-m", "locklab", "grade", str(lab), str(submissions), "-o", str(results)],
        env={**os.environ, "LOCKLAB_COURSE_KEY": KEY.decode()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

    def kill() -> None:
        with contextlib.suppress(ProcessLookupError):
            if int(results.name.removeprefix("out")) % 2:
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
        child.wait()

    return lambda: child.poll() is None, kill


def finished(results: Path) -> dict[str, tuple[int, int]]:
    """Student → what changes when a result is written again."""
    found = {}
    for path in results.glob("*/result.json"):
        about = path.stat()
        found[path.parent.name] = about.st_ino, about.st_mtime_ns
    return found


def killed(start: Start, lab: Path, submissions: Path, results: Path, seed: int) -> int:
    """Kill a batch at the moment of a seed; how many results there were by then."""
    draw = random.Random(seed)
    wanted, share = draw.randrange(len([*submissions.iterdir()])), draw.random()
    runs, kill = start(lab, submissions, results)
    began = last = time.monotonic()
    seen = 0
    while runs() and len(finished(results)) < wanted:
        time.sleep(0.002)
        if len(finished(results)) > seen:
            seen, last = len(finished(results)), time.monotonic()
    # Before the first result, the start's time is as good a measure as any.
    each = (last - began) / max(1, seen)
    time.sleep(share * min(each, 3.0))
    kill()
    return len(finished(results))


def disturbed(start: Start, folder: Path, students: int, moments: int) -> list[int]:
    """Kill and resume batches; how many results there were at each moment.

    Compares every result with that of a calm batch, and sees that none was written again.
    """
    make_lab(folder)
    lab, submissions = folder / "lab", folder / "in"
    for number in range(students):
        text = TAS if number % 3 else TAS.replace("swap(1, ACQUIRE)", "load(ACQUIRE)")
        hand_in(submissions / f"student{number}", text)
    todo = tasks(submissions, folder / "calm")
    calm = grade_all(load(lab), todo, key=KEY, profile="namespaces", processes=2)
    counts = []
    for seed in range(moments):
        results = folder / f"out{seed}"
        counts.append(killed(start, lab, submissions, results, seed))
        before = finished(results)
        again = tasks(submissions, results)
        resumed = grade_all(load(lab), again, key=KEY, profile="namespaces", processes=2)
        assert [r.decided() for r in calm] == [r.decided() for r in resumed]
        assert [r.decided() for r in calm] == [result_of(t.results).decided() for t in again]
        assert before == {s: m for s, m in finished(results).items() if s in before}
        for task in again:
            assert 1 == len((task.results / "history.jsonl").read_text().splitlines())
    return counts


def test_killed_batch_goes_on(tmp_path: Path) -> None:
    """At three moments, one of them in the middle."""
    counts = disturbed(forked, tmp_path, students=4, moments=3)
    assert any(0 < n < 4 for n in counts), counts


@pytest.mark.slow
def test_killed_command_goes_on(tmp_path: Path) -> None:
    """At twenty moments, by the command; every other time its workers are killed with it."""
    counts = disturbed(command, tmp_path, students=6, moments=20)
    assert 5 <= sum(0 < n < 6 for n in counts), counts
