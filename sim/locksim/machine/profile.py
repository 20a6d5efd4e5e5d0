"""A machine: its topology, its coherence protocol and what its memory operations cost."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
    model_validator,
)

from locksim.machine.caches import Caches
from locksim.machine.cost_table import Cost, check_costs
from locksim.machine.errors import MachineError, Refusal
from locksim.machine.messages import explain
from locksim.machine.quantities import PS_PER_NS, Parameter, Quantity, Role, Text
from locksim.machine.tables import MachineTables, Placement, build
from locksim.machine.topology import Topology
from lockui.formats import other_format
from lockui.suggest import did_you_mean

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=64)]


class Protocol(BaseModel):
    """The ``[protocol]`` table: how lines are served, and by whom.

    ``line_busy_percent`` is the share of a transaction's latency during which its line serves
    no other request. Real lines are busy for all of it; less is for ablations ("what if requests
    did not queue?").

    ``arbitration`` selects which of the requests that wait for a line is served next. With ``near``
    the one that has waited longest is passed at most ``arbitration_passes`` times.

    ``atomics`` is where an atomic instruction on a line of another cache is performed: ``near``, in
    the CPU that gets the line, or ``far``, at the line's home.

    ``shared_issue_percent`` is the time of private work while another thread of the core works, in
    percent of the time alone.

    ``shared_l1``: whether the threads of a core share its caches.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    directory: Literal["blocking", "pipelined"]
    clean_supplier: Literal["memory", "nearest"]
    bus: Literal["none", "node", "global"]
    store_buffer_entries: Annotated[int, Field(ge=1, le=1024)]
    line_busy_percent: Annotated[int, Field(ge=1, le=100)] = 100
    arbitration: Literal["fifo", "near", "random"] = "fifo"
    arbitration_passes: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    atomics: Literal["near", "far"] = "near"
    shared_issue_percent: Annotated[int, Field(ge=100, le=1_000)] = 100
    shared_l1: StrictBool = False

    @model_validator(mode="after")
    def _sound(self) -> Protocol:
        near, given = self.arbitration == "near", self.arbitration_passes is not None
        if near and not given:
            raise Refusal(
                "arbitration_passes",
                "missing with arbitration = 'near'; say how often a request may be passed, "
                "such as arbitration_passes = 8",
            )
        if given and not near:
            raise Refusal(
                "arbitration_passes",
                f"never used with arbitration = '{self.arbitration}'; "
                "remove it or set arbitration to 'near'",
            )
        return self


class ExpectedError(BaseModel):
    """The ``[origin.expected_error]`` table: how far off predictions are expected to be.

    Arguments:
        value, low, high: mean absolute error, as a fraction, of a loop without private work, and
            its 95 % interval.
        left_out: readings that were predicted by a fit to the others.
        checked: loops of locks that no fit has seen.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    value: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    low: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    high: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    left_out: Annotated[int, Field(ge=0)]
    checked: Annotated[int, Field(ge=0)]

    def __str__(self) -> str:
        return (
            f"{self.value:.0%} (95% interval {self.low:.0%} to {self.high:.0%}) where a loop has "
            f"no private work; from {self.left_out} readings left out one after another and "
            f"{self.checked} loops of locks that no fit has seen"
        )


class Origin(BaseModel):
    """The ``[origin]`` table: what a calibrated profile was measured on.

    Arguments:
        date, cpu_model, kernel: when, and where.
        virtualised: whether under a hypervisor.
        turn_ns: one iteration of the native harness's private work.
        cpus: the real CPU's number for each simulated one, -1 for one that does not exist.
        note: what else to know about the measurement.
        expected_error: how far off predictions are expected to be.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    date: Text
    cpu_model: Text
    kernel: Text
    virtualised: bool
    turn_ns: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    cpus: Annotated[tuple[StrictInt, ...], Field(strict=False)]
    note: Text
    expected_error: ExpectedError | None = None


class Machine(BaseModel):
    """A machine profile, validated and immutable.

    Read one with :func:`locksim.machine.load`; hand :meth:`tables` to an engine.

    ``starting_order`` is a seed. With it CPUs start a picosecond apart in a random order, and not
    all at time 0, where the lower number is first. Each thread keeps its CPU and its node
    (:mod:`locksim.study.bands`).

    ``placement`` is where threads are, whatever a run asks for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    schema_version: Literal[1] = Field(alias="schema")
    name: Name
    title: Text
    description: Text
    topology: Topology
    protocol: Protocol
    cost: Cost
    cache: Caches | None = None
    origin: Origin | None = None
    starting_order: Annotated[int, Field(ge=0)] | None = None
    placement: Literal["compact", "scatter"] | None = None

    @property
    def n_cpus(self) -> int:
        """How many hardware threads the machine has."""
        return self.topology.n_cpus

    def cost_ps(self) -> dict[str, int]:
        """Return every cost in whole picoseconds, by dotted name (``"transfer.half"``)."""
        quantities = dict(self.cost.quantities())
        clock = self.topology.clock_ghz
        costs = {k: f.picoseconds(clock) for k, f in quantities.items() if f.of is None}
        return {
            k: costs[k] if f.of is None else f.picoseconds(clock, costs[f.of])
            for k, f in quantities.items()
        }

    def spread_ps(self) -> dict[str, int]:
        """Return by how much a line hold time may differ, in whole picoseconds, by dotted name."""
        costs = self.cost_ps()
        return {name: round(costs[name] * (q.spread or 0)) for name, q in self.cost.quantities()}

    def parameters(self) -> list[Parameter]:
        """Return every quantity with value, unit, source and role; a relative one in ns.

        Those of the caches come last.
        """
        costs = self.cost_ps()
        caches = [] if self.cache is None else self.cache.parameters(self.topology.line_bytes)
        return [
            Parameter(name, costs[name] / PS_PER_NS, "ns", f.source, f.role, *_ns_of(f, costs))
            if f.value is None or f.unit is None
            else Parameter(
                name, f.value, f.unit, f.source, f.role, f.low, f.high, f.trials, f.spread
            )
            for name, f in self.cost.quantities()
        ] + [*caches]

    def with_costs(self, *, role: Role = "fitted", source: str = "", **costs_ps: int) -> Machine:
        """Return a copy in which some costs are replaced, as fitting needs it.

        Args:
            role: what the new quantities are (default ``"fitted"``).
            source: where they come from; by default a note that names the quantity replaced.
            costs_ps: dotted names and costs in picoseconds:
                ``with_costs(**{"transfer.half": 480_000})``.

        Figures relative to a replaced one follow it and keep their role.

        Raises:
            MachineError: an unknown name, or a cost that a profile could not hold either.
        """
        data = self.model_dump(by_alias=True, exclude_none=True)
        old = {p.name: p for p in self.parameters() if not p.name.startswith("cache.")}
        for name, cost in costs_ps.items():
            if name not in old:
                raise MachineError(f"{self.name} has no cost '{name}'; {did_you_mean(name, old)}")
            was = old[name]
            note = f"replaces {was.value:g} {was.unit} ({was.role}; {was.source})"
            table: dict[str, Any] = data["cost"]
            *outer, last = name.split(".")
            for key in outer:
                table = table[key]
            table[last] = {
                "value": cost / PS_PER_NS,
                "unit": "ns",
                "source": source or note,
                "role": role,
            }
            if was.spread is not None:
                table[last]["spread"] = was.spread
        return parse(data, f"{self.name} with changed costs")

    def with_spread(self, **shares: float) -> Machine:
        """Return a copy in which line hold times have another spread, as ablations need it.

        Args:
            shares: names below ``cost`` and shares of the value: ``with_spread(tenure=0.5)``.

        Raises:
            MachineError: a share that a profile could not hold either, or another cost's.
        """
        data = self.model_dump(by_alias=True, exclude_none=True)
        for name, share in shares.items():
            data["cost"][name]["spread"] = share
        return parse(data, f"{self.name} with another spread")

    def with_protocol(self, **settings: Any) -> Machine:
        """Return a copy with some settings of ``[protocol]`` replaced, as ablations need it.

        Raises:
            MachineError: an unknown setting, or a value that a profile could not hold either.
        """
        data = self.model_dump(by_alias=True, exclude_none=True)
        data["protocol"].update(settings)
        return parse(data, f"{self.name} with another protocol")

    def without_caches(self) -> Machine:
        """Return a copy whose CPUs keep every line until another takes it, as ablations need it.

        Every hit costs ``l1_hit`` there.
        """
        cost = self.cost.model_copy(update={"private_hit": None, "shared_hit": None})
        return self.model_copy(update={"cache": None, "cost": cost})

    def without_shared_cache(self) -> Machine:
        """Return a copy whose nodes share no cache, as ablations need it."""
        cost = self.cost.model_copy(update={"shared_hit": None})
        cache = self.cache and self.cache.model_copy(update={"shared": None})
        return self.model_copy(update={"cache": cache, "cost": cost})

    def tables(self, cpus: int, placement: Placement = "compact") -> MachineTables:
        """Return what the engines read, for the CPUs that take part.

        Args:
            cpus: how many CPUs take part, 1 to :attr:`n_cpus`.
            placement: ``"compact"`` fills node after node, ``"scatter"`` goes round the nodes
                (both use every core before any SMT sibling); or the machine's CPU numbers, one
                for each CPU that takes part.

        Raises:
            MachineError: more CPUs than there are, or a placement that is none.
        """
        return build(self, cpus, self.placement or placement)

    @model_validator(mode="after")
    def _sound(self) -> Machine:
        for name, alone in (("shared_issue_percent", 100), ("shared_l1", False)):
            if getattr(self.protocol, name) != alone and self.topology.threads_per_core == 1:
                raise Refusal(f"protocol.{name}", "given, but threads_per_core is 1; remove it")
        if self.origin is not None and len(self.origin.cpus) != self.n_cpus:
            raise Refusal(
                "origin.cpus",
                f"{len(self.origin.cpus)} numbers for {self.n_cpus} CPUs; give one for each",
            )
        check_costs(self)
        return self


def _ns_of(
    relative: Quantity, costs: dict[str, int]
) -> tuple[float | None, float | None, None, float | None]:
    """Return a relative quantity's low and high in ns, no trials, and its spread."""
    base_ns = costs[relative.of or ""] / PS_PER_NS
    ends = (None if x is None else x * base_ns for x in (relative.low, relative.high))
    return (*ends, None, relative.spread)  # type: ignore[return-value]


def parse(data: dict[str, Any], where: str) -> Machine:
    """Return the machine that ``data`` (a parsed TOML document) describes.

    Args:
        data: the document.
        where: its file or name, for messages.

    Raises:
        MachineError: the document is not a sound profile; the message names ``where`` and the key.
    """
    if other := other_format(data, 1, "schema"):
        raise MachineError(f"{where}: {other}; write a new profile: locklab machine new NAME")
    try:
        return Machine.model_validate(data)
    except ValidationError as error:
        found = error
    raise MachineError(f"{where}: {explain(Machine, found)}")
