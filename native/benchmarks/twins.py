"""``python native/benchmarks/twins.py``: twins of reports from real cores, judged by the changes.

The harness measures a ticket lock and writes a lock_stat report. A twin gets the report, that it is
one lock, and that a section touches no data. The same measurement has the changes: its trials, one
process each, come in random order. Trials are short, so that on a shared machine some have their
CPUs for themselves; the others are rejected. Throughput is of the median trial.

Measurements are read from files (Parquet, as ``locklab native bench -o`` writes them), or made here
with two threads. The twin's machine is ``--machine``, a profile that is near by default: nothing is
calibrated.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from locknative.benchmark.measurement import Measurement
from locknative.benchmark.meter import lock_tables
from locknative.benchmark.runner import Stopping, bench
from locknative.benchmark.storage import load
from locknative.errors import NativeError
from locksim import machine as machines
from locksim.machine import Machine
from locksim.study.reports import detect
from locksim.study.reports.formats import WRITERS
from locksim.study.twin.evidence import evidence_of
from locksim.study.twin.fit import agreement, fit
from locksim.study.twin.load import Setting
from locksim.study.twin.plan import Given, plan
from locksim.study.twin.prediction import predict

MACHINE = "xeon-8375c-2x32"
LOADS = ((500.0, 500.0), (400.0, 1200.0), (100.0, 400.0))
"""Hold and think time of the loads that are measured here, ns."""
LOCK, OTHER, THREADS = "ticket", "mcs", 2
SEED, TRIALS, TRIAL_MS, LONGEST_S = 1, 100, 1, 60.0
FEWEST_TRIALS = 3
"""Good trials that both sides of a change need."""
NEAR = 1.15


@dataclass(frozen=True)
class Case:
    """What one change is, in the harness: a lock, a number of threads, a part of the hold time."""

    kernel: str
    threads: int
    shorter: float = 1.0


def main() -> int:
    """Measure or read, predict, print."""
    parser = argparse.ArgumentParser(description="Judge twins of reports from real cores.")
    parser.add_argument("files", nargs="*", type=Path, help="measurements (measure here)")
    parser.add_argument("--threads", type=int, default=THREADS, help="of the report (2)")
    parser.add_argument("--machine", default=MACHINE, help=f"of the twin ({MACHINE})")
    given = parser.parse_args()
    measurements = map(load, given.files) if given.files else measured_here()
    print("| hold, think | change | measured | twin | band | far |\n|---|---|---:|---:|---|---|")
    found: list[tuple[float, float, bool]] = []
    said: list[str] = []
    for measurement in measurements:
        said += measurement.warnings
        for line, *judged in lines(measurement, given.threads, machines.load(given.machine)):
            print(line, flush=True)
            found.append((judged[0], judged[1], judged[2]))
    near = sum(max(m / p, p / m) <= NEAR for m, p, _ in found)
    factor = math.exp(sum(abs(math.log(m / p)) for m, p, _ in found) / max(1, len(found)))
    unmoved = math.exp(sum(abs(math.log(m)) for m, _, _ in found) / max(1, len(found)))
    print(f"\n{near} of {len(found)} within {NEAR - 1:.0%}; the bands hold "
          f"{sum(held for *_, held in found)}; factor {factor:.2f}, of 'nothing changes' "
          f"{unmoved:.2f}")  # fmt: skip
    print(*dict.fromkeys(said), sep="\n", file=sys.stderr)
    return 0


def measured_here() -> Iterator[Measurement]:
    """Measure the loads on this machine with two threads."""
    for hold, think in LOADS:
        yield bench(
            [LOCK, OTHER],
            [1, THREADS],
            hold_ns=[hold, hold / 2],
            think_ns=think,
            duration_ms=TRIAL_MS,
            warmup_ms=1,
            stopping=Stopping(0.005, TRIALS, LONGEST_S),
            seed=SEED,
        )


def changes(measurement: Measurement, threads: int) -> dict[str, Case]:
    """The changes that a measurement has: other locks, half the hold time, other CPU counts."""
    rows = measurement.rows()
    locks = {f"lock={row['kernel']}": Case(row["kernel"], threads) for row in rows}
    counts = {f"cpus={row['threads']}": Case(LOCK, row["threads"]) for row in rows}
    found = locks | {"hold*0.5": Case(LOCK, threads, 0.5)} | counts
    return {name: case for name, case in found.items() if case != Case(LOCK, threads)}


def lines(
    measurement: Measurement, threads: int, machine: Machine
) -> Iterator[tuple[str, float, float, bool]]:
    """The rows of one load, each with measured, predicted, and whether the band holds it."""
    hold, think = max(row["hold_ns"] for row in measurement.rows()), measurement.cells[0].think_ns
    today = row_of(measurement, Case(LOCK, threads), hold)
    table = lock_tables(measurement)[today["index"]]
    text = WRITERS["lock_stat"](table).splitlines(keepends=True)
    found = detect.read_report(text, "lock_stat", cpus=threads, window_ns=table.window_ns)
    how = plan(evidence_of(found.tables, None, LOCK), Given(locks=1, lines=0))
    twin = fit(how, Setting(machine, threads))
    far = ", ".join(one.column for one in agreement(how, twin) if one.far)
    cases = changes(measurement, threads)
    for (name, case), after in zip(
        cases.items(), predict(how, twin, list(cases)).after, strict=True
    ):
        then, band = row_of(measurement, case, hold), after.factor
        good = min(one["trials"] - one["rejected"] for one in (today, then))
        if good < FEWEST_TRIALS:
            continue
        measured = then["per_second"] / today["per_second"]
        line = (f"| {hold:g} ns, {think:g} ns | {name} | {measured:.2f} ({good} trials) "
                f"| {band.value:.2f} | {band.low:.2f} to {band.high:.2f} | {far} |")  # fmt: skip
        yield line, measured, band.value, band.low <= measured <= band.high


def row_of(measurement: Measurement, case: Case, hold: float) -> dict[str, float]:
    """The measured cell of a change; ``index`` is that of its table."""
    asked = (case.kernel, case.threads, hold * case.shorter)
    for k, one in enumerate(measurement.rows()):
        if (one["kernel"], one["threads"], one["hold_ns"]) == asked:
            return one | {"index": k}
    raise NativeError(
        f"the measurement has no {case.kernel} with {case.threads} threads and a hold time of "
        f"{asked[2]:g} ns: name one that it has with --threads"
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NativeError as error:
        sys.exit(f"error: {error}")
