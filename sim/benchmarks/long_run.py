"""One long simulation on many CPUs: time by event, and whether memory grows.

    python sim/benchmarks/long_run.py --events 1e9 --cpus 1024 --lock mcs

The output is Markdown, a line for each tenth of the events: events so far, simulated time,
processor time by event so far, and the memory that the process holds. The events are those of the
fast engine, which jumps over idle spins. Compiling the engine counts where it is not compiled yet.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from locksim import machine as machines
from locksim.engine.fast.engine import Session
from locksim.engine.fast.state import R_EVENTS
from locksim.kinds import LoadSettings, plain_load
from locksim.study.simulation import prepare

NS = 1000


def main() -> int:
    """Simulate, and print a line for each tenth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=float, default=1e8, help="events to process")
    parser.add_argument("--cpus", type=int, default=1024, help="CPUs of the machine ideal-N")
    parser.add_argument("--lock", default="mcs", help="a lock of the library")
    asked = parser.parse_args()
    load = plain_load(asked.lock, LoadSettings(hold_ps=100 * NS, think_ps=400 * NS))
    tables = machines.load(f"ideal-{asked.cpus}").tables(asked.cpus)
    session = Session(*prepare(load.workload, tables), tables, seed=1)
    print(f"{asked.lock}, {asked.cpus:,} CPUs\n")
    print("| events | simulated | ns an event | memory |\n|---:|---:|---:|---:|")
    step_ps, events, began = 1_000_000, 0, time.process_time()
    due = asked.events / 10
    while events < asked.events:
        session.advance(session.time_ps + step_ps)
        before, now = events, int(session.state.control[R_EVENTS])
        if now - before < due / 20:
            step_ps *= 2  # a look every few hundredths is enough
        events = now
        if events >= due:
            due += asked.events / 10
            spent = time.process_time() - began
            print(
                f"| {events:,} | {session.time_ps / 1e9:,.2f} ms | {spent / events * 1e9:.0f} | "
                f"{_memory_mb():.0f} MB |",
                flush=True,
            )
    print(f"\n{events:,} events in {time.process_time() - began:.0f} s of processor time")
    return 0


def _memory_mb() -> float:
    """Memory that the process holds now."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    sys.exit(main())
