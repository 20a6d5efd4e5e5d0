"""Grade on other machines: a Dask cluster does the work, this process keeps the results.

Mechanism. A task carries its whole input as JSON: the files of a submission, the lab and the
student's own values. So the course key stays here, and no path of this machine is used there. The
lab's files are a task of their own, computed once and fetched by each worker. A worker hands tasks
to a process of its own beside it (:mod:`cluster_worker`), since checks are forked, and neither a
process with Dask's threads nor Dask's daemons may fork.

The scheduler gives the tasks of a lost worker to another. A task that ran twice comes back once,
and only this process writes, so a result is neither lost nor doubled. A submission that kills
several workers is given up. The others are graded, and the command reports it with exit code 3;
started again, it continues.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

from lockgrader.batch.tasks import Task
from lockgrader.digests import engine
from lockgrader.grade import replay
from lockgrader.lab import Lab
from lockgrader.lab.variants import secrets, variant
from lockgrader.read.submission import Submission
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from locksim.study.cluster import ClusterError, as_completed, connected

__all__ = ["ClusterError", "grade_on"]

MOST_BYTES = 32 << 20
"""Size limit of a lab's files together."""
RETRIES = 2
_here = threading.local()


def grade_on(
    address: str,
    lab: Lab,
    todo: list[tuple[Task, Submission, int]],
    *,
    key: bytes,
    profile: Profile,
) -> Generator[tuple[Task, Result], None, None]:
    """Grade submissions on a cluster; yield each with its result when it is done.

    Arguments:
        address: the scheduler's. todo: tasks, their submissions, and which attempt each is.
        lab, key, profile: as for :func:`lockgrader.grade.grade`.

    Raises:
        ClusterError: there is no cluster, its workers have another version, or it gave up on
            some submissions; all others were yielded before.
    """
    with connected(address, engine) as client:
        files = client.submit(_same, json.dumps(_files(Path(lab.folder))))
        asked = {}
        for task, submission, attempt in todo:
            given = json.dumps(_given(lab, task.student, submission, attempt, key, profile))
            asked[client.submit(_graded, given, files, pure=False, retries=RETRIES)] = task
        lost = []
        for future in as_completed(client, asked):
            task = asked[future]
            try:
                answer = json.loads(future.result())
            except Exception as error:
                # Too many lost workers, or a lost cluster: this submission gets no verdict.
                lost.append(f"{task.student} ({type(error).__name__}: {str(error)[:200]})")
                continue
            if "refused" in answer:
                raise ClusterError(f"a worker of {address}: {answer['refused']}")
            made = Result.model_validate_json(json.dumps(answer["result"]))
            again = replay(lab, task.path, task.student)
            yield task, made.model_copy(update={"replay": again})
    if lost:
        raise ClusterError(
            f"{len(lost)} of {len(todo)} submissions were not graded: {'; '.join(lost)}\n"
            "help: start the same command again; finished results are kept",
            exit_code=3,
        )


def _given(
    lab: Lab, student: str, submission: Submission, attempt: int, key: bytes, profile: Profile
) -> dict[str, object]:
    """The input of a worker for a submission, without the lab's files."""
    values = variant(lab, student, key)
    return {
        "lab": lab.model_dump(mode="json"),
        "values": values | secrets(lab, values, key),
        "student": student,
        "attempt": attempt,
        "profile": profile,
        "files": {name: _text(data) for name, data in submission.files.items()},
    }


def _files(folder: Path) -> dict[str, str]:
    """A lab's files without the folder of the solution, which no check reads."""
    found: dict[str, str] = {}
    size = 0
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not path.is_symlink() and inside.parts[0] != "solution":
            data = path.read_bytes()
            size += len(data)
            if size > MOST_BYTES:
                raise ClusterError(f"{folder} holds more than {MOST_BYTES >> 20} MiB")
            found[inside.as_posix()] = _text(data)
    return found


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _same(files: str) -> str:
    """A task that all others need: unlike sent data, the scheduler can compute it again."""
    return files


def _graded(given: str, files: str) -> str:
    """Runs on a worker, in one of its threads: ask the process beside it.

    Raises:
        RuntimeError: that process has ended; the scheduler tries again.
    """
    process: subprocess.Popen[str] | None = getattr(_here, "process", None)
    if process is None or process.poll() is not None:
        command = [sys.executable, "-m", "lockgrader.batch.cluster_worker"]
        _here.process = process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(f"{given}\n{files}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except OSError as error:
        raise RuntimeError("the grading process has ended") from error
    if not answer.endswith("\n"):
        raise RuntimeError("the grading process has ended")
    return answer
