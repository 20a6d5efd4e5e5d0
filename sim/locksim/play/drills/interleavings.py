"""Every value that a word can have when two threads have finished."""

from __future__ import annotations

from random import Random

from locksim.checker.check import outcomes
from locksim.play.drills.problem import Problem, beside
from locksim.play.drills.programs import way_to, workload


def interleavings(drawn: Random) -> Problem:
    """Two threads that change one word, in one step or in two."""
    start = drawn.randrange(3)
    programs, shown = [], []
    for _ in range(2):
        lines, words = [], []
        for _ in range(drawn.choice((1, 2, 2))):
            amount = drawn.randrange(1, 4)
            kind = drawn.choice(("split", "split", "atomic", "store"))
            if kind == "split":
                lines += ["a = yield self.x.load()", f"yield self.x.store(a + {amount})"]
                words += ["a = load x", f"store x, a + {amount}"]
            elif kind == "atomic":
                lines += [f"yield self.x.fetch_add({amount})"]
                words += [f"fetch_add x, {amount}"]
            else:
                lines += [f"yield self.x.store({amount * 10})"]
                words += [f"store x, {amount * 10}"]
        programs.append(lines)
        shown.append(words)
    made = workload({"x": f"word({start})"}, programs)
    values = sorted(outcomes(made, threads=2, observe=("x",)))
    why = [f"  x = {value}: {way_to(made, f'x == {value}', 'sc')}" for (value,) in values]
    return Problem(
        f"x is {start} at first. Each line is one step, and a belongs to its thread.\n\n"
        f"{beside(shown)}\n\nWhich values can x have when both have finished?",
        "all values, such as 3 5",
        frozenset((float(value),) for (value,) in values),
        "One order for each value; a number is the thread that takes the next step.\n"
        + "\n".join(why),
    )
