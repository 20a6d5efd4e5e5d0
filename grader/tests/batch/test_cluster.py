"""Grading on a Dask cluster: the same results, whatever becomes of a worker."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_lab import KEY, TAS, hand_in, make_lab

from lockgrader.batch.cluster import ClusterError
from lockgrader.batch.run import grade_all
from lockgrader.batch.tasks import Task, tasks
from lockgrader.lab import Lab, load
from lockgrader.read.submission import Submission, read
from lockgrader.result import Result
from lockgrader.sandbox import available

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    """Two workers, each a process."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=50,
    ) as made:
        yield made


def submissions(folder: Path, students: int) -> None:
    """Right ones, wrong ones and one that cannot be read."""
    for number in range(students):
        text = TAS if number % 2 else TAS.replace("swap(1, ACQUIRE)", "load(ACQUIRE)")
        hand_in(folder / f"student{number}", text)
    (folder / "zoe").symlink_to("/etc")


def graded(lab: Lab, todo: list[Task], cluster: str = "") -> list[Result]:
    """A batch."""
    return grade_all(lab, todo, key=KEY, profile="namespaces", processes=2, cluster=cluster)


@pytest.mark.slow
def test_same_results_as_here(cluster: object, tmp_path: Path) -> None:
    """All that is decided is equal, results lie where they should, and nothing is done twice."""
    lab = make_lab(tmp_path)
    submissions(tmp_path / "in", 4)
    here = graded(lab, tasks(tmp_path / "in", tmp_path / "here"))
    todo = tasks(tmp_path / "in", tmp_path / "there")
    address = cluster.scheduler_address  # type: ignore[attr-defined]
    there = graded(lab, todo, address)
    assert [r.decided() for r in here] == [r.decided() for r in there]
    before = [(t.results / "result.json").stat().st_mtime_ns for t in todo[:4]]
    graded(lab, todo, address)
    assert before == [(t.results / "result.json").stat().st_mtime_ns for t in todo[:4]]


@pytest.mark.slow
def test_lost_worker_loses_nothing(cluster: object, tmp_path: Path) -> None:
    """A worker is killed after the first result: each student has one result, and the same."""
    lab = make_lab(tmp_path)
    submissions(tmp_path / "in", 6)
    here = graded(lab, tasks(tmp_path / "in", tmp_path / "here"))
    todo = tasks(tmp_path / "in", tmp_path / "there")
    killed: list[int] = []

    def kill() -> None:
        while not any((t.results / "result.json").exists() for t in todo[:6]):
            time.sleep(0.01)
        worker = next(iter(cluster.workers.values()))  # type: ignore[attr-defined]
        killed.append(worker.pid)
        os.kill(worker.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    there = graded(lab, todo, cluster.scheduler_address)  # type: ignore[attr-defined]
    killer.join(300)
    assert 1 == len(killed)
    assert [r.decided() for r in here] == [r.decided() for r in there]
    for task in todo:
        assert 1 == len((task.results / "history.jsonl").read_text().splitlines())


def test_course_key_stays_here(cluster: object, tmp_path: Path) -> None:
    """What a worker is given holds the student's values and not the key."""
    from lockgrader.batch import cluster as module

    lab = make_lab(tmp_path)
    submissions(tmp_path / "in", 1)
    task = tasks(tmp_path / "in", tmp_path / "out")[0]
    given = str(module._given(lab, "ada", read(task.path, lab.wanted()), 1, KEY, "namespaces"))
    assert KEY.decode() not in given
    assert str(tmp_path) not in given.replace(lab.folder, "")


def test_mutants_for_own_tests_go_along() -> None:
    """A worker reads no folder of the lab's for them: they are in the lab that it is given."""
    from lockgrader.batch import cluster as module
    from locklabs import find

    lab = load(find("lab05"))
    given = module._given(lab, "ada", Submission(Path("x"), {}, ""), 1, KEY, "namespaces")
    assert lab == Lab.model_validate_json(json.dumps(given["lab"]))


def test_no_cluster_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address without a scheduler: exit code 2, and how to start one."""
    from locksim.study import cluster as module

    monkeypatch.setattr(module, "PATIENCE_S", 1)
    lab = make_lab(tmp_path)
    submissions(tmp_path / "in", 1)
    with pytest.raises(ClusterError, match="dask scheduler") as raised:
        graded(lab, tasks(tmp_path / "in", tmp_path / "out"), "tcp://127.0.0.1:9")
    assert 2 == raised.value.exit_code
