"""``python native/benchmarks/twins.py``: twins of reports from real cores, judged by the changes.

The harness measures a lock with two threads and writes a lock_stat report. A twin gets the report,
that it is one lock and that a section touches no data. The same measurement has the changes: its
trials, one process each, come in random order. A trial is 1 ms, so that on a shared machine some
have their CPUs for themselves; the others are rejected. Throughput is of the median trial. The
twin's machine is a profile that is near; nothing is calibrated.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from locknative.benchmark.measurement import Measurement
from locknative.benchmark.meter import lock_tables
from locknative.benchmark.runner import Stopping, bench
from locksim import machine as machines
from locksim.study.reports import detect
from locksim.study.reports.formats import WRITERS
from locksim.study.twin.evidence import evidence_of
from locksim.study.twin.fit import agreement, fit
from locksim.study.twin.load import Setting
from locksim.study.twin.plan import Given, plan
from locksim.study.twin.prediction import predict

MACHINE = "xeon-8375c-2x32"
LOADS = ((500.0, 500.0), (400.0, 1200.0), (100.0, 400.0))
"""Hold and think time, ns."""
LOCK, OTHER, THREADS = "ticket", "mcs", 2
SEED, TRIALS, TRIAL_MS, LONGEST_S = 1, 100, 1, 60.0


@dataclass(frozen=True)
class Case:
    """What one change is, in the harness."""

    kernel: str = LOCK
    threads: int = THREADS
    shorter: float = 1.0


CHANGES: Mapping[str, Case] = {
    f"lock={OTHER}": Case(kernel=OTHER),
    "hold*0.5": Case(shorter=0.5),
    "cpus=1": Case(threads=1),
}


def main() -> int:
    """Measure, predict, print."""
    print("| hold, think | change | measured | twin | band | far |\n|---|---|---:|---:|---|---|")
    said: list[str] = []
    for hold, think in LOADS:
        measurement = bench(
            [LOCK, OTHER],
            [1, THREADS],
            hold_ns=[hold, hold / 2],
            think_ns=think,
            duration_ms=TRIAL_MS,
            warmup_ms=1,
            stopping=Stopping(0.005, TRIALS, LONGEST_S),
            seed=SEED,
        )
        said += measurement.warnings
        for line in lines(measurement, hold, think):
            print(line, flush=True)
    print(*dict.fromkeys(said), sep="\n", file=sys.stderr)
    return 0


def lines(measurement: Measurement, hold: float, think: float) -> Iterator[str]:
    """The rows of one load."""
    today = row(measurement, Case(), hold)
    table = lock_tables(measurement)[today["index"]]
    text = WRITERS["lock_stat"](table).splitlines(keepends=True)
    found = detect.read_report(text, "lock_stat", cpus=THREADS, window_ns=table.window_ns)
    how = plan(evidence_of(found.tables, None, LOCK), Given(locks=1, lines=0))
    twin = fit(how, Setting(machines.load(MACHINE), THREADS))
    far = ", ".join(one.column for one in agreement(how, twin) if one.far)
    for (name, case), after in zip(
        CHANGES.items(), predict(how, twin, list(CHANGES)).after, strict=True
    ):
        then, band = row(measurement, case, hold), after.factor
        measured = then["per_second"] / today["per_second"]
        good = min(one["trials"] - one["rejected"] for one in (today, then))
        yield (f"| {hold:g} ns, {think:g} ns | {name} | {measured:.2f} ({good} trials) "
               f"| {band.value:.2f} | {band.low:.2f} to {band.high:.2f} | {far} |")  # fmt: skip


def row(measurement: Measurement, case: Case, hold: float) -> dict[str, float]:
    """The measured cell of a change; ``index`` is that of its table."""
    asked = (case.kernel, case.threads, hold * case.shorter)
    (found,) = (
        one | {"index": k}
        for k, one in enumerate(measurement.rows())
        if (one["kernel"], one["threads"], one["hold_ns"]) == asked
    )
    return found


if __name__ == "__main__":
    sys.exit(main())
