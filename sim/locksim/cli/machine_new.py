"""Write a machine's profile from a core-to-core matrix, lscpu, or latencies."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from lockui import tables
from lockui.command import Detail, command
from lockui.console import progress, say, warn
from lockui.errors import UsageError, saving
from lockui.quantities import Frequency
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.study.new_machine import Draft, Known, Lscpu, Matrix, Shape
    from locksim.study.new_machine.defaults import Value
    from locksim.study.new_machine.shape import Reading

__all__ = ["app"]

app = typer.Typer(add_completion=False)


class NewMachineAnswer(TypedDict):
    """The profile: how many values have each role, and the ping-pongs that it was fitted to."""

    file: str
    name: str
    cpus: int
    roles: dict[str, int]
    ping_pong: list[dict[str, Any]]


NONE: list[Path] = []
NO_LATENCY: list[str] = []

_NS = {"ns": 1.0, "us": 1000.0, "ps": 0.001}
_LATENCY = re.compile(r"(?P<name>[a-z0-9_.-]+)=(?P<value>\d+(\.\d+)?)(?P<unit>ns|us|ps|cycles)")
_FIELD = re.compile(r"^[A-Z][^,:\n]*:", re.MULTILINE)
"""A line of lscpu; a matrix has numbers and commas."""
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")


@command(app)
def new(
    name: Annotated[str, typer.Argument(help="the profile's name, such as my-server")],
    from_: Annotated[
        list[Path],
        Detail(
            "a matrix of core-to-core-latency, what lscpu printed, the folder of 'locklab machine "
            "calibrate'; may be repeated"
        ),
    ] = NONE,
    latency: Annotated[list[str], Detail("may be repeated")] = NO_LATENCY,
    source: str = "given with --latency",
    shape: str | None = None,
    clock: Frequency | None = None,
    line: int = 64,
    out: Annotated[Path | None, Detail(default="NAME.toml")] = None,
    yes: bool = False,
) -> Report[NewMachineAnswer]:
    """Write a machine's profile from a core-to-core matrix, lscpu, or a few latencies.

    With none of them it asks.
    """
    from locksim.study.new_machine import Lscpu, Matrix, draft

    path = out or Path(f"{name}.toml")
    _check(name, path, yes)
    files = _files(from_)
    asked = not files and not shape
    lscpu = Lscpu.read(files["lscpu"]) if "lscpu" in files else None
    if asked and not _terminal():
        raise UsageError(
            "describe the machine: give --from FILE or --shape 2x32x2 "
            "(on a terminal, this command asks)"
        )
    known = (
        _ask(name)
        if asked
        else _known(
            name,
            Matrix.read(files["matrix"]) if "matrix" in files else None,
            lscpu,
            shape,
            files.get("calibration"),
            line=line,
        )
    )
    clock_ghz = known.clock_ghz if clock is None else clock.ghz
    given = _latencies(latency, source, clock_ghz)
    known = replace(
        known,
        clock_ghz=clock_ghz,
        readings={**known.readings, **given[0]},
        reading_source=known.reading_source or (source if given[0] else ""),
        costs={**known.costs, **given[1]},
        how=shlex.join(["locklab", *_arguments()]),
    )
    with progress("machine new") as report:
        found = draft(known, report)
    with saving(f"--out {path}"):
        path.write_text(found.text, encoding="utf-8")
    return Report(
        _document(found, path),
        lambda view: _print(view, found, path),
        after=lambda: _warn(known, lscpu, found),
    )


def _files(paths: list[Path]) -> dict[str, Path]:
    """Return "matrix", "lscpu" or "calibration" → the file or folder that is one, by its content.

    Raises:
        UsageError: two are of one sort.
    """
    files: dict[str, Path] = {}
    for path in paths:
        sort = _sort(path)
        if sort in files:
            raise UsageError(f"--from {path}: {files[sort]} is a {sort}, too; give one of them")
        files[sort] = path
    return files


def _sort(path: Path) -> str:
    if path.is_dir() or path.suffix == ".toml":
        return "calibration"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return "matrix"  # whose reader says what is wrong
    return "lscpu" if text.lstrip().startswith("{") or _FIELD.search(text) else "matrix"


def _terminal() -> bool:
    return sys.stdin.isatty()


def _arguments() -> list[str]:
    """The command line behind the umbrella's name; what a test calls has none."""
    return sys.argv[1:] if sys.argv[1:2] == ["machine"] else ["machine", "new", "..."]


