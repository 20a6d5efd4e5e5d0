"""Proven: the checker has explored every interleaving of a few threads.

It begins with fresh memory; where the lab says so, once more with memory that many CPUs have used
(:mod:`lockgrader.checks.used`). The finding holds the operations of the submission that the proof
reached, for the measurements that follow (:mod:`lockgrader.checks.ran`).
"""

from __future__ import annotations

from dataclasses import replace

from lockgrader.checks.ran import operations
from lockgrader.checks.submitted import Submitted
from lockgrader.checks.unfinished import unfinished
from lockgrader.checks.used import after_use
from lockgrader.checks.waits import wrong_wait
from lockgrader.finding import Finding
from lockgrader.lab import Proven
from locksim.checker import check_lock
from locksim.checker.replay.render import table
from locksim.checker.verdict import Budget, Verdict
from locksim.lang.struct import Struct

__all__ = ["proven"]

MAX_MEMORY = 2 << 30
FOREVER_S = 1e6
"""No limit in time: a check's budget is a number of states, whatever the load of the machine."""


def proven(check: Proven, submitted: Submitted, lock: type[Struct]) -> Finding:
    """Prove a lock, or show a shortest counterexample."""
    budget = Budget(max_states=check.states, max_seconds=FOREVER_S, max_bytes=MAX_MEMORY)
    verdict = check_lock(
        lock,
        threads=check.threads,
        rounds=check.rounds,
        memory=check.memory,
        property=check.property,
        budget=budget,
        name=check.lock,
        client=check.client,
    )
    finding = _judged(check, verdict)
    code = submitted.codes[check.lock]
    reached = operations(verdict.ran, code.file)
    if finding.verdict == "pass" and check.used is not None:
        wrong, reached = after_use(check, check.used, code, budget, reached)
        finding = wrong or finding
    if finding.verdict == "pass" and check.waits is not None:
        says, tag = wrong_wait(check.lock, lock(), check.waits)
        finding = Finding("fail", 0.0, says, tag=tag) if says else finding
    return replace(finding, reached=reached)


def _judged(check: Proven, verdict: Verdict) -> Finding:
    """The finding of a verdict on a lock with fresh memory."""
    rounds = "1 round" if check.rounds == 1 else f"{check.rounds} rounds"
    asked = f"{check.threads} threads, {rounds}, {check.memory.upper()}"
    if verdict.verdict == "proven":
        most = verdict.bypass
        if check.bypass is not None and most is not None and most > check.bypass:
            says = f"while a thread waits, others can acquire the lock {most} times"
            return Finding("fail", 0.0, f"{says}; at most {check.bypass} is right", tag="bypass")
        states = f"{verdict.states:,} states, every interleaving"
        return Finding("pass", 1.0, f"proven for {asked}: {states}")
    if verdict.verdict == "unfinished":
        return unfinished(verdict, asked)
    example = verdict.counterexample
    shown = f"{verdict.found} is violated with {asked}"
    if example is not None:
        if example.memory != check.memory:
            shown += f" (and {example.found} already with {example.memory.upper()}, shown here)"
        shown = f"{shown}: {example.message}\n{table(example)}"
    if example is None:
        return Finding("fail", 0.0, shown, tag=verdict.found)
    # The belief is about what is shown: with a stronger memory another property may fail.
    return Finding("fail", 0.0, shown, tag=example.found, counterexample=example.to_json())
