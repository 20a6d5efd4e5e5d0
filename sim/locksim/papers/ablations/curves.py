"""The registered curves on machines with mechanisms that their registered profiles do not name.

curves.md prints what was predicted before any result had been seen. These mechanisms were
named *after* that, so their predictions are no test of the simulator: they show which mechanism
moves a curve, and which way. Each value has a source or is assumed within a range; none is fitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from locksim import machine as machines
from locksim.machine import Machine
from locksim.papers.ablations.contention import Extra, further
from locksim.papers.curves.experiment import DOWNS, FOLLY, MCKENNEY, CurveExperiment
from locksim.papers.factors import HEADS

if TYPE_CHECKING:
    from rich.table import Table

HYPER_THREADING = "the threads of a core share all caches (Intel manual 248966, Hyper-Threading)"
HOME_AGENT = (5.0, "some ten cycles of a home agent for each request", 2.0, 20.0)


@dataclass(frozen=True)
class Variant:
    """A change of a machine.

    Arguments:
        name: what it is. why: its source, or that there is none.
        costs: further costs: dotted name → nanoseconds, source, and the range where it is assumed.
        spread: of the line hold time, a share of its value; None leaves it.
        protocol: settings of ``[protocol]``.
    """

    name: str
    why: str
    costs: Mapping[str, Extra] = field(default_factory=dict)
    spread: float | None = None
    protocol: Mapping[str, Any] = field(default_factory=dict)

    def of(self, machine: Machine) -> Machine:
        """Return a changed copy of a machine."""
        changed = further(machine, self.costs, **self.protocol)
        return changed if self.spread is None else changed.with_spread(tenure=self.spread)


@dataclass(frozen=True)
class Row:
    """One variant's factors by model, over all points and over those that no fit has seen."""

    variant: Variant
    every: Mapping[str, float]
    unseen: Mapping[str, float]


REGISTERED = Variant("as registered", "sim/locksim/papers/curves/curves.md")
NEAREST = Variant(
    "nearest request first, passed 8 times",
    "assumed: no manual states a rule",
    protocol={"arbitration": "near", "arbitration_passes": 8},
)
RANDOM = Variant(
    "any request that waits",
    "assumed: no manual states a rule",
    protocol={"arbitration": "random"},
)
ONE_L1 = Variant(
    "threads of a core share its caches", HYPER_THREADING, protocol={"shared_l1": True}
)
FAR = Variant(
    "far atomics",
    "performed at the home unless the core owns the line already (Arm Cortex-A76 manual 100798, "
    "A6.4.1; the Neoverse N1 was made from this core)",
    {
        "far_atomic.node": (
            39.5,
            "45.5 ns (B. Leitao, linux-arm-kernel, 4 November 2025; P. McKenney there: about 50 on "
            "a Neoverse V2), less rmw; low: two thirds of a transfer; high: W. Tarreau, CIX P1, 68",
            *(21.0, 61.7),
        ),
        "occupancy.far_atomic": (
            10.0,
            "as a read at its home, occupancy.shared_read, and as widely assumed",
            *(2.0, 30.0),
        ),
    },
    protocol={"atomics": "far"},
)
UPI = Variant(
    "links and home agents",
    "72 bytes over a link of 20.8 GB/s: UPI at 10.4 GT/s (S. Tam and others, ISSCC 2018); that the "
    "interconnect of the two halves is as wide is assumed",
    {
        "occupancy.link.socket": (3.5, "72 bytes over 20.8 GB/s", 3.0, 5.6),
        "occupancy.link.interconnect": (3.5, "72 bytes over 20.8 GB/s", 1.7, 7.0),
        "occupancy.home.socket": HOME_AGENT,
        "occupancy.home.interconnect": HOME_AGENT,
    },
)
QPI = Variant(
    "links and home agents",
    "72 bytes over a link of 19.2 GB/s: QPI at 9.6 GT/s, assumed",
    {
        "occupancy.link.socket": (3.75, "72 bytes over 19.2 GB/s", 3.0, 5.6),
        "occupancy.home.socket": HOME_AGENT,
    },
)


def held(share: float, why: str) -> Variant:
    """Return the variant in which line hold times differ by a share of their value."""
    return Variant(f"line hold times spread by {share:.0%}", why, spread=share)


MEASURED = held(0.13, "the interval that was measured on the same core design: 13.6 to 17.7 ns")
ASSUMED = held(0.67, "down to the lowest value that the profile assumes")
VARIANTS: dict[str, tuple[CurveExperiment, tuple[Variant, ...]]] = {
    "mckenney-2019": (MCKENNEY, (MEASURED, ONE_L1, UPI, NEAREST, RANDOM)),
    "downs-2020": (DOWNS, (FAR, ASSUMED, RANDOM)),
    "folly-locks": (FOLLY, (ASSUMED, ONE_L1, QPI, NEAREST, RANDOM)),
}
"""Curves → their experiment, and the mechanisms in the order of the table."""


def row(experiment: CurveExperiment, variant: Variant, **settings: Any) -> Row:
    """Return a variant's factors; ``settings`` are those of :meth:`CurveExperiment.plan`."""
    machine = variant.of(machines.load(experiment.curves.machine))
    extra = experiment.reproduce(machine=machine, **settings).extra
    every, unseen = (
        {f["model"]: f["mean"] for f in extra[key]} for key in ("factors", "factors_unseen")
    )
    return Row(variant, every, unseen)


def view() -> Iterator[Table | str]:
    """Yield the tables of curves.md, "After the results were seen"."""
    from rich.table import Table

    for name, (experiment, variants) in VARIANTS.items():
        shown = Table(title=f"{name}: factors of all points, and of those that no fit has seen")
        shown.add_column("mechanism")
        for model in HEADS.values():
            shown.add_column(model)
        for variant in (REGISTERED, *variants):
            found = row(experiment, variant)
            cells = (_cell(found, model) for model in HEADS)
            shown.add_row(variant.name, *cells)
        yield shown


def _cell(found: Row, model: str) -> str:
    """A model's factors: over all points where it has them, then over the unseen ones."""
    pair = (part.get(model) for part in (found.every, found.unseen))
    return " / ".join(f"{value:.2f}" for value in pair if value is not None) or "–"
