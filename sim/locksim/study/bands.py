"""How far a result depends on what is not known of the machine: a band, not a point.

Four things move a result besides the seed of its random streams. (A fifth, the error of the model,
needs no runs: :mod:`locksim.study.model_error`.)

- *Starting order*: when each CPU starts. Without it all start at once, and ties go to the lower
  number; first come, first served may keep that order for the whole run (`sim/PHYSICS.md`,
  "Arbitration"). With it they start a picosecond apart, in a random order. Each thread keeps its
  CPU, and so its NUMA node.
- *Placement*, where the question does not say how threads are placed: compact or scattered.
- *Arbitration*: which of the waiting requests a line serves. No manual states a rule.
- *Values* of the profile that carry a range: an assumed one may lie anywhere in it, a measured or
  fitted one has an interval. The distance classes of a quantity (``memory.node``,
  ``memory.socket``) move together, since the same thing is not known of all of them.

:func:`one_at_a_time` moves one cause, with all others as they are: two runs for each value, and
some random orders. It shows which cause matters. The causes together give the band, by the root of
the sum of the squares of their logarithms, as the law of propagation of uncertainty adds
independent causes (JCGM 100:2008, 5.1.2). Interactions are missed (Saltelli and others, Global
Sensitivity Analysis: The Primer, Wiley, 2008, 1.2); ``locklab paper sensitivity --samples`` finds
them.

:func:`drawn` moves all causes at once but arbitration, which made bands no better
(docs/explain/uncertainty.md). The values are at a few points of a Latin hypercube (McKay, Beckman
and Conover, Technometrics 21(2), 1979). The band holds all draws; which cause matters stays open. A
further draw falls into the span of n draws with probability (n - 1) / (n + 1), so four draws show
the size of a band and no more.

All runs have the seed of the first replication, so that chance moves as little as it can. A profile
without a range for a value is taken at its word there (:func:`without_range`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeVar

from locksim.machine import Machine, Parameter
from locksim.machine.cost_table import ladders
from locksim.machine.quantities import PS_PER_NS
from locksim.study.hypercube import latin_hypercube
from lockui.numbers import significant

__all__ = [
    "Band",
    "Cause",
    "Effect",
    "Range",
    "at_shares",
    "bands",
    "drawn",
    "one_at_a_time",
    "range_of",
    "ratio",
    "uncertain",
    "with_ns",
    "without_range",
]

STARTING_ORDER, PLACEMENT, ARBITRATION = "starting order", "placement", "arbitration"
RULES: tuple[dict[str, Any], ...] = (
    {"arbitration": "near", "arbitration_passes": 8},
    {"arbitration": "random"},
)
"""Rules of arbitration that a machine may have instead of the default."""
ORDERS = 10
"""Random starting orders that :func:`one_at_a_time` tries."""
LEAST_PERCENT, MOST_PHRASES = 1, 4
"""An effect below this share of the result, or beyond so many, is not listed."""
LEAST_DRAWS = 3
"""Draws below which a span says nothing."""
SEED = 1
"""Of the draws, and of the first random order."""
Key = TypeVar("Key", bound=Hashable)
Rule = Literal["compact", "scatter"]


@dataclass(frozen=True, slots=True)
class Range:
    """The range of a cost, in ns.

    Arguments:
        name: dotted, as in the machine's profile. value: of the profile. low, high: its ends.
        source: where they come from.
    """

    name: str
    value: float
    low: float
    high: float
    source: str

    def at(self, share: float) -> float:
        """The value at a share of the range: 0 its low end, 0.5 the profile's value, 1 its high."""
        if share < 0.5:
            return self.low + 2 * share * (self.value - self.low)
        return self.value + (2 * share - 1) * (self.high - self.value)


@dataclass(frozen=True)
class Cause:
    """What moves a result, and the machines that show how far.

    Arguments:
        name: such as ``tenure``. why: such as "assumed, 4.7 to 31 ns".
        machines: the profile with this cause at other places.
    """

    name: str
    why: str
    machines: Sequence[Machine]


@dataclass(frozen=True, slots=True)
class Effect:
    """How far one cause moves one result.

    Arguments:
        name, why: of the cause. low, high: of the result, in its unit, with the unmoved value
            between them.
        moved: the result on each of the cause's machines; empty where no run was needed.
    """

    name: str
    why: str
    low: float
    high: float
    moved: tuple[float, ...] = ()

    def phrase(self, value: float) -> str:
        """How far it moves the result from a value, in words; empty if it hardly does."""
        if value <= 0:
            moved = (
                f"{significant(self.low)} to {significant(self.high)}"
                if self.low < self.high
                else ""
            )
        else:
            down, up = (100 * (end / value - 1) for end in (self.low, self.high))
            ends = [f"{share:+.0f} %" for share in (down, up) if abs(share) >= LEAST_PERCENT]
            same = len(ends) == 2 and round(-down) == round(up)
            moved = f"±{up:.0f} %" if same else " ".join(ends)
        return f"{self.name} {moved} ({self.why})" if moved else ""


