"""The profile: what is known first, what follows from it second, the rest from defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from locksim.machine import Machine, MachineError
from locksim.machine.costs import BY_KEY
from locksim.machine.document import toml
from locksim.machine.profile import parse
from locksim.study.new_machine import defaults
from locksim.study.new_machine.defaults import Value
from locksim.study.new_machine.ping_pong import pair_of, ping_pong_ns, transfer_ns, with_transfer
from locksim.study.new_machine.shape import Reading, Shape
from lockui.suggest import did_you_mean

PING_PONG = "pingpong."
LEVEL_NS = 1.0
"""A simulated ping-pong that misses its reading by more is reported."""


@dataclass(frozen=True)
class Known:
    """What somebody has about a machine.

    Arguments:
        name: of the profile. shape: its topology. title: such as the CPU's model.
        architecture, clock_ghz, line_bytes: as far as they are known.
        readings: distance class → ping-pong by compare-and-swap. reading_source: where from.
        costs: dotted name → value, of a calibration or given by hand.
        how: the command that made the profile, for its head.
    """

    name: str
    shape: Shape
    title: str
    architecture: str = "x86_64"
    clock_ghz: float | None = None
    line_bytes: int = 64
    readings: Mapping[str, Reading] = field(default_factory=dict)
    reading_source: str = ""
    costs: Mapping[str, Value] = field(default_factory=dict)
    how: str = ""


@dataclass(frozen=True)
class Solved:
    """A distance class: its reading, and the same loop on the profile, in ns."""

    name: str
    reading: Reading
    simulated_ns: float


@dataclass(frozen=True)
class Draft:
    """A finished profile.

    Arguments:
        machine: the profile. text: the same as commented TOML.
        solved: for each measured class, the reading and the simulated one.
    """

    machine: Machine
    text: str
    solved: list[Solved]

    @property
    def roles(self) -> dict[str, int]:
        """How many quantities have each role."""
        found: dict[str, int] = {}
        for quantity in self.machine.parameters():
            found[quantity.role] = found.get(quantity.role, 0) + 1
        return found


def draft(known: Known, report: Callable[[str, float], None] = lambda text, done: None) -> Draft:
    """Write the profile of a machine.

    Arguments:
        known: what there is. report: called with what is being done and the fraction done.

    Raises:
        MachineError: a name that the profile has no place for, or values that contradict.
    """
    readings, guessed = _all_readings(known)
    costs = {
        **defaults.plain(known.architecture, known.clock_ghz),
        **defaults.of_handoff(
            readings["node"].ns, readings["core"].ns if "core" in readings else None
        ),
    }
    allowed = {
        *costs,
        "tenure_plain",
        *(f"{k}.{n}" for k in ("transfer", "invalidate", "tenure_class") for n in readings),
    }
    allowed |= {f"memory.{name}" for name in readings if name != "core"}
    for name in known.costs:
        if name not in allowed:
            raise MachineError(f"no cost '{name}' on this machine; {did_you_mean(name, allowed)}")
    for name, value in known.costs.items():
        if name.partition(".")[0] not in _BY_DISTANCE:
            spread = costs[name].spread if name in costs else None
            costs[name] = value if value.spread is not None else replace(value, spread=spread)
    transfers = _first_transfers(readings)
    machine = _machine(known, costs, transfers)
    for k, name in enumerate(readings):
        report(f"ping-pong, {name}", k / len(readings))
        given = known.costs.get(f"transfer.{name}")
        value = given or _solve(machine, name, readings[name], known, name in guessed)
        transfers[name] = value
        machine = with_transfer(machine, name, value.ns)
    found = {**costs, **{f"transfer.{name}": value for name, value in transfers.items()}}
    found |= defaults.of_transfers(transfers)
    found |= {n: v for n, v in known.costs.items() if n.partition(".")[0] in _BY_DISTANCE}
    document = _document(known, found)
    text = toml(document, _head(known), _comments(known))
    machine = parse(document, known.name)
    solved = [
        Solved(name, readings[name], ping_pong_ns(machine, name))
        for name in readings
        if name not in guessed and pair_of(machine, name)
    ]
    return Draft(machine, text, solved)


_BY_DISTANCE = ("transfer", "memory", "invalidate")


def _all_readings(known: Known) -> tuple[dict[str, Reading], set[str]]:
    """Return a ping-pong for each class, nearest first, and the classes for which it is a guess."""
    shape = known.shape
    names = (*(("core",) if shape.threads > 1 else ()), *shape.classes)
    unknown = set(known.readings) - set(names)
    if unknown:
        name = min(unknown)
        raise MachineError(
            f"unknown distance class '{name}' on this machine; "
            f"{did_you_mean(PING_PONG + name, [PING_PONG + one for one in names])}"
        )
    found: dict[str, Reading] = {}
    for name in names:
        if name in known.readings:
            found[name] = known.readings[name]
            continue
        beyond = [known.readings[n].ns for n in names[names.index(name) :] if n in known.readings]
        last = found[names[names.index(name) - 1]].ns if found else 0.0
        ns = max(defaults.HANDOFF_NS.get(name, 0.0), defaults.FARTHER * last)
        ns = min([ns, *(0.8 * other for other in beyond)])
        found[name] = Reading(ns, 0.4 * ns, 2 * ns, 0)
    return found, set(names) - set(known.readings)


def _first_transfers(readings: Mapping[str, Reading]) -> dict[str, Value]:
    """Return where the search begins: each reading itself, none below the nearer one."""
    found: dict[str, Value] = {}
    longest = 0.0
    for name, reading in readings.items():
        longest = max(longest, reading.ns)
        found[name] = Value(longest, longest, longest, "not solved yet")
    return found


def _machine(known: Known, costs: Mapping[str, Value], transfers: Mapping[str, Value]) -> Machine:
    every = {**costs, **{f"transfer.{name}": value for name, value in transfers.items()}}
    return parse(_document(known, every | defaults.of_transfers(transfers)), known.name)


def _solve(machine: Machine, name: str, reading: Reading, known: Known, guess: bool) -> Value:
    """Return the transfer of a class, from its ping-pong."""
    if pair_of(machine, name) is None:
        return Value(reading.ns, reading.low, reading.high, "no two CPUs are at this distance")
    ns = transfer_ns(machine, name, reading.ns)
    if ns is None:
        lowest = _lowest(machine, name)
        return Value(
            lowest,
            lowest,
            max(lowest, reading.ns),
            f"as short as the nearer class allows; its ping-pong of {reading.ns:.1f} ns is shorter "
            "than the line hold time",
        )
    other = reading.ns - ns
    low, high = (max(ns / 4, end - other) for end in (reading.low, reading.high))
    if guess:
        return Value(
            ns, low, high, f"a ping-pong of {reading.ns:.0f} ns, of which nothing is known"
        )
    pairs = f", median of {reading.pairs} pairs" if reading.pairs > 1 else ""
    return Value(
        ns,
        min(low, ns),
        max(high, ns),
        f"{known.reading_source}: ping-pong by compare-and-swap, one way {reading.ns:.1f} ns"
        f"{pairs}; the simulated one takes as long",
        "fitted",
        reading.pairs or None,
    )


def _lowest(machine: Machine, name: str) -> float:
    costs = machine.cost_ps()
    ladder = ["l1_hit", *(key for key in costs if key.startswith("transfer."))]
    return costs[ladder[ladder.index(f"transfer.{name}") - 1]] / 1000


_ORDER = [key.partition(".")[0] for key in BY_KEY]


def _document(known: Known, values: Mapping[str, Value]) -> dict[str, Any]:
    shape = known.shape
    topology: dict[str, Any] = {
        "nodes": shape.nodes,
        "cores_per_node": shape.cores,
        "threads_per_core": shape.threads,
        "line_bytes": known.line_bytes,
        "node_classes": list(shape.classes),
        "distance": "uniform" if shape.nodes == 1 else "matrix",
        "cpu_order": "compact",
    }
    if known.clock_ghz:
        topology["clock_ghz"] = known.clock_ghz
    if shape.nodes > 1:
        topology["node_distance"] = [list(row) for row in shape.distance]
    cost: dict[str, Any] = {}
    for name in sorted(values, key=lambda n: _ORDER.index(n.partition(".")[0])):
        table, (*outer, last) = cost, name.split(".")
        for part in outer:
            table = table.setdefault(part, {})
        table[last] = values[name].table()
    return {
        "schema": 1,
        "name": known.name,
        "title": known.title,
        "description": (
            f"Written by locklab machine new. {_sentence(shape)} Distances come from "
            f"{known.reading_source or 'no measurement'}; no lock was measured on it."
        ),
        "topology": topology,
        "protocol": {
            "directory": "pipelined",
            "clean_supplier": "nearest",
            "bus": "none",
            "store_buffer_entries": 56,
        }
        | ({"shared_issue_percent": defaults.ISSUE_PERCENT} if shape.threads > 1 else {}),
        "cost": cost,
    }


def _sentence(shape: Shape) -> str:
    threads = "" if shape.threads == 1 else f" of {shape.threads} threads"
    one = f"{shape.cores} core{'s' * (shape.cores > 1)}{threads}"
    if shape.nodes == 1:
        return f"One node of {one}."
    return f"{shape.nodes} nodes of {one}; classes {', '.join(shape.classes)}."


def _head(known: Known) -> str:
    how = f"\nMade by: {known.how}" if known.how else ""
    return (
        f"{known.title}{how}\n\n"
        "Each value has a role. fitted: the simulated ping-pong then takes as long as the\n"
        "measured one. published or measured: somebody says so, see its source. assumed: not\n"
        "known; low and high say where it may lie. Replace what you know, and write its source.\n"
        "docs/use/machines.md explains each step, sim/PHYSICS.md what each cost does."
    )


def _comments(known: Known) -> dict[str, str]:
    shape = known.shape
    found = {
        "topology": "A node is a group of cores that are equally near to one another. node_classes "
        "names the\ndistances between cores, nearest first.",
        "protocol": "Assumed, not measured: as on current servers.",
        "cost.l1_hit": "What one CPU does by itself.",
        "cost.tenure": "How long a CPU keeps a line that it got by an atomic instruction, and how "
        "much a line\ntransfer varies.",
        "cost.transfer": "A modified line that another CPU has, by distance.",
        "cost.memory": "A line that no cache has.",
        "cost.invalidate": "Taking a line from CPUs that share it.",
        "cost.occupancy": "How long a transaction keeps what others wait for.",
        "cost.alloc": "What the kernel does.",
    }
    if shape.numbers and shape.numbers != tuple(range(len(shape.numbers))):
        listed = ", ".join(map(str, shape.numbers))
        found["topology"] += "\nThe matrix's number of each CPU of this profile, in order"
        found["topology"] += " (-1: there is none):\n" + _wrapped(listed)
    return found


def _wrapped(text: str) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, 96))
