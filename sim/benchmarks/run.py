"""``make bench``: the simulator's speed, as ratios from one run; a table and a JSON file.

Nothing here passes or fails: a value below its aim is printed as missed, and the exit code stays 0.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engines import against_c, against_simpy, scaling
from first_call import first_calls
from opponent import FLAGS, OpponentError, compiler
from rich.console import Console
from rich.table import Table
from row import Row

GROUPS: dict[str, Callable[[bool], Iterator[Row]]] = {
    "simpy": against_simpy,
    "c": against_c,
    "scaling": scaling,
    "first": first_calls,
}
SCHEMA = 1
PACKAGES = ("numpy", "numba", "llvmlite", "simpy", "scipy", "pandas")


def main() -> int:
    """Measure the selected groups; the exit code."""
    options = _options()
    before = machine_state()
    rows: list[Row] = []
    status = Console(stderr=True)
    try:
        compiler()
        for name in options.only or list(GROUPS):
            with status.status(f"{name}: measuring"):
                for row in GROUPS[name](options.quick):
                    rows.append(row)
                    status.print(f"{row.what}: {_number(row)}", style="dim")
    except OpponentError as error:
        status.print(f"error: {error}", markup=False)
        return error.exit_code
    except KeyboardInterrupt:
        status.print("interrupted: the rows below are complete")
    Console().print(table(rows))
    report = {
        "schema": SCHEMA,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "quick": options.quick,
        "clocks": "event loops: processor time of the thread; first and later calls: wall time",
        "machine": {"before": before, "after": machine_state(), **machine_facts()},
        "versions": versions(),
        "rows": [{**asdict(row), "met": row.met} for row in rows],
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    print(f"written to {options.output}")
    return 0


def table(rows: list[Row]) -> Table:
    """The rows as a table, with a word beside every colour."""
    shown = Table("what", "against", "value", "quartiles", "aim", "met", title="Speed")
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            shown.add_section()
            shown.add_row(f"[bold]{group}[/bold]")
        aim = "" if row.aim is None else f"{row.sense} {row.aim:g} {row.unit}"
        met = {None: "", True: "[green]yes[/green]", False: "[red]no[/red]"}[row.met]
        quartiles = f"{row.low:.3g} to {row.high:.3g}"
        shown.add_row(row.what, row.against, _number(row), quartiles, aim, met)
    return shown


def machine_facts() -> dict[str, Any]:
    """Facts of the machine that affect the values and stay constant during the run."""
    facts: dict[str, Any] = {
        "cpu": platform.processor() or platform.machine(),
        "cpus": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "system": platform.platform(),
    }
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return facts
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            facts["cpu"] = value.strip()
        if key.strip() == "flags":
            facts["virtualised"] = "hypervisor" in value.split()
    return facts


def machine_state() -> dict[str, Any]:
    """Other load: load averages; ticks stolen by a hypervisor since the system's start."""
    state: dict[str, Any] = {}
    if hasattr(os, "getloadavg"):
        state["load"] = [round(load, 2) for load in os.getloadavg()]
    try:
        first = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return state
    if len(first) > 8:
        state["steal_ticks"] = int(first[8])
    return state


def versions() -> dict[str, str]:
    """Interpreter, packages, C compiler and its flags."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    shown = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=False)
    found["c_compiler"] = shown.stdout.split("\n", 1)[0]
    found["c_flags"] = " ".join(FLAGS)
    return found


def _number(row: Row) -> str:
    return f"{row.value:.3g} {row.unit}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("out/bench.json"), help="file for the JSON"
    )
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), help="measure only these groups")
    parser.add_argument(
        "--quick", action="store_true", help="fewer repetitions, less precise values"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