@dataclass(frozen=True)
class Band:
    """A result with the band in which it lies.

    Arguments:
        value: of the profile as it is. low, high: the ends of the band.
        effects: of the causes, the widest first.
    """

    value: float
    low: float
    high: float
    effects: Sequence[Effect] = field(default=())

    @classmethod
    def of(cls, value: float, effects: Sequence[Effect]) -> Band:
        """The band that independent effects make together.

        Arguments:
            value: of the result. effects: in any order.
        """
        effects = sorted(effects, key=lambda effect: effect.low - effect.high)
        lows, highs = [e.low for e in effects], [e.high for e in effects]
        if value > 0 and min(lows, default=1.0) > 0:
            down = math.hypot(*(math.log(low / value) for low in lows))
            up = math.hypot(*(math.log(high / value) for high in highs))
            return cls(value, value * math.exp(-down), value * math.exp(up), effects)
        down = math.hypot(*(value - low for low in lows))
        up = math.hypot(*(high - value for high in highs))
        return cls(value, value - down, value + up, effects)

    def phrases(self) -> list[str]:
        """What moves the result, the widest first: "tenure -5 % +3 % (assumed, 3 to 30 ns)"."""
        found = [text for effect in self.effects if (text := effect.phrase(self.value))]
        more = len(found) - MOST_PHRASES
        rest = [f"{more} more"] if more > 0 else []
        return [*found[:MOST_PHRASES], *rest] or [f"nothing by {LEAST_PERCENT} % or more"]

    def columns(self) -> dict[str, Any]:
        """The band in JSON and CSV: ``band_low``, ``band_high``, ``depends_on``."""
        ends = {"band_low": self.low, "band_high": self.high}
        return ends | {"depends_on": ", ".join(self.phrases())}


def range_of(parameter: Parameter, value_ns: float) -> Range | None:
    """The range that a profile gives a cost, in ns; None if it gives none.

    Arguments:
        parameter: of the profile. value_ns: the same cost in ns, whatever its unit there.
    """
    low, high = parameter.low, parameter.high
    if low is None or high is None or not (parameter.value or high):
        return None
    scale = value_ns / parameter.value if parameter.value else 1.0
    return Range(parameter.name, value_ns, low * scale, high * scale, "the profile's range")


def uncertain(machine: Machine) -> dict[str, list[Range]]:
    """The values of a machine that may lie elsewhere, by quantity: all classes of one together."""
    costs = machine.cost_ps()
    classes = {"core", *machine.topology.node_classes}
    found: dict[str, list[Range]] = {}
    for parameter in machine.parameters():
        if parameter.name not in costs:
            continue  # sizes of caches
        one = range_of(parameter, costs[parameter.name] / PS_PER_NS)
        if one is not None and one.low < one.high:
            quantity, _, last = parameter.name.rpartition(".")
            found.setdefault(quantity if last in classes else parameter.name, []).append(one)
    return found


def without_range(machine: Machine) -> list[str]:
    """The assumed costs for which a profile states no range, so that no band can hold them."""
    costs = machine.cost_ps()
    return [
        p.name
        for p in machine.parameters()
        if p.role == "assumed" and p.low is None and p.name in costs
    ]


def with_ns(machine: Machine, costs_ns: Mapping[str, float]) -> Machine:
    """A machine with other costs, in ns.

    Raises:
        MachineError: it would not be a sound machine.
    """
    return machine.with_costs(**{name: round(ns * PS_PER_NS) for name, ns in costs_ns.items()})  # type: ignore[arg-type]


def one_at_a_time(
    machine: Machine, *, orders: int = ORDERS, elsewhere: Rule | None = None
) -> list[Cause]:
    """The causes, each with both ends of its range, and random starting orders.

    Arguments:
        orders: how many random starting orders.
        elsewhere: another placement that threads may have; None: the question states theirs.

    Raises:
        MachineError: an end makes no sound machine.
    """
    roles = {p.name: p.role for p in machine.parameters()}
    found = [
        Cause(
            STARTING_ORDER,
            f"{orders} random orders",
            [_with(machine, starting_order=SEED + k) for k in range(orders)],
        )
    ]
    if elsewhere is not None:
        why = f"not stated, may be {elsewhere}"
        found.append(Cause(PLACEMENT, why, [_with(machine, placement=elsewhere)]))
    if _assumes_fifo(machine):
        others = [machine.with_protocol(**rule) for rule in RULES]
        found.append(Cause(ARBITRATION, "fifo is assumed, may be near or random", others))
    for name, ranges in uncertain(machine).items():
        near = ranges[0]
        why = f"{roles[near.name]}, {significant(near.low)} to {significant(near.high)} ns"
        found.append(Cause(name, why, [at_shares(machine, {name: share}) for share in (0.0, 1.0)]))
    return found


