"""``make compare``: LockLab beside what others use, in one run; an HTML page and a JSON file.

Each part is a program of its own that measures both sides in turn, and keeps its report below
``out/compare``. Here their ratios come together, with the machine and the command that measures
them again; a part that is not measured now shows what its last report says. So the whole can be
made in pieces (``--only``, or ``--again`` after an interrupt). A part whose opponent cannot be had
says so, and the others go on. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from locknative.host.provenance import Recorder
from lockui.html_page import environment
from lockui.portable import usable_cpus
from lockui.tables import add, print_table, table

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "out" / "compare"
TEMPLATE = Path(__file__).with_name("comparison.html.j2")
PYTHON = sys.executable
RIVALS = {"mva": "MVA", "markov": "the Boyd-Wickizer chain", "usl": "the USL"}


@dataclass(frozen=True)
class Ratio:
    """One compared quantity.

    Arguments:
        what: it is. against: whom. value: the ratio; above 1 is in our favour if ``better`` is
            "higher". low, high: quartiles or an interval, None where there is one measurement.
    """

    what: str
    against: str
    value: float
    low: float | None
    high: float | None
    better: str


Read = Callable[[Any], Iterator[Ratio]]


@dataclass(frozen=True)
class Part:
    """One program that measures both sides.

    Arguments:
        title: of its table. meaning: of a ratio. command: it writes ``report``, below OUT, or
            prints it. quick: what makes it shorter. read: the report's ratios.
    """

    title: str
    meaning: str
    command: tuple[str, ...]
    report: str
    read: Read
    quick: tuple[str, ...] = ()
    prints: bool = False


def rows(report: Any) -> Iterator[Ratio]:
    """Ratios of a report of ``sim/benchmarks``."""
    for row in report["rows"]:
        if row.get("unit", "x") == "x":
            better = "lower" if row.get("sense") == "<=" and row.get("aim") else "higher"
            yield Ratio(
                row["what"],
                row["against"],
                row["value"],
                row.get("low"),
                row.get("high"),
                better,
            )


def accuracy(report: Any) -> Iterator[Ratio]:
    """For each table: a formula's mean error over the simulator's, from the same inputs."""
    for experiment in report:
        for name, rival in RIVALS.items():
            found = [
                row
                for row in (experiment.get("models") or {"summary": []})["summary"]
                if row["model"] == name
            ]
            cells = sum(row["cells"] for row in found)
            if not cells:
                continue
            theirs = sum(row["mean_abs_error"] * row["cells"] for row in found) / cells
            ours = sum(row["simulated_mean_abs_error"] * row["cells"] for row in found) / cells
            what = f"{experiment['experiment']}, {cells} cells: {theirs:.1%} over {ours:.1%}"
            yield Ratio(what, rival, theirs / ours, None, None, "higher")


def graders(report: Any) -> Iterator[Ratio]:
    """Processor time of each other grader over ours, by round on the same notebooks."""
    times: dict[str, list[float]] = {}
    for row in report:
        times.setdefault(row["grader"], []).append(row["used"]["cpu_s"] / row["submissions"])
    ours = times.pop("LockLab", [])
    for grader, theirs in sorted(times.items()):
        ratios = [other / own for other, own in zip(theirs, ours, strict=True)]
        middle = statistics.median(ratios)
        what = "processor time of a notebook, theirs over ours"
        yield Ratio(what, grader, middle, min(ratios), max(ratios), "higher")


def native(report: Any) -> Iterator[Ratio]:
    """Our harness over theirs, on the same operation."""
    for row in report["rows"]:
        if row["ratio"] is not None:
            what = f"{row['what']}, {row['threads']} threads: time of ours over theirs"
            rival = "Concurrency Kit" if row["what"].startswith("ck") else "liburcu"
            yield Ratio(what, rival, row["ratio"], row["low"], row["high"], "lower")


PARTS = {
    "engine": Part(
        "Event loops",
        "against SimPy: how many times as fast; against C: our time over its time",
        (PYTHON, "sim/benchmarks/run.py", "--only", "simpy", "c"),
        "bench.json",
        rows,
        ("--quick",),
    ),
    "simulators": Part(
        "Other simulators",
        "their time for a critical section over ours",
        (PYTHON, "sim/benchmarks/simulators.py"),
        "simulators.json",
        rows,
        ("--rounds", "3"),
    ),
    "accuracy": Part(
        "Formulas on the published tables",
        "a formula's mean error over the simulator's, same inputs, same cells",
        (PYTHON, "-m", "locklab", "paper", "reproduce", "--all", "--json"),
        "reproduce.json",
        accuracy,
        prints=True,
    ),
    "checker": Part(
        "Model checkers",
        "their processor time to the same proof over ours, same granularity and states",
        (PYTHON, "sim/benchmarks/spin_models.py"),
        "checker.json",
        rows,
    ),
    "harmony": Part(
        "A teaching model checker",
        "their processor time to the same proof over ours",
        (PYTHON, "sim/benchmarks/harmony_models.py"),
        "harmony.json",
        rows,
    ),
    "grader": Part(
        "Graders",
        "their processor time over ours",
        (PYTHON, "grader/benchmarks/throughput.py", "--count", "0"),
        "throughput.json",
        graders,
        ("--rounds", "1"),
    ),
    "native": Part(
        "Native harness",
        "our time over theirs, the same operation",
        (PYTHON, "native/benchmarks/compare.py"),
        "native.json",
        native,
        ("--processes", "3"),
    ),
}


def main() -> int:
    """Run the parts, print and write what they say; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--only", nargs="+", choices=[*PARTS], default=[*PARTS], help="measure only these parts"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--again", action="store_true", help="measure no part that has a report")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    screen, status = Console(), Console(stderr=True)
    sections = []
    for name, part in PARTS.items():
        file, missing = OUT / part.report, f"no report yet; --only {name} makes one"
        if name in options.only and not (options.again and file.exists()):
            with status.status(f"{name}: measuring"):
                missing = measure(part, file, quick=options.quick)
        ratios = []
        if file.exists():
            missing = ""
            ratios = [*part.read(json.loads(file.read_text(encoding="utf-8")))]
        sections.append(
            {
                "name": name,
                "title": part.title,
                "meaning": part.meaning,
                "command": shown(part),
                "measured": "" if missing else moment(file.stat().st_mtime),
                "missing": missing,
                "rows": [asdict(ratio) for ratio in ratios],
            }
        )
        show(screen, part, ratios, missing)
    document = {"schema": 2, "machine": machine(), "parts": sections}
    (OUT / "compare.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    page = (
        environment()
        .from_string(TEMPLATE.read_text(encoding="utf-8"))
        .render(title="LockLab beside others", **document)
    )
    (OUT / "compare.html").write_text(page, encoding="utf-8")
    status.print("written to out/compare/compare.html and compare.json")
    return 0


