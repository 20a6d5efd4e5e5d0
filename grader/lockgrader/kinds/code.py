"""Properties of the code itself: its instructions, its waiting loops, its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from lockgrader.check import Check, Part
from lockgrader.finding import Finding
from lockgrader.lab.closed import Text
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Code"]

WORDS_PER_LINE = 8


class Code(Check):
    """What a class's bytecode must and must not contain.

    Arguments:
        must, must_not: instructions, such as FETCH_ADD.
        waits_by_reading: methods that must have a waiting loop that only reads.
        max_words: words of the lock on a machine with one CPU. Padding is not a word.
        max_lines: cache lines that it takes there, with its padding.
    """

    part: ClassVar[Part] = "locks"
    kind: Literal["code"]
    lock: Text
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    waits_by_reading: tuple[str, ...] = ()
    max_words: Annotated[int, Field(ge=1)] | None = None
    max_lines: Annotated[int, Field(ge=1)] | None = None

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Check a class's bytecode."""
        from locksim.compiler.spin import spin_loops
        from locksim.lang.layout import Space

        lock = submitted.lock(self.lock)
        methods = submitted.codes[self.lock].methods
        used = {i.op for m in methods.values() for i in m.instrs}
        for op in self.must:
            if op not in used:
                return Finding("fail", 0.0, f"{self.lock} has no {op}", tag="missing")
        for op in self.must_not:
            if op in used:
                return Finding("fail", 0.0, f"{self.lock} uses {op}", tag="forbidden")
        for name in self.waits_by_reading:
            if name not in methods:
                return Finding("fail", 0.0, f"{self.lock} has no method {name}()", tag="missing")
            if not spin_loops(methods[name]):
                message = f"{self.lock}.{name}() has no loop that waits by reading only"
                return Finding("fail", 0.0, message, tag="spins-by-writing")
        # On lines of one word nothing is padded.
        for unit, length, most in (
            ("words", 1, self.max_words),
            ("cache lines", WORDS_PER_LINE, self.max_lines),
        ):
            size = -(-Space(length, 1).layout(lock()).size // length)
            if most is not None and size > most:
                message = f"{self.lock} takes {size} {unit}; at most {most} are allowed"
                return Finding("fail", 0.0, message, tag="too-big")
        return Finding("pass", 1.0, "the code has the required properties")
