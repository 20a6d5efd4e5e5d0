"""Common parts of the three reproductions of franke-2001: kernels, a run of Chatroom, tables.

H. Franke, R. Ravindran and S. Nagar, "SELinux Performance and Scalability analysis", SELinux
mailing list, 11 June 2001: Linux 2.4.3 with and without SELinux on an 8-way Netfinity 8500R.

A run is simulated completely, from the first message to the last. The shortest measured run had 100
messages per user. Shorter runs are simulated to save time; in them the run queue, which is longest
at the start, is longer on average.

The program. Its source is known (see the workload), and the published counts give the number of its
actions. The rows of lockmeter at 1 CPU and 2 CPUs alone give the checks. If a message and a packet
each have a fixed number of checks, avc_lock's TOTAL is linear in ss_lock's. The line 12.04 million
plus 2.495 times ss_lock's TOTAL goes through both rows, so a packet makes 5 checks for every 2
labels. (At 4 and 8 CPUs the line gives 17.2 and 16.3 million, as in the table.) kernprof shows the
place of the messages' checks. SELinux adds 7 to 9 us to each call of three functions: inet_sendmsg
and inet_recvmsg, which do not own the socket yet, and tcp_sendmsg, which does. So there are three
checks per message, and 12.04 million are those of 4 million messages: ten runs of 400,000.

The costs. A system call's entry and exit, a packet's path and a check without competition are
inputs, from the lmbench table of the same message. Three values are fitted (:func:`fit`): the work
of a send to the vanilla kernel at 1 CPU, the number of lines that a system call shares with other
CPUs to the vanilla kernel at 2, and the work of the hook around a check to SELinux at 1. The
machine profile has all others. Two tables have one fitted number more each: the pause between two
runs (``lockmeter``) and the functions that a message calls (``kernprof``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from locksim.compiler.bytecode import Place
from locksim.core.memory import Memory
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS, LOCK_MAXIMA
from locksim.engine.prepared import prepare
from locksim.lang import Struct
from locksim.library.avc.avc import N_NODES, N_SLOTS
from locksim.library.avc.avc_2_4 import AvcColoured, AvcTwoFour
from locksim.library.avc.no_check import NoCheck
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour
from locksim.library.workloads.chatroom import Chatroom, chatroom
from locksim.machine import Machine, MachineTables, Parameter
from locksim.papers.experiment import Role
from locksim.papers.franke_2001.instruments import built_with, metered, readings
from locksim.study.jobs import Job
from locksim.study.simulation import Reader, Watched

MACHINE = "pentium3-8way"
SOURCE = (
    "H. Franke, R. Ravindran, S. Nagar, SELinux Performance and Scalability analysis, SELinux "
    "mailing list, 11 June 2001"
)
KERNELS = ("vanilla", "selinux")
CPUS = (1, 2, 4, 8)
FITTED_CPUS = (1, 2)
ROOMS = (10, 20, 30)
MESSAGES = 100
"""Messages per user in a simulated run; the source measured 100, 200 and 300."""
BRIEF_MESSAGES = 30
"""Messages per user in a brief run."""
REPLICATIONS = 1
LONGEST_PS = 10**14
"""Simulated time after which a run is stopped: 100 s."""
LOCKS = {
    "avc_lock": "kernel.cache.lock",
    "ss_lock": "kernel.security_server.lock",
    "runqueue_lock": "kernel.scheduler.runqueue_lock",
}
"""The locks of the lockmeter table, and their names in the simulation."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of the kernel's code, in picoseconds, and numbers of its actions.

    Arguments:
        send_ps: work of a send under the socket's lock (fitted). recv_ps: work of a receive,
            ``RECEIVE_SHARE`` of it.
        lines: shared lines that a call reads and writes (fitted).
        entry_ps, packet_ps, semop_ps, weigh_ps: see the kernel and the scheduler.
        switch_ps: a context switch, without the choice of the task.
        hook_ps, search_ps: register work of a check outside (fitted) and inside the lock.
        call_checks, send_checks: checks of a call before it owns the socket, of a send after that.
        packet_checks, label_lookups: checks and look-ups of a packet.
    """

    send_ps: int = 1_397_726
    lines: int = 17
    entry_ps: int = 870_000
    packet_ps: int = 16_000_000
    semop_ps: int = 1_000_000
    switch_ps: int = 3_250_000
    weigh_ps: int = 12_000
    hook_ps: int = 161_754
    search_ps: int = 30_000
    call_checks: int = 1
    send_checks: int = 1
    packet_checks: int = 5
    label_lookups: int = 2

    @property
    def recv_ps(self) -> int:
        """Work of a receive under the socket's lock."""
        return round(self.send_ps * RECEIVE_SHARE)


