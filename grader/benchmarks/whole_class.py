"""A batch of a whole class, disturbed: made-up students, odd files, kills, a disk that fills up.

    python grader/benchmarks/whole_class.py [FOLDER] [--students 300]

Grades the class by the command: killed twice by SIGKILL, once with its workers; once every file
that grows beyond a few KiB fails to be written, as on a full disk; then to the end. Prints what
became of each odd submission, the time and the peak memory. The lab is small, so that the batch
shows itself and not the checker; the submissions are drawn from a seed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Class", "disturbed", "made"]

KEY = "a key of sixteen bytes or more"
FULL_BYTES = 6_000
"""Size beyond which a file cannot grow while the disk is full: results fit, tables do not."""
LAB = """
format = 2
name = "small"
title = "Small"
locks = "tas.py"
answers = "answers.json"
[variant.mine]
low = 10
high = 2000
[[check]]
name = "right"
title = "Mutual exclusion"
kind = "proven"
lock = "TAS"
points = 6
[[check]]
name = "number"
title = "Your number"
kind = "answer"
answer = "n"
expected = "$mine"
points = 4
[[check]]
name = "why"
title = "Why does it not scale?"
kind = "written"
answer = "why"
"""
COURSE = """
format = 1
title = "A class"
roster = "names.csv"
[late]
grace_minutes = 10
per_day = 0.1
[lab.small]
due = 2026-03-02T12:00:00+00:00
"""
RUBRIC = "**`why`: why?**\n\n- 5: every swap takes the line\n- 2: waiting costs\n"
RIGHT = """from locksim.lang import ACQUIRE, RELEASE, Lock, pause, word


