"""Jobs: each performed once, the same results wherever they run, and a clean end."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from locksim.papers import find
from locksim.study import jobs
from locksim.study.jobs import Job, JobError, Runner

pytestmark = pytest.mark.timeout(180)


def square(number: int) -> int:
    """A result that says which job it was."""
    return number * number


def process(_: int) -> int:
    """Which process performs it."""
    return os.getpid()


def note(path: str) -> None:
    """Leave a mark for each time it is performed."""
    with Path(path).open("a") as file:
        file.write("x")


def fail() -> None:
    """What a program's fault does."""
    raise ValueError("no such lock")


def end_suddenly() -> None:
    """A process that is killed, or out of memory."""
    os._exit(1)


@pytest.fixture(autouse=True)
def no_leftovers() -> None:
    """No test begins with processes of another."""
    assert not multiprocessing.active_children()


def long(job: Job[int]) -> Job[int]:
    """The same job, announced as one that is worth a process."""
    return Job(job.title, job.function, job.arguments, job.options, seconds=100)


def test_results_come_back_to_their_jobs() -> None:
    """In any order of asking, here and from workers."""
    wanted = [long(Job(f"{n}", square, (n,))) for n in range(20)]
    with Runner(2) as run:
        run.start(wanted)
        assert [n * n for n in reversed(range(20))] == [run(job) for job in reversed(wanted)]
    run = Runner()
    assert [n * n for n in range(20)] == [run(job) for job in wanted]


def test_workers_are_other_processes() -> None:
    """And gone after the runner's end."""
    with Runner(2) as run:
        found = {run(job) for job in map(long, (Job("", process, (n,)) for n in range(8)))}
        assert {os.getpid()} == found  # not started: performed here
        work = [long(Job("", process, (n,))) for n in range(8, 16)]
        run.start(work)
        assert os.getpid() not in {run(job) for job in work}


@pytest.mark.parametrize("workers", [1, 2])
def test_an_equal_job_is_performed_once(workers: int, tmp_path: Path) -> None:
    """However often it is started and asked for."""
    path = tmp_path / "marks"
    with Runner(workers) as run:
        for _ in range(2):
            job = Job("note", note, (str(path),), seconds=100)
            run.start([job, job])
            run(job)
    assert "x" == path.read_text()


def test_little_work_starts_no_process() -> None:
    """Two jobs of a second are done before a worker has imported anything."""
    with Runner(2) as run:
        work = [Job("", process, (n,)) for n in range(2)]
        run.start(work)
        assert {os.getpid()} == {run(job) for job in work}


def test_longest_start_first() -> None:
    """One worker performs them in that order."""
    run = Runner(2)
    with pytest.MonkeyPatch.context() as patch:
        asked: list[bytes] = []
        patch.setattr(jobs, "Pool", lambda workers: _Noting(asked))
        work = [Job("", square, (n,), seconds=n) for n in (3, 9, 1)]
        run.start(work)
    assert [work[i].pickled() for i in (1, 0, 2)] == asked


class _Noting:
    """A pool that only notes what it is given."""

    def __init__(self, asked: list[bytes]) -> None:
        self.asked = asked

    def submit(self, function: object, key: bytes) -> None:
        """Note it."""
        self.asked.append(key)


def test_a_job_s_error_is_the_caller_s() -> None:
    """As it was raised."""
    with Runner(2) as run:
        job = Job("fail", fail, seconds=100)
        run.start([job])
        with pytest.raises(ValueError, match="no such lock"):
            run(job)


def test_a_lost_process_is_told() -> None:
    """With what to do about it, and exit code 2."""
    with Runner(2) as run:
        job = Job("Chatroom on 8 CPUs", end_suddenly, seconds=100)
        run.start([job])
        with pytest.raises(JobError, match=r"Chatroom on 8 CPUs: .*\n.*--jobs 1") as told:
            run(job)
    assert 2 == told.value.exit_code


def test_closing_does_not_wait() -> None:
    """A job that would take an hour is given up, and its process ends."""
    run = Runner(1 + 1)
    run.start([Job("sleep", time.sleep, (3600.0,), seconds=3600)])
    assert multiprocessing.active_children()
    run.close()
    assert not multiprocessing.active_children()


def test_progress_is_the_part_of_all_that_is_done() -> None:
    """By seconds, of everything that was started."""
    seen: list[tuple[str, float]] = []
    run = Runner()
    work = [Job(f"{s}", square, (s,), seconds=s) for s in (1, 3)]
    run.start(work)
    for job in work:
        run(job, lambda text, fraction: seen.append((text, fraction)))
    assert [("1", 0.0), ("3", 0.25)] == seen


@pytest.mark.covering("name", every=3)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("kaigai-2004", {"operations": 10, "replications": 2}),
        ("long-2013-redo", {"samples": 100, "replications": 2}),
        ("moore-2006-netlabel", {"messages": 50, "replications": 2}),
    ],
)
def test_workers_and_one_process_give_the_same_table(
    name: str, options: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last digit, intervals included."""
    monkeypatch.setattr(jobs, "WORTH_S", 0.0)
    serial = find(name).reproduce(**options)
    with Runner(2) as run:
        parallel = find(name).reproduce(run=run, **options)
        assert run.used_workers
    assert repr(serial.to_json()) == repr(parallel.to_json())


def test_ctrl_c_ends_workers_and_keeps_what_is_done(tmp_path: Path) -> None:
    """Exit code 130, one line on stderr, no process left."""
    script = """
import multiprocessing, os, signal, sys, threading, time
from locksim.study.jobs import Job, Runner
with Runner(2) as run:
    done, slow = Job("", abs, (-3,), seconds=9), Job("", time.sleep, (3600.0,), seconds=8)
    run.start([done, slow])
    print(run(done), flush=True)
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        run(slow)
    except KeyboardInterrupt:
        print(run.ready(done), run.ready(slow), flush=True)
print(len(multiprocessing.active_children()))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert ("3\nTrue False\n0\n", "") == (done.stdout, done.stderr)


def test_a_killed_parent_leaves_no_worker(tmp_path: Path) -> None:
    """SIGKILL gives it no chance to clean up; the workers see that it is gone."""
    script = """
import multiprocessing, sys, time
from locksim.study.jobs import Job, Runner
run = Runner(2)
run.start([Job("", time.sleep, (3600.0,), seconds=9), Job("", abs, (1,), seconds=8)])
run(Job("", abs, (1,), seconds=8))
print(*(child.pid for child in multiprocessing.active_children()), flush=True)
time.sleep(3600)
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert 2 == len(workers)
    deadline = time.monotonic() + 120
    while any(map(_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_alive, workers))


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