def measure(part: Part, file: Path, *, quick: bool) -> str:
    """Run a part, which writes its report; why there is none, if so."""
    command = [*part.command, *(part.quick if quick else ())]
    if not part.prints:
        command += ["--output", str(file)]
    file.unlink(missing_ok=True)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if part.prints and not done.returncode:
        file.write_text(done.stdout, encoding="utf-8")
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return said[-1] if said else f"it ended with exit code {done.returncode}"


def moment(seconds: float) -> str:
    """A time as a date, to the minute."""
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%d %H:%M} UTC"


def shown(part: Part) -> str:
    """The command as a reader writes it."""
    command = ".venv/bin/python " + " ".join(part.command[1:])
    return command.replace(".venv/bin/python -m locklab", "locklab")


def show(screen: Console, part: Part, ratios: list[Ratio], missing: str) -> None:
    """A part's table on the screen."""
    screen.print(f"\n[bold]{part.title}[/bold]: {part.meaning}")
    screen.print(f"  {shown(part)}", style="dim", highlight=False)
    if missing:
        screen.print(f"  not compared: {missing}", markup=False)
        return
    view = table()
    for column in ("what", "against"):
        add(view, column, fold=True)
    for column in ("ratio", "from", "to"):
        add(view, column, right=True)
    add(view, "better")
    for ratio in ratios:
        view.add_row(ratio.what, ratio.against, *map(number, numbers(ratio)), ratio.better)
    print_table(screen, view)


def numbers(ratio: Ratio) -> tuple[float | None, float | None, float | None]:
    """Value and interval."""
    return ratio.value, ratio.low, ratio.high


def number(value: float | None) -> str:
    """Three digits; "" for none."""
    return "" if value is None else f"{value:.3g}"


def machine() -> dict[str, Any]:
    """What the parts ran on."""
    found = Recorder((), "", "").finish()
    return {
        "cpu": found.cpu_model,
        "cpus": usable_cpus(),
        "kernel": found.kernel,
        "virtualised": found.virtualised,
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    sys.exit(main())
