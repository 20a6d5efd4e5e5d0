"""A whole class through kills, a full disk and odd files: everybody honest is graded, once."""

from __future__ import annotations

import csv
import importlib.util
import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import pytest
from marked_in_a_browser import mark
from servers import SERVERS, program
from sqlalchemy import func, select
from study.traces.chromium import CHROMIUM, launch
from tiny_lab import needs_sandbox
from typed import typed

from lockgrader.export import load_all
from lockgrader.export.gradebook import Attempt, Check, Gradebook

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "whole_class.py"


def script() -> ModuleType:
    """The benchmark as a module."""
    about = importlib.util.spec_from_file_location("whole_class", SCRIPT)
    assert about is not None
    assert about.loader is not None
    module = importlib.util.module_from_spec(about)
    sys.modules["whole_class"] = module
    about.loader.exec_module(module)
    return module


def right_class(folder: Path, students: int, urls: list[str]) -> None:
    """Grade a disturbed class, and look at every student, table and database."""
    whole = script()
    known = whole.made(folder, students)
    took = whole.disturbed(folder, len(known.honest) + len(known.odd))
    print(f"{students} students: {took['seconds']:.0f} s, {took['peak_mib']:.0f} MiB in a process")
    results = {r.student: r for r in load_all(folder / "out")}
    for name, right in known.honest.items():
        verdicts = [c.verdict for c in results[name].checks]
        assert ["pass" if right else "fail", "fail", "pass"] == verdicts, name
        late = results[name].late
        assert late is not None
        assert (name in known.late) == (late.days > 0)
        lines = (folder / "out" / name / "history.jsonl").read_text().splitlines()
        assert 1 == len(lines)
        assert json.loads(lines[0])["complete"]
    odd = [r for s, r in results.items() if s not in known.honest and not r.absent]
    assert len(known.odd) == len(odd)
    assert all(r.checks[0].verdict != "pass" and r.checks[0].message for r in odd)
    assert all(r.student.isprintable() for r in odd)
    assert set(known.absent) <= {s for s, r in results.items() if r.absent}
    with open(folder / "out" / "grades.csv", newline="") as file:
        assert set(results) == {row["student"] for row in csv.DictReader(file)}
    for url in urls:
        done = typed("grade", "export", str(folder / "out"), "--gradebook", url)
        assert 0 == done.exit_code, done.output
    for url in (f"sqlite:///{folder}/out/gradebook.sqlite", *urls):
        book = Gradebook(url)
        with book.session() as session:
            stands = session.scalars(select(Attempt).filter_by(stands=True)).all()
            points = {a.student.name: a.points for a in stands}
            checks = session.scalar(select(func.count()).select_from(Check))
        book.close()
        assert {s: r.points for s, r in results.items()} == points
        assert (checks or 0) >= 3 * len(results)


def marked(folder: Path, answers: int) -> None:
    """Mark answers in words of a class on the review page; they are in the gradebook afterwards."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    command = [sys.executable, "-m", "locklab", "grade", "review", str(folder / "out")]
    command += [str(folder / "lab"), "--by", "ann"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        link = server.stdout.readline().strip()
        with sync_api.sync_playwright() as driver:
            running = launch(driver)
            tab = running.new_page()
            tab.goto(link)
            tab.click("#questions ~ p a")
            tab.click("text=show only those to mark")
            mark(tab, answers)
            running.close()
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert 0 == server.returncode
    by_hand = [r for r in load_all(folder / "out") if r.checks[-1].mark is not None]
    assert answers == len(by_hand)
    book = Gradebook(f"sqlite:///{folder}/out/gradebook.sqlite")
    with book.session() as session:
        standing = session.scalars(select(Attempt).filter_by(stands=True)).all()
        points = {a.student.name: a.points for a in standing}
    book.close()
    assert {r.student: r.points for r in by_hand} == {r.student: points[r.student] for r in by_hand}


@needs_sandbox
@pytest.mark.slow
def test_a_small_class(tmp_path: Path) -> None:
    """Forty students, five of whom are marked."""
    right_class(tmp_path / "c", 40, [])
    if CHROMIUM is not None:
        marked(tmp_path / "c", 5)


@needs_sandbox
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_three_hundred(tmp_path: Path) -> None:
    """The whole, with all databases whose servers are installed; then 20 answers are marked."""
    with ExitStack() as stack:
        urls = [stack.enter_context(start()) for needs, start in SERVERS.values() if program(needs)]
        right_class(tmp_path / "c", 300, urls)
    if CHROMIUM is not None:
        marked(tmp_path / "c", 20)


def test_what_is_made(tmp_path: Path) -> None:
    """The same class from the same seed: 5 % odd, some late, some absent, a readable roster."""
    from lockgrader.course import load

    whole = script()
    one, same = (whole.made(tmp_path / name, 60) for name in ("one", "same"))
    assert one == same
    assert (3, True, True) == (len(one.odd), bool(one.late), bool(one.absent))
    people = load(tmp_path / "one" / "course.toml").people()
    assert (60, 2) == (len(people), people["student000"].extra_days)
