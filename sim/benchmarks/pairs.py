"""``python sim/benchmarks/pairs.py``: published reports from after a change, predicted from before.

    python sim/benchmarks/pairs.py                 # all pairs of datasets/pairs, ten minutes
    python sim/benchmarks/pairs.py dcache inode    # those whose name has one of these in it

The pairs, what a predictor may know and how predictions are judged stand in datasets/pairs. Beside
the twin stand three formulas with the same information. Each of the four predicts *after* over
*before* from its own *before*, so that a formula is not blamed for a report that it cannot explain.

Marked ``*``: the change's size stands in *after* only. Marked ``†``: columns of the twin's report
are far from the published ones, as ``locklab report twin`` says, too.
"""

from __future__ import annotations

import math
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Any

from locksim import machine as machines
from locksim.study.analytic.mva import machine_repairman
from locksim.study.bands import Band
from locksim.study.model_error import CAUSE
from locksim.study.reports import detect
from locksim.study.twin.change import changes_of
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import Evidence, evidence_of, same_lock
from locksim.study.twin.fit import agreement, fit
from locksim.study.twin.load import Setting, measure
from locksim.study.twin.plan import Given, plan
from locksim.study.twin.prediction import SAME, predict

PAIRS = Path(__file__).parents[2] / "datasets/pairs/pairs.toml"
LEAST_CON = 0.001
"""CON below this counts as this."""
THROUGHPUT, SECTION, CON = "throughput", "section", "CON"
FORMULAS = ("bounds", "repairman", "M/M/1")


@dataclass(frozen=True)
class Cell:
    """One ratio of a pair, after over before.

    Arguments:
        pair, cpus, quantity: which. conditional: the change's size is known from after only.
        measured: as published. predicted: by the twin and by each formula that has an answer.
        band: of the twin's throughput, at the report's number of CPUs.
        far: columns of the report from which the twin is far.
    """

    pair: str
    cpus: int
    quantity: str
    conditional: bool
    measured: float
    predicted: Mapping[str, float]
    band: Band | None
    far: tuple[str, ...] = ()

    def factor(self, by: str) -> float | None:
        """How far off a prediction is; None: there is none."""
        if by not in self.predicted:
            return None
        return max(self.predicted[by] / self.measured, self.measured / self.predicted[by])


@dataclass(frozen=True)
class Closed:
    """What formulas know of a load.

    Arguments:
        cpus: N. think_ns: between two sections. hold_ns: of a section.
        queueing: share of the sections that take a lock at all. locks: of which one is taken at
            random. sections: of the benchmark that one section here stands for.
    """

    cpus: int
    think_ns: float
    hold_ns: float
    queueing: float = 1.0
    locks: int = 1
    sections: int = 1

    def changed(self, change: str, reads: float) -> Closed:
        """The load after a change, in the words of ``--what-if``."""
        match change.replace("*", ":").replace("=", ":").split(":"):
            case ["lock", "rwlock"] | ["readers-drop-the-lock"]:
                return replace(self, queueing=max(1 - reads, 1e-9))
            case ["split", number, "random"]:
                return replace(self, locks=int(number))
            case ["hold", factor]:
                return replace(self, hold_ns=self.hold_ns * float(factor))
            case ["batch", number]:
                n = int(number)
                hold, think = self.hold_ns * n, self.think_ns * n
                return replace(self, hold_ns=hold, think_ns=think, sections=n)
        raise ValueError(change)

    @property
    def between_ns(self) -> float:
        """Mean time of a CPU between two sections that take a lock."""
        return (self.think_ns + (1 - self.queueing) * self.hold_ns) / self.queueing

    def answer(self, per_second: float, waiting_ns: float, con: float) -> dict[str, float]:
        """The quantities, from the rate of the sections that take a lock."""
        rate = per_second * self.sections / self.queueing
        return {THROUGHPUT: rate, SECTION: self.hold_ns + waiting_ns, CON: con}


def by_bounds(load: Closed, _: float) -> dict[str, float]:
    """Utilisation: no CPU waits until the locks are always held."""
    free = load.cpus * 1e9 / (load.between_ns + load.hold_ns)
    most = load.locks * 1e9 / load.hold_ns
    rate = min(free, most)
    waiting = load.cpus * 1e9 / rate - load.between_ns - load.hold_ns
    return load.answer(rate, waiting, float(rate < free))