class TAS(Lock):
    {name} = word()

    def acquire(self):
        # {comment}
        while (yield self.{name}.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.{name}.store(0, RELEASE)
"""
DUE_S = 1772452800.0
"""The deadline as seconds since 1970."""
ODD = (
    "fifo", "garbage", "link", "bytes", "dots", "escape", "many", "empty", "table", "twice",
    "locked", "loop",
)  # fmt: skip


@dataclass
class Class:
    """What was made.

    Arguments:
        honest: students with a submission that can be graded, and whether it is right.
        odd: name of an entry → its kind. absent: on the roster, without one.
        late: honest students who are late.
    """

    honest: dict[str, bool] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    late: set[str] = field(default_factory=set)


def made(folder: Path, students: int = 300, seed: int = 1) -> Class:
    """Write lab, course, roster and submissions; what each of them is.

    Arguments:
        folder: is made. students: on the roster. seed: of the drawing.
    """
    draw = random.Random(seed)
    made_up = Class()
    for name, text in {
        "lab/lab.toml": LAB, "lab/rubric.md": RUBRIC, "course.toml": COURSE, "course.key": KEY
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "in").mkdir()
    lines = ["login,name,section,extra_days"]
    for number in range(students):
        login = f"student{number:03}"
        lines.append(
            f"{login},Student {number},{'ABC'[number % 3]},{2 if number % 10 == 0 else ''}"
        )
        kind = draw.random()
        if number % 20 == 19:
            odd = ODD[number // 20 % len(ODD)]
            made_up.odd[_odd(folder / "in", login, odd)] = odd
        elif kind < 0.03:
            made_up.absent.append(login)
        else:
            made_up.honest[login] = kind < 0.8
            if _honest(folder, login, made_up.honest[login], draw):
                made_up.late.add(login)
    (folder / "names.csv").write_text("\n".join(lines) + "\n")
    return made_up


def _honest(folder: Path, login: str, right: bool, draw: random.Random) -> bool:
    """Write a submission; whether it is late."""
    home = folder / "in" / login
    home.mkdir()
    text = RIGHT.format(name=draw.choice(["locked", "busy", "held"]), comment=f"draft {login}")
    (home / "tas.py").write_text(text if right else text.replace("swap(1, ACQUIRE)", "load()"))
    words = draw.sample(["line", "moves", "swap", "each", "waits", "bus", "copy", "reads"], 8)
    (home / "answers.json").write_text(json.dumps({"n": 7, "why": f"{login}: {' '.join(words)}"}))
    late = draw.random() < 0.15
    then = DUE_S + (draw.uniform(0.1, 2.9) if late else -1) * 86400
    for path in (*home.iterdir(), home):
        os.utime(path, (then, then))
    return late


def _odd(folder: Path, login: str, kind: str) -> str:
    """Write an odd entry; its name."""
    path = folder / f"{login}.zip"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "garbage":
            path.write_bytes(b"PK\x03\x04 and no more")
        case "link":
            path.symlink_to("/etc/passwd")
        case "bytes":
            path = Path(os.fsdecode(os.fsencode(folder) + b"/" + login.encode() + b"\xff\xfe.zip"))
            path.write_bytes(b"")
        case "dots":
            path = folder / "..zip"
            path.write_bytes(b"")
        case "escape":
            path = folder / f"{login}\x1b[2J\u202e.zip"
            path.write_bytes(b"")
        case "many":
            with zipfile.ZipFile(path, "w") as archive:
                for number in range(3000):
                    archive.writestr(f"{number}", "")
        case "empty":
            path = folder / login
            path.mkdir()
        case "table":
            path = folder / "grades.csv"
            path.write_text("student,points\n")
        case "twice":
            with zipfile.ZipFile(path, "w") as archive:
                for top in ("a", "b"):
                    archive.writestr(f"{top}/tas.py", "x = 1\n")
        case "locked":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("tas.py", "import os\n")
        case "loop":
            path = folder / login
            path.mkdir()
            (path / "tas.py").symlink_to("tas.py")
    return path.name


def command(folder: Path, *more: str) -> list[str]:
    """The command that grades the class."""
    asked = [sys.executable, "-m", "locklab", "grade", str(folder / "lab"), str(folder / "in")]
    asked += ["-o", str(folder / "out"), "--course", str(folder / "course.toml")]
    return [*asked, "--key", str(folder / "course.key"), "--jobs", "2", *more]


def disturbed(folder: Path, students: int) -> dict[str, float]:
    """Grade the class with two kills and a full disk; seconds and peak MiB of the whole.

    Arguments:
        folder: of :func:`made`. students: how many entries there are.
    """
    began = time.monotonic()
    _killed(folder, students // 4, whole=False)
    _killed(folder, students // 2, whole=True)
    full = subprocess.run(
        command(folder), capture_output=True, text=True, preexec_fn=_full, check=False
    )
    assert full.returncode == 2, full.stderr[-2000:]
    assert "cannot be written" in full.stderr, full.stderr[-2000:]
    print(f"disk full: {full.stderr.strip().splitlines()[-1]}")
    done = subprocess.run(command(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": time.monotonic() - began, "peak_mib": peak}


def _killed(folder: Path, after: int, whole: bool) -> None:
    """Start the command and kill it when so many results are there; ``whole``: its workers too."""
    child = subprocess.Popen(
        command(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while child.poll() is None and len([*(folder / "out").glob("*/result.json")]) < after:
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL) if whole else child.kill()
    child.wait()


def _full() -> None:
    # The soft limit alone: a sandbox sets its own, which may be higher.
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, resource.RLIM_INFINITY))


def main() -> None:
    """Make the class, grade it, print what happened."""
    from lockgrader.export import load_all

    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("folder", nargs="?", type=Path)
    asked.add_argument("--students", type=int, default=300)
    given = asked.parse_args()
    with contextlib.ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        known = made(folder, given.students)
        took = disturbed(folder, len(known.honest) + len(known.odd))
        results = {r.student: r for r in load_all(folder / "out")}
        print(f"{len(known.honest)} honest, {len(known.odd)} odd, {len(known.absent)} absent")
        for name, result in results.items():
            if not result.absent and name not in known.honest:
                print(f"  {name}: {result.checks[0].verdict}: {result.checks[0].message}")
        print(f"{took['seconds']:.0f} s, at most {took['peak_mib']:.0f} MiB in one process")


if __name__ == "__main__":
    main()
