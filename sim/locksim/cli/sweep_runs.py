"""``locklab sweep --out FOLDER``: the options of a sweep whose runs are kept, and its curve.

The JSON of ``locklab sweep`` then has in each row also the factors that vary and ``replications``,
the number of runs behind it; and beside the rows::

    "dataset": {"path", "points", "runs", "made", "found"}

``made`` runs were made now, ``found`` ones were in the dataset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locksim.cli.options import cpus_of, whole_ns, whole_percent
from lockui.arguments import bounded, folder_to_write
from lockui.console import progress
from lockui.errors import UsageError
from lockui.extras import demand
from lockui.portable import usable_cpus
from lockui.quantities import Share, Time

if TYPE_CHECKING:
    import pandas as pd

    from locksim.study.bands import Band
    from locksim.study.sweep import Outcome
    from locksim.study.sweep.design import Design, Point, Value

__all__ = ["FACTORS", "Curve", "DatasetOptions"]

MOST_REPLICATIONS = 1000
"""Most runs of a point with ``--precision``."""
COLUMNS = {"hold": "hold_ns", "think": "think_ns", "reads": "read_percent"}
"""Options with units → the columns that keep them in a dataset."""
FACTORS = tuple(
    f"{name}="
    for name in (
        *COLUMNS,
        *("words", "burst", "arrivals", "hold_times", "think_times", "placement", "operations"),
    )
)
"""What ``--vary`` takes besides the machine's costs."""


@dataclass(frozen=True)
class Curve:
    """What a sweep gives to its command.

    Arguments:
        rows: of the JSON, one for each point.
        broken: lock → how often mutual exclusion was violated.
        ended: what to raise after printing, or None.
        planned: lock and CPUs of every point, for a plot; empty: those of the rows.
        varied: names of the factors beside lock and CPUs. dataset: of the JSON, if there is one.
        bands: of a point's throughput, by lock and CPUs, as far as there are bands.
        warm_up: the points that had a longer warm-up, in words.
    """

    rows: list[dict[str, Any]]
    broken: dict[str, int]
    ended: BaseException | None
    planned: list[tuple[str, int]] = field(default_factory=list)
    varied: list[str] = field(default_factory=list)
    dataset: dict[str, Any] | None = None
    bands: dict[tuple[str, int], Band] = field(default_factory=dict)
    warm_up: list[str] = field(default_factory=list)

    def in_words(self) -> str:
        """How many runs the dataset has given, and how to read them."""
        kept = self.dataset or {}
        return (
            f"\n  {kept['runs']:,} runs of {kept['points']:,} points: {kept['made']:,} made now, "
            f"{kept['found']:,} found"
            f"\n  read them with pandas.read_parquet({kept['path']!r})"
        )


@dataclass(frozen=True)
class DatasetOptions:
    """The options of ``locklab sweep`` that need ``--out FOLDER``; each as it was written."""

    vary: Sequence[str]
    samples: int | None
    precision: Share | None
    jobs: int | None
    cluster: str

    def check_unused(self) -> None:
        """Refuse these options where no dataset is named.

        Raises:
            UsageError: one of them was given.
        """
        for option in fields(self):
            if getattr(self, option.name):
                raise UsageError(
                    f"--{option.name} needs --out FOLDER, where the sweep keeps its runs"
                )

    def run(
        self,
        folder: Path,
        *,
        locks: Sequence[str],
        machine: str,
        cpus: Sequence[int] | None,
        fixed: Mapping[str, Value],
        replications: int,
        seed: int,
    ) -> Curve:
        """Make the runs that are missing, and read the curve.

        Arguments:
            folder: the dataset's. machine: a name. cpus: None for the default. fixed: further
                factors. locks, replications, seed: as the command's.

        Raises:
            UsageError, and the errors of :class:`locksim.study.sweep.Sweep`.
        """
        from locksim.study.sweep import Goal, Sweep, on_cluster, on_this_machine, product

        vary, points = self._factors(seed)
        design = product(locks, [machine], cpus, vary, points, fixed)
        share = None if self.precision is None else self.precision.fraction
        if share is not None and not 0 < share < 1:
            raise UsageError(
                f"--precision {self.precision}: write a percentage between 0% and 100%, as 1%"
            )
        jobs = usable_cpus() if self.jobs is None else bounded(self.jobs, "--jobs", 1, 1024)
        demand(f"--out {folder}", "pyarrow", "pandas")
        folder_to_write(folder, f"--out {folder}")
        most = max(replications, MOST_REPLICATIONS)
        sweep = Sweep(design, Goal(replications, seed, share, most), folder)
        workers = on_cluster(self.cluster) if self.cluster else on_this_machine(jobs)
        with progress("sweep") as report:
            outcome = sweep.run(workers, report)
        return _curve(sweep.table(outcome), outcome, folder, _varied(design))

    def _factors(self, seed: int) -> tuple[dict[str, list[Value]], list[Point]]:
        """The factors of --vary with their values, and the points of its file or of --samples."""
        from locksim.study.sweep import latin_hypercube, read_points

        lists: dict[str, list[Value]] = {}
        ranges: dict[str, tuple[float, float]] = {}
        file: Path | None = None
        for text in self.vary:
            name, equals, said = (part.strip() for part in text.partition("="))
            if text.endswith(".csv") and not equals:
                file = Path(text)
                continue
            if not (name and equals and said):
                raise UsageError(
                    f"--vary {text}: write NAME=VALUE,VALUE or NAME=LOW..HIGH, or name a .csv file"
                )
            low, dots, high = said.partition("..")
            if dots and self.samples is None:
                raise UsageError(f"--vary {name}=LOW..HIGH needs --samples POINTS")
            if dots:
                factor, first = _factor(name, low)
                ranges[factor] = float(first), float(_factor(name, high)[1])
            else:
                for one in said.split(","):
                    factor, value = _factor(name, one)
                    lists.setdefault(factor, []).append(value)
        if self.samples is not None and not ranges:
            raise UsageError("--samples needs ranges, such as --vary think=100ns..4us")
        if self.samples is not None and file is not None:
            raise UsageError(f"--samples and --vary {file} both list points: leave one out")
        if file is not None:
            return lists, read_points(file)
        return lists, [{}] if self.samples is None else latin_hypercube(ranges, self.samples, seed)