def drawn(machine: Machine, draws: int, *, elsewhere: Rule | None = None) -> list[Cause]:
    """All causes but arbitration at once: the machine at some points of a Latin hypercube of them.

    Arguments:
        draws: how many points. elsewhere: as of :func:`one_at_a_time`; every other draw has it.

    Returns:
        A single cause; none if the draws are fewer than ``LEAST_DRAWS``.

    Raises:
        MachineError: a point makes no sound machine.
    """
    if draws < LEAST_DRAWS:
        return []
    names = list(uncertain(machine))
    rows = latin_hypercube(len(names), draws, SEED)
    machines = [
        _with(
            at_shares(machine, dict(zip(names, row, strict=True))),
            starting_order=SEED + k,
            placement=elsewhere if k % 2 else None,
        )
        for k, row in enumerate(rows)
    ]
    placed = f"{STARTING_ORDER}, {PLACEMENT}" if elsewhere else STARTING_ORDER
    values = f" and {len(names)} value{'s' * (len(names) != 1)}" if names else ""
    return [Cause(f"{draws} draws", f"{placed}{values}", machines)]


def bands(
    causes: Sequence[Cause],
    measure: Callable[[Machine], Mapping[Key, float]],
    values: Mapping[Key, float],
    base: Mapping[Key, float],
    besides: Mapping[Key, Sequence[Effect]] | None = None,
) -> dict[Key, Band]:
    """The band of each result.

    Arguments:
        causes: of :func:`one_at_a_time` or :func:`drawn`.
        measure: the results on a machine, by key, from the first seed alone; 0 if one is missing.
        values: the results as they are reported, from all seeds.
        base: the results of the machine as it is, from the first seed alone.
        besides: what moves a result and needs no runs, such as the error of the model.
    """
    moved = [(cause, [measure(machine) for machine in cause.machines]) for cause in causes]
    return {
        key: Band.of(
            value,
            [_effect(cause, key, value, base, of) for cause, of in moved]
            + list((besides or {}).get(key, ())),
        )
        for key, value in values.items()
    }


def ratio(one: Band, other: Band, apart: float) -> Band:
    """The band of a result over another one, which have the same causes.

    What moves both moves their ratio less, since both are taken on the same machine.

    Arguments:
        one, other: the bands.
        apart: which part of an effect that needed no runs, the error of the model, is not shared,
            in logarithms. These parts count as independent.
    """
    value = one.value / other.value
    there = {effect.name: effect for effect in other.effects}
    effects = []
    for effect in one.effects:
        beside = there[effect.name]
        if effect.moved:
            moved = tuple(a / b for a, b in zip(effect.moved, beside.moved, strict=True))
            ends = min(value, *moved), max(value, *moved)
            effects.append(Effect(effect.name, effect.why, *ends, moved))
            continue
        for cause, low, high in (
            (effect, effect.low / one.value, effect.high / one.value),
            (beside, other.value / beside.high, other.value / beside.low),
        ):
            ends = value * low**apart, value * high**apart
            effects.append(Effect(cause.name, cause.why, *ends))
    return Band.of(value, effects)


def _effect(
    cause: Cause,
    key: Key,
    value: float,
    base: Mapping[Key, float],
    moved: Sequence[Mapping[Key, float]],
) -> Effect:
    """How far a cause moves a result: as far from its value as the moved ones from the base."""
    unmoved, others = base.get(key, 0.0), [one.get(key, 0.0) for one in moved]
    if value > 0 and unmoved > 0:
        found = tuple(value * other / unmoved for other in others)
    else:
        found = tuple(value + other - unmoved for other in others)
    return Effect(cause.name, cause.why, min(value, *found), max(value, *found), found)


def _with(machine: Machine, **settings: int | str | None) -> Machine:
    return machine.model_copy(update=settings)


def _assumes_fifo(machine: Machine) -> bool:
    """Whether nothing says who is next: a bus has an order, and calibration finds a rule."""
    own = machine.protocol
    return own.arbitration == "fifo" and own.bus == "none" and machine.origin is None


def at_shares(machine: Machine, shares: Mapping[str, float]) -> Machine:
    """The machine with quantities at shares of their ranges.

    Arguments:
        shares: by quantity, as :func:`uncertain` names them; see :meth:`Range.at`.

    Raises:
        MachineError: it would not be a sound machine.
    """
    ranges = uncertain(machine)
    moved = {r.name: r.at(share) for name, share in shares.items() for r in ranges[name]}
    return with_ns(machine, moved | _farther(machine, moved)) if moved else machine


def _farther(machine: Machine, moved: Mapping[str, float]) -> dict[str, float]:
    """What must move along, since a farther line cannot be cheaper than a nearer one."""
    costs = {name: ps / PS_PER_NS for name, ps in machine.cost_ps().items()} | dict(moved)
    found: dict[str, float] = {}
    for ladder in ladders(machine):
        for near, far in pairwise(ladder):
            if costs[far] < costs[near]:
                costs[far] = found[far] = costs[near]
    return found
