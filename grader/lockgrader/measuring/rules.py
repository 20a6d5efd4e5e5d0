"""When a run of a submission's classes counts: the rules of everything that is measured.

A lock that violates mutual exclusion is fast, and so is one that lets a single CPU in. So each run
is itself checked, and earns nothing, however good its numbers are, if

- mutual exclusion was violated, or a decision of a cache has a wrong seal
  (:mod:`locksim.library.avc.avc_of`);
- a cache forgets what it should know (``hits``), or gives a decision that had been replaced
  (:mod:`lockgrader.measuring.decisions`);
- some CPU did less than its share (``progress``), also in a longer run;
- an operation ran that no proof of the lab has reached (:mod:`lockgrader.measuring.ran`).

Where every transfer takes equally long, CPUs go in step, and one of them can lose each race for a
lock that is right and as fair as test-and-set is. No student can change that. So a CPU that did
less than its share gets a second run, which is long, and in which transfers vary. A lock that keeps
a CPU out by design does so there too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lockgrader.finding import Finding, Settled, fault
from lockgrader.measuring.decisions import Notes, hits, stale
from lockgrader.measuring.ran import operations, unproven
from lockgrader.submitted import Submitted
from locksim.compiler.bytecode import Place
from locksim.core.result import DeadlockError, SimulationError

HITS = 0.75
"""Lookups that find what a cache has to know, at least, as a share; a lab can ask for others."""


@dataclass(frozen=True)
class Seen:
    """What a run shows, besides its numbers.

    Arguments:
        where: the CPUs and the machine, in words. violations: class → of mutual exclusion.
        ran: the operations that ran. notes: of a decision cache. cache: its class.
        done: units of work of each CPU; empty where CPUs do not work alike.
        longer: gives the same of a longer run whose transfers vary, in words and numbers.
        uncalled: methods that the run calls and no client of a proof does, as ``Class.method``.
    """

    where: str
    violations: Mapping[str, int] = field(default_factory=dict)
    ran: Collection[Place] = ()
    notes: Notes | None = None
    cache: str = ""
    done: Sequence[int] = ()
    longer: Callable[[], tuple[str, Sequence[int]]] | None = None
    uncalled: Collection[str] = ()


@contextmanager
def own_run(name: str) -> Iterator[None]:
    """A run of a class of the submission, whose faults are that class's.

    Raises:
        Settled: the run ended with a fault. A deadlock may be slowness, and shows nothing wrong.
    """
    try:
        yield
    except SimulationError as error:
        wrong = "" if isinstance(error, DeadlockError) else name
        raise Settled(fault(error, violation=wrong)) from error


def check_run(
    seen: Seen,
    names: Collection[str],
    submitted: Submitted,
    *,
    progress: float = 0.0,
    least_hits: float = HITS,
) -> None:
    """Apply all rules to a run.

    Arguments:
        seen: of the run. names: the classes of the submission in it.
        progress: units of work of the slowest CPU over the mean, at least.
        least_hits: lookups that find what the cache has to know, at least, as a share.

    Raises:
        Settled: the run does not count.
    """
    _check_exclusion(seen)
    _check_decisions(seen, least_hits)
    _check_progress(seen, progress)
    _check_proofs(seen, names, submitted)


def _check_exclusion(seen: Seen) -> None:
    for name, times in seen.violations.items():
        if times:
            says = (
                f"{seen.where} mutual exclusion was violated {times} times: "
                "the measurements of a broken lock do not count"
            )
            raise Settled(Finding("fail", message=says, tag="exclusion", violation=name))


def _check_decisions(seen: Seen, least: float) -> None:
    must = hit = 0
    for calls in seen.notes.calls() if seen.notes is not None else ():
        found = stale(calls)
        if found is not None:
            call, newer = found
            says = (
                f"{seen.where} lookup({call.key}) at {call.begin / 1e3:,.0f} "
                f"ns found a decision that had been replaced by {newer.end / 1e3:,.0f} ns: the "
                "measurements of a cache that is not up to date do not count"
            )
            raise Settled(Finding("fail", message=says, tag="stale", violation=seen.cache))
        asked, answered = hits(calls)
        must, hit = must + asked, hit + answered
    if hit < least * must:
        says = (
            f"{seen.where} {hit} of {must} lookups found a decision that the "
            "cache had to know: the measurements of a cache that forgets do not count"
        )
        raise Settled(Finding("fail", message=says, tag="forgets"))


def _check_progress(seen: Seen, progress: float) -> None:
    if not seen.done:
        return
    where, slow = seen.where, _slow(seen.done, progress)
    if slow and seen.longer is not None:
        where, done = seen.longer()
        slow = _slow(done, progress)
    if slow:
        says = f"{where} {slow}: the measurements of a lock that keeps a CPU out do not count"
        raise Settled(Finding("fail", message=says, tag="progress"))


def _slow(done: Sequence[int], progress: float) -> str:
    """The CPU that did less than its share, in words; "" if none did."""
    slowest, mean = min(done), sum(done) / len(done)
    if slowest >= progress * mean:
        return ""
    return f"CPU {done.index(slowest)} did {slowest:,} units of work, and the mean is {mean:,.0f}"


def _check_proofs(seen: Seen, names: Collection[str], submitted: Submitted) -> None:
    """What ran must have been proven, where the lab proves each of the classes."""
    if not all(name in submitted.proven for name in names):
        return
    proven = frozenset().union(*(submitted.proven[name] for name in names))
    for file in {submitted.codes[name].file for name in names}:
        ran = {one for one in operations(seen.ran, file) if one[0] not in seen.uncalled}
        says = unproven(frozenset(ran), proven)
        if says:
            raise Settled(Finding("fail", message=says, tag="unproven"))
