"""What the three reproductions of franke-2001 share: the kernels, one run of Chatroom, the tables.

H. Franke, R. Ravindran and S. Nagar, "SELinux Performance and Scalability analysis", SELinux
mailing list, 11 June 2001: Linux 2.4.3 with and without SELinux on an 8-way Netfinity 8500R.

A run is simulated whole, from the first message to the last, with fewer messages a user than were
measured: its phases are the same (see the workload), only shorter.

The costs. A check without competition is an input (0.18 us, the difference of lmbench's null I/O of
the two kernels), so are the numbers of checks: the rows of lockmeter at 1 CPU and 2 CPUs ask for
four checks for each message, and three look-ups of a label and six further checks for each packet.
Two figures are fitted, on the vanilla kernel (:func:`fit`): the work of a send at 1 CPU, and the
number of lines that a system call shares with other CPUs at 2. The rest is the machine's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from locksim.caches.avc_2_4 import AvcTwoFour
from locksim.caches.no_check import NoCheck
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS, LOCK_MAXIMA
from locksim.lang import Struct
from locksim.machine import Machine
from locksim.schedulers.linux_2_4 import LinuxTwoFour
from locksim.simulation import prepare
from locksim.workloads.chatroom import chatroom

MACHINE = "pentium3-8way"
SOURCE = (
    "H. Franke, R. Ravindran, S. Nagar, SELinux Performance and Scalability analysis, SELinux "
    "mailing list, 11 June 2001"
)
KERNELS = ("vanilla", "selinux")
CPUS = (1, 2, 4, 8)
FITTED_CPUS = (1, 2)
MESSAGES = 20
"""Messages a user in a simulated run; measured were 100, 200 and 300."""
LOCKS = {
    "avc_lock": "cache.lock",
    "ss_lock": "security_server.lock",
    "runqueue_lock": "scheduler.queues[0].lock",
}
"""The locks of the lockmeter table, and their names in the simulation."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What the kernel's code costs, in picoseconds, and how often it does what.

    Arguments:
        send_ps: register work of a send (fitted). recv_ps: of a receive, ``RECEIVE_SHARE`` of it.
        lines: shared lines that a call reads and writes (fitted).
        packet_ps, post_ps, switch_ps, weigh_ps: see the workload and the scheduler.
        hook_ps, search_ps: register work of a check outside and inside the lock.
        checks: of a send and of a receive. packet_checks, label_lookups: of a packet.
    """

    send_ps: int = 2_300_000
    lines: int = 30
    packet_ps: int = 3_000_000
    post_ps: int = 200_000
    switch_ps: int = 2_500_000
    weigh_ps: int = 20_000
    hook_ps: int = 30_000
    search_ps: int = 30_000
    checks: int = 2
    packet_checks: int = 6
    label_lookups: int = 3

    @property
    def recv_ps(self) -> int:
        """Register work of a receive."""
        return round(self.send_ps * RECEIVE_SHARE)


RECEIVE_SHARE = 0.3
"""A receive's work over a send's: the sender's CPU also does what the receiver's interrupt does."""


@dataclass(frozen=True)
class Run:
    """One simulated run of Chatroom, or the sum of several.

    Arguments:
        messages: sent and received by clients. seconds: simulated. cpus: that took part.
        locks: by lockmeter's names, the counters (``LOCK_COUNTERS``).
        cpu: int64[cpus, len(CPU_COUNTERS)].
    """

    messages: int
    seconds: float
    cpus: int
    locks: dict[str, dict[str, int]]
    cpu: npt.NDArray[np.int64] = field(repr=False)

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


def kernel_cache(kernel: str, costs: Costs) -> Struct:
    """The access vector cache of a kernel of the table."""
    if kernel == "vanilla":
        return NoCheck()
    return AvcTwoFour(search_ps=costs.search_ps)


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
    per_cpu: int = 0,
    users: int = 20,
) -> Run:
    """Simulate a whole run of Chatroom on the fast engine.

    Arguments:
        profile: the machine. kernel: of ``KERNELS``. rooms, messages, users: of the benchmark.
        cache: another cache than the kernel's (what-if). per_cpu: 1 for per-CPU run queues.
        seed: of the random streams.

    Raises:
        SimulationError: the program failed (a bug).
    """
    from locksim.engine.fast import run as simulate

    secure = kernel != "vanilla"
    workload = chatroom(
        rooms,
        users=users,
        messages=messages,
        send_ps=costs.send_ps,
        recv_ps=costs.recv_ps,
        packet_ps=costs.packet_ps,
        post_ps=costs.post_ps,
        lines=costs.lines,
        hook_ps=costs.hook_ps,
        send_checks=costs.checks * secure,
        recv_checks=costs.checks * secure,
        packet_checks=costs.packet_checks * secure,
        label_lookups=costs.label_lookups * secure,
        scheduler=LinuxTwoFour(per_cpu=per_cpu, switch_ps=costs.switch_ps, weigh_ps=costs.weigh_ps),
        cache=cache or kernel_cache(kernel, costs),
    )
    image, memory = prepare(workload, profile.tables(cpus, "compact"))
    result = simulate(
        image, memory, profile.tables(cpus, "compact"), seed=seed, until_ps=LONGEST_PS
    )
    done = int(result.cpu[:, CPU_COUNTERS.index("done")].sum())
    locks = {
        name: _counters(result.locks, [i for i, n in enumerate(memory.locks) if _is(n, where)])
        for name, where in LOCKS.items()
    }
    return Run(done, result.end_ps / 1e12, cpus, locks, result.cpu)


LONGEST_PS = 10**14


def _is(name: str, where: str) -> bool:
    """Whether a lock is the one, or one of those that took its place in a what-if."""
    if where == LOCKS["runqueue_lock"]:
        return name.startswith("scheduler.queues")
    if where == LOCKS["avc_lock"]:
        return name.startswith("cache.") and "server" not in name
    return name == where


def _counters(locks: npt.NDArray[np.int64], rows: list[int]) -> dict[str, int]:
    return {
        name: int(locks[rows, j].max(initial=0) if name in LOCK_MAXIMA else locks[rows, j].sum())
        for j, name in enumerate(LOCK_COUNTERS)
    }
