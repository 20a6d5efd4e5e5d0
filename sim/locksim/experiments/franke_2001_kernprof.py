"""Simulated time by kernel path: the figures for a flat profile of Chatroom, as kernprof gives it.

A traced run says of every operation of a CPU when it took effect and in which program it stands.
The time between two of them belongs to the later one (a miss ends when its data arrive), except
after work, pauses, switches and halts, which take their time afterwards. Spinning belongs to the
function that takes the lock, as in a kernel whose spinlocks are inline.

``PATHS`` maps programs to the kernel's functions. What the simulation has no program for (fget,
fput, the socket layer's shells) is inside the work of a send or a receive; kernprof's own cost and
its per-call accounting are left out. So shares can be compared between schedule and the two wake-up
and message paths, and not function by function.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from locksim import machine as machines
from locksim.engine import fast
from locksim.engine.result import RunResult
from locksim.engine.trace import DRAINED, EVICTED, SERVED
from locksim.experiments import franke_2001
from locksim.experiments.franke_2001 import MACHINE, Costs
from locksim.lang.ops import Kind
from locksim.memory import Memory
from locksim.simulation import prepare

PATHS = {
    "schedule": (
        *("LinuxTwoFour.schedule", "LinuxTwoFour.choose", "LinuxTwoFour.goodness"),
        *("LinuxTwoFour.recalculate", "LinuxTwoFour.dequeue", "LinuxTwoFour.schedule_tail"),
        *("LinuxTwoFour.meter", "LinuxTwoFour.resched"),
    ),
    "default_idle": ("LinuxTwoFour.idle", "LinuxTwoFour.rest"),
    "__wake_up": (
        *("LinuxTwoFour.wake_up", "LinuxTwoFour.reschedule_idle", "LinuxTwoFour.enqueue"),
        *("LinuxTwoFour.tell_idle", "Scheduler.wake_one", "Scheduler.wake_all", "TaskList.take"),
        "Loopback.wake_sleepers",
    ),
    "avc_has_perm": (
        *("AvcSpinlock.has_perm", "AvcTwoFour.find", "PoolAVC.search", "PoolAVC.lookup"),
        *("PoolAVC.mark_used", "PoolAVC.copy_decision"),
    ),
    "sid lookup": ("SecurityServer.sid_lookup",),
    "send and receive": (
        *("Loopback.send", "Loopback.receive", "Loopback.work", "Loopback.packet"),
        *("Loopback.lock_sock", "Loopback.release_sock", "Loopback.wait", "Loopback.next_batch"),
        *("Loopback.data_packet", "Loopback.acknowledgement", "Loopback.data_arrive"),
    ),
    "semop": ("Loopback.up", "Loopback.down"),
}
"""Kernel path → the programs that stand for it; everything else is "other". goodness() is
schedule's, though a wake-up weighs a few tasks too."""
_AFTERWARDS = tuple(int(k) for k in (Kind.COMPUTE, Kind.PAUSE, Kind.BLOCK, Kind.WAKE, Kind.SWITCH))
_LOCK = ("TTASLock.acquire", "TTASLock.release", "TTASLock.try_acquire")

_CALLERS = {"avc_lock": "avc_has_perm", "ss_lock": "sid lookup"}


@dataclass(frozen=True, slots=True)
class Path:
    """One line of the profile.

    Arguments:
        name: the kernel path. seconds: of all CPUs together. share: of their time, 0 to 1.
    """

    name: str
    seconds: float
    share: float


def traced(
    kernel: str,
    cpus: int = 8,
    rooms: int = 4,
    *,
    messages: int = 2,
    costs: Costs | None = None,
    seed: int = 1,
) -> tuple[Memory, RunResult]:
    """A short run of Chatroom with its trace.

    Arguments:
        kernel: of ``franke_2001.KERNELS``. cpus, rooms, messages: of the run; a trace takes some
            hundred bytes for each of a few hundred operations a message.
        costs: instead of the fitted ones. seed: of the random streams.
    """
    used = costs or Costs()
    tables = franke_2001.tables_of(machines.load(MACHINE), cpus, used)
    workload = franke_2001.workload(kernel, rooms, used, messages=messages)
    image, memory = prepare(workload, tables)
    return memory, fast.run(
        image, memory, tables, seed=seed, until_ps=franke_2001.LONGEST_PS, trace=True
    )


def by_path(memory: Memory, result: RunResult) -> list[Path]:
    """Time by kernel path in a traced run, the longest first."""
    assert result.trace is not None
    assert result.origins is not None
    names = [_path(place.method) for place in result.places]
    callers = {
        address: path
        for address, name in memory.names
        for lock, path in _CALLERS.items()
        if name.startswith(franke_2001.LOCKS[lock] + ".")
    }
    seconds: dict[str, float] = {}
    for c in range(len(result.cpu)):
        mine = _performed(result) & (result.trace[:, 1] == 2 * c)
        places, times = result.origins[mine, 0], result.trace[mine, 0]
        addresses = result.trace[mine, 3]
        after = np.isin(result.trace[mine, 2], _AFTERWARDS)
        current = "other"
        owners = []
        for place, address in zip(places, addresses, strict=True):
            # A lock's own operations belong to who called it: the lock tells, or who was before.
            current = names[place] or callers.get(int(address)) or current
            owners.append(current)
        gaps = np.diff(times)
        for k, gap in enumerate(gaps):
            owner = owners[k] if after[k] else owners[k + 1]
            seconds[owner] = seconds.get(owner, 0.0) + int(gap) / 1e12
    total = sum(seconds.values())
    return [
        Path(name, spent, spent / total)
        for name, spent in sorted(seconds.items(), key=lambda item: -item[1])
    ]


def calls(result: RunResult, method: str) -> int:
    """How often a traced run called a method: how often its first operation was performed.

    Arguments:
        method: as in ``PATHS``; its first operation, not a call's, is to stand in no loop.
    """
    assert result.origins is not None
    performed = result.origins[_performed(result), 0]
    places, times = np.unique(performed, return_counts=True)
    found = [
        (result.places[place].line, int(n))
        for place, n in zip(places.tolist(), times, strict=True)
        if result.places[place].method == method
    ]
    return min(found)[1] if found else 0


def _performed(result: RunResult) -> npt.NDArray[np.bool_]:
    """The rows of a trace that are a program's own operations."""
    assert result.trace is not None
    assert result.origins is not None
    found: npt.NDArray[np.bool_] = (result.origins[:, 0] >= 0) & ~np.isin(
        result.trace[:, 2], (DRAINED, SERVED, EVICTED)
    )
    return found


def _path(method: str) -> str:
    """The kernel path of a program; "" for a lock's, which is its caller's."""
    if method in _LOCK:
        return ""
    return next((path for path, programs in PATHS.items() if method in programs), "other")


def main() -> None:
    """Print the profiles of both kernels."""
    from rich.console import Console
    from rich.table import Table

    for kernel in franke_2001.KERNELS:
        view = Table(title=f"Chatroom, {kernel}, 8 CPUs: simulated time by kernel path")
        view.add_column("path")
        view.add_column("seconds", justify="right")
        view.add_column("share", justify="right")
        for path in by_path(*traced(kernel)):
            view.add_row(path.name, f"{path.seconds:.4f}", f"{path.share:.1%}")
        Console().print(view)


if __name__ == "__main__":
    main()
