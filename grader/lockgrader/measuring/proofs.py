"""Budgets of proofs, and the messages of those that fail or end before they could decide."""

from __future__ import annotations

from lockgrader.finding import Finding, undecided
from locksim.checker.replay.counterexample import Counterexample
from locksim.checker.replay.render import WIDTH, way, wrapped
from locksim.checker.verdict import Budget, Verdict

__all__ = ["budget", "limits_of", "unfinished", "violated"]

MAX_MEMORY = 2 << 30
INDENT = 2
"""Characters by which a terminal indents a message."""
FOREVER_S = 1e6
"""No limit in time: a check's budget is a number of states, whatever the load of the machine."""

_OURS = {"states", "memory", "time"}
"""The budgets of the grader. The other reasons lie in the program, and a larger budget changes
nothing: it allocates without end, or a word of it grows without bound."""
_HELP = (
    "\nhelp: if a word had many different values, look for a thread that adds to it again and "
    "again, and never takes that back; fewer words, or smaller values in them, make the proof "
    "smaller; an instructor can give it more 'states' in lab.toml, or decide by hand"
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


def limits_of(verdict: Verdict) -> str:
    """The limits of a proof, to follow what it has found; "" without any."""
    return "".join(f"\n{each}" for each in verdict.limits)


def violated(what: str, example: Counterexample, note: str = "") -> str:
    """The message about a counterexample: a line for lists, then calls and steps that fit.

    Arguments:
        what: is wrong, in words. example: shows it. note: a sentence before the calls, or "".
    """
    first, *others = f"{what}: {example.message}\n{note}".rstrip().splitlines()
    rest = "\n".join(wrapped(line, WIDTH - INDENT) for line in others)
    return "\n".join(part for part in (first, rest, way(example, WIDTH - INDENT)) if part)
