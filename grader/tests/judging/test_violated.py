"""What a class earns of which a larger run shows that it is wrong."""

import pytest

from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.judging.violated import without_violated
from lockgrader.kinds.proven import Proven
from lockgrader.kinds.simulated import Simulated

PROOF = Proven(kind="proven", name="right", title="Right", points=10, lock="A")
OTHER = Proven(kind="proven", name="other", title="Other", points=10, lock="B")
RUN = Simulated(
    kind="simulated",
    name="many",
    title="Many",
    points=5,
    lock="A",
    machine="ideal-8",
    cpus=(8,),
    measure="transfers",
    band={"high": 9.0},
)
PASSED = Finding("pass", 1.0, "proven")
WRONG = Finding("fail", 0.0, "two threads hold it", tag="exclusion", violation="A")
SLOW = Finding("fail", 0.0, "too big")
FRESH = Finding("fail", 0.0, "two threads", tag="exclusion", counterexample={})


def points(run: Check, found: Finding, proof: Finding = PASSED) -> tuple[list[float], str]:
    """The points of a proof, another class's and a run, and the proof's message."""
    judged = [(PROOF, proof), (OTHER, PASSED), (run, found)]
    made = without_violated(judged)
    earned = [c.points * f.share for (c, _), f in zip(judged, made, strict=True)]
    return earned, made[0].message


def test_a_wrong_run_takes_the_proofs_of_its_class() -> None:
    """The other class keeps its points, and the message shows the run."""
    earned, says = points(RUN, WRONG)
    assert [0.0, 10.0, 0.0] == earned
    assert "'Many' shows how: two threads hold it" in says


def test_a_hidden_run_is_not_shown() -> None:
    """The proof is lost all the same."""
    earned, says = points(RUN.model_copy(update={"public": False}), WRONG)
    assert [0.0, 10.0, 0.0] == earned
    assert "Many" not in says
    assert "two threads" not in says


@pytest.mark.parametrize("found", [SLOW, PASSED])
def test_a_slow_lock_keeps_its_proofs(found: Finding) -> None:
    """Only a violation takes points elsewhere."""
    assert [10.0, 10.0] == points(RUN, found)[0][:2]


def test_a_mistake_in_fresh_memory_costs_its_own_check() -> None:
    """Another proof of the same class stays."""
    proofs = PROOF.model_copy(update={"name": "again"})
    assert [0.0, 10.0, 10.0] == points(proofs, PASSED, FRESH)[0]
    assert [0.0, 10.0, 0.0] == points(RUN, WRONG, FRESH)[0]