RECEIVE_SHARE = 1.0
"""A receive's work over a send's: both copy a message and account for its buffer."""


@dataclass(frozen=True)
class Run:
    """One simulated run of Chatroom, or the sum of several.

    Arguments:
        messages: messages between clients. seconds: simulated time. cpus: number of CPUs.
        locks: by lockmeter's names, the counters (``LOCK_COUNTERS``).
        cpu: int64[cpus, len(CPU_COUNTERS)].
        queue_mean, queue_longest: runnable tasks in calls of ``schedule()``; 0 if the scheduler
            does not count them.
        ran: the operations that ran, if the run was watched.
    """

    messages: int
    seconds: float
    cpus: int
    locks: dict[str, dict[str, int]]
    cpu: npt.NDArray[np.int64] = field(repr=False)
    queue_mean: float = 0.0
    queue_longest: int = 0
    ran: frozenset[Place] = field(default=frozenset(), repr=False)

    @property
    def throughput(self) -> float:
        """Messages a second."""
        return self.messages / self.seconds

    def per_message(self, lock: str) -> float:
        """Acquisitions of a lock per message."""
        return self.locks[lock]["total"] / self.messages

    def contention(self, lock: str) -> float:
        """Share of the acquisitions that found the lock taken."""
        c = self.locks[lock]
        return c["contended"] / c["total"] if c["total"] else 0.0

    def hold_us(self, lock: str) -> float:
        """Mean time for which the lock is held, in microseconds."""
        c = self.locks[lock]
        return c["hold_ps"] / c["total"] / 1e6 if c["total"] else 0.0

    def wait_us(self, lock: str) -> float:
        """Mean wait of the contended acquisitions, in microseconds."""
        c = self.locks[lock]
        return c["wait_ps"] / c["contended"] / 1e6 if c["contended"] else 0.0

    def waiting_share(self, lock: str) -> float:
        """Share of all CPUs' time spent waiting for the lock."""
        return self.locks[lock]["wait_ps"] / 1e12 / self.seconds / self.cpus


def kernel_cache(kernel: str, costs: Costs) -> Struct:
    """The access vector cache of a kernel of the table."""
    if kernel == "vanilla":
        return NoCheck()
    return AvcTwoFour(search_ps=costs.search_ps)


def workload(
    kernel: str,
    rooms: int,
    costs: Costs,
    *,
    messages: int = MESSAGES,
    cache: Struct | None = None,
    scheduler: Struct | None = None,
    users: int = 20,
) -> Chatroom:
    """Chatroom on a kernel of the table; the arguments are those of :func:`run`."""
    secure = kernel != "vanilla"
    return chatroom(
        rooms,
        users=users,
        messages=messages,
        entry_ps=costs.entry_ps,
        send_ps=costs.send_ps,
        recv_ps=costs.recv_ps,
        packet_ps=costs.packet_ps,
        semop_ps=costs.semop_ps,
        lines=costs.lines,
        hook_ps=costs.hook_ps,
        call_checks=costs.call_checks * secure,
        send_checks=costs.send_checks * secure,
        packet_checks=costs.packet_checks * secure,
        label_lookups=costs.label_lookups * secure,
        scheduler=scheduler or LinuxTwoFour(weigh_ps=costs.weigh_ps),
        cache=cache or kernel_cache(kernel, costs),
    )