def by_repairman(load: Closed, _: float) -> dict[str, float]:
    """Exact mean value analysis of a closed queue with exponential holds."""
    queue, others = (
        machine_repairman(n, service_ns=load.hold_ns, think_ns=load.between_ns, locks=load.locks)
        for n in (load.cpus, load.cpus - 1)
    )
    con = others.utilisation / load.locks  # what an arriving CPU finds
    return load.answer(queue.per_second, queue.response_ns - load.hold_ns, con)


def by_open_queue(load: Closed, rate: float) -> dict[str, float] | None:
    """M/M/1: arrivals do not notice waits. None: more work than the lock can do."""
    used = rate * load.queueing / load.sections * load.hold_ns / 1e9 / load.locks
    if used >= 1:
        return None
    waiting = load.hold_ns * used / (1 - used)
    return load.answer(rate * load.queueing / load.sections, waiting, used)


MODELS: dict[str, Callable[[Closed, float], dict[str, float] | None]] = dict(
    zip(FORMULAS, (by_bounds, by_repairman, by_open_queue), strict=True)
)


def main() -> int:
    """Predict the pairs, and print the tables."""
    wanted = sys.argv[1:]
    pairs = tomllib.loads(PAIRS.read_text("utf-8"))["pair"]
    cells: list[Cell] = []
    print("| pair | CPUs | after / before | measured | twin | band | bare band | ", end="")
    print(" | ".join(FORMULAS), "|\n|---|---:|---|---:|---:|---|---|" + "---:|" * len(FORMULAS))
    for pair in pairs:
        if wanted and not any(word in pair["name"] for word in wanted):
            continue
        try:
            for cell in cells_of(pair):
                cells.append(cell)
                print(line(cell), flush=True)
        except TwinError as error:
            print(f"| {pair['name']} | {pair['cpus']} | | | refused: "
                  f"{str(error).splitlines()[0]} |" + " |" * (2 + len(FORMULAS)))  # fmt: skip
    report(cells)
    return 0


def read(pair: Mapping[str, Any], text: str, row: str) -> Evidence:
    """One report of a pair."""
    lines, window_ns = text.splitlines(keepends=True), pair["window_s"] * 1e9
    found = detect.read_report(lines, cpus=pair["cpus"], window_ns=window_ns)
    return evidence_of(found.tables, row, pair["lock"])


def cells_of(pair: Mapping[str, Any]) -> Iterator[Cell]:
    """What the source has, beside the predictions.

    Raises:
        TwinError: the two reports are of different locks, or no twin can be fitted.
    """
    before = [read(pair, text, pair["row"]) for text in pair["before"]]
    after = [read(pair, text, pair.get("after_row", pair["row"])) for text in pair.get("after", [])]
    if not pair["change"]:
        same_lock(before[0], after[0])
    how = plan(before[0], Given(locks=pair.get("locks"), reads=pair.get("reads")))
    cpus: int = pair["cpus"]
    twin = fit(how, Setting(machines.load(pair["machine"]), cpus))
    (change,) = changes_of(pair["change"], twin.load, cpus)
    far = tuple(one.column for one in agreement(how, twin) if one.far)

    known = closed(before[0])
    rate = before[0].columns["rate"].value

    def cell(n: int, quantity: str, measured: float, by_twin: float, band: Band | None) -> Cell:
        at = replace(known, cpus=n)
        predicted = {"twin": by_twin}
        for name, model in MODELS.items():
            now = model(at, rate * n / cpus)
            then = model(at.changed(pair["change"], how.start.reads), rate * n / cpus)
            if now is not None and then is not None:
                predicted[name] = times(quantity, now[quantity], then[quantity])
        conditional = "from_after" in pair
        return Cell(pair["name"], n, quantity, conditional, measured, predicted, band, far)

    elsewhere = [row["cpus"] for row in pair.get("throughput", ()) if row["cpus"] != cpus]
    asked = [pair["change"]]
    for n in elsewhere:
        asked += [f"cpus={n}", f"{pair['change']},cpus={n}"]
    if "throughput" in pair:
        found = {one.change: one for one in predict(how, twin, asked).after}
        for row in pair["throughput"]:
            n, measured = row["cpus"], row["after"] / row["before"]
            if n == cpus:
                band = found[change.name].factor
                yield cell(n, THROUGHPUT, measured, band.value, band)
            else:
                there = found[f"{change.name}, cpus={n}"].factor.value
                yield cell(n, THROUGHPUT, measured, there / found[f"cpus={n}"].factor.value, None)
    if after:
        ran = measure(change.load, replace(twin.setting, cpus=change.cpus)).columns
        now, then = twin.measured.columns, ran
        for quantity, of in ((SECTION, section_of), (CON, con_of)):
            if quantity == SECTION and "hold" not in before[0].columns:
                continue
            measured = times(quantity, fmean(map(of, before)), fmean(map(of, after)))
            by_twin = {SECTION: [one["hold"] + one["waiting"] for one in (now, then)],
                       CON: [one["con"] for one in (now, then)]}[quantity]  # fmt: skip
            yield cell(cpus, quantity, measured, times(quantity, *by_twin), None)


