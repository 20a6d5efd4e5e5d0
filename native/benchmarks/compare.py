"""The overhead of our harness on the same read side and the same lock.

    .venv/bin/python native/benchmarks/compare.py

The read side of each liburcu flavour runs in our throughput loop and in liburcu's own benchmark
program; Concurrency Kit's ticket lock and MCS lock run in our loop and in Concurrency Kit's own.
The algorithm is the same, so the ratio shows the harness. In the same rounds run the empty loop
(the compiler deleted a read side that costs no more) and our own ticket and MCS locks.

The sampling unit is the process. Programs run in turn, A B A B, on the same CPUs. A value is the
median over the processes; a ratio has a bootstrap interval over the pairs. Times are processor time
for an operation of all threads, in ns. On a quiet machine that is wall time times threads; on a
busy one it leaves out the time in which other programs ran. (A spinning thread whose partner does
not run still uses its CPU, so contended rows of a busy machine are called noisy.)

Nothing here passes or fails: a value that misses its aim is printed as missed, and the exit code is
0.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats
from sources import CompareError, fetch
from their_programs import (
    CK_LOCKS,
    FLAVOURS,
    SECONDS,
    Ck,
    Ours,
    Sample,
    Urcu,
    build_ck,
    build_ours,
    build_urcu,
    is_static,
)

AIM = 1.05
"""Our harness may add 5 %."""
FASTEST_NS = 0.05
"""No load of a present machine is faster: below this time the compiler deleted the loop."""
QUIET = 0.99
"""A process whose threads had their CPUs for a smaller share of the time shared them."""
ENOUGH = 0.5
"""The share of quiet processes that a verdict on threads that wait for each other needs."""
SCHEMA = 1


@dataclass(frozen=True)
class Pair:
    """The same operation in our program and in theirs; ``beside`` is a kernel to compare with."""

    what: str
    ours: Ours
    theirs: Urcu | Ck
    beside: Ours


@dataclass(frozen=True)
class Row:
    """The values of a pair; times in ns of processor time for an operation.

    ``low`` and ``high`` bound the ratio's 95 % interval. ``busy`` of ``processes`` shared their
    CPUs. ``verdict`` is ``met``, ``missed``, ``unclear`` (the aim lies in the interval), ``noisy``
    (threads that wait for each other did not run together) or ``deleted``: the compiler deleted
    their loop, and there is no ratio.
    """

    what: str
    threads: int
    ours_ns: float
    theirs_ns: float
    beside: str
    beside_ns: float
    ratio: float | None
    low: float | None
    high: float | None
    processes: int
    busy: int
    verdict: str
    samples: dict[str, list[Sample]]


def main() -> int:
    """Build, run and print; return the exit code."""
    options = _options()
    status = Console(stderr=True)
    rows: list[Row] = []
    try:
        with status.status("fetching and building liburcu's and Concurrency Kit's programs"):
            pairs = _pairs(options)
        for row in _measure(pairs, options, status):
            rows.append(row)
    except CompareError as error:
        status.print(f"error: {error}", markup=False, highlight=False, soft_wrap=True)
        return error.exit_code
    except KeyboardInterrupt:
        status.print("interrupted: these are the results so far")
    report = _report(rows, options)
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        Console().print(table(rows))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    status.print(f"written to {options.output}", style="dim")
    return 0


def compare(
    what: str,
    threads: int,
    beside: str,
    samples: dict[str, list[Sample]],
    contended: bool = False,
) -> Row:
    """Return the row of one pair.

    Args:
        what: its name.
        threads: of each process.
        beside: the kernel that runs beside them.
        samples: of ``ours``, ``theirs`` and ``beside``, in the order of the rounds.
        contended: whether the threads wait for each other.
    """
    times = {name: np.array([sample.ns for sample in taken]) for name, taken in samples.items()}
    ours, theirs = times["ours"], times["theirs"]
    deleted = bool(np.median(theirs) < FASTEST_NS)
    low = high = ratio = None
    if not deleted:
        ratio = _ratio_of_medians(ours, theirs)
        interval = stats.bootstrap(
            (ours, theirs), _ratio_of_medians, paired=True, vectorized=False,
            n_resamples=2000, method="percentile", rng=np.random.default_rng(1),
        ).confidence_interval  # fmt: skip
        low, high = float(interval.low), float(interval.high)
    busy = sum(sample.share < QUIET for taken in samples.values() for sample in taken)
    noisy = contended and busy > (1 - ENOUGH) * sum(map(len, samples.values()))
    return Row(
        what=what,
        threads=threads,
        ours_ns=float(np.median(ours)),
        theirs_ns=float(np.median(theirs)),
        beside=beside,
        beside_ns=float(np.median(times["beside"])),
        ratio=ratio,
        low=low,
        high=high,
        processes=len(ours),
        busy=busy,
        verdict="noisy" if noisy else _verdict(ratio, low, high),
        samples=samples,
    )


def table(rows: list[Row]) -> Table:
    """Return the rows as a table for people."""
    shown = Table(
        title=f"ns of processor time; aim: a ratio of at most {AIM:g}",
        box=None,
        padding=(0, 1),
    )
    shown.add_column("what", no_wrap=True)
    for column in ("CPUs", "ours", "theirs", "ratio", "95 %"):
        shown.add_column(column, justify="right", no_wrap=True)
    shown.add_column("aim", no_wrap=True)
    for column in ("beside", "busy"):
        shown.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        runs = row.processes * len(row.samples)
        shown.add_row(
            row.what,
            str(row.threads),
            _ns(row.ours_ns),
            _ns(row.theirs_ns),
            "" if row.ratio is None else f"{row.ratio:.2f}",
            "" if row.low is None else f"{row.low:.2f}-{row.high:.2f}",
            row.verdict,
            f"{row.beside} {_ns(row.beside_ns)}",
            f"{row.busy}/{runs}",
        )
    return shown


def _ns(time: float) -> str:
    return f"{time:.0f}" if time >= 100 else f"{time:.3g}"


def _ratio_of_medians(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.median(ours) / np.median(theirs))


def _verdict(ratio: float | None, low: float | None, high: float | None) -> str:
    if ratio is None or low is None or high is None:
        return "deleted"
    if high <= AIM:
        return "met"
    return "missed" if low > AIM else "unclear"


def _pairs(options: argparse.Namespace) -> list[Pair]:
    folder = options.folder.resolve()
    if any(letter.isspace() for letter in str(folder)):  # Concurrency Kit's makefile splits it
        folder = Path(tempfile.gettempdir(), "locklab-compare")
    ck = options.ck or fetch("ck", folder / "sources")
    liburcu = options.liburcu or fetch("liburcu", folder / "sources")
    program = build_ours(ck.resolve(), (folder / "ours").resolve())
    readers = build_urcu(liburcu.resolve(), (folder / "liburcu").resolve(), is_static(program))
    lockers = build_ck(ck.resolve(), (folder / "ck").resolve())
    pairs = [
        Pair(
            f"rcu_{flavour} read",
            Ours(program, f"rcu_{flavour}", read=True),
            Urcu(reader),
            beside=Ours(program, "none"),
        )
        for flavour, reader in readers.items()
    ]
    pairs += [
        Pair(lock, Ours(program, lock), Ck(locker), beside=Ours(program, lock.removeprefix("ck_")))
        for lock, locker in lockers.items()
    ]
    return [pair for pair in pairs if not options.only or pair.what.split()[0] in options.only]


def _measure(pairs: list[Pair], options: argparse.Namespace, status: Console) -> Iterator[Row]:
    allowed = sorted(os.sched_getaffinity(0))
    for pair in pairs:
        for threads in (1, 2):
            cpus = allowed[:threads]
            if len(cpus) < threads:
                status.print(f"{pair.what}: {threads} threads left out: there is only one CPU")
                continue
            if isinstance(pair.theirs, Ck) and cpus != list(range(threads)):
                status.print(f"{pair.what}: left out: ck runs on CPU 0 upwards, not on {cpus}")
                continue
            with status.status(f"{pair.what}, {threads} thread(s): {options.processes} rounds"):
                samples = _rounds(pair, cpus, options.processes)
            contended = threads > 1 and isinstance(pair.theirs, Ck)
            row = compare(pair.what, threads, pair.beside.kernel, samples, contended)
            shown = row.verdict if row.ratio is None else f"ratio {row.ratio:.3f}, {row.verdict}"
            status.print(f"{pair.what}, {threads} thread(s): {shown}", style="dim")
            yield row


def _rounds(pair: Pair, cpus: list[int], processes: int) -> dict[str, list[Sample]]:
    programs = {"ours": pair.ours, "theirs": pair.theirs, "beside": pair.beside}
    samples: dict[str, list[Sample]] = {name: [] for name in programs}
    for _ in range(processes):
        for name, program in programs.items():
            samples[name].append(program.run(cpus))
    return samples


def _report(rows: list[Row], options: argparse.Namespace) -> dict[str, Any]:
    from locknative.host.provenance import Recorder

    machine = Recorder((), "", "").finish()
    return {
        "schema": SCHEMA,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "seconds": SECONDS,
        "processes": options.processes,
        "machine": {
            "cpu": machine.cpu_model,
            "kernel": machine.kernel,
            "virtualised": machine.virtualised,
            "smt": machine.smt,
            "load": list(os.getloadavg()),
        },
        "rows": [asdict(row) for row in rows],
    }


def _options() -> argparse.Namespace:
    names = [f"rcu_{flavour}" for flavour in FLAVOURS] + list(CK_LOCKS)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--processes", type=_at_least_two, default=10, help="processes of each program (10)"
    )
    parser.add_argument("--only", nargs="+", choices=names, help="compare only these")
    parser.add_argument(
        "--json", action="store_true", help="print the report as JSON, not the table"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("out/compare.json"), help="file for the report"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path("build/compare"), help="folder for sources and builds"
    )
    parser.add_argument(
        "--liburcu", type=Path, help="folder with liburcu's sources; otherwise they are fetched"
    )
    parser.add_argument(
        "--ck", type=Path, help="folder with Concurrency Kit's sources; otherwise they are fetched"
    )
    return parser.parse_args()


def _at_least_two(text: str) -> int:
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"must be at least 2 for an interval (got {number})")
    return number


if __name__ == "__main__":
    sys.exit(main())