def run(
    profile: Machine,
    kernel: str,
    rooms: int,
    cpus: int,
    costs: Costs,
    *,
    messages: int = MESSAGES,
    seed: int = 1,
    cache: Struct | None = None,
    scheduler: Struct | None = None,
    users: int = 20,
    lockmeter: bool = False,
    watch: Reader | bool = False,
) -> Run:
    """Simulate a complete run of Chatroom on the fast engine.

    Arguments:
        profile: the machine. kernel: of ``KERNELS``. rooms, messages, users: of the benchmark.
        cache: another cache than the kernel's (what-if). scheduler: another than 2.4's (what-if).
        seed: of the random streams.
        lockmeter: True runs a kernel with lockmeter in it, and gives the locks as lockmeter reads
            them.
        watch: whether to note which operations run; a reader also gets the trace in parts.

    Raises:
        SimulationError: the program failed (a bug).
    """
    from locksim.engine.fast.engine import run as simulate

    described = workload(
        kernel, rooms, costs, messages=messages, cache=cache, scheduler=scheduler, users=users
    )
    tables = tables_of(profile, cpus, costs)
    built: list[Struct] = []
    if lockmeter:
        described = metered(described, tables)
        built = built_with(described)
    image, memory = prepare(described, tables, built_with=built)
    watched = Watched(image, cpus, watch) if watch else None
    result = simulate(image, memory, tables, seed=seed, until_ps=LONGEST_PS, trace=watched or False)
    done = int(result.cpu[:, CPU_COUNTERS.index("done")].sum())
    locks = {
        name: _counters(result.locks, [i for i, n in enumerate(memory.locks) if _is(n, where)])
        for name, where in LOCKS.items()
    }
    if lockmeter:
        for name, where in LOCKS.items():
            place = where.removeprefix("kernel.")
            locks[name] |= readings(memory, result.memory, place)
    mean, longest = 0.0, 0
    if isinstance(described.kernel.scheduler, LinuxTwoFour):
        mean, longest = queue_seen(memory, result.memory, cpus)
    ran = frozenset() if watched is None else watched.places()
    return Run(done, result.end_ps / 1e12, cpus, locks, result.cpu, mean, longest, ran)


def tables_of(profile: Machine, cpus: int, costs: Costs) -> MachineTables:
    """Machine tables of the engines for a run."""
    return machine_of(profile, costs).tables(cpus, "compact")


def machine_of(profile: Machine, costs: Costs) -> Machine:
    """The profile with the switch time of the costs."""
    return profile.with_costs(
        role="derived",
        source="lmbench 2p/0K (4.08 us, franke-2001) minus the simulated choice and wake-up",
        context_switch=costs.switch_ps,
    )


def queue_seen(memory: Memory, words: npt.NDArray[np.int64], cpus: int) -> tuple[float, int]:
    """Mean and longest run queue over all calls of ``schedule()``.

    Arguments:
        memory: of a Chatroom under ``LinuxTwoFour``. words: at the run's end. cpus: number of CPUs.
    """
    states = [memory.root.kernel.scheduler.cpus[i] for i in range(cpus)]  # type: ignore[attr-defined]
    looks = sum(int(words[int(s.looks)]) for s in states)
    lengths = sum(int(words[int(s.lengths)]) for s in states)
    return lengths / max(looks, 1), max(int(words[int(s.longest)]) for s in states)


def published() -> dict[tuple[str, int, int, int], tuple[str, float]]:
    """The throughputs: (kernel, rooms, messages, CPUs) → (as printed, messages a second)."""
    import lockdata

    frame = lockdata.load("franke-2001/chatroom", reading="both")
    columns = ["kernel", "rooms", "messages", "cpus", "printed", "corrected"]
    return {
        (kernel, int(rooms), int(messages), int(cpus)): (str(printed), float(corrected))
        for kernel, rooms, messages, cpus, printed, corrected in frame[columns].itertuples(
            index=False, name=None
        )
    }


