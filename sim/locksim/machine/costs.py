"""The costs of a machine, each declared once.

From a field of :class:`Costs` follow its place in a profile and the checks of it
(:mod:`locksim.machine.cost_table`), its value or row in the tables that both engines read
(:mod:`locksim.machine.tables`), its column in the fast engine, and its row in the table of
``docs/use/machines.md``. A new cost is a field here, its meaning in ``sim/PHYSICS.md``, and the
line of each engine that charges it.
"""

# ruff: noqa: RUF009 - the call makes the field and its declaration, not a default that is shared.

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

SAME_CPU, SAME_CORE, SAME_NODE = 0, 1, 2
"""How far two CPUs are apart, the distance class: the same CPU, the same core (SMT siblings), the
same node; from 3 on the further classes that the profile names, nearest first."""

Row = tuple[int, ...]
"""A value for each distance class."""


@dataclass(frozen=True)
class Declaration:
    """A cost as a profile states it.

    Arguments:
        key: dotted name below ``[cost]``.
        says: the time of which operation, or on which resource.
        sensible: values that machines have, for the page.
        classes: "" for a single value. One for each distance class: "core", also for that between
            threads of a core; "node", only for those between and within nodes.
        given: "always"; "maybe", with all of its classes; "partly", with any of its classes.
        needs: a setting of the profile and its values that charge this cost, or a table alone. It
            is given exactly where that holds.
        instead: the cost that applies where this one, or a class of it, is not given.
        zero: whether a machine can hide it altogether. Any other at zero would let a program spin
            for ever without time passing, or make a remote line as near as the CPU's own.
        rises: whether a farther class cannot be cheaper than a nearer one.
        spread: whether each single one may differ from the value.
        under_load: whether it belongs to the mechanisms that act under load.
    """

    key: str
    says: str
    sensible: str
    classes: Literal["", "core", "node"] = ""
    given: Literal["always", "maybe", "partly"] = "always"
    needs: tuple[str, ...] = ()
    instead: str = ""
    zero: bool = False
    rises: bool = False
    spread: bool = False
    under_load: bool = False

    @property
    def required(self) -> bool:
        """Whether every profile has it."""
        return self.given == "always" and not self.needs


def _cost(key: str, says: str, sensible: str, **more: Any) -> Any:
    declared = Declaration(key, says, sensible, **more)
    metadata = {"declared": declared}
    if declared.required:
        return field(metadata=metadata)
    return field(default=() if declared.classes else 0, metadata=metadata)


