"""Values that neither a matrix nor lscpu tells, each with the range in which it may lie.

They are assumptions, and the profile says so. A range is wide enough to hold the machines whose
values are known: ``--sensitivity`` runs its ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from locksim.machine.quantities import Role

TENURE_SHARE = 0.3
"""Line hold time as a share of the nearest handoff. Measured: 0.28 between two cores of a Cascade
Lake virtual machine, 0.63 on an EPYC one (docs/use/calibration.md)."""
TENURE_RANGE = (0.1, 0.65)
TENURE_SPREAD = 1.0
"""With one length of hold time CPUs keep in step (docs/use/machines.md has the errors)."""
ISSUE_PERCENT = 150
"""Private work of a thread while the other thread of its core works: 1.5 to 2 times as long on a
virtual machine (docs/use/calibration.md)."""
JITTER_SHARE = 0.05
MEMORY_NS = 100.0
HANDOFF_NS = {"core": 8.0, "node": 50.0, "cache": 100.0, "socket": 140.0}
"""Ping-pongs of current servers for a class of which nothing is known."""
FARTHER = 1.5
"""The same for a class without a name of its own: this much longer than the nearer one."""


@dataclass(frozen=True)
class Value:
    """One value of the profile: in ns, with the range in which it may lie.

    Arguments:
        trials: readings that it rests on, None where it rests on none.
        spread: by which share each single one differs; None: as other values of its name do.
    """

    ns: float
    low: float
    high: float
    source: str
    role: Role = "assumed"
    trials: int | None = None
    spread: float | None = None

    def table(self) -> dict[str, Any]:
        """Return it as a table of a profile."""
        found: dict[str, Any] = {
            "value": _short(self.ns),
            "unit": "ns",
            "source": self.source,
            "role": self.role,
        }
        if self.low < self.high:
            low, high = _short(self.low), _short(self.high)
            found |= {"low": min(low, found["value"]), "high": max(high, found["value"])}
        more = {} if self.trials is None else {"trials": self.trials}
        return found | more | ({"spread": self.spread} if self.spread else {})


def plain(architecture: str, clock_ghz: float | None) -> dict[str, Value]:
    """Return the costs of one CPU by itself, and of what the kernel does.

    Arguments:
        architecture: as lscpu says it. clock_ghz: for the costs in cycles; 3 GHz if it is None.
    """
    cycle = 1 / (clock_ghz or 3.0)
    x86 = not architecture.startswith(("aarch64", "arm", "ppc", "riscv", "s390"))
    pause, shortest, longest = (40, 4, 140) if x86 else (2, 1, 40)
    how = (
        "PAUSE takes 4 to 10 cycles before Skylake, 140 since, some 40 on Zen"
        if x86
        else "a hint that costs a few cycles (yield, or 27), or an instruction barrier"
    )
    return {
        "l1_hit": Value(4 * cycle, 3 * cycle, 5 * cycle, "four cycles, 3 to 5 on current cores"),
        "store": Value(cycle, cycle / 2, 2 * cycle, "one store a cycle into the store buffer"),
        "rmw": Value(6.0, 3.0, 15.0, "an atomic instruction on an owned line, some 20 cycles"),
        "fence": Value(6.0, 1.0, 25.0, "as an atomic instruction on an owned line"),
        "pause": Value(pause * cycle, shortest * cycle, longest * cycle, how),
        "invalidate_each": Value(0.3, 0.0, 2.0, "what a further sharer adds to an invalidation"),
        "occupancy.shared_read": Value(
            10.0, 2.0, 30.0, "what a read of a clean line takes of its home agent"
        ),
        "alloc": Value(20.0, 10.0, 60.0, "a thread-cached allocator's fast path"),
        "free": Value(15.0, 8.0, 60.0, "a thread-cached allocator's fast path"),
        "context_switch": Value(1500.0, 1000.0, 3000.0, "one to three microseconds on servers"),
        "wake": Value(1500.0, 500.0, 4000.0, "an interrupt to the other CPU and its answer"),
    }


def of_handoff(near_ns: float, core_ns: float | None) -> dict[str, Value]:
    """Return line hold times and jitter.

    Arguments:
        near_ns: the ping-pong between near cores.
        core_ns: between two threads of a core; None where a core has one.
    """
    found = {
        "tenure": _hold_time(near_ns, "near cores"),
        "jitter": Value(
            JITTER_SHARE * near_ns,
            0.0,
            0.2 * near_ns,
            f"{JITTER_SHARE:.0%} of the ping-pong between near cores, so that waiters do not fall "
            "into step",
        ),
    }
    if core_ns is not None:
        found["tenure_class.core"] = _hold_time(core_ns, "two threads of a core")
    return found


def _hold_time(ping_pong_ns: float, between: str) -> Value:
    low, high = (share * ping_pong_ns for share in TENURE_RANGE)
    return Value(
        TENURE_SHARE * ping_pong_ns,
        low,
        high,
        f"{TENURE_SHARE:.0%} of the ping-pong between {between}: it is not published; "
        "28 % and 63 % were measured between cores of two other machines",
        spread=TENURE_SPREAD,
    )


def of_transfers(transfers: Mapping[str, Value]) -> dict[str, Value]:
    """Return invalidations and memory, from the transfers by class (``core`` first, if there)."""
    found = {
        f"invalidate.{name}": Value(
            t.ns, 0.5 * t.ns, 2.5 * t.ns, "request and acknowledgement travel the way of a transfer"
        )
        for name, t in transfers.items()
    }
    near = transfers["node"].ns
    for name, t in transfers.items():
        if name != "core":
            beyond = t.ns - near
            found[f"memory.{name}"] = Value(
                MEMORY_NS + beyond,
                60.0 + beyond,
                160.0 + beyond,
                "local memory of a server"
                if name == "node"
                else "memory.node, and what the distance adds to a transfer",
            )
    return found


def _short(ns: float) -> float:
    return float(f"{ns:.4g}")
