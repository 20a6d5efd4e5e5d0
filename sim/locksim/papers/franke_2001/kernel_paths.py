"""A run of Chatroom by kernel path: a flat profile like kernprof's.

The run is complete and may be long: its trace is profiled in parts
(:mod:`locksim.study.traces.flat_profile`) and not stored.

``PATHS`` maps programs to the kernel's functions. Spinlocks are inline on i386, so spinning is time
of the function that takes the lock. Waiting in schedule for runqueue_lock is schedule's time; that
of a task that wakes another one is __wake_up's. ``goodness`` is inline too. So is the code that
puts a task on the run queue: it counts where it is called, for a socket's waiters in __wake_up, for
a semaphore's in semop. (In the published profile __wake_up calls nothing: its time per call is all
its own.) Code without a program in the simulation (fget, fput, the socket layer's shells) is inside
the work of a send or a receive. kernprof's own cost and its per-call accounting are left out. So
shares can be compared between schedule and the paths of wake-ups and messages, not by function.

Calls are counted by the lock that a function takes once per call. A packet for a socket without
queued tasks calls no __wake_up, nor does a task that releases such a socket (``waitqueue_active``,
net/core/sock.c).
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim import machine as machines
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.papers.franke_2001 import instruments
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.setting import MACHINE, Costs
from locksim.study.traces.flat_profile import FlatProfile

PATHS = {
    "schedule": (
        *("LinuxTwoFour.schedule", "LinuxTwoFour.choose", "LinuxTwoFour.recalculate"),
        *("LinuxTwoFour.dequeue", "LinuxTwoFour.schedule_tail", "LinuxTwoFour.meter"),
    ),
    "default_idle": ("LinuxTwoFour.idle", "LinuxTwoFour.rest"),
    "__wake_up": ("LinuxTwoFour.wake_up",),
    "avc_has_perm": ("AvcTwoFour",),
    "sid lookup": ("SecurityServer",),
    "cg_record_arc": ("Kernprof",),
    "semop": (
        *("Loopback.up", "Loopback.down", "Loopback.update_queue"),
        "Loopback.woken_in_down",
    ),
    "send and receive": (
        *("LinuxTwoFour.add_wait_queue", "LinuxTwoFour.add_wait_queue_exclusive"),
        *("LinuxTwoFour.remove_wait_queue", "Loopback"),
    ),
}
"""Kernel path → the programs that stand for it, or a class for its programs that are not named
elsewhere; everything else is "other"."""
PROFILER = "cg_record_arc"
"""The path of the profiler's own programs, which no share counts."""
PROFILED = {"ProfiledLoopback": "Loopback", "ProfiledTwoFour": "LinuxTwoFour"}
"""Structs with the profiler's calls in them → what they are without."""
CALLS = {"schedule": "LinuxTwoFour.schedule", "__wake_up": "LinuxTwoFour.wake_up"}
"""Kernel path → the program that continues with the lock that one call takes."""
ACQUIRES = ("TTASLock.acquire",)
INLINE = (
    *("TTASLock.release", "LinuxTwoFour.goodness", "LinuxTwoFour.wake_up_process"),
    *("LinuxTwoFour.enqueue", "LinuxTwoFour.reschedule_idle", "LinuxTwoFour.tell_idle"),
    *("WaitList.prepend", "WaitList.append", "WaitList.remove"),
)
"""Programs whose time is their caller's."""


@dataclass(frozen=True)
class Profile:
    """A run of Chatroom by kernel path.

    Arguments:
        shares: of all CPUs' time, 0 to 1. calls: calls per message, of the paths in ``CALLS``.
        whole_ps: all CPUs' time, without the profiler's own. messages: number of messages sent.
        own_ps: the profiler's time.
    """

    shares: dict[str, float]
    calls: dict[str, float]
    whole_ps: int
    messages: int
    own_ps: int = 0


def profiled(
    kernel: str,
    cpus: int,
    rooms: int,
    *,
    messages: int = franke_2001.MESSAGES,
    costs: Costs | None = None,
    seed: int = 1,
    users: int = 20,
    instrument: bool = True,
) -> Profile:
    """Simulate a complete run of Chatroom and profile it.

    Arguments:
        kernel: of ``franke_2001.KERNELS``. cpus, rooms, messages, users: of the run.
        costs: instead of the fitted ones. seed: of the random streams.
        instrument: True profiles a kernel with kernprof's calls in it.

    Raises:
        SimulationError: the program failed (a bug).
    """
    used = costs or Costs()
    tables = franke_2001.tables_of(machines.load(MACHINE), cpus, used)
    workload = franke_2001.workload(kernel, rooms, used, messages=messages, users=users)
    if instrument:
        workload = instruments.profiled(workload)
    image, memory = prepare(workload, tables)
    places = [_Named(_without_profiler(place.method)) for place in image.places]
    seen = FlatProfile(places, tables, inline=INLINE, acquires=ACQUIRES)
    run = fast.run(
        image, memory, tables, seed=seed, until_ps=franke_2001.LONGEST_PS, trace=seen.add
    )
    by_path: dict[str, int] = {}
    for method, time_ps in seen.time_ps(run.end_ps).items():
        by_path[path_of(method)] = by_path.get(path_of(method), 0) + time_ps
    own_ps = by_path.pop(PROFILER, 0)
    whole = sum(by_path.values())
    sent = rooms * users * users * messages
    return Profile(
        {path: time_ps / whole for path, time_ps in by_path.items()},
        {path: seen.acquisitions.get(program, 0) / sent for path, program in CALLS.items()},
        whole,
        sent,
        own_ps,
    )


@dataclass(frozen=True)
class _Named:
    """A place by its method alone."""

    method: str


def _without_profiler(method: str) -> str:
    """The name that a program has in a kernel without the profiler."""
    struct, dot, name = method.partition(".")
    return PROFILED.get(struct, struct) + dot + name


def path_of(method: str) -> str:
    """The kernel path of a program."""
    for name in (method, method.partition(".")[0]):
        for path, programs in PATHS.items():
            if name in programs:
                return path
    return "other"