def section_of(report: Evidence) -> float:
    """Mean time of a section from asking to release."""
    columns = report.columns
    return columns["hold"].value + columns["con"].value * columns["wait"].value


def con_of(report: Evidence) -> float:
    """CON of a report."""
    return report.columns["con"].value


def times(quantity: str, before: float, after: float) -> float:
    """After over before."""
    least = LEAST_CON if quantity == CON else 0.0
    return max(after, least) / max(before, least)


def closed(report: Evidence) -> Closed:
    """What a report says to a formula; a hold that it lacks is that of M/M/1 with its waits."""
    columns = {name: target.value for name, target in report.columns.items()}
    waiting = columns["con"] * columns["wait"]
    hold = columns.get("hold")
    if hold is None:
        hold = columns["wait"] * (1 - columns["con"])
    cycle = report.cpus * 1e9 / columns["rate"]
    return Closed(report.cpus, max(cycle - hold - waiting, 1.0), hold)


def line(cell: Cell) -> str:
    """A row of the table."""
    mark = (" *" if cell.conditional else "") + (" †" if cell.far else "")
    bands = ["", ""]
    if cell.band is not None:
        bands = [f"{one.low:.2f} to {one.high:.2f}" for one in (cell.band, bare(cell.band))]
    by = [f"{cell.predicted[name]:.2f}" if name in cell.predicted else "–" for name in FORMULAS]
    return (f"| {cell.pair}{mark} | {cell.cpus} | {cell.quantity} | {cell.measured:.2f} "
            f"| {cell.predicted['twin']:.2f} | " + " | ".join((*bands, *by)) + " |")  # fmt: skip


def bare(band: Band) -> Band:
    """The band without the error of the model."""
    return Band.of(band.value, [one for one in band.effects if not one.name.startswith(CAUSE)])


def report(cells: Sequence[Cell]) -> None:
    """Print how far off each was, and who called a null effect null."""
    print("\n| | cells | twin | " + " | ".join(FORMULAS) + " |\n|---|---:|" + "---:|" * 4)
    for words, these in (
        ("all cells", cells),
        ("without *", [cell for cell in cells if not cell.conditional]),
        ("without †", [cell for cell in cells if not cell.far]),
        *((quantity, [c for c in cells if c.quantity == quantity])
          for quantity in (THROUGHPUT, SECTION, CON)),
    ):  # fmt: skip
        shown = []
        for name in ("twin", *FORMULAS):
            factors = [factor for cell in these if (factor := cell.factor(name)) is not None]
            missing = f" ({len(factors)} cells)" if 0 < len(factors) < len(these) else ""
            shown.append(f"{geometric_mean(factors):.2f}{missing}" if factors else "–")
        print(f"| {words} | {len(these)} | " + " | ".join(shown) + " |")
    rates = [cell for cell in cells if cell.quantity == THROUGHPUT]
    print("\n| throughput | cells | twin |", " | ".join(FORMULAS), "|\n|---|---:|" + "---:|" * 4)
    for words, null in (("no effect", True), ("an effect", False)):
        these = [cell for cell in rates if (effect(cell.measured) == 0) == null]
        said = [
            sum(effect(c.predicted[by]) == effect(c.measured) for c in these if by in c.predicted)
            for by in ("twin", *FORMULAS)
        ]
        print(f"| {words}, and called so | {len(these)} | " + " | ".join(map(str, said)) + " |")
    for words, of in (("bands", lambda one: one), ("bare bands", bare)):
        ends = [(cell.measured, of(cell.band)) for cell in rates if cell.band]
        held = sum(band.low <= measured <= band.high for measured, band in ends)
        print(f"\n{words} hold {held} of {len(ends)}")


def effect(factor: float) -> int:
    """Whether throughput falls (-1), stays (0) or rises (1)."""
    change = math.log(factor)
    return 0 if abs(change) <= math.log1p(SAME) else round(math.copysign(1, change))


if __name__ == "__main__":
    sys.exit(main())
