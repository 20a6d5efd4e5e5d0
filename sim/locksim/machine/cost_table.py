"""The ``[cost]`` table of a profile: its schema and its checks, from the costs' declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, create_model

from locksim.machine.costs import BY_KEY, Declaration
from locksim.machine.errors import Refusal
from locksim.machine.messages import missing_quantity
from locksim.machine.quantities import MAX_COST_PS, PS_PER_NS, Quantity
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from locksim.machine.profile import Machine


class CostTable(BaseModel):
    """A table of quantities, of tables of them by distance class, and of further such tables."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def quantities(self) -> Iterator[tuple[str, Quantity]]:
        """Yield (dotted name, quantity) for every quantity, in the order of the schema."""
        for name in type(self).model_fields:
            part = getattr(self, name)
            if isinstance(part, Quantity):
                yield name, part
            elif part is not None:
                pairs = part.quantities() if isinstance(part, CostTable) else part.items()
                yield from ((f"{name}.{key}", quantity) for key, quantity in pairs)


def _schema(name: str, parts: Iterable[tuple[str, Declaration]]) -> type[CostTable]:
    """The model of a table; ``parts`` are names below it, and what they declare."""
    fields: dict[str, Any] = {}
    inner: dict[str, list[tuple[str, Declaration]]] = {}
    for key, declared in parts:
        first, _, rest = key.partition(".")
        if rest:
            inner.setdefault(first, []).append((rest, declared))
            fields.setdefault(first, None)
        elif declared.classes:
            fields[first] = (dict[str, Quantity], ... if declared.required else {})
        else:
            fields[first] = (Quantity, ...) if declared.required else (Quantity | None, None)
    for first, below in inner.items():
        table = _schema(first.title(), below)
        fields[first] = (table, table())
    made = create_model(name, __base__=CostTable, **fields)
    globals()[name] = made  # a process that gets a profile looks for its classes here
    return made


if TYPE_CHECKING:
    Cost = CostTable
else:
    Cost = _schema("Cost", BY_KEY.items())


def check_costs(machine: Machine) -> None:
    """Check the costs of a machine against its topology, its settings and one another.

    Raises:
        Refusal: a cost that is missing, has no effect, or contradicts another one.
    """
    for declared in BY_KEY.values():
        _check_presence(machine, declared)
    quantities = dict(machine.cost.quantities())
    for name, quantity in quantities.items():
        _check_references(machine, name, quantity, quantities)
        if quantity.spread is not None and not declaration(name).spread:
            raise Refusal(
                f"cost.{name}.spread",
                "never drawn; only the line hold times (tenure) have a spread: remove it",
            )
    costs = machine.cost_ps()
    for name, cost in costs.items():
        if cost == 0 and not declaration(name).zero:
            raise Refusal(f"cost.{name}", "is zero (below half a picosecond); give a positive cost")
        if cost > MAX_COST_PS:
            raise Refusal(
                f"cost.{name}", f"is {cost / MAX_COST_PS:g} s; at most 1 s: check the unit"
            )
    _check_order(machine, costs)


def declaration(name: str) -> Declaration:
    """Return what declares a cost by its dotted name, with its class or without."""
    return BY_KEY[name] if name in BY_KEY else BY_KEY[name.rpartition(".")[0]]


def ladders(machine: Machine) -> list[list[str]]:
    """Return the rows of costs, by dotted name, in which none is cheaper than the one before."""
    there = dict(machine.cost.quantities())
    hits = ["l1_hit", "private_hit", "shared_hit"]
    found = [[*hits, "memory.node"] if "shared_hit" in there else hits]
    for key, declared in BY_KEY.items():
        if declared.rises:
            found.append([f"{key}.{name}" for name in ("core", *machine.topology.node_classes)])
            if key == "transfer":
                found[-1].insert(0, "l1_hit")
    return [[name for name in ladder if name in there] for ladder in found]


def _check_presence(machine: Machine, declared: Declaration) -> None:
    """Refuse a cost that is missing or has no effect, and a class that there is not."""
    key, found = f"cost.{declared.key}", _value(machine.cost, declared.key)
    given = bool(found) if declared.classes else found is not None
    needed = declared.required
    if declared.needs:
        setting, *wanted = declared.needs
        there = _value(machine, setting)
        needed = there in wanted if wanted else there is not None
        if given and not needed:
            raise Refusal(key, _no_effect(setting, there, wanted))
    if not declared.classes:
        if needed and not given:
            raise Refusal(key, missing_quantity(key))
        return
    names = list(machine.topology.node_classes)
    if declared.classes == "core" and machine.topology.threads_per_core > 1:
        names.insert(0, "core")
    for name in found:
        if name not in names:
            alone = name == "core" and declared.classes == "core"
            raise Refusal(
                f"{key}.{name}",
                "given, but threads_per_core is 1; remove it"
                if alone
                else f"unknown distance class '{name}'; {did_you_mean(name, names)}",
            )
    for name in names:
        if name not in found and (needed or (given and declared.given == "maybe")):
            raise Refusal(f"{key}.{name}", missing_quantity(f"{key}.{name}"))


def _no_effect(setting: str, there: Any, wanted: list[str]) -> str:
    if not wanted:
        return f"it has no effect without [{setting}]; remove it or add that table"
    name, values = setting.rpartition(".")[2], "' or '".join(wanted)
    return f"it has no effect with {name} = '{there}'; remove it or set {name} to '{values}'"


def _value(table: Any, path: str) -> Any:
    """What stands at a dotted path of a profile, None where a table on the way is missing."""
    for name in path.split("."):
        table = None if table is None else getattr(table, name)
    return table


def _check_references(
    machine: Machine, name: str, quantity: Quantity, quantities: dict[str, Quantity]
) -> None:
    if quantity.unit == "cycles" and machine.topology.clock_ghz is None:
        raise Refusal(f"cost.{name}.unit", "'cycles' without a clock; add clock_ghz to [topology]")
    if quantity.of is None:
        return
    if quantity.of not in quantities:
        raise Refusal(
            f"cost.{name}.of",
            f"unknown quantity '{quantity.of}'; {did_you_mean(quantity.of, quantities)}",
        )
    if quantities[quantity.of].of is not None:
        raise Refusal(
            f"cost.{name}.of",
            f"'{quantity.of}' is relative itself; refer to an absolute quantity",
        )


def _check_order(machine: Machine, costs: dict[str, int]) -> None:
    """Refuse a farther line that is cheaper than a nearer one, and an overlap with nothing."""
    for name in _value(machine.cost, "overlap"):
        for kind in ("transfer", "invalidate"):
            whole, overlap = costs[f"{kind}.{name}"], costs[f"overlap.{name}"]
            if overlap >= whole:
                raise Refusal(
                    f"cost.overlap.{name}",
                    f"{_ns(overlap)} is not less than {kind}.{name} at {_ns(whole)}, of which "
                    "it is a part: check both",
                )
    for ladder in ladders(machine):
        for near, far in pairwise(ladder):
            if costs[near] > costs[far]:
                raise Refusal(
                    f"cost.{far}",
                    f"{_ns(costs[far])} is cheaper than {near} at {_ns(costs[near])}; "
                    "a farther line cannot be: check both",
                )


def _ns(cost_ps: int) -> str:
    return f"{cost_ps / PS_PER_NS:g} ns"