def _factor(name: str, text: str) -> tuple[str, Value]:
    """Return a factor of a dataset and its value, of an option's name and value or a cost's.

    Raises:
        UsageError: a quantity is not one, or a column's name stands for the option's.
    """
    from locksim.study.sweep.design import value

    if name in COLUMNS.values():
        option = next(option for option, column in COLUMNS.items() if column == name)
        raise UsageError(f"--vary {name}: write the option's name, --vary {option}=…")
    try:
        if name == "reads":
            return COLUMNS[name], whole_percent(Share.parse(text))
        if name in COLUMNS:
            return COLUMNS[name], whole_ns(Time.parse(text))
    except UsageError as error:
        raise UsageError(f"--vary {name}={error}") from None
    return name, value(name, text)


def _varied(design: Design) -> list[str]:
    """The factors that have several values, besides lock and CPUs."""
    from locksim.study.sweep.design import FACTORS

    names = dict.fromkeys([*FACTORS, *design.costs()])
    blocks = [{name: {part.get(name) for part in b} for name in names} for b in design.blocks]
    wide = [n for n in names if any(len(block[n]) > 1 for block in blocks)]
    return [name for name in wide if name not in ("lock", "cpus")]


def _curve(frame: pd.DataFrame, outcome: Outcome, folder: Path, varied: list[str]) -> Curve:
    from locksim.study.simulation import TIMES, interval

    rows: list[dict[str, Any]] = []
    broken: dict[str, int] = {}
    failed = frame[frame["error"].notna()]
    for _, runs in frame[frame["error"].isna()].groupby("point", sort=False):
        first = runs.iloc[0]
        rate = interval(runs["per_second"].to_list())
        rows.append(
            {
                "lock": first["lock"],
                "cpus": int(first["cpus"]),
                **{name: first[name] for name in varied},
                "per_second": rate.mean,
                "low": rate.low,
                "high": rate.high,
                "ns_per_operation": runs["ns_per_operation"].mean(),
                "transactions": runs["transactions"].mean(),
                "fairness": runs["fairness"].mean(),
                **{name: runs[name].mean() for name in TIMES},
                "replications": len(runs),
            }
        )
        violations = int(runs["violations"].sum())
        broken[first["lock"]] = broken.get(first["lock"], 0) + violations
    ended: BaseException | None = None if outcome.complete else KeyboardInterrupt()
    if ended is None and len(failed):
        first = failed.iloc[0]
        others = failed["point"].nunique() - 1
        more = f"\n{others:,} more points failed; the column 'error' has why" if others else ""
        where = f"{first['lock']} on {cpus_of(int(first['cpus']))}"
        ended = UsageError(f"{where}: {first['error']}{more}")
    counts = {"points": len(outcome.points), "runs": len(frame)}
    made = {"made": outcome.made, "found": outcome.found}
    dataset = {"path": str(folder), **counts, **made}
    return Curve(rows, broken, ended, varied=varied, dataset=dataset)