@dataclass(frozen=True, eq=False, kw_only=True)
class Costs:
    """Every cost in picoseconds; rows are indexed by distance class.

    Entry 0 of a row is for the same CPU, entry 1 for the same core, entry 2 for the same node. A
    row that is not given is filled: with the cost that applies instead, or with 0. So a copy with
    another ``tenure_ps`` keeps its rows, unless they are empty in it.
    """

    l1_hit_ps: int = _cost("l1_hit", "a load that hits in the nearest cache", "3 to 5 cycles")
    private_hit_ps: int = _cost(
        "private_hit", "a hit beyond L1", "12 to 16 cycles", needs=("cache.l1",)
    )
    shared_hit_ps: int = _cost(
        "shared_hit", "a line from the node's cache", "10 to 30 ns", needs=("cache.shared",)
    )
    store_ps: int = _cost("store", "a store into the store buffer", "1/2 to 2 cycles")
    rmw_ps: int = _cost("rmw", "an atomic instruction on an owned line", "3 to 15 ns")
    fence_ps: int = _cost("fence", "a full fence", "1 to 25 ns", zero=True)
    pause_ps: int = _cost("pause", "the waiting hint", "1 to 140 cycles")
    tenure_ps: int = _cost(
        "tenure",
        "line hold time of an atomic instruction",
        "10 to 65 % of a near ping-pong",
        zero=True,
        spread=True,
    )
    tenure_plain_ps: int = _cost(
        "tenure_plain",
        "line hold time of loads and stores",
        "0 to `tenure`",
        given="maybe",
        instead="tenure",
        zero=True,
        spread=True,
    )
    tenure_class_ps: Row = _cost(
        "tenure_class",
        "`tenure` of a line that came from this class",
        "0 within a core, up to 60 ns within a socket, up to a transfer beyond",
        classes="core",
        given="partly",
        instead="tenure",
        zero=True,
        spread=True,
        under_load=True,
    )
    tenure_plain_class_ps: Row = _cost(
        "tenure_plain_class",
        "`tenure_plain` of a line that came from this class",
        "as `tenure_class`",
        classes="core",
        given="partly",
        instead="tenure_plain",
        zero=True,
        spread=True,
        under_load=True,
    )
    jitter_ps: int = _cost("jitter", "at most so much more of a transfer", "0 to 10 ns", zero=True)
    run_ahead_ps: int = _cost(
        "run_ahead",
        "private work that hides behind a miss",
        "3 to 60 ns",
        given="maybe",
        under_load=True,
    )
    transfer_ps: Row = _cost(
        "transfer",
        "a line from another CPU's cache",
        "10 to 60 ns in a socket, 60 to 200 ns beyond",
        classes="core",
        rises=True,
    )
    memory_ps: Row = _cost(
        "memory", "a line from memory", "60 to 150 ns", classes="node", rises=True
    )
    invalidate_ps: Row = _cost(
        "invalidate", "taking a line from its sharers", "as a transfer", classes="core", rises=True
    )
    overlap_ps: Row = _cost(
        "overlap",
        "the part of a transfer that is over when a waiting request is served",
        "less than a transfer and than an invalidation",
        classes="core",
        given="maybe",
    )
    far_atomic_ps: Row = _cost(
        "far_atomic",
        "an atomic instruction at the line's home (Arm LSE)",
        "an access to the last-level cache",
        classes="node",
        needs=("protocol.atomics", "far"),
        rises=True,
        under_load=True,
    )
    invalidate_each_ps: int = _cost(
        "invalidate_each", "each further sharer of an invalidation", "0 to 2 ns", zero=True
    )
    shared_read_ps: int = _cost(
        "occupancy.shared_read",
        "a read of a clean line, at the line",
        "2 to 30 ns",
        needs=("protocol.directory", "pipelined"),
    )
    bus_ps: int = _cost(
        "occupancy.bus",
        "a transaction on the bus",
        "10 to 60 ns",
        needs=("protocol.bus", "node", "global"),
    )
    far_atomic_busy_ps: int = _cost(
        "occupancy.far_atomic",
        "a far atomic, at the line",
        "1 to 20 ns",
        needs=("protocol.atomics", "far"),
    )
    link_ps: Row = _cost(
        "occupancy.link",
        "a transaction on a node's fabric (`node`), or on its port towards a class",
        "0.3 to 2 ns; 72 bytes over the bandwidth of one direction, 3 to 10 ns",
        classes="node",
        given="partly",
        under_load=True,
    )
    home_agent_ps: Row = _cost(
        "occupancy.home",
        "a transaction in the line's home agent",
        "2 to 20 ns",
        classes="node",
        given="partly",
        under_load=True,
    )
    alloc_ps: int = _cost("alloc", "allocation of an object", "10 to 60 ns")
    free_ps: int = _cost("free", "its release", "8 to 60 ns")
    context_switch_ps: int = _cost("context_switch", "the switch to another thread", "1 to 3 µs")
    wake_ps: int = _cost("wake", "an interrupt to another CPU", "0.5 to 4 µs")
    # By how much each hold time differs at most, from the spread of the quantity that applies.
    tenure_class_spread_ps: Row = ()
    tenure_plain_class_spread_ps: Row = ()

    def __post_init__(self) -> None:
        classes = len(self.transfer_ps)
        for name in ROWS:
            if not len(getattr(self, name)):
                object.__setattr__(self, name, (self.default(name),) * classes)

    def default(self, name: str) -> int:
        """Return the value of a field where a profile does not give it."""
        declared = DECLARED.get(name)
        return getattr(self, f"{declared.instead}_ps") if declared and declared.instead else 0

    @property
    def loaded(self) -> bool:
        """Whether any cost that acts under load differs from its default."""
        for name, declared in DECLARED.items():
            value = getattr(self, name)
            # No line comes from the same CPU (entry 0).
            given = {*map(int, value[1:])} if declared.classes else {value}
            if declared.under_load and given - {self.default(name)}:
                return True
            if declared.classes and declared.spread and any(getattr(self, spread_of(name))):
                return True
        return False


def spread_of(field_name: str) -> str:
    """Return the field of the spreads that belong to a row of costs."""
    return field_name.replace("_ps", "_spread_ps")


DECLARED: dict[str, Declaration] = {
    one.name: one.metadata["declared"] for one in fields(Costs) if one.metadata
}
"""What a profile may state, by field, in the order of the schema."""
ROWS = tuple(one.name for one in fields(Costs) if one.type == "Row")
"""The fields that have a value for each distance class."""
BY_KEY = {declared.key: declared for declared in DECLARED.values()}
"""The same declarations by their dotted names."""


def page() -> str:
    """Return the table of ``docs/use/machines.md``, in Markdown."""
    rows = ["| `[cost]` | the time of | sensible values | given |", "|---|---|---|---|"]
    for declared in DECLARED.values():
        name = declared.key + (".CLASS" if declared.classes else "")
        given: str = declared.given
        if declared.needs:
            setting, *values = declared.needs
            table, _, last = setting.rpartition(".")
            wanted = " or ".join(f'"{value}"' for value in values)
            given = f"with `[{table}] {last} = {wanted}`" if values else f"with `[{setting}]`"
        rows.append(f"| `{name}` | {declared.says} | {declared.sensible} | {given} |")
    return "\n".join(rows) + "\n"
