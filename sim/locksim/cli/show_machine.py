"""List the machines; show one with the source and role of every value."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from locksim.cli import values
from locksim.cli.reproduction import print_parameters
from locksim.machine import Machine, load, names
from lockui import tables
from lockui.command import command
from lockui.completion import among
from lockui.console import console
from lockui.document import print_json

app = typer.Typer(help=__doc__, add_completion=False)


@command(app)
def machine(
    name: Annotated[
        str,
        typer.Argument(
            help="one of them, or FILE.toml; without a name, all are listed",
            autocompletion=among(values.machines),
        ),
    ] = "",
    json: bool = False,
) -> None:
    """List the machines that ship with LockLab, or show every value of one, its source and role."""
    if name:
        _show(load(name), json)
    else:
        _list([load(one) for one in names()], json)


def _list(machines: list[Machine], json: bool) -> None:
    """Print the names of machines, with their CPUs."""
    if json:
        print_json([_head(machine) for machine in machines])
        return
    table = tables.table()
    tables.add(table, "name")
    tables.add(table, "CPUs", right=True)
    tables.add(table, "machine", fold=True)
    for machine in machines:
        table.add_row(machine.name, str(machine.n_cpus), machine.title)
    table.add_row("ideal-N", "N", "Synthetic, uniform distances, N from 1 to 1024")
    tables.print_table(console(), table)


def _show(machine: Machine, json: bool) -> None:
    """Print a machine: topology, protocol, and every value with its source and role."""
    if json:
        print_json(document(machine))
        return
    output = console()
    output.print(f"[bold]{machine.name}[/bold]  {escape(machine.title)}")
    output.print(escape(" ".join(machine.description.split())))
    output.print()
    for line in _summary(machine):
        output.print(line)
    if machine.origin is not None:
        output.print(escape(f"Measured  {machine.origin.date}; {machine.origin.note}"))
        if machine.origin.expected_error is not None:
            output.print(f"Expected  error of predictions: {machine.origin.expected_error}")
    print_parameters(output, machine.parameters())


def _head(machine: Machine) -> dict[str, Any]:
    return {"name": machine.name, "title": machine.title, "cpus": machine.n_cpus}


def document(machine: Machine) -> dict[str, Any]:
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
