"""franke-2001-kernprof: where Chatroom's time goes, as a share a kernel path and calls a message.

The source profiled 20 rooms of 200 messages with kernprof, which noted every call, and printed the
functions with the most time. It does not say on how many CPUs. The total does: 87 and 155 seconds
of CPU time for 1.6 million messages are the published throughput of eight CPUs, slowed by a
profiler; on four they would be a third of what was published.

How the table is understood. The profiler's own function (``cg_record_arc``) is a third of the time
without SELinux and a fifth with it. It is no part of the kernel that is simulated, so shares are of
the time without it: the whole is its seconds over its printed per cent. What the profiler adds to
each of the other functions can not be taken out: it is part of the error. Calls are divided by
those of ``tcp_sendmsg``, of which every message has one.

The simulated figures are those of whole runs, 20 rooms too, of half as many messages
(:mod:`locksim.papers.franke_2001.kernel_paths`, which says what stands for which function): a
lock's time belongs to the path that takes it, as in a kernel whose spinlocks are inline. Time of
functions that stand in no cell (sending, receiving, checks) is what is left of all time; the whole
profile is in ``profile``.

Nothing was fitted here: the costs are those of ``franke_2001``, fitted on throughput. How many
checks a call makes was read from this profile's other rows (self times of sending and receiving
with and without SELinux), so those have no cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from locksim import machine as machines
from locksim.machine import Parameter
from locksim.papers.experiment import Cell, Experiment, Plan, Report, Reproduction
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.kernel_paths import Profile, profiled
from locksim.papers.franke_2001.setting import KERNELS, MACHINE, SOURCE, Costs
from locksim.study.jobs import Job
from locksim.study.reports import kernprof
from locksim.study.reports.calls import CallProfile, Node
from locksim.study.reports.table import LockTable
from locksim.study.simulation import interval

CPUS = 8
ROOMS = 20
SHARES = {"schedule": "schedule", "_wake_up": "__wake_up", "default_idle": "default_idle"}
"""The printed functions whose shares have a cell, and the kernel paths that they are."""
CALLED = ("schedule", "_wake_up")
"""Those whose calls have one."""
PROFILER = "cg_record_arc"
SENDS = "tcp_sendmsg"


class Franke2001Kernprof(Experiment):
    """The experiment (see the module)."""

    name = "franke-2001-kernprof"
    title = "kernprof on Chatroom: where the time goes with and without SELinux"
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
        **options: Any,
    ) -> Plan[tuple[str, int], Profile]:
        """Both kernels' profiles.

        Arguments:
            costs, replications, seed: those of ``franke-2001-chatroom``.
            cpus, rooms, messages: of a simulated run.
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
                        "87 s and 155 s of CPU time were profiled for 1.6 million messages: on "
                        "eight CPUs 146,000 and 83,000 a second (published without the profiler: "
                        "122,000 and 77,000), on four half as many (published: 216,000, 125,000)",
                        "derived",
                    ),
                    Parameter("profile.rooms", rooms, "1", "20 were profiled", "input"),
                    *franke_2001.parameters(machines.load(MACHINE), used, messages=messages),
                ],
                [cell for kernel in KERNELS for cell in cells(kernel, found[kernel])],
                extra={
                    "profile": {
                        kernel: _means([profile.shares for profile in profiles])
                        for kernel, profiles in found.items()
                        if profiles
                    }
                },
                notes=[
                    f"Whole runs of {messages} messages a user; 200 were profiled.",
                    "share: of all time but the profiler's own function; calls: for each message",
                    "The profiler of the source slows every call: part of every error here is "
                    "the profiler's.",
                    "Models by formula stand beside franke-2001-chatroom; they know no functions.",
                ],
                report=Report("kernprof", "\n".join(_flat(*one) for one in found.items())),
            )

        return Plan(
            {
                (kernel, k): Job(
                    f"kernprof, {kernel}",
                    profiled,
                    (kernel, cpus, rooms),
                    {"messages": messages, "costs": used, "seed": k},
                    seconds=rooms * messages / 40,
                )
                for kernel in KERNELS
                for k in range(seed, seed + replications)
            },
            assemble,
        )

    def plot(self, result: Reproduction, path: Path) -> str:
        """Shares of time, a bar a function and kernel."""
        from locksim.papers.plots import Bar, bars

        shown = [
            Bar(f"{c.row} {c.column}", c.simulated, c.understood)
            for c in result.cells
            if c.unit == "%"
        ]
        return bars({"share of time [%]": shown}, path, title=self.title)


EXPERIMENT = Franke2001Kernprof()


def published() -> dict[tuple[str, str, str], tuple[str, float]]:
    """The flat profile: (kernel, function, measure) → (as printed, understood); blanks left out.

    ``share`` is added to the measures of the data set: per cent of the time without the profiler's.
    """
    import lockdata

    frame = lockdata.load("franke-2001/kernprof-flat", reading="both")
    table = {
        (str(kernel), str(function).removesuffix("_secure"), str(measure)): (
            str(printed),
            float(understood),
        )
        for kernel, function, measure, printed, understood in frame[
            ["kernel", "function", "measure", "printed", "understood"]
        ].itertuples(index=False, name=None)
        if understood == understood
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
    """The cells of a kernel: shares of time, then calls a message. All are predicted."""
    if not profiles:
        return []
    table = published()
    sends = table[kernel, SENDS, "calls"][1]
    found = []
    for function, path in SHARES.items():
        value = interval([100 * profile.shares.get(path, 0.0) for profile in profiles])
        printed, understood = table[kernel, function, "share"]
        found.append(
            Cell(
                f"{kernel}, {function}",
                "share",
                printed,
                understood,
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


def _flat(kernel: str, profiles: list[Profile]) -> str:
    """A kernel's flat profile as kernprof prints it, all runs added up; its name in front."""
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
