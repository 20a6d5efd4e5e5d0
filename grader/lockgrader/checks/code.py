"""Properties of the code itself: its instructions, its waiting loops, its size."""

from __future__ import annotations

from lockgrader.checks.submitted import Submitted
from lockgrader.finding import Finding
from lockgrader.lab import Code
from locksim.compiler.spin import spin_loops
from locksim.lang.layout import Space
from locksim.lang.struct import Struct

__all__ = ["code"]

WORDS_PER_LINE = 8


def code(check: Code, submitted: Submitted, lock: type[Struct]) -> Finding:
    """Check a class's bytecode."""
    methods = submitted.codes[check.lock].methods
    used = {i.op for m in methods.values() for i in m.instrs}
    for op in check.must:
        if op not in used:
            return Finding("fail", 0.0, f"{check.lock} has no {op}", tag="missing")
    for op in check.must_not:
        if op in used:
            return Finding("fail", 0.0, f"{check.lock} uses {op}", tag="forbidden")
    for name in check.waits_by_reading:
        if name not in methods:
            return Finding("fail", 0.0, f"{check.lock} has no method {name}()", tag="missing")
        if not spin_loops(methods[name]):
            message = f"{check.lock}.{name}() has no loop that waits by reading only"
            return Finding("fail", 0.0, message, tag="spins-by-writing")
    size = Space(WORDS_PER_LINE, 1).layout(lock()).size
    if check.max_words is not None and size > check.max_words:
        message = f"{check.lock} takes {size} words; at most {check.max_words} are allowed"
        return Finding("fail", 0.0, message, tag="too-big")
    return Finding("pass", 1.0, "the code has the required properties")