def _check(name: str, path: Path, replaces: bool) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name}: use small letters, digits, '-' and '.', at most 64")
    if path.suffix != ".toml":
        raise UsageError(f"--out {path}: the name must end in .toml, as other commands expect")
    if path.exists() and not replaces:
        raise UsageError(f"{path} exists: give --yes to replace it, or another --out")


def _known(
    name: str,
    matrix: Matrix | None,
    lscpu: Lscpu | None,
    shape: str | None,
    calibration: Path | None,
    *,
    line: int,
) -> Known:
    """Read what the options name."""
    from locksim.study.new_machine import Known, of_lscpu, of_matrix

    if matrix is not None and shape is not None:
        raise UsageError(
            "--shape and a matrix cannot be used together: the shape follows from the matrix"
        )
    costs, base = ({}, None) if calibration is None else _calibration(calibration)
    if matrix is not None:
        topology = of_matrix(matrix, lscpu)
    elif shape is not None:
        topology = _shape(shape)
    elif lscpu is not None:
        topology = of_lscpu(lscpu)
    else:
        raise UsageError(
            f"--from {calibration}: this profile is complete, use it with --machine; to take its "
            "costs for a larger machine, add a matrix, the text of lscpu, or --shape"
        )
    title = lscpu.model if lscpu else base or (matrix.where if matrix else name)
    return Known(
        name,
        topology,
        f"{title}, {topology.nodes * topology.cores * topology.threads} CPUs",
        architecture=lscpu.architecture if lscpu else "x86_64",
        clock_ghz=lscpu.clock_ghz if lscpu else None,
        line_bytes=line,
        readings=topology.readings or {},
        reading_source=f"core-to-core matrix {matrix.where}" if matrix else "",
        costs=costs,
    )


def _shape(text: str) -> Shape:
    from locksim.machine.topology import MAX_CPUS
    from locksim.study.new_machine.shape import regular

    if not re.fullmatch(r"[1-9]\d{0,3}x[1-9]\d{0,3}x[1-8]", text):
        raise UsageError(
            f"--shape {text}: write NODESxCORESxTHREADS, such as 2x32x2, up to 8 threads a core"
        )
    nodes, cores, threads = map(int, text.split("x"))
    if nodes * cores * threads > MAX_CPUS:
        raise UsageError(
            f"--shape {text}: {nodes * cores * threads} CPUs; at most {MAX_CPUS} are supported"
        )
    return regular(nodes, cores, threads)


_DISTANT = (
    *("transfer", "memory", "invalidate", "overlap", "cache"),
    *("tenure_class", "tenure_plain_class"),
)


def _calibration(folder: Path) -> tuple[dict[str, Value], str]:
    """Return the costs of one CPU of a calibrated profile, in ns, and its title."""
    from locksim.machine import load
    from locksim.study.new_machine.defaults import Value

    file = folder / "machine.toml" if folder.is_dir() else folder
    machine = load(file)
    ns = {name: ps / 1000 for name, ps in machine.cost_ps().items()}
    costs = {}
    for p in machine.parameters():
        if p.name.partition(".")[0] in _DISTANT:
            continue
        scale = ns[p.name] / p.value if p.value else 1.0
        low, high = ((p.value if end is None else end) * scale for end in (p.low, p.high))
        where = f"{p.source} ({machine.name})"
        ends = ns[p.name], low, high
        costs[p.name] = Value(*ends, where, p.role, p.trials, p.spread or 0.0)  # type: ignore[arg-type]
    return costs, machine.title


def _latencies(
    texts: list[str], source: str, clock_ghz: float | None
) -> tuple[dict[str, Reading], dict[str, Value]]:
    """Return the ping-pongs and the costs of ``--latency``."""
    from locksim.study.new_machine.defaults import Value
    from locksim.study.new_machine.draft import PING_PONG
    from locksim.study.new_machine.shape import Reading

    readings, costs = {}, {}
    for text in texts:
        found = _LATENCY.fullmatch(text)
        if found is None:
            raise UsageError(
                f"--latency {text}: write NAME=VALUE and ns or cycles, such as transfer.node=45ns"
            )
        if found["unit"] == "cycles" and clock_ghz is None:
            raise UsageError(f"--latency {text}: cycles need the clock; add --clock 2.9GHz")
        unit = 1 / (clock_ghz or 1.0) if found["unit"] == "cycles" else _NS[found["unit"]]
        ns = float(found["value"]) * unit
        name = found["name"]
        if name.startswith(PING_PONG):
            readings[name.removeprefix(PING_PONG)] = Reading(ns, ns, ns, 1)
        else:
            costs[name] = Value(ns, ns, ns, source, "published")
    return readings, costs


