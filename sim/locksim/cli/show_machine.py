"""List the machines; show one with the source and role of every value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import values
from locksim.cli.reproduction import print_parameters
from locksim.machine import Machine, load, names
from lockui import tables
from lockui.command import command
from lockui.completion import among
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class MachineEntry(TypedDict):
    """A machine that ships with LockLab."""

    name: str
    title: str
    cpus: int


class MachineAnswer(MachineEntry):
    """A machine; ``origin`` says on which machine and when its values were measured, or is null."""

    description: str
    topology: dict[str, Any]
    protocol: dict[str, Any]
    cache: dict[str, Any] | None
    parameters: list[dict[str, Any]]
    origin: dict[str, Any] | None


@command(app)
def machine(
    name: Annotated[
        str,
        typer.Argument(
            help="one of them, or FILE.toml; without a name, all are listed",
            autocompletion=among(values.machines),
        ),
    ] = "",
) -> Report[MachineAnswer | list[MachineEntry]]:
    """List the machines that ship with LockLab, or show every value of one, its source and role."""
    if name:
        found = load(name)
        return Report(document(found), lambda view: _show(view, found))
    machines = [load(one) for one in names()]
    return Report([_head(one) for one in machines], lambda view: _list(view, machines))


def _list(view: Console, machines: list[Machine]) -> None:
    """Print the names of machines, with their CPUs."""
    table = tables.table()
    tables.add(table, "name")
    tables.add(table, "CPUs", right=True)
    tables.add(table, "machine", fold=True)
    for machine in machines:
        table.add_row(machine.name, str(machine.n_cpus), machine.title)
    table.add_row("ideal-N", "N", "Synthetic, uniform distances, N from 1 to 1024")
    tables.print_table(view, table)


def _show(view: Console, machine: Machine) -> None:
    """Print a machine: topology, protocol, and every value with its source and role."""
    view.print(f"[bold]{machine.name}[/bold]  {escape(machine.title)}")
    view.print(escape(" ".join(machine.description.split())))
    view.print()
    for line in _summary(machine):
        view.print(line)
    if machine.origin is not None:
        view.print(escape(f"Measured  {machine.origin.date}; {machine.origin.note}"))
        if machine.origin.expected_error is not None:
            view.print(f"Expected  error of predictions: {machine.origin.expected_error}")
    print_parameters(view, machine.parameters())


def _head(machine: Machine) -> MachineEntry:
    return {"name": machine.name, "title": machine.title, "cpus": machine.n_cpus}


def document(machine: Machine) -> MachineAnswer:
    """Return a machine as ``--json`` prints it."""
    return {
        **_head(machine),
        "description": " ".join(machine.description.split()),
        "topology": machine.topology.model_dump(mode="json", exclude_none=True),
        "protocol": machine.protocol.model_dump(mode="json", exclude_none=True),
        "cache": None if machine.cache is None else machine.cache.model_dump(mode="json"),
        "parameters": [
            {
                "name": p.name,
                "value": p.value,
                "unit": p.unit,
                "source": p.source,
                "role": p.role,
                "low": p.low,
                "high": p.high,
                "trials": p.trials,
                "spread": p.spread,
            }
            for p in machine.parameters()
        ],
        "origin": None if machine.origin is None else machine.origin.model_dump(mode="json"),
    }


def _summary(machine: Machine) -> list[str]:
    topology, protocol = machine.topology, machine.protocol
    clock = f", {topology.clock_ghz:g} GHz" if topology.clock_ghz else ""
    suppliers = {"memory": "home memory", "nearest": "the nearest sharer"}
    buses = {"none": "none", "node": "one a node", "global": "one for the machine"}
    return [
        f"CPUs      {machine.n_cpus}: {topology.nodes} nodes x {topology.cores_per_node} cores "
        f"x {topology.threads_per_core} threads{clock}",
        f"Lines     {topology.line_bytes} bytes",
        f"Distances {', '.join(topology.node_classes)} ({topology.distance})",
        f"Directory {protocol.directory}; clean lines from {suppliers[protocol.clean_supplier]}",
        f"Bus       {buses[protocol.bus]}",
        f"Stores    {protocol.store_buffer_entries} entries in the store buffer",
        f"Caches    {_caches(machine)}",
        f"Waiting   {_arbitration(machine)}",
        *_differences(machine),
    ]


def _differences(machine: Machine) -> list[str]:
    """What only some machines do."""
    protocol = machine.protocol
    found = []
    if protocol.atomics == "far":
        found.append("Atomics   far: performed at the line's home")
    if protocol.shared_issue_percent != 100:
        share = protocol.shared_issue_percent
        found.append(
            f"Threads   private work takes {share} % while another thread of the core works"
        )
    if protocol.shared_l1:
        found.append("Threads   those of a core share its caches")
    return found


def _arbitration(machine: Machine) -> str:
    """Which of the requests that wait for a line is served next."""
    match machine.protocol.arbitration:
        case "near":
            passes = machine.protocol.arbitration_passes
            return f"the nearest request first; one that has been passed {passes} times before it"
        case "random":
            return "any request that waits"
        case _:
            return "first come, first served"


def _caches(machine: Machine) -> str:
    if machine.cache is None:
        return "unlimited: a CPU keeps a line until another CPU takes it"
    cache = machine.cache
    levels = {"L1": cache.l1, "private": cache.private}
    if cache.shared is not None:
        levels[f"{cache.shared.policy}, shared by a node,"] = cache.shared
    bytes_ = machine.topology.line_bytes
    return ", ".join(
        f"{name} {level.lines * bytes_ / 1024:g} KB in {level.sets} "
        f"{'set' if level.sets == 1 else 'sets'} of {level.ways}"
        for name, level in levels.items()
        if level is not None
    )
