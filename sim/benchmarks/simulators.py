"""Comparison of LockLab with simulators that others wrote, on one lock; a table and a JSON file.

    .venv/bin/python sim/benchmarks/simulators.py [--output out/compare/simulators.json]

SimPy, salabim and Ciw simulate the lock as a queue with a fixed service time
(:mod:`closed_queue`). LockLab simulates a ticket lock: each load, store and line transfer. The
measure is processor time for one critical section. The programs run in turn, so that other load
slows all of them down; a ratio is the median over the rounds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from row import Row, spread

from locksim import machine
from locksim.engine.fast import compiled as _compiled  # noqa: F401  # for short runs, too
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OTHERS = ("simpy", "salabim", "ciw")
THINK_NS, HOLD_NS = 2000, 500
ROUNDS = 5


def against_others(cpus: int, python: Path, rounds: int = ROUNDS) -> list[Row]:
    """One row for each other simulator: its time for a section over ours.

    Arguments:
        cpus: clients. python: of the environment that has the others.
    """
    until_ns = 40_000_000 / cpus
    ours, theirs = [], {name: list[float]() for name in OTHERS}
    for seed in range(1, rounds + 1):
        ours.append(_ours(cpus, until_ns * 20, seed))
        for name in OTHERS:
            theirs[name].append(_theirs(python, name, cpus, until_ns, seed))
    return [
        Row(
            "other simulators",
            f"{name}: a queue for the lock, {cpus} CPUs",
            "LockLab: a ticket lock, line by line",
            *spread([other / own for other, own in zip(theirs[name], ours, strict=True)]),
            "x",
            detail={
                "their_us_per_section": spread(theirs[name])[0] * 1e6,
                "our_us_per_section": spread(ours)[0] * 1e6,
            },
        )
        for name in OTHERS
    ]


def _ours(cpus: int, until_ns: float, seed: int) -> float:
    """Processor seconds of a section in the fast engine."""
    tables = machine.load(f"ideal-{cpus}").tables(cpus, "compact")
    workload = CriticalSection(
        lock=TicketLock, words=0, hold_ps=HOLD_NS * 1000, think_ps=THINK_NS * 1000
    )
    image, memory = prepare(workload, tables)
    session = fast.Session(image, memory, tables, seed=seed)
    session.advance(int(100 * (THINK_NS + HOLD_NS) * 1000))
    before, began = session.done(), time.thread_time()
    session.advance(int(until_ns * 1000))
    return (time.thread_time() - began) / (session.done() - before)


def _theirs(python: Path, name: str, cpus: int, until_ns: float, seed: int) -> float:
    """Processor seconds of a section in another simulator."""
    times = [str(THINK_NS), str(HOLD_NS), str(until_ns), str(seed)]
    command = [str(python), str(HERE / "closed_queue.py"), name, str(cpus), *times]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return float(found["cpu_s"] / found["sections"])


def main() -> int:
    """Measure, print, write the rows; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "out/compare/simulators.json")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "beside.py"), "simulators"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if made.returncode:
        return made.returncode
    python = Path(made.stdout.strip())
    rows = [row for cpus in (2, 8, 32) for row in against_others(cpus, python, options.rounds)]
    for row in rows:
        print(f"{row.what}: {row.value:.3g} times ours ({row.low:.3g} to {row.high:.3g})")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    report = {"rows": [asdict(row) for row in rows]}
    options.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
