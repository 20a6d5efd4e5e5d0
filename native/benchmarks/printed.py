"""``make printed``: locks printed from the language beside the hand-written headers.

Both are compiled into one program with the same flags, and run in the same throughput loop. Each
trial is a process; the two alternate, A B B A, on the same CPUs. Times are processor time for a
pair of acquire and release of all threads, in ns, as medians over the processes. The ratio, printed
over written, is the median of the rounds' ratios with its 95 % interval. A virtual machine's CPUs
may be near each other in one minute and far in the next (a handoff took 120 and then 500 ns), so
only neighbours in time are compared. A round in which a thread had its CPU for less than 0.99 of
its time is repeated, up to twice as often as there are processes. The aim is a ratio of at most
1.10.

Words are 64 bits wide in the language and 32 in the headers. A printed lock finds its node by the
number of its thread, where a header gets a pointer. There should be no other difference.

Nothing here passes or fails: a ratio that misses the aim is printed as missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from locknative.benchmark.measurement import estimate
from locknative.compilation import emitted, executable, toolchain
from locknative.compilation.harness import Harness
from locknative.errors import NativeError
from locknative.host.provenance import Recorder
from locknative.survey.cells import Cell
from locknative.survey.judge import LEAST_SHARE
from locknative.survey.process import run_trial

AIM = 1.10
LOCKS = ("tas", "ttas", "ticket", "mcs", "rwlock", "seqlock")
TWO_SIDED = ("rwlock", "seqlock")
SCHEMA = 1


@dataclass(frozen=True)
class Row:
    """One side of a lock on some threads; times in ns of processor time for a pair.

    ``low`` and ``high`` bound the ratio's 95 % interval, None with fewer than six rounds.
    ``rejected`` rounds were disturbed; where all were, the values come from them. ``verdict``:
    ``met``, ``missed``, ``unclear`` (the aim lies in the interval, or there is none), ``noisy``.
    """

    lock: str
    side: str
    threads: int
    written_ns: float
    printed_ns: float
    ratio: float
    low: float | None
    high: float | None
    rounds: int
    rejected: int
    verdict: str
    written: list[float]
    printed: list[float]


def main() -> int:
    """Build, run and print; return the exit code."""
    options = _options()
    status = Console(stderr=True)
    rows = []
    try:
        with tempfile.TemporaryDirectory(prefix="locklab-") as name:
            program, kernels = _program(Path(name), options.only or LOCKS)
            for lock, side, threads in _cells(options):
                what = f"{lock} {side}, {threads} thread{'s' * (threads > 1)}"
                with status.status(f"{what}: {options.processes} rounds"):
                    row = _measure(program, kernels, lock, side, threads, options)
                status.print(f"{what}: ratio {row.ratio:.3f}, {row.verdict}", style="dim")
                rows.append(row)
    except NativeError as error:
        status.print(f"error: {error}", markup=False, highlight=False, soft_wrap=True)
        return error.exit_code
    except KeyboardInterrupt:
        status.print("interrupted: these are the results so far")
    machine = Recorder((), *executable.read_build()).finish()
    report = {
        "schema": SCHEMA,
        "aim": AIM,
        "processes": options.processes,
        "duration_ms": options.duration_ms,
        "machine": {"cpu": machine.cpu_model, "kernel": machine.kernel, "load": os.getloadavg()},
        "rows": [asdict(row) for row in rows],
    }
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        Console().print(table(rows))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    status.print(f"written to {options.output}", style="dim")
    return 0


@dataclass(frozen=True)
class Round:
    """One process of each kind, next to each other in time.

    ``share`` is the smallest share of its time in which a thread had its CPU.
    """

    written_ns: float
    printed_ns: float
    share: float


def judged(lock: str, side: str, threads: int, rounds: list[Round]) -> Row:
    """Return the row of the rounds."""
    good = [one for one in rounds if one.share >= LEAST_SHARE]
    used = good or rounds
    written = [one.written_ns for one in used]
    printed = [one.printed_ns for one in used]
    ratio = estimate([p / w for p, w in zip(printed, written, strict=True)])
    low, high = ratio.low, ratio.high
    verdict = "unclear"
    if not good:
        verdict = "noisy"
    elif low is not None and high is not None:
        verdict = "met" if high <= AIM else "missed" if low > AIM else "unclear"
    return Row(
        lock=lock,
        side=side,
        threads=threads,
        written_ns=statistics.median(written),
        printed_ns=statistics.median(printed),
        ratio=ratio.median,
        low=low,
        high=high,
        rounds=len(rounds),
        rejected=len(rounds) - len(good),
        verdict=verdict,
        written=written,
        printed=printed,
    )


def table(rows: list[Row]) -> Table:
    """Return the rows as a table for people."""
    shown = Table(title=f"ns of processor time for a pair; aim: at most {AIM:g}", box=None)
    for column in ("lock", "side"):
        shown.add_column(column, no_wrap=True)
    for column in ("threads", "written", "printed", "ratio", "95 %", "rounds"):
        shown.add_column(column, justify="right", no_wrap=True)
    shown.add_column("aim", no_wrap=True)
    for row in rows:
        shown.add_row(
            *(row.lock, row.side, str(row.threads)),
            *(f"{row.written_ns:.3g}", f"{row.printed_ns:.3g}", f"{row.ratio:.3f}"),
            "" if row.low is None else f"{row.low:.2f}-{row.high:.2f}",
            *(f"{row.rounds - row.rejected}/{row.rounds}", row.verdict),
        )
    return shown


def _program(folder: Path, locks: tuple[str, ...]) -> tuple[Path, dict[str, str]]:
    """Build one program with both kinds of kernels; return it and the printed names by lock."""
    root = toolchain.sources()
    adapters, kernels = {}, {}
    for lock in locks:
        adapters[lock] = root / f"kernels/{lock}.c"
        path = emitted.write(f"{emitted.PREFIX}{lock}", folder)
        adapters[path.stem], kernels[lock] = path, path.stem
    flags = ["-fPIC", *executable.read_build().flags.split()]
    options = ["-fwrapv", "-DLOCKLAB_CPUS=8"]
    program = Harness(folder, flags).program(adapters, ["throughput"], [folder], options)
    return program, kernels


def _cells(options: argparse.Namespace) -> list[tuple[str, str, int]]:
    allowed = len(os.sched_getaffinity(0))
    return [
        (lock, side, threads)
        for lock in options.only or LOCKS
        for side in (("write", "read") if lock in TWO_SIDED else ("write",))
        for threads in (1, 2)
        if threads <= allowed
    ]


def _measure(
    program: Path,
    kernels: dict[str, str],
    lock: str,
    side: str,
    threads: int,
    options: argparse.Namespace,
) -> Row:
    rounds: list[Round] = []
    cpus = tuple(sorted(os.sched_getaffinity(0))[:threads])
    for number in range(3 * options.processes):
        times, share = {}, 1.0
        for kernel in (lock, kernels[lock]) if number % 2 == 0 else (kernels[lock], lock):
            cell = Cell(kernel, cpus, read=side == "read")
            found = run_trial(program, cell, duration_ms=options.duration_ms)
            tallies = found["tallies"]
            count = sum(tally["count"] for tally in tallies)
            times[kernel] = sum(tally["cpu_ns"] for tally in tallies) / count
            share = min([share, *(tally["cpu_ns"] / tally["wall_ns"] for tally in tallies)])
        rounds.append(Round(times[lock], times[kernels[lock]], share))
        if sum(one.share >= LEAST_SHARE for one in rounds) == options.processes:
            break
    return judged(lock, side, threads, rounds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make printed", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=20, help="processes of each lock (20)")
    parser.add_argument(
        "--duration-ms", type=int, default=100, help="measured time of a process (100)"
    )
    parser.add_argument("--only", nargs="+", choices=LOCKS, help="only these locks")
    parser.add_argument(
        "--json", action="store_true", help="print the report as JSON, not the table"
    )
    parser.add_argument("--output", type=Path, default=Path("out/printed.json"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