def fit(profile: Machine, start: Costs, *, messages: int = MESSAGES, steps: int = 3) -> Costs:
    """Fit the three free costs; the defaults of :class:`Costs` are the result.

    Each is set from one column of the throughput table, the mean time per message over its nine
    loads: that time is nearly linear in the cost, so a few steps of the secant method suffice.

    Arguments:
        start: the initial costs; the others do not change.
        messages: per user in each simulated run. steps: steps for each cost.
    """
    costs = start
    for name, kernel, cpus, change in FITS:
        goal = np.mean(
            [1 / v for (k, _, _, n), (_, v) in published().items() if (k, n) == (kernel, cpus)]
        )
        at: list[tuple[float, float]] = []
        value = getattr(start, name)
        for step in range(steps):
            if step == 1:
                value = value + change
            elif step > 1:
                (x0, y0), (x1, y1) = at[-2:]
                value = round(x1 + (float(goal) - y1) * (x1 - x0) / (y1 - y0))
            costs = replace(costs, **{name: value})
            times = [
                1 / run(profile, kernel, rooms, cpus, costs, messages=messages).throughput
                for rooms in ROOMS
            ]
            at.append((value, float(np.mean(times))))
        (x0, y0), (x1, y1) = at[-2:]
        final = round(x1 + (float(goal) - y1) * (x1 - x0) / (y1 - y0)) if x1 != x0 else value
        costs = replace(costs, **{name: final})
    return costs


FITS = (
    ("send_ps", "vanilla", 1, 300_000),
    ("lines", "vanilla", 2, 6),
    ("hook_ps", "selinux", 1, 30_000),
)
"""Fitted cost, its kernel and CPU count, and the first step."""


def _is(name: str, where: str) -> bool:
    """Whether a name is that of a lock, or of its replacements in a what-if."""
    if where == LOCKS["runqueue_lock"]:
        return name.startswith("kernel.scheduler.")
    if where == LOCKS["avc_lock"]:
        server = name.startswith("kernel.cache.server.")
        return name.startswith("kernel.cache.") and not server
    return name == where


def _counters(locks: npt.NDArray[np.int64], rows: list[int]) -> dict[str, int]:
    return {
        name: int(locks[rows, j].max(initial=0) if name in LOCK_MAXIMA else locks[rows, j].sum())
        for j, name in enumerate(LOCK_COUNTERS)
    }


def sample(
    profile: Machine,
    kernel: str,
    rooms: int,
    cpus: int,
    costs: Costs,
    *,
    replications: int = REPLICATIONS,
    seed: int = 1,
    **options: Any,
) -> list[Run]:
    """Independent runs with seeds seed, seed + 1, …, with the options of :func:`run`."""
    return [
        run(profile, kernel, rooms, cpus, costs, seed=seed + k, **options)
        for k in range(replications)
    ]


def jobs(
    profile: Machine,
    cells: Iterable[tuple[str, int, int]],
    costs: Costs,
    *,
    replications: int = REPLICATIONS,
    seed: int = 1,
    messages: int = MESSAGES,
    lockmeter: bool = False,
) -> dict[tuple[str, int, int, int], Job[Run]]:
    """Jobs for the runs of some cells, by kernel, rooms, CPUs and seed.

    Arguments:
        cells: kernel, rooms and CPUs. lockmeter: as for :func:`run`. The other arguments are those
            of :func:`sample`.
    """
    return {
        (kernel, rooms, n, k): Job(
            f"Chatroom, {kernel}, {rooms} rooms on {n} CPUs",
            run,
            (profile, kernel, rooms, n, costs),
            {"messages": messages, "seed": k, **({"lockmeter": True} if lockmeter else {})},
            seconds=rooms * messages * (2 + n) / 450,
        )
        for kernel, rooms, n in cells
        for k in range(seed, seed + replications)
    }


def by_cell(done: Mapping[tuple[str, int, int, int], Run]) -> dict[tuple[str, int, int], list[Run]]:
    """Runs by kernel, rooms and CPUs, in the order of their seeds."""
    found: dict[tuple[str, int, int], list[Run]] = {}
    for (kernel, rooms, n, _), one in done.items():
        found.setdefault((kernel, rooms, n), []).append(one)
    return found


