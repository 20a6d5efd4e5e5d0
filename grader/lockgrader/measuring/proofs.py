"""Budgets of proofs, and the finding of a proof that ended before it could decide."""

from __future__ import annotations

from lockgrader.finding import Finding, undecided
from locksim.checker.verdict import Budget, Verdict

__all__ = ["budget", "unfinished"]

MAX_MEMORY = 2 << 30
FOREVER_S = 1e6
"""No limit in time: a check's budget is a number of states, whatever the load of the machine."""

_OURS = {"states", "memory", "time"}
"""The budgets of the grader. The other reasons lie in the program, and a larger budget changes
nothing: it allocates without end, or a word of it grows without bound."""
_HELP = (
    "\nhelp: fewer words, or smaller values in them, make the proof smaller; an instructor can "
    "give it more 'states' in lab.toml, or decide by hand"
)


def budget(states: int) -> Budget:
    """The budget of one proof, in states; memory is a guard."""
    return Budget(max_states=states, max_seconds=FOREVER_S, max_bytes=MAX_MEMORY)


def unfinished(verdict: Verdict, asked: str = "") -> Finding:
    """The finding of an unfinished verdict: not decided where a budget of the grader ended it.

    It earns nothing and opens no other check, so it never pays to make a proof large.

    Arguments:
        verdict: of the checker. asked: of what, for the message.
    """
    why = "; ".join(verdict.limits)
    if verdict.stopped in _OURS:
        return undecided(asked or "the proof", why + _HELP)
    return Finding("fail", 0.0, f"{asked}: {why}" if asked else why, tag="unfinished")
