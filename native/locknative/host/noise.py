"""What on this machine would disturb a measurement, and what to do about it.

``locklab doctor`` shows all checks. Results carry those of :func:`marks`: a warning there is a
warning of the result. Checks read, and change nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from locknative.survey import host
from locknative.survey.host import ROOT, read
from lockui.findings import Check

#: Share of CPU time taken by a hypervisor above which timings are suspect.
STEAL_LIMIT = 0.001
#: Runnable threads, on average over a minute, above which a machine is no longer idle.
LOAD_LIMIT = 0.5
#: Clock sources that are read without a system call.
FAST_CLOCKS = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")


def examine(root: Path = ROOT, steal_s: float = 1.0) -> list[Check]:
    """Run every check; keeps a CPU busy for ``steal_s`` seconds to see whether time is stolen."""
    return [*marks(root), steal(root, steal_s), isolated(root), offline(root), perf(root)]


def marks(root: Path = ROOT) -> list[Check]:
    """Run the checks whose warnings apply to any measurement taken now."""
    return [
        virtual(root),
        governor(root),
        turbo(root),
        smt(root),
        load(root),
        numa_balancing(root),
        clock_source(root),
        pinning(),
    ]


def virtual(root: Path = ROOT) -> Check:
    """Is this a virtual machine? Its native timings include what the host does."""
    name = "virtual machine"
    found = host.virtualised(root)
    if found is None:
        return Check(name, "unknown", "this CPU does not report it")
    if not found:
        return Check(name, "ok", "no")
    maker = read(root / "sys/hypervisor/type") or read(root / "sys/class/dmi/id/sys_vendor")
    advice = "Native timings include the host's noise; measure on real hardware."
    return Check(name, "warning", f"yes ({maker or 'unnamed hypervisor'})", advice)


def governor(root: Path = ROOT) -> Check:
    """Does the kernel change the clock of the CPUs with their load?"""
    files = (root / host.CPU).glob("cpu[0-9]*/cpufreq/scaling_governor")
    found = sorted({text for file in files if (text := read(file))})
    if not found:
        return Check("governor", "unknown", "no frequency control is visible")
    if found == ["performance"]:
        return Check("governor", "ok", "performance")
    advice = "For native timings: cpupower frequency-set -g performance."
    return Check("governor", "warning", ", ".join(found), advice)


def turbo(root: Path = ROOT) -> Check:
    """May a CPU run faster while others idle? Then one thread and many have different clocks."""
    never = read(root / host.CPU / "intel_pstate/no_turbo")
    boost = read(root / host.CPU / "cpufreq/boost")
    if not never and not boost:
        return Check("turbo", "unknown", "this kernel does not report it")
    if never == "1" or boost == "0":
        return Check("turbo", "ok", "off")
    file = f"{host.CPU}/intel_pstate/no_turbo" if never else f"{host.CPU}/cpufreq/boost"
    advice = f"For native timings: echo {'1' if never else '0'} > /{file}"
    return Check("turbo", "warning", "on: the clock depends on how many CPUs are busy", advice)


def smt(root: Path = ROOT) -> Check:
    """Do hardware threads share cores?"""
    active = host.smt(root)
    if active is None:
        return Check("SMT", "unknown", "this kernel does not report it")
    if active:
        advice = "For native timings pin one thread to a core (--placement scatter)."
        return Check("SMT", "warning", "on: two or more CPUs share a core", advice)
    return Check("SMT", "ok", "off")


def load(root: Path = ROOT) -> Check:
    """Does any other program use the CPUs?"""
    fields = read(root / "proc/loadavg").split()
    others = host.runnable(root)
    if others is None:
        return Check("load", "unknown", "no /proc/loadavg here")
    found = f"{float(fields[0]):g} on average over a minute, {others} other threads now"
    if float(fields[0]) > LOAD_LIMIT:
        return Check("load", "warning", found, "Stop other programs, and wait a minute.")
    return Check("load", "ok", found)


def numa_balancing(root: Path = ROOT) -> Check:
    """Does the kernel move pages between nodes while a program runs?"""
    text = read(root / "proc/sys/kernel/numa_balancing")
    if not text:
        return Check("NUMA balancing", "ok", "this kernel has none")
    if text == "0":
        return Check("NUMA balancing", "ok", "off")
    nodes = len(list((root / "sys/devices/system/node").glob("node[0-9]*")))
    if nodes < 2:
        return Check("NUMA balancing", "ok", "on, but there is one node")
    advice = "For native timings: sysctl kernel.numa_balancing=0."
    return Check("NUMA balancing", "warning", f"on, with {nodes} nodes", advice)


def clock_source(root: Path = ROOT) -> Check:
    """Can the time be read without a system call?"""
    found = read(root / "sys/devices/system/clocksource/clocksource0/current_clocksource")
    if not found:
        return Check("clock source", "unknown", "this kernel does not report it")
    if found in FAST_CLOCKS:
        return Check("clock source", "ok", found)
    advice = "The kernel does not trust the CPU's own counter, which sampled times need."
    return Check("clock source", "warning", found, advice)


def pinning(pin: Callable[[], None] | None = None) -> Check:
    """May threads be pinned to CPUs? The check asks for the CPUs that they have already."""
    try:
        (pin or _pin_where_we_are)()
    except OSError as error:
        advice = "A container or its seccomp profile forbids sched_setaffinity: allow it, or "
        advice += "measure with --placement free."
        return Check("pinning", "warning", f"forbidden ({error.strerror})", advice)
    return Check("pinning", "ok", "allowed")


def steal(root: Path = ROOT, watch_s: float = 0.0) -> Check:
    """How much CPU time does a hypervisor give to other guests?

    Since boot, and now: over ``watch_s`` seconds of work, because an idle CPU loses no time.
    """
    before = _ticks(root)
    if before is None:
        return Check("steal", "unknown", "no /proc/stat here")
    found = f"{_stolen(before):.2%} of CPU time since boot"
    worst = _stolen(before)
    if watch_s > 0:
        _work(watch_s)
        after = _ticks(root) or before
        now = _stolen([late - early for early, late in zip(before, after, strict=True)])
        found += f", {now:.2%} now"
        worst = max(worst, now)
    if worst > STEAL_LIMIT:
        return Check("steal", "warning", found, "Native timings are disturbed by other guests.")
    return Check("steal", "ok", found)


def isolated(root: Path = ROOT) -> Check:
    """Are CPUs kept free of other threads?"""
    found = read(root / host.CPU / "isolated")
    if found:
        return Check("isolated CPUs", "ok", f"{found}: use them by --placement")
    advice = "For timings with least noise: isolcpus=… on the kernel's command line."
    return Check("isolated CPUs", "ok", "none", advice)


def offline(root: Path = ROOT) -> Check:
    """Are CPUs switched off?"""
    found = read(root / host.CPU / "offline")
    if found:
        advice = f"They are not used; to use one: echo 1 > /{host.CPU}/cpuN/online"
        return Check("offline CPUs", "ok", found, advice)
    return Check("offline CPUs", "ok", "none")


def perf(root: Path = ROOT) -> Check:
    """May hardware events be counted? Nothing here needs them; they help to explain a timing."""
    text = read(root / "proc/sys/kernel/perf_event_paranoid")
    if not text:
        return Check("perf", "unknown", "this kernel counts no events")
    if int(text) <= 2:
        return Check("perf", "ok", f"allowed for your own processes (paranoid {text})")
    advice = "To count cache misses with perf: sysctl kernel.perf_event_paranoid=2."
    return Check("perf", "unknown", f"forbidden to users (paranoid {text})", advice)


def _pin_where_we_are() -> None:
    os.sched_setaffinity(0, os.sched_getaffinity(0))


def _ticks(root: Path) -> list[int] | None:
    """Return user, nice, system, idle, iowait, irq, softirq and steal time of all CPUs."""
    first = read(root / "proc/stat").partition("\n")[0].split()
    if len(first) < 9 or first[0] != "cpu":
        return None
    # Guest time, which follows, is within user already.
    return [int(field) for field in first[1:9]]


def _stolen(ticks: list[int]) -> float:
    return ticks[7] / sum(ticks) if sum(ticks) else 0.0


def _work(seconds: float) -> None:
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        pass
