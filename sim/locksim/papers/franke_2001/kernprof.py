"""franke-2001-kernprof: Chatroom's time by kernel path, and calls per message.

The source profiled 20 rooms of 200 messages with kernprof, which records every call, and printed
the functions with the most time. It does not name the number of CPUs, but the total implies it. The
87 and 155 seconds of CPU time for 1.6 million messages are the published throughput of eight CPUs,
slowed by a profiler. On four CPUs they would be a third of the published throughput.

The reading of the table. The profiler's own function (``cg_record_arc``) takes a third of the time
without SELinux and a fifth with it. Shares are of the time without it: the whole is its seconds
over its printed per cent. The simulated kernel has the profiler in it
(:mod:`locksim.library.instruments.kernprof`), so that its effect on the other functions is on both
sides. Calls are divided by those of ``tcp_sendmsg``, which every message calls once.

The simulated values come from complete runs of 20 rooms too, with half as many messages.
:mod:`locksim.papers.franke_2001.kernel_paths` explains which path stands for which function. A
lock's time belongs to the path that takes it, as in a kernel with inline spinlocks. Functions
without a cell (sending, receiving, checks) have the remaining time; the whole profile is in
``profile``.

One number was fitted here, on a row that has no cell: the functions that a message calls, to the
profiler's own time without SELinux. The costs are those of ``franke_2001``. The number of checks
per call was taken from this profile's other rows (self times of sending and receiving with and
without SELinux), so those have no cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locksim import machine as machines
from locksim.machine import Parameter
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Report, Reproduction
from locksim.papers.franke_2001 import instruments
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.kernel_paths import Profile, profiled
from locksim.papers.franke_2001.setting import KERNELS, MACHINE, SOURCE, Costs
from locksim.study.jobs import Job
from locksim.study.reports import kernprof
from locksim.study.reports.calls import CallProfile, Node
from locksim.study.reports.table import LockTable
from locksim.study.simulation import interval
from lockui.plots import Axis, Bar, Bars, Plot

CPUS = 8
ROOMS = 20
SHARES = {"schedule": "schedule", "_wake_up": "__wake_up", "default_idle": "default_idle"}
"""The printed functions whose shares have a cell → their kernel paths."""
CALLED = ("schedule", "_wake_up")
"""The functions whose calls have a cell."""
PROFILER = "cg_record_arc"
SENDS = "tcp_sendmsg"


class Franke2001Kernprof(Experiment):
    """The experiment (see the module)."""

    name, year, machine = "franke-2001-kernprof", 2001, MACHINE
    title = "kernprof on Chatroom: shares of time with and without SELinux"
    brief: ClassVar = {"messages": 10}

    def plan(
        self,
        *,
        costs: Costs | None = None,
        replications: int = franke_2001.REPLICATIONS,
        seed: int = 1,
        cpus: int = CPUS,
        rooms: int = ROOMS,
        messages: int = franke_2001.MESSAGES,
        instrument: bool = True,
        **options: Any,
    ) -> Plan[tuple[str, int], Profile]:
        """Both kernels' profiles.

        Arguments:
            costs, replications, seed: those of ``franke-2001-chatroom``.
            cpus, rooms, messages: of a simulated run.
            instrument: True profiles a kernel with kernprof's calls in it.
        """
        used = costs or Costs()

        def assemble(done: Mapping[tuple[str, int], Profile]) -> Reproduction:
            found = {
                kernel: [profile for (k, _), profile in done.items() if k == kernel]
                for kernel in KERNELS
            }
            return Reproduction(
                self.name,
                self.title,
                SOURCE,
                MACHINE,
                [
                    Parameter(
                        "profile.cpus",
                        cpus,
                        "1",
                        "87 s and 155 s of CPU time were profiled for 1.6 million messages. "
                        "Eight CPUs give 146,000 and 83,000 a second (published without the "
                        "profiler: 122,000 and 77,000), four give half (published: "
                        "216,000, 125,000)",
                        "derived",
                    ),
                    Parameter("profile.rooms", rooms, "1", "the source profiled 20", "input"),
                    *(instruments.kernprof_parameters() if instrument else ()),
                    *franke_2001.parameters(machines.load(MACHINE), used, messages=messages),
                ],
                [cell for kernel in KERNELS for cell in cells(kernel, found[kernel])],
                extra={
                    "profile": {
                        kernel: _means([profile.shares for profile in profiles])
                        for kernel, profiles in found.items()
                        if profiles
                    },
                    "profiler_us_a_message": {
                        kernel: {"published": _own_us(kernel), "simulated": _mean_own_us(profiles)}
                        for kernel, profiles in found.items()
                        if profiles
                    },
                },
                notes=[
                    f"Complete runs of {messages} messages per user; the source profiled 200.",
                    "share: of the time without the profiler's own function; calls: per message",
                    "The simulated kernel makes the profiler's calls too (`instrument`).",
                    "Analytic models are compared in franke-2001-chatroom; they have no functions.",
                ],
                report=Report("kernprof", "\n".join(_flat(*one) for one in found.items())),
            )

        return Plan(
            {
                (kernel, k): Job(
                    f"kernprof, {kernel}",
                    profiled,
                    (kernel, cpus, rooms),
                    {"messages": messages, "costs": used, "seed": k, "instrument": instrument},
                    seconds=rooms * messages / 40,
                )
                for kernel in KERNELS
                for k in range(seed, seed + replications)
            },
            assemble,
        )

    def plot(self, result: Reproduction) -> Plot:
        """Shares of time: a panel for each kernel, a bar for each function."""
        panels: dict[str, list[Bar]] = {}
        for c in result.cells:
            kernel, _, function = c.row.partition(", ")
            if c.unit == "%":
                panels.setdefault(kernel, []).append(plots.bar(c, function))
        axis = Axis("share of time [%]")
        shown = [Bars(bars, axis, kernel) for kernel, bars in panels.items()]
        return plots.plot(result, self.title, shown)


EXPERIMENT = Franke2001Kernprof()


def published() -> dict[tuple[str, str, str], tuple[str, float]]:
    """The flat profile: (kernel, function, measure) → (as printed, corrected); blanks left out.

    ``share`` is added to the measures of the data set: per cent of the time without the profiler's.
    """
    import lockdata

    frame = lockdata.load("franke-2001/kernprof-flat", reading="both")
    table = {
        (str(kernel), str(function).removesuffix("_secure"), str(measure)): (
            str(printed),
            float(corrected),
        )
        for kernel, function, measure, printed, corrected in frame[
            ["kernel", "function", "measure", "printed", "corrected"]
        ].itertuples(index=False, name=None)
        if corrected == corrected
    }
    for kernel in KERNELS:
        own_s = table[kernel, PROFILER, "self"][1]
        rest_s = own_s / (table[kernel, PROFILER, "time_percent"][1] / 100) - own_s
        for function in {f for k, f, _ in table if k == kernel} - {PROFILER}:
            printed = table[kernel, function, "time_percent"][0]
            share = 100 * table[kernel, function, "self"][1] / rest_s
            table[kernel, function, "share"] = (printed, share)
    return table


def cells(kernel: str, profiles: list[Profile]) -> list[Cell]:
    """The cells of a kernel: shares of time, then calls per message. All are predicted."""
    if not profiles:
        return []
    table = published()
    sends = table[kernel, SENDS, "calls"][1]
    found = []
    for function, path in SHARES.items():
        value = interval([100 * profile.shares.get(path, 0.0) for profile in profiles])
        printed, corrected = table[kernel, function, "share"]
        found.append(
            Cell(
                f"{kernel}, {function}",
                "share",
                printed,
                corrected,
                value.mean,
                value.low,
                value.high,
                "predicted",
                "%",
            )
        )
    for function in CALLED:
        value = interval([profile.calls[SHARES[function]] for profile in profiles])
        printed, calls = table[kernel, function, "calls"]
        found.append(
            Cell(
                f"{kernel}, {function}",
                "calls",
                printed,
                calls / sends,
                value.mean,
                value.low,
                value.high,
                "predicted",
                "1",
            )
        )
    return found


def _own_us(kernel: str) -> float:
    """The profiler's own time for each message, as published."""
    table = published()
    return 1e6 * table[kernel, PROFILER, "self"][1] / table[kernel, SENDS, "calls"][1]


def _mean_own_us(profiles: list[Profile]) -> float:
    return sum(one.own_ps / one.messages for one in profiles) / len(profiles) / 1e6


def _flat(kernel: str, profiles: list[Profile]) -> str:
    """A kernel's flat profile in kernprof's format, summed over all runs."""
    nodes: dict[tuple[str, ...], Node] = {}
    for profile in profiles:
        for path, share in profile.shares.items():
            node = nodes.setdefault((path,), Node("system"))
            node.self_ps += round(share * profile.whole_ps)
            node.calls += round(profile.calls.get(path, 0) * profile.messages)
    locks = LockTable("simulated", [])
    return f"{kernel}\n" + kernprof.flat(CallProfile(nodes, locks, 0, 0, MACHINE, kernel))


def _means(shares: list[dict[str, float]]) -> dict[str, float]:
    names = sorted({name for one in shares for name in one})
    return {name: sum(one.get(name, 0.0) for one in shares) / len(shares) for name in names}
