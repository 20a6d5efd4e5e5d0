"""What a proof does not cover, as a part of the verdict: one table, for checker and explorer.

A limit is said only where it can matter for the program at hand: it is made from what the program
does (:mod:`locksim.checker.search.reordering`, :mod:`locksim.checker.search.reuse`, and what the
exploration has noted). A proof with a limit is a proof still, and the verdict says both.
"""

from __future__ import annotations

from collections.abc import Iterable

PROVEN, WITHIN_LIMITS = "proven", "proven within limits"
VIOLATED, UNFINISHED = "violated", "unfinished"
PROOFS = (PROVEN, WITHIN_LIMITS)

EXIT_CODES = {PROVEN: 0, WITHIN_LIMITS: 0, VIOLATED: 1, UNFINISHED: 3}
STRICT_EXIT_CODE = 4
"""Of a proof within limits, where a proof without any is asked for."""

LIMITS = {
    "buffers": "store buffers of {entries} entries were full at times: the proof does not cover "
    "larger ones",
    "history": "words had more than {values} overtaken values that a thread could still read: the "
    "proof does not cover reading older ones",
    "reuse": "an object was allocated while a pointer to a freed one could still be used: the "
    "proof does not cover allocators that reuse memory in another order",
    "load-buffering": "the RELAXED store at {store} never took effect before the RELAXED load at "
    "{load}: the proof does not cover machines that do this (load buffering)",
    "seq-cst": "accesses of {word} that do not synchronise order the SEQ_CST operations at {first} "
    "and {second} here, but not in C11: the proof does not cover their other order",
    "allocation": "malloc() never failed: the proof does not cover what the program does then",
    "spurious": "no weak compare-exchange failed and no wait ended for no reason: the proof does "
    "not cover what the program does then",
    "wake-ups": "each thread woke up for no reason at most once: the proof does not cover more",
    "library": "not modelled, so not explored: {functions}",
}
"""Name → sentence; the words in braces are what :func:`limit` fills in."""


def limit(name: str, **values: object) -> str:
    """The sentence of a limit.

    Arguments:
        name: one of LIMITS. values: what stands for the words in braces.

    Raises:
        KeyError: there is no such limit, or a value is missing.
    """
    return LIMITS[name].format(**values)


def proven(limits: Iterable[str]) -> str:
    """The verdict on what is proven, with these limits or without any."""
    return WITHIN_LIMITS if any(True for _ in limits) else PROVEN


def is_proof(verdict: str) -> bool:
    """Whether a verdict is a proof, within limits or without any."""
    return verdict in PROOFS


def exit_code(verdicts: Iterable[str], *, strict: bool = False) -> int:
    """The exit code of a command with some verdicts: that of the worst.

    Arguments:
        verdicts: each one of EXIT_CODES, at least one.
        strict: whether a proof within limits is not enough.
    """
    found = {*verdicts}
    worst = next(each for each in (VIOLATED, UNFINISHED, WITHIN_LIMITS, PROVEN) if each in found)
    return STRICT_EXIT_CODE if strict and worst == WITHIN_LIMITS else EXIT_CODES[worst]
