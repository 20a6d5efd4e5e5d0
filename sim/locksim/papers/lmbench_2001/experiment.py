"""smalley-2001-lmbench and franke-2001-lmbench: the cost of access checks in each row of lmbench.

Loscocco and Smalley, FREENIX 2001, Table 10: a 333 MHz Pentium II, and for the network tests a
166 MHz Pentium as the other host. Franke, Ravindran and Nagar, SELinux mailing list, 11 June 2001:
an 8-way 700 MHz Pentium III.

The time of a row is its time without SELinux (an input) plus the checks on its path. The checks are
counted from the hooks (``locksim.library.kernel.syscalls``) and asked of the access vector cache of
2001. Fitted is the cost of one check, to null I/O, one number for each machine. Three more numbers
were fitted to Table 10: the depth of the file of stat and open (stat), and two works in units of
checks, the label of a new object (0KB create) and that of a packet (TCP). The Pentium III uses
these three unchanged, so its rows are predictions.

The other host of Table 10 is assumed to need twice the time for a check, by the clock rates. These
rows cannot separate that factor from the work of a packet: only their product was fitted.

One CPU has no contention, and nothing is random, so all replications are equal and intervals are
empty. Neither source gives the spread of its own values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from locksim import machine as machines
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.kernel.syscalls import DIRECTORIES, LABEL, PACKET, ROWS, Hooks, checks
from locksim.library.workloads.lmbench import Lmbench
from locksim.machine import Machine, Parameter
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Reproduction, Role
from locksim.papers.lmbench_2001.missed import why
from locksim.papers.lmbench_2001.report import report
from locksim.papers.lmbench_2001.tables import Line, published
from locksim.study.jobs import Job
from locksim.study.simulation import Interval, simulate
from lockui.plots import Axis, Bar, Bars, Plot

PS_PER_US = 10**6
TARGET_POINTS = 5.0
"""Largest error of a correct prediction, in percentage points of overhead."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of checks on a machine.

    Arguments:
        check_ps: one check, in picoseconds. work_ps: its register work, without lock and lines.
        label_checks, packet_checks: the label of an object and of a packet, in checks.
        far: time of a check on the other host, in checks of this host.
    """

    check_ps: int
    work_ps: int
    label_checks: float
    packet_checks: float
    far: float


class Lmbench2001(Experiment):
    """One of the two experiments (see the module).

    Arguments:
        name, title, source: of the experiment, of 2001. machine: the profile's name.
        far: time of a check on the other host, in checks of this host.
        fitted_on: the rows to which a number was fitted.
    """

    year = 2001

    def __init__(
        self,
        name: str,
        title: str,
        source: str,
        machine: str,
        *,
        far: float,
        fitted_on: tuple[str, ...],
    ) -> None:
        self.name, self.title, self.source, self.machine = name, title, source, machine
        self.far, self.fitted_on = far, fitted_on

    def plan(
        self,
        *,
        machine: Machine | None = None,
        operations: int = 600,
        replications: int = 2,
        seed: int = 1,
        **options: Any,
    ) -> Plan[tuple[str, bool], Interval]:
        """Every row without and with SELinux.

        Arguments:
            machine: a profile instead of the experiment's own.
            operations: calls measured per replication.
            replications: independent runs per cell. seed: of the first replication.
        """
        profile = machines.load(self.machine) if machine is None else machine
        lines = published(self.name)
        costs = fit(profile, lines, self.far)
        runs = {"operations": operations, "replications": replications, "seed": seed}

        def assemble(done: Mapping[tuple[str, bool], Interval]) -> Reproduction:
            cells: list[Cell] = []
            overheads: list[dict[str, Any]] = []
            for line in lines:
                if not {(line.name, False), (line.name, True)} <= set(done):
                    continue
                base, selinux = done[line.name, False], done[line.name, True]
                role: Role = "fitted" if line.name in self.fitted_on else "predicted"
                overhead = _overhead(line, selinux.mean / base.mean - 1, role, costs)
                overhead["why"] = "" if overhead["within"] else why(self.name, line.name)
                cells += [
                    _cell(line, 0, base, "input", ""),
                    _cell(line, 1, selinux, role, f"{overhead['points']:+.1f}"),
                ]
                overheads.append(overhead)
            return Reproduction(
                self.name,
                self.title,
                self.source,
                profile.name,
                self.parameters(profile, costs),
                cells,
                extra={"overheads": overheads},
                notes=_notes(overheads),
                report=report(cells, profile),
            )

        jobs = {
            (line.name, on): Job(
                line.name, time_us, (profile, line, costs if on else None), runs, seconds=0.1
            )
            for line in lines
            for on in (False, True)
        }
        return Plan(jobs, assemble)

    def plot(self, result: Reproduction) -> Plot:
        """Overhead of SELinux: a panel for each section of the table, a bar for each row."""
        sections = {line.name: line.section for line in published(self.name)}
        panels: dict[str, list[Bar]] = {}
        for o in result.extra["overheads"]:
            used = o["role"] != "predicted"
            label = o["row"].removeprefix("switch ").removesuffix(" bandwidth")
            bar = Bar(label, 100 * o["simulated"], mark=100 * o["published"], used=used)
            panels.setdefault(sections[o["row"]], []).append(bar)
        axis = Axis("overhead [%]")
        title = f"Overhead of SELinux: {self.title.partition(':')[0]}"
        shown = [Bars(bars, axis, section) for section, bars in panels.items()]
        return plots.plot(result, title, shown)

    def parameters(self, profile: Machine, costs: Costs) -> list[Parameter]:
        """Every value behind the table."""
        here = self.far != 1

        def fitted(name: str, value: float, unit: str, row: str) -> Parameter:
            if here:
                return Parameter(name, value, unit, f"cell {row}", "fitted")
            source = f"{SMALLEY.name}, fitted there to {row}"
            return Parameter(name, value, unit, source, "derived")

        counts = (
            "hooks of the SELinux module for Linux 2.4, lmbench 2 (locksim.library.kernel.syscalls)"
        )
        clocks = "333 MHz here, 166 MHz there" if here else "one machine is both ends"
        return [
            Parameter("check", costs.check_ps / 1e3, "ns", "cell null I/O", "fitted"),
            Parameter(
                "check.work_ps",
                costs.work_ps,
                "ps",
                "check, minus the time of lock and lines",
                "derived",
            ),
            Parameter("check.far", costs.far, "checks", clocks, "assumed"),
            fitted("directories", DIRECTORIES, "directories", "stat"),
            fitted("label", costs.label_checks, "checks", "0KB create"),
            fitted("packet", costs.packet_checks, "checks", "TCP"),
            *(
                Parameter(f"checks.{line.name}", _counted(line, costs), "checks", counts, "assumed")
                for line in published(self.name)
            ),
            Parameter(
                "objects",
                Lmbench().n_objects,
                "objects",
                "number of entries that checks use in turn; not measured",
                "assumed",
            ),
            *profile.parameters(),
        ]


SMALLEY = Lmbench2001(
    "smalley-2001-lmbench",
    "lmbench on one Pentium II: each row's checks, and one cost for all of them",
    "Loscocco, Smalley, Integrating Flexible Support for Security Policies, FREENIX 2001, Table 10",
    "pentium2-333",
    far=2.0,
    fitted_on=("null I/O", "stat", "0KB create", "TCP"),
)
FRANKE = Lmbench2001(
    "franke-2001-lmbench",
    "lmbench on the 8-way Pentium III: each row's checks, and one cost for all of them",
    "Franke, Ravindran, Nagar, SELinux Performance and Scalability analysis, 11 June 2001",
    "pentium3-8way",
    far=1.0,
    fitted_on=("null I/O",),
)


def time_us(profile: Machine, line: Line, costs: Costs | None, **runs: Any) -> Interval:
    """Simulated time of one call or megabyte, in microseconds; without costs, without SELinux."""
    run = simulate(program(line, costs), machine=profile, cpus=1, warmup=5, **runs)
    if not run.complete:
        raise KeyboardInterrupt  # a mean over too few replications is not a cell
    time = run.operation_ps()
    return Interval(time.mean / PS_PER_US, time.low / PS_PER_US, time.high / PS_PER_US)


def program(line: Line, costs: Costs | None) -> Lmbench:
    """Program of one row; without costs, without SELinux."""
    base_ps = round(line.us(line.corrected[0]) * PS_PER_US)
    if costs is None:
        return Lmbench(base_ps=base_ps, checks=0)
    here, there = _paths(line, costs)
    works = _works(here, costs) + costs.far * _works(there, costs)
    far_ps = costs.work_ps + round((costs.far - 1) * costs.check_ps)
    return Lmbench(
        base_ps=base_ps,
        checks=checks(here),
        there=checks(there),
        extra_ps=round(works * costs.check_ps),
        cache=AvcSpinlock(check_ps=costs.work_ps),
        far_cache=AvcSpinlock(check_ps=far_ps),
    )


def fit(profile: Machine, lines: list[Line], far: float) -> Costs:
    """Fit the cost of a check to null I/O, and the two works of Table 10 in checks.

    The check's register work is its cost minus the time of the simulated lock and cache.
    """
    by_name = {line.name: line for line in lines}
    null_io = by_name["null I/O"]
    check_ps = round((null_io.corrected[1] - null_io.corrected[0]) * PS_PER_US)
    bare = Costs(check_ps, 0, 0, 0, 1)
    without, with_check = (
        time_us(profile, null_io, costs, operations=2000, replications=1) for costs in (None, bare)
    )
    work_ps = check_ps - round((with_check.mean - without.mean) * PS_PER_US)

    table = {line.name: line for line in published(SMALLEY.name)}

    def in_checks(name: str) -> float:
        one = table["null I/O"].corrected
        return (table[name].corrected[1] - table[name].corrected[0]) / (one[1] - one[0])

    create, tcp = ROWS["0KB create"].here, ROWS["TCP"]
    label = (in_checks("0KB create") - checks(create)) / create[LABEL]
    here, there = 1.0, SMALLEY.far
    packets = here * tcp.here[PACKET] + there * tcp.there[PACKET]
    packet = (in_checks("TCP") - here * checks(tcp.here) - there * checks(tcp.there)) / packets
    return Costs(check_ps, work_ps, label, packet, far)


def _paths(line: Line, costs: Costs) -> tuple[Hooks, Hooks]:
    """Hooks on this and on the other host; a host as fast as this one is the same host."""
    return ROWS[line.row].passed(one_machine=costs.far == 1)


def _works(path: Hooks, costs: Costs) -> float:
    return path[LABEL] * costs.label_checks + path[PACKET] * costs.packet_checks


def _counted(line: Line, costs: Costs) -> int:
    return sum(checks(path) for path in _paths(line, costs))


def _cell(line: Line, which: int, time: Interval, role: Role, note: str) -> Cell:
    values = [line.us(v) for v in (time.mean, time.low, time.high)]
    low, high = sorted(values[1:])
    return Cell(
        line.name,
        ("base", "SELinux")[which],
        line.printed[which],
        line.corrected[which],
        values[0],
        low,
        high,
        role,
        line.unit,
        note,
    )


def _overhead(line: Line, simulated: float, role: Role, costs: Costs) -> dict[str, Any]:
    low, high = line.overhead_range()
    base_us, selinux_us = (line.us(value) for value in line.corrected)
    (here, there), check_us = _paths(line, costs), costs.check_ps / PS_PER_US
    works = _works(here, costs) + costs.far * _works(there, costs)
    points = 100 * (simulated - line.overhead())
    return {
        "row": line.name,
        "published": line.overhead(),
        "low": low,
        "high": high,
        "simulated": simulated,
        "points": points,
        "within": abs(points) <= TARGET_POINTS,
        "asked_checks": (selinux_us - base_us) / check_us,
        "counted_checks": checks(here) + costs.far * checks(there) + works,
        "role": role,
    }


def _notes(overheads: list[dict[str, Any]]) -> list[str]:
    predicted = [o for o in overheads if o["role"] == "predicted"]
    missed = [o for o in predicted if not o["within"]]
    notes = [
        "note: simulated minus published overhead of SELinux, in percentage points",
        f"overhead within {TARGET_POINTS:.0f} points: {len(predicted) - len(missed)} of "
        f"{len(predicted)} predicted rows",
    ]
    for o in missed:
        digits = o["low"] <= o["simulated"] <= o["high"]
        notes.append(
            f"outside: {o['row']}, {round(o['simulated'], 3) + 0.0:.1%} instead of "
            f"{o['published']:.1%}"
            + (" (within the rounding of the printed digits)" if digits else "")
            + f": {o['why']}"
        )
    notes.append("Analytic models do not apply: one CPU, and no waiting.")
    return notes