def role_of(cpus: int) -> Role:
    """The role of a cell: fitted at the CPU counts of the fits, else predicted."""
    return "fitted" if cpus in FITTED_CPUS else "predicted"


def parameters(profile: Machine, costs: Costs, *, messages: int = MESSAGES) -> list[Parameter]:
    """Every value behind the tables."""
    scheduler = LinuxTwoFour()
    return [
        Parameter("chatroom.send_ps", costs.send_ps, "ps", "vanilla's column at 1 CPU", "fitted"),
        Parameter("chatroom.lines", costs.lines, "1", "vanilla's column at 2 CPUs", "fitted"),
        Parameter("chatroom.hook_ps", costs.hook_ps, "ps", "SELinux's column at 1 CPU", "fitted"),
        Parameter(
            "chatroom.receive_share",
            RECEIVE_SHARE,
            "1",
            "a receive's work over a send's, packets apart; not published",
            "assumed",
        ),
        Parameter(
            "chatroom.entry_ps",
            costs.entry_ps,
            "ps",
            "lmbench null I/O, 0.87 us: a call that finds a file and does nothing with it",
            "input",
        ),
        Parameter(
            "chatroom.packet_ps",
            costs.packet_ps,
            "ps",
            "lmbench, half of TCP's round trip (69 us) minus AF_UNIX's (37 us): the same wake-ups "
            "and switches, and no packet",
            "input",
        ),
        Parameter("chatroom.semop_ps", costs.semop_ps, "ps", "a semaphore's operation", "assumed"),
        Parameter(
            "chatroom.call_checks",
            costs.call_checks,
            "1",
            "of a send or a receive, before the socket is owned: kernprof, self times of "
            "inet_sendmsg and inet_recvmsg",
            "derived",
        ),
        Parameter(
            "chatroom.send_checks",
            costs.send_checks,
            "1",
            "of a send that owns the socket: self time of tcp_sendmsg_secure, kernprof",
            "derived",
        ),
        Parameter(
            "chatroom.packet_checks",
            costs.packet_checks,
            "1",
            "avc_lock's TOTAL grows by 2.495 for each of ss_lock's from 1 CPU to 2",
            "derived",
        ),
        Parameter(
            "chatroom.label_lookups",
            costs.label_lookups,
            "1",
            "the node's label, out and in",
            "derived",
        ),
        Parameter(
            "avc.search_ps",
            costs.search_ps,
            "ps",
            "lockmeter, HOLD of avc_lock at 1 CPU (0.1 us) minus the simulated hits",
            "input",
        ),
        Parameter(
            "scheduler.weigh_ps",
            costs.weigh_ps,
            "ps",
            "goodness() by hand count, 8 cycles; without its loads, which the caches serve",
            "assumed",
        ),
        Parameter(
            "scheduler.tick_ps", scheduler.tick_ps, "ps", "HZ = 100 on i386, Linux 2.4", "input"
        ),
        Parameter(
            "run.messages",
            messages,
            "1",
            "per user; the source measured 100 to 300, longer phases of the same kind",
            "assumed",
        ),
        *machine_of(profile, costs).parameters(),
    ]


def coloured(n_colours: int, **settings: int) -> AvcColoured:
    """The split cache with the slots and nodes of the undivided one shared out.

    Arguments:
        n_colours: a power of two, 1 to 64.
        settings: of each part (see :class:`~locksim.library.avc.avc.AVC`).

    Raises:
        ValueError: ``n_colours`` is not a power of two, or too large.
    """
    if n_colours not in (1, 2, 4, 8, 16, 32, 64):
        raise ValueError(f"n_colours must be a power of two between 1 and 64 (got {n_colours})")
    part_of_it = AvcTwoFour(
        n_slots=N_SLOTS // n_colours, n_nodes=-(-N_NODES // n_colours), **settings
    )
    return AvcColoured(n_colours=n_colours, caches=part_of_it)
