"""Validation: threads compete for a lock, and violations of mutual exclusion are counted.

It looks for evidence and cannot prove a lock; on x86 it rarely shows a missing memory order. The
simulator's checker and the explorer do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from locknative.compilation import executable
from locknative.compilation.emitted import CompiledLock, compile_locks, is_emitted
from locknative.errors import NativeError, StuckError, require, unknown
from locknative.host.placement import allowed, place
from locknative.survey import process, topology
from locknative.survey.cells import Cell

__all__ = ["ExclusionError", "Validation", "validate"]

ACQUISITIONS = 200_000
"""Of all threads together: some hundredths of a second."""


@dataclass(frozen=True)
class Validation:
    """A search for two threads inside one lock. To find none is evidence, not a proof.

    ``counts`` holds each thread's acquisitions, ``writes`` the exclusive ones among them.
    Violations are ``lost_updates`` (of a counter that the lock guards), ``overlaps`` (times that a
    thread met another inside) and ``torn`` (times that it saw half an update).
    """

    lock: str
    counts: tuple[int, ...]
    writes: tuple[int, ...]
    lost_updates: int
    overlaps: int
    torn: int

    @classmethod
    def of(cls, lock: str, trial: Mapping[str, Any]) -> Validation:
        """Return the validation that a trial of the loop ``validate`` made."""
        tallies = trial["tallies"]
        writes = tuple(tally["writes"] for tally in tallies)
        return cls(
            lock=lock,
            counts=tuple(tally["count"] for tally in tallies),
            writes=writes,
            lost_updates=sum(writes) - trial["updates"],
            overlaps=sum(tally["overlaps"] for tally in tallies),
            torn=sum(tally["torn"] for tally in tallies),
        )

    @property
    def correct(self) -> bool:
        """Whether no violation was seen."""
        return self.lost_updates == self.overlaps == self.torn == 0


class ExclusionError(NativeError):
    """A lock violated mutual exclusion. ``validation`` holds the counts; ``exit_code`` is 1."""

    exit_code = 1

    def __init__(self, validation: Validation) -> None:
        self.validation = validation
        super().__init__(
            f"lock '{validation.lock}' violates mutual exclusion: in {sum(validation.counts)} "
            f"acquisitions by {len(validation.counts)} threads, {validation.lost_updates} updates "
            f"were lost, {validation.overlaps} times another thread was inside, {validation.torn} "
            "times half an update was seen. help: compare its memory orders and its waiting "
            "condition with the invariants in its header"
        )


def validate(
    lock: str | CompiledLock,
    threads: int = 2,
    acquisitions: int = ACQUISITIONS,
    placement: str | Sequence[int] = "free",
    patience_s: float = process.PATIENCE_S,
) -> Validation:
    """Let threads compete for a lock in a process, and count violations of mutual exclusion.

    In a lock with a read side every eighth acquisition is exclusive, the others are shared.
    Waiters yield their CPU now and then, so there may be more threads than CPUs.

    Args:
        lock: a lock or a structure of :func:`locknative.kernels`; ``none``, which is no lock at
            all; a lock in the language, as ``FILE.py:CLASS`` or ``emitted:NAME`` or compiled.
        threads: how many, at least 1.
        acquisitions: of all threads together, at least one each.
        placement: see :func:`locknative.host.placement.place`.
        patience_s: the longest time it may take, in s, above 0 and up to 3600.

    Returns:
        The counts, when no violation was seen.

    Raises:
        ExclusionError: the lock is wrong; the exception carries the counts.
        StuckError: the threads did not finish in time.
        NativeError: an unknown lock, an impossible placement, no permission to pin, or the lock
            stopped at an assertion or crashed.
    """
    require(threads >= 1, "threads", "at least 1", threads)
    require(acquisitions >= threads, "acquisitions", "at least one for each thread", acquisitions)
    require(0 < patience_s <= 3600, "patience", "above 0 and up to 3600 s", patience_s)
    if isinstance(lock, str) and is_emitted(lock):
        lock = compile_locks([lock], threads)[lock]
    if isinstance(lock, CompiledLock):
        name, program, kernel = lock.name, lock.program, lock.kernel
    else:
        known = {one.name for one in executable.kernels() if "validate" in one.loops}
        if lock not in known:
            raise unknown("lock", lock, known)
        name, program, kernel = lock, executable.path(), lock
    cpus = place(threads, placement, topology.read_all(), allowed())
    try:
        trial = process.run_trial(
            program,
            Cell(kernel, cpus, "validate"),
            threads=threads,
            iterations=acquisitions // threads,
            patience_s=patience_s,
        )
    except StuckError:
        raise StuckError(name, threads, patience_s) from None
    except NativeError as error:
        raise NativeError(f"the validation of '{name}' failed: {error}") from error
    validation = Validation.of(name, trial)
    if not validation.correct:
        raise ExclusionError(validation)
    return validation
