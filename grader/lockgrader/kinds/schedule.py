"""Find a bug: the answer is a schedule, the threads in the order in which they take their steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.lab import LabError
from lockgrader.lab.closed import Text
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted
    from locksim.checker.play.walk import Walk

__all__ = ["Schedule"]

MOST_STEPS = 200


class Schedule(Check):
    """A schedule that breaks a lock of the lab's.

    The student plays the scheduler (``locklab play schedule``) and writes down which thread takes
    each step: ``"race": [0, 1, 0, 1]``. Each number is a thread; its step is its next operation.

    Arguments:
        answer: name of the list of threads. text: the broken lock, in the language. lock: its
            class. threads, rounds: of the test client. client: which one; by default the first.
        found: the properties of which one must be violated, such as ``["exclusion"]``; empty for
            any. longest: steps of the longest schedule that earns all; a longer one earns half.
    """

    kind: Literal["schedule"]
    answer: Text
    text: Text
    lock: Text
    client: str = ""
    threads: Annotated[int, Field(ge=2, le=4)] = 2
    rounds: Annotated[int, Field(ge=1, le=4)] = 1
    found: tuple[str, ...] = ()
    longest: Annotated[int, Field(ge=1, le=MOST_STEPS)] = MOST_STEPS

    @property
    def asks(self) -> tuple[str, ...]:
        """The schedule."""
        return (self.answer,)

    @property
    def engines(self) -> bool:
        """The checker takes the steps."""
        return True

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Take the steps, and see what goes wrong."""
        given = submitted.numbers(self.answer)
        if len(given) > MOST_STEPS or any(n != int(n) or not 0 <= n < self.threads for n in given):
            wanted = f"at most {MOST_STEPS} threads, each 0 to {self.threads - 1}"
            return Finding("malformed_output", 0.0, f"'{self.answer}' must be a list of {wanted}")
        walk = self._walk()
        state, last = walk.start, None
        for number, thread in enumerate(map(int, given), start=1):
            last = walk.move(state, thread, 0)
            if last is None:
                message = f"step {number}: thread {thread} cannot take a step there"
                return Finding("fail", 0.0, message, tag="impossible")
            if last.to is None:
                return self._broken(last.found, last.message, number, len(given))
            state = last.to
        kind, message = walk.ended(state, walk.moves(state))
        if kind:
            return self._broken(kind, message, len(given), len(given))
        message = f"nothing is wrong after {len(given)} steps: go on, or try another order"
        return Finding("fail", 0.0, message, tag="no-bug")

    def right(self, solution: Submitted) -> Mapping[str, float | list[float]]:
        """A shortest schedule, by the checker.

        Raises:
            LabError: the lab's lock has no such bug.
        """
        from locksim.checker import check_lock
        from locksim.compiler import compile_source

        verdict = check_lock(
            compile_source(self.text, f"<{self.name}>")[self.lock].struct,
            threads=self.threads,
            rounds=self.rounds,
            client=self.client,
        )
        if verdict.counterexample is None:
            raise LabError(f"{self.name}: the checker finds no bug in {self.lock}")
        return {self.answer: [float(s.thread) for s in verdict.counterexample.steps]}

    def _walk(self) -> Walk:
        from locksim.compiler import compile_source
        from locksim.kinds.checking import walk_of_lock

        struct = compile_source(self.text, f"<{self.name}>")[self.lock].struct
        return walk_of_lock(
            struct,
            threads=self.threads,
            rounds=self.rounds,
            memory="sc",
            client=self.client,
            name=self.lock,
        )

    def _broken(self, found: str, message: str, steps: int, given: int) -> Finding:
        shown = f"{found} after {steps} steps: {message}"
        if self.found and found not in self.found:
            wanted = " or ".join(self.found)
            return Finding("fail", 0.0, f"{shown}; the lab asks for {wanted}", tag="another-bug")
        if steps > self.longest:
            shown = f"{shown}; there is a schedule of {self.longest} steps"
            return Finding("partial", 0.5, shown, tag="too-long")
        return Finding("pass", 1.0, shown)
