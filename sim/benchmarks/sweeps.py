"""What a sweep costs beyond its runs, and what kills do to its dataset.

    python sim/benchmarks/sweeps.py --runs 10000 --jobs 2 --kills 5

It makes the same tiny runs three times: by ``simulate()`` in this process, by an undisturbed sweep,
and by one whose workers and whose leader are killed in turn. The output is Markdown: processor time
a run of the first two, the leader's peak memory after a tenth of the runs and after all of them,
what a second start costs, and whether both datasets are the same.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq

from locksim.kinds import LoadSettings, plain_load
from locksim.study.simulation import simulate
from locksim.study.sweep import Dataset, Goal, Outcome, Sweep, on_this_machine, product

LOCKS, CPUS, REPLICATIONS = ("tas", "ticket"), (1, 2), 5
OPERATIONS = 2
PR_SET_CHILD_SUBREAPER = 36
"""Of linux/prctl.h."""


def prepared(folder: Path, runs: int) -> Sweep:
    """A sweep of tiny runs: points with holds of 0, 1, 2 … ns."""
    holds = range(runs // (len(LOCKS) * len(CPUS) * REPLICATIONS))
    fixed = {"operations": OPERATIONS}
    design = product(LOCKS, ["ideal-2"], CPUS, {"hold_ns": [*holds]}, [{}], fixed)
    return Sweep(design, Goal(REPLICATIONS), folder)


def make(folder: Path, runs: int, jobs: int) -> Outcome:
    """Make the runs that a folder lacks."""
    return prepared(folder, runs).run(on_this_machine(jobs))


def make_directly(folder: Path, runs: int) -> None:
    """The same simulations by calls of ``simulate()``."""
    for point in prepared(folder, runs).design:
        load = plain_load(str(point["lock"]), LoadSettings(hold_ps=int(point["hold_ns"]) * 1000))
        simulate(
            load.workload,
            machine="ideal-2",
            cpus=int(point["cpus"]),
            operations=OPERATIONS,
            replications=REPLICATIONS,
        )


def count(folder: Path) -> int:
    """Runs that a dataset holds."""
    return sum(pq.read_metadata(path).num_rows for path in folder.glob("part-*.parquet"))


def disturbed(folder: Path, runs: int, jobs: int, kills: int) -> list[str]:
    """Make the runs while workers and leader are killed in turn; return who was."""
    killed: list[str] = []
    leader = _start(folder, runs, jobs)
    while (status := leader.poll()) != 0:
        if status is not None:
            leader = _start(folder, runs, jobs)
        elif len(killed) < kills and count(folder) * (kills + 1) >= runs * (len(killed) + 1):
            workers = _workers(leader.pid)
            victim = workers[0] if workers and len(killed) % 2 else leader.pid
            os.kill(victim, signal.SIGKILL)
            killed.append("leader" if victim == leader.pid else "worker")
            if victim == leader.pid:
                leader.wait()
        time.sleep(0.02)
    return killed


def _start(folder: Path, runs: int, jobs: int) -> subprocess.Popen[bytes]:
    asked = ["--make", str(folder), "--runs", str(runs), "--jobs", str(jobs)]
    return subprocess.Popen([sys.executable, __file__, *asked])


def _workers(leader: int) -> list[int]:
    """The processes behind a leader: its fork server's children."""
    return [worker for server in _children(leader) for worker in _children(server)]


def _children(pid: int) -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _cpu_s(call: Callable[[], object]) -> float:
    """Processor time of a call in a process of its own, with that of all processes behind it."""
    sys.stdout.flush()
    # A fork server outlives its leader for a moment: it becomes a child of this process.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid = os.fork()
    if not pid:
        call()
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("a measured process has failed")
    with suppress(ChildProcessError):
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000, help="runs of a sweep (100 or more)")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--kills", type=int, default=5, help="kills of the disturbed sweep")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.make is not None:
        make(asked.make, asked.runs, asked.jobs)
        return 0
    with tempfile.TemporaryDirectory() as made:
        folder, n = Path(made), asked.runs
        simulate(plain_load("tas").workload, machine="ideal-2")  # the engine is compiled before
        direct = _cpu_s(lambda: make_directly(folder / "unused", n))
        swept = _cpu_s(lambda: make(folder / "calm", n, asked.jobs))
        again = _cpu_s(lambda: make(folder / "calm", n, asked.jobs))
        print(f"| {n:,} tiny runs, {asked.jobs} processes | |\n|---|---:|")
        print(f"| processor time a run, simulate() | {direct / n * 1e3:.2f} ms |")
        print(f"| processor time a run, sweep | {swept / n * 1e3:.2f} ms |")
        print(f"| overhead a run | {(swept - direct) / n * 1e3:.2f} ms |")
        print(f"| second start, which runs nothing | {again:.1f} s |")
        for part in (n // 10, n):
            peak = _peak_mb(folder / f"peak{part}", part, asked.jobs)
            print(f"| peak memory of the leader, {part:,} runs | {peak:.0f} MB |")
        if asked.kills:
            killed = disturbed(folder / "disturbed", n, asked.jobs, asked.kills)
            calm, other = (Dataset(folder / name).read() for name in ("calm", "disturbed"))
            print(f"| killed | {', '.join(killed)} |")
            print(f"| dataset after the kills | {'the same' if calm.equals(other) else 'OTHER'} |")
    return 0


def _peak_mb(folder: Path, runs: int, jobs: int) -> float:
    """Peak memory of the process that leads a sweep."""
    read, write = os.pipe()

    def measured() -> None:
        make(folder, runs, jobs)
        os.write(write, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).encode())

    _cpu_s(measured)
    return int(os.read(read, 64)) / 1024


if __name__ == "__main__":
    sys.exit(main())
