"""Which lock is the fastest, and how far ahead: with a band, since both are only predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from locksim.cli.options import cpus_of

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.cli.sweep_runs import Curve
    from locksim.study.bands import Band

SMALL = 1.02
"""A smaller lead is not worth a change, nor a measurement."""


class Lead(TypedDict):
    """A lock's lead over another one: the ratio of their rates, with its band.

    ``sure`` says whether the band lies above 1.
    """

    cpus: int
    best: str
    second: str
    lead: float
    sure: bool
    band_low: float
    band_high: float
    depends_on: str


def leads_of(curve: Curve) -> list[Lead]:
    """Return the fastest lock at each number of CPUs and its lead over the second."""
    found = []
    for n, rivals in rivals_of(curve).items():
        if len(rivals) > 1:
            best, second, *_ = sorted(rivals, key=lambda name: -rivals[name].value)
            found.append(lead_of(n, best, second, rivals))
    return found


def rivals_of(curve: Curve) -> dict[int, dict[str, Band]]:
    """Return the bands of the locks at each number of CPUs."""
    found: dict[int, dict[str, Band]] = {}
    for (name, n), band in curve.bands.items():
        found.setdefault(n, {})[name] = band
    return found


def lead_of(cpus: int, best: str, second: str, rivals: dict[str, Band]) -> Lead:
    """Return the lead of one lock over another one."""
    from locksim.study.bands import ratio
    from locksim.study.model_error import learned

    band = ratio(rivals[best], rivals[second], learned().apart)
    return Lead(
        cpus=cpus,
        best=best,
        second=second,
        lead=band.value,
        sure=band.low > 1,
        band_low=band.low,
        band_high=band.high,
        depends_on=", ".join(band.phrases()),
    )


def print_leads(output: Console, leads: list[Lead]) -> None:
    """Say which lock is the fastest at each number of CPUs, as far as the bands allow it."""
    if not leads:
        return
    output.print("\n  The fastest lock, and its lead with a band:", markup=False)
    for row in leads:
        text = "no sure difference" if row["lead"] > SMALL else "no difference worth a change"
        if row["sure"] and row["lead"] > SMALL:
            ends = f"{row['band_low']:.2g} to {row['band_high']:.2g}"
            text = f"{row['best']}, {row['lead']:.2g} times {row['second']} ({ends})"
        output.print(f"  {cpus_of(row['cpus'])}: {text}", markup=False)