def _ask(name: str) -> Known:
    """Ask on the terminal what the options would have said."""
    from locksim.study.new_machine import Known
    from locksim.study.new_machine.shape import Reading

    say("Enter takes the value in brackets.")
    sockets = typer.prompt("Sockets", default=1, type=int)
    cores = typer.prompt("Cores of a socket", default=8, type=int)
    threads = typer.prompt("Hardware threads of a core", default=1, type=int)
    clock = typer.prompt("Clock in GHz", default=3.0, type=float)
    topology = _shape(f"{sockets}x{cores}x{threads}")
    say("One way of a ping-pong by compare-and-swap in ns; 0 where you do not know it.")
    readings = {}
    for class_, words in (
        ("core", "Two threads of a core"),
        ("node", "Two cores of a socket"),
        ("socket", "Two sockets"),
    ):
        if class_ in topology.classes or (class_ == "core" and threads > 1):
            ns = typer.prompt(words, default=0.0, type=float)
            if ns > 0:
                readings[class_] = Reading(ns, ns, ns, 1)
    return Known(
        name,
        topology,
        f"{name}, {sockets * cores * threads} CPUs",
        clock_ghz=clock,
        readings=readings,
        reading_source="answers on the terminal" if readings else "",
    )


def _document(found: Draft, path: Path) -> NewMachineAnswer:
    return {
        "file": str(path),
        "name": found.machine.name,
        "cpus": found.machine.n_cpus,
        "roles": found.roles,
        "ping_pong": [
            {
                "class": one.name,
                "pairs": one.reading.pairs,
                "measured_ns": one.reading.ns,
                "simulated_ns": one.simulated_ns,
            }
            for one in found.solved
        ],
    }


def _print(output: Console, found: Draft, path: Path) -> None:
    topology = found.machine.topology
    output.print(
        f"[bold]{escape(found.machine.name)}[/bold]: {found.machine.n_cpus} CPUs (nodes x cores x "
        f"threads: {topology.nodes} x {topology.cores_per_node} x {topology.threads_per_core})"
    )
    if found.solved:
        view = tables.table()
        tables.add(view, "distance")
        for head in ("pairs", "ping-pong, ns", "simulated, ns", "transfer, ns"):
            tables.add(view, head, right=True)
        costs = found.machine.cost_ps()
        for one in found.solved:
            view.add_row(
                one.name,
                f"{one.reading.pairs:,}",
                f"{one.reading.ns:.1f}",
                f"{one.simulated_ns:.1f}",
                f"{costs[f'transfer.{one.name}'] / 1000:.1f}",
            )
        tables.print_table(output, view)
    roles = ", ".join(f"{count} {role}" for role, count in sorted(found.roles.items()))
    output.print(f"\n  values: {roles}", markup=False)
    # A name without a folder would be one of the catalogue.
    name = path if len(path.parts) > 1 else f"./{path}"
    again = shlex.join(["locklab", "sweep", "ticket", "mcs", "--machine", str(name)])
    say(f"  file: {path}\n  try: {again}", output)


def _warn(known: Known, lscpu: Lscpu | None, found: Draft) -> None:
    """Say what the profile cannot hold, and what does not fit together."""
    from locksim.study.new_machine.consistency import inconsistencies
    from locksim.study.new_machine.draft import LEVEL_NS

    for text in inconsistencies(known.shape, known.readings, lscpu):
        warn(text)
    if known.shape.missing:
        warn(
            f"groups of CPUs differ in size: {known.shape.missing} CPUs of the profile do not "
            "exist; the comment at [topology] says which"
        )
    for one in found.solved:
        if abs(one.simulated_ns - one.reading.ns) > LEVEL_NS:
            warn(
                f"{one.name}: the ping-pong takes {one.reading.ns:.1f} ns, at least "
                f"{one.simulated_ns:.1f} on the profile: one line hold time serves all distances"
            )
