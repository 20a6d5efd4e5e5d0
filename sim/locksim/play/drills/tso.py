"""What store buffers add to the results that sequential consistency allows."""

from __future__ import annotations

from random import Random

from locksim.checker.check import outcomes
from locksim.play.drills.problem import Problem, beside
from locksim.play.drills.programs import way_to, workload

_WORDS = {"x": "word()", "y": "word()", "saw": "array(2)"}


def tso(drawn: Random) -> Problem:
    """Two threads that each write and look, some with a fence between."""
    names = drawn.choice((("x", "y"), ("x", "y"), ("y", "x"), ("x", "x")))
    programs, shown = [], []
    for me in range(2):
        mine, other = names[me], names[1 - me] if names[0] != names[1] else "y"
        steps = [
            (f"yield self.{mine}.store(1, RELAXED)", f"store {mine}, 1"),
            (f"a = yield self.{other}.load(RELAXED)", f"a = load {other}"),
        ]
        kind = drawn.choice(("plain", "plain", "plain", "fence", "look first"))
        if kind == "fence":
            steps.insert(1, ("yield fence()", "fence"))
        if kind == "look first":
            steps.reverse()
        programs.append([line for line, _ in steps] + [f"yield self.saw[{me}].store(a, RELAXED)"])
        shown.append([word for _, word in steps])
    made = workload(_WORDS, programs)
    observed = ("saw[0]", "saw[1]")
    strong = outcomes(made, threads=2, observe=observed)
    weak = outcomes(made, threads=2, observe=observed, memory="tso")
    added = sorted(weak - strong)
    ways = []
    for a, b in added:
        way = way_to(made, f"saw[0] == {a} and saw[1] == {b}", "tso", unshown="saw")
        ways.append(f"  {a},{b}: {way}")
    order = ", ".join(f"{a},{b}" for a, b in sorted(strong))
    why = f"Without store buffers there are: {order}.\n" + (
        "One order for each new pair; 0f means that a store leaves the buffer of thread 0.\n"
        + "\n".join(ways)
        if added
        else "Store buffers add nothing here."
    )
    return Problem(
        "x and y are 0 at first. The machine has store buffers (TSO, as x86).\n\n"
        f"{beside(shown)}\n\n"
        "Which pairs (a of thread 0, a of thread 1) are possible only with store buffers?",
        "pairs, such as 0,0 1,0, or none",
        frozenset((float(a), float(b)) for a, b in added),
        why,
        size=2,
    )
