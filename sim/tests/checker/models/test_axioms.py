"""The C11 machine against the C11 axioms: random programs, all outcomes."""

from checker.models import axioms
from checker.models.shapes import WORDS, checked_outcomes, fence, programs, reads, write
from hypothesis import assume, example, given

RMW = ("RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
ORDERS = {
    "load": ("RELAXED", "ACQUIRE", "SEQ_CST"),
    "store": ("RELAXED", "RELEASE", "SEQ_CST"),
    "swap": RMW,
    "fetch_add": RMW,
    "compare_swap": RMW,
}
FENCES = RMW[1:]
MOST = 5000
"""Candidates that the axioms are asked about; a few programs have millions."""


@example([[write("x"), fence("RELEASE"), write("y")], [*reads("RELAXED", "y", "x"), write("x")]])
@example([[write("x"), fence(), *reads("RELAXED", "y")], [write("y"), fence(), write("x", 2)]])
@given(programs(ORDERS, FENCES))
def test_machine_allows_exactly_what_the_axioms_allow(program):
    """Messages and views on one side, relations without cycles on the other."""
    assume(axioms.size(program, WORDS) <= MOST)
    assert axioms.outcomes(program, WORDS) == checked_outcomes(program, "c11")
