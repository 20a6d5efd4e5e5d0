"""Run the C locks on real cores: :func:`locks`, :func:`validate`, :func:`throughput`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from locknative.errors import ExclusionError, NativeError, require, unknown
from locknative.host.placement import place
from locknative.host.provenance import Recorder
from locknative.results import Throughput, Validation
from locknative.survey import topology
from lockui import installation

if TYPE_CHECKING:
    from types import ModuleType

    from locknative._kernels import Kernel

try:
    # Imported by name: the extension lies in the package, and no module imports the whole of it.
    _kernels = import_module("locknative._kernels")

    NOT_BUILT = ""
except ImportError as reason:
    NOT_BUILT = (
        f"the C part of locknative is not built or does not load ({reason})\n"
        "help: it needs Linux, a C compiler and the Python headers; build it with "
        f"'{installation.again(build=True)}'"
    )

WORK = 40320  # 8!: divides evenly among 1 to 8 threads (Concurrency Kit's choice)
EMPTY_LOOP_S = 0.05
LONGEST_S = 3600.0


def locks() -> list[str]:
    """Return the names of the locks, as the simulator has them.

    ``validate`` and ``throughput`` also take ``"none"``, which is no lock at all.

    Raises:
        NativeError: the extension module is not built.
    """
    return [kernel.name for kernel in kernels() if kernel.kind == "lock" and kernel.name != "none"]


def kernels() -> list[Kernel]:
    """Return every kernel that was built: locks, data structures, probes and workloads.

    Raises:
        NativeError: the extension module is not built.
    """
    return list(_extension().kernels())


def validate(
    lock: str,
    threads: int = 2,
    iterations: int = 10 * WORK,
    cpus: Sequence[int] | None = None,
    patience_s: float = 60.0,
) -> Validation:
    """Let threads compete for a lock, and count violations of mutual exclusion.

    In a lock with a read side every eighth acquisition is exclusive, the others are shared.
    Waiters yield their CPU now and then, so there may be more threads than CPUs.

    Args:
        lock: a name of :func:`locks`.
        threads: how many, at least 1.
        iterations: acquisitions of all threads together, a multiple of 40320 and of ``threads``.
        cpus: one CPU a thread; ``[]``: not pinned; None: pinned core by core, or not pinned with
            too few CPUs.
        patience_s: the longest time it may take, in s, above 0 and up to 3600.

    Returns:
        The counts, when no violation was seen.

    Raises:
        ExclusionError: the lock is wrong; the exception carries the counts.
        StuckError: the threads did not finish in time.
        NativeError: an unknown lock, an impossible CPU list, uneven work, or no permission to pin.
    """
    extension = _extension()
    _has_read(lock)
    require(threads >= 1, "threads", "at least 1", threads)
    if iterations <= 0 or iterations % WORK or iterations % threads:
        even = WORK * threads
        raise NativeError(
            f"{iterations} iterations do not divide evenly among {threads} threads: take a "
            f"multiple of {WORK} and of {threads}, for example {even}"
        )
    check_time("patience", patience_s)
    if cpus is None and threads > len(allowed()):
        cpus = ()
    pinned = () if cpus is not None and len(cpus) == 0 else _choose(threads, cpus)

    recorder = Recorder(pinned, *build())
    tallies, updates = extension.run(
        lock,
        "validate",
        threads,
        pinned,
        iterations=iterations // threads,
        patience_ns=int(1e9 * patience_s) or 1,
    )
    rows = [{**tally._asdict(), "count": tally.acquisitions} for tally in tallies]
    validation = Validation.of(lock, rows, updates, recorder.finish())
    if not validation.correct:
        raise ExclusionError(validation)
    return validation


def throughput(
    lock: str,
    threads: int = 1,
    duration_s: float = 0.2,
    cpus: Sequence[int] | None = None,
    side: Literal["write", "read"] = "write",
    patience_s: float = 60.0,
) -> Throughput:
    """Count the acquire + release pairs of pinned threads in a fixed time.

    The critical section is empty. Before it, the same loop without a lock runs for at most 0.05 s
    on the same CPUs.

    Args:
        lock: a name of :func:`locks`.
        threads: how many, at least 1, at most one on each CPU.
        duration_s: the measured time in s, above 0 and up to 3600.
        cpus: one CPU a thread; None fills core by core.
        side: ``"read"`` takes the read side of a reader-writer lock.
        patience_s: how long to wait after that for threads that do not return, in s.

    Raises:
        StuckError: no thread could enter the lock any more.
        NativeError: an unknown lock, an impossible CPU list, a lock without a read side, or no
            permission to pin.
    """
    extension = _extension()
    if side not in ("write", "read"):
        raise unknown("side", side, ("write", "read"))
    if side == "read" and not _has_read(lock):
        readable = ", ".join(kernel.name for kernel in kernels() if kernel.has_read)
        raise NativeError(
            f"lock '{lock}' has no read side: leave out 'side', or take one of {readable}"
        )
    _has_read(lock)
    require(threads >= 1, "threads", "at least 1", threads)
    check_time("duration", duration_s)
    check_time("patience", patience_s)
    pinned = _choose(threads, cpus)

    empty_ns = int(1e9 * min(duration_s, EMPTY_LOOP_S)) or 1
    empty, _ = extension.run("none", "throughput", threads, pinned, duration_ns=empty_ns)
    recorder = Recorder(pinned, *build())
    tallies, _ = extension.run(
        lock,
        "throughput",
        threads,
        pinned,
        duration_ns=int(1e9 * duration_s) or 1,
        patience_ns=int(1e9 * patience_s) or 1,
        read=side == "read",
    )
    return Throughput(
        lock=lock,
        side=side,
        threads=threads,
        counts=tuple(tally.acquisitions for tally in tallies),
        wall_ns=tuple(tally.wall_ns for tally in tallies),
        cpu_ns=tuple(tally.cpu_ns for tally in tallies),
        empty_loop_ns=min(tally.wall_ns / tally.acquisitions for tally in empty),
        provenance=recorder.finish(),
    )


def extension_file() -> str:
    """Return the file of the extension module; the command ``locklab-native`` lies beside it.

    Raises:
        NativeError: the extension module is not built.
    """
    return str(_extension().__file__)


def build() -> tuple[str, str, str]:
    """Return the compiler, its flags for the timed loops, and liburcu's version ("" without it).

    Raises:
        NativeError: the extension module is not built.
    """
    extension = _extension()
    return extension.COMPILER, extension.FLAGS, extension.URCU


def allowed() -> list[int]:
    """Return the CPUs that this process may use."""
    return sorted(os.sched_getaffinity(0))


def _extension() -> ModuleType:
    if NOT_BUILT:
        raise NativeError(NOT_BUILT)
    return _kernels


def _has_read(lock: str) -> bool:
    """Return whether the lock has a read side; refuse a name that does not exist."""
    found = {kernel.name: kernel.has_read for kernel in kernels()}
    if lock not in found:
        raise unknown("lock", lock, found)
    return found[lock]


def check_time(what: str, seconds: float) -> None:
    """Refuse a time that is not above 0 and up to an hour, in s."""
    require(0 < seconds <= LONGEST_S, what, f"above 0 and up to {LONGEST_S:.0f} s", seconds)


def _choose(threads: int, cpus: Sequence[int] | None) -> tuple[int, ...]:
    """Return one CPU for each thread; an error where that is impossible."""
    return place(threads, "compact" if cpus is None else cpus, topology.read_all(), allowed())
