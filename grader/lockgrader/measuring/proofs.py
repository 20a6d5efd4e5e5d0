"""A proof that ended before it could decide."""

from __future__ import annotations

from lockgrader.finding import Finding, undecided
from locksim.checker.verdict import Verdict

__all__ = ["unfinished"]

_OURS = {"states", "memory", "time"}
"""The budgets of the grader. The other reasons lie in the program, and a larger budget changes
nothing: it allocates without end, or a word of it grows without bound."""
_HELP = (
    "\nhelp: fewer words, or smaller values in them, make the proof smaller; an instructor can "
    "give it more 'states' in lab.toml, or decide by hand"
)


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
