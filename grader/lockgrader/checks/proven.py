"""Proven: the checker has seen every interleaving of a few threads."""

from __future__ import annotations

from lockgrader.checks.base import Finding, Submitted
from lockgrader.lab import Proven
from locksim.checker import check_lock
from locksim.checker.replay.render import table
from locksim.checker.verdict import Budget
from locksim.lang.struct import Struct

__all__ = ["proven"]

MAX_MEMORY = 1 << 30
FOREVER_S = 1e6
"""The budget of a check is its states, which no load of the machine changes."""


def proven(check: Proven, submitted: Submitted, lock: type[Struct]) -> Finding:
    """Prove a lock, or show the shortest way to break it."""
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
    rounds = "1 round" if check.rounds == 1 else f"{check.rounds} rounds"
    asked = f"{check.threads} threads, {rounds}, {check.memory.upper()}"
    if verdict.verdict == "proven":
        states = f"{verdict.states:,} states, every interleaving"
        return Finding("pass", 1.0, f"proven for {asked}: {states}")
    if verdict.verdict == "unfinished":
        return Finding("fail", 0.0, "; ".join(verdict.limits), tag="unfinished")
    told = verdict.counterexample
    shown = f"{verdict.found} is violated with {asked}"
    if told is not None:
        shown = f"{shown}: {told.message}\n{table(told)}"
    return Finding(
        "fail", 0.0, shown, tag=verdict.found, counterexample=told.to_json() if told else None
    )
