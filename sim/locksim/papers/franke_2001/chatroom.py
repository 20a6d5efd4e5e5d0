"""franke-2001-chatroom: throughput of 2.4.3 with and without SELinux on 1, 2, 4 and 8 CPUs.

There are nine loads (10, 20, 30 rooms; 100, 200, 300 messages for each user), two kernels and four
CPU counts. The three costs of ``franke_2001`` were fitted to the columns at 1 and 2 CPUs; the 36
cells at 4 and 8 CPUs are predictions. The simulation does not distinguish 100 messages from 300.
The cells of one number of rooms share their simulation, so their published differences count as
error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locksim import machine as machines
from locksim.machine import Machine
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Reproduction
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.models import chatroom_models
from locksim.papers.franke_2001.setting import (
    CPUS,
    KERNELS,
    MACHINE,
    MESSAGES,
    ROOMS,
    SOURCE,
    Costs,
    Run,
)
from locksim.study.simulation import Interval, interval
from lockui.plots import Axis, Curves, Plot


class Franke2001Chatroom(Experiment):
    """The experiment (see the module)."""

    name, year, machine = "franke-2001-chatroom", 2001, MACHINE
    title = "Chatroom on Linux 2.4.3 with and without SELinux, 1 to 8 CPUs"
    brief: ClassVar = {"messages": franke_2001.BRIEF_MESSAGES}

    def plan(
        self,
        *,
        machine: Machine | None = None,
        costs: Costs | None = None,
        replications: int = franke_2001.REPLICATIONS,
        seed: int = 1,
        messages: int = MESSAGES,
        **options: Any,
    ) -> Plan[Any, Run]:
        """The 72 cells.

        Arguments:
            machine: a profile instead of ``pentium3-8way``. costs: instead of the fitted ones.
            replications: independent runs per kernel, number of rooms and CPU count.
            seed: of the first. messages: messages for each user in a simulated run.
        """
        profile = machine or machines.load(MACHINE)
        used = costs or Costs()
        kinds = [(k, rooms, n) for k in KERNELS for rooms in ROOMS for n in CPUS]

        def assemble(done: Mapping[Any, Run]) -> Reproduction:
            runs = franke_2001.by_cell(done)
            simulated = {
                kind: interval([r.throughput for r in sampled]) for kind, sampled in runs.items()
            }
            cells = [
                Cell(
                    f"{kernel}, {rooms} rooms, {sent} messages",
                    f"{n} CPU",
                    printed,
                    corrected,
                    simulated[kernel, rooms, n].mean,
                    simulated[kernel, rooms, n].low,
                    simulated[kernel, rooms, n].high,
                    franke_2001.role_of(n),
                    "1/s",
                    at=n,
                )
                for (kernel, rooms, sent, n), (
                    printed,
                    corrected,
                ) in franke_2001.published().items()
                if (kernel, rooms, n) in simulated
            ]
            return Reproduction(
                self.name,
                self.title,
                SOURCE,
                profile.name,
                franke_2001.parameters(profile, used, messages=messages),
                cells,
                extra={"shape": shape(simulated), "models": chatroom_models(profile, runs, cells)}
                if len(simulated) == len(kinds)
                else {},
            )

        jobs = franke_2001.jobs(
            profile, kinds, used, replications=replications, seed=seed, messages=messages
        )
        return Plan(jobs, assemble)

    def plot(self, result: Reproduction) -> Plot:
        """Throughput against CPUs at 200 messages: a panel for each number of rooms."""
        axes = Axis("CPUs", log=True), Axis("messages [1000/s]", log=False)
        middle = [c for c in result.cells if c.row.endswith("200 messages")]
        panels = [
            Curves(
                plots.lines(
                    [c for c in middle if f", {rooms} rooms" in c.row],
                    lambda c: c.row.partition(",")[0],
                    scale=1000,
                ),
                *axes,
                f"{rooms} rooms",
            )
            for rooms in ROOMS
        ]
        title = "Chatroom on Linux 2.4.3: SELinux falls at 8 CPUs"
        return plots.plot(result, title, [panel for panel in panels if panel.lines])


EXPERIMENT = Franke2001Chatroom()


def shape(simulated: dict[tuple[str, int, int], Interval]) -> dict[str, Any]:
    """The conclusions of the table's authors, computed from the simulation.

    Arguments:
        simulated: (kernel, rooms, CPUs) → throughput.

    Returns:
        ``peak_cpus``: by kernel and rooms, the CPU count with the highest throughput.
        ``selinux_8_over_4``: by rooms, below 1 where SELinux falls from 4 to 8 CPUs.
        ``rooms_30_over_10``: by kernel and CPUs; a kernel's lowest value shows where rooms hurt
            most.
    """
    mean = {key: value.mean for key, value in simulated.items()}
    return {
        "peak_cpus": {
            kernel: {str(r): _peak(mean, kernel, r) for r in ROOMS} for kernel in KERNELS
        },
        "selinux_8_over_4": {str(r): mean["selinux", r, 8] / mean["selinux", r, 4] for r in ROOMS},
        "rooms_30_over_10": {
            kernel: {str(n): mean[kernel, 30, n] / mean[kernel, 10, n] for n in CPUS}
            for kernel in KERNELS
        },
    }


def _peak(mean: dict[tuple[str, int, int], float], kernel: str, rooms: int) -> int:
    return max(CPUS, key=lambda n: mean[kernel, rooms, n])
