"""Drills: small problems without end, each with its answer and why it is so.

A kind and a seed make a problem. The answer is not looked up: the checker tries every order, or
the reference engine runs the program.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from locksim.play.drills.grace_period import grace_period
from locksim.play.drills.identities import identities
from locksim.play.drills.interleavings import interleavings
from locksim.play.drills.problem import Problem
from locksim.play.drills.transfers import transfers
from locksim.play.drills.tso import tso

KINDS: dict[str, Callable[[Random], Problem]] = {
    "interleavings": interleavings,
    "transfers": transfers,
    "tso": tso,
    "identities": identities,
    "grace-period": grace_period,
}


def drill(kind: str, seed: int) -> Problem:
    """The problem of a kind and a seed; the same seed gives the same problem."""
    return KINDS[kind](Random(seed))
