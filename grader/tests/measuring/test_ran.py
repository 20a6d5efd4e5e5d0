"""Operations that ran in a measurement and in no proof."""

from lockgrader.finding import Finding
from lockgrader.kinds.proven import Proven
from lockgrader.kinds.simulated import Simulated
from lockgrader.lab import Band
from lockgrader.measuring.ran import operations, relined, unproven
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source
from locksim.compiler.bytecode import Place

TAS = """from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, pause, word


class TAS(Lock):
    locked = word()
    turns = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()
        turns = yield self.turns.load(RELAXED)
        yield self.turns.store(turns + 1, RELAXED)
        if turns > 20:
            yield self.turns.load(RELAXED)

    def release(self):
        yield self.locked.store(0, RELEASE)
"""
PROOF = Proven(kind="proven", name="right", title="Right", points=1, lock="TAS")
COST = Simulated(
    kind="simulated",
    name="cheap",
    title="Cheap",
    points=1,
    lock="TAS",
    machine="ideal-4",
    cpus=(2,),
    measure="transfers",
    operations=20,
    progress=0.0,
    band=Band(high=100.0),
)


def measured(text: str) -> Finding:
    """The finding of the measurement, after the proof."""
    submitted = Submitted(codes=compile_source(text, "<tas.py>"), proven={"TAS": frozenset()})
    proof = PROOF.judge(submitted)
    assert "pass" == proof.verdict
    return COST.judge(submitted.after(PROOF, proof))


def test_what_only_a_measurement_runs_does_not_count() -> None:
    """The message names the method and the line."""
    found = measured(TAS)
    assert ("fail", "unproven") == (found.verdict, found.tag)
    assert "TAS.acquire, line 14 ran in the measurement and in no proof" in found.message


def test_what_a_proof_reaches_counts() -> None:
    """The same line under a condition that two threads reach is no secret."""
    assert "pass" == measured(TAS.replace("turns > 20", "turns > 0")).verdict


def test_a_lab_without_proofs_asks_for_none() -> None:
    """A class that no check proves is measured as it is."""
    submitted = Submitted(codes=compile_source(TAS, "<tas.py>"))
    assert "pass" == COST.judge(submitted).verdict


def test_lines_are_named_in_runs() -> None:
    """Lines of one method stand together; an operation of another file is no business of ours."""
    places = [Place("a.py", line, "A.go", line) for line in (4, 5, 6, 9)]
    ran = operations([*places, Place("b.py", 1, "B.go", 0)], "a.py")
    assert unproven(ran, frozenset()).startswith("A.go, lines 4-6 and 9 ran in the measurement")
    assert "" == unproven(ran, ran)


def test_operations_follow_their_lines() -> None:
    """A text that has moved by two lines has the same operations there."""
    moved = compile_source(TAS.replace("class TAS", "\n\nclass TAS"), "<tas.py>")
    before = frozenset({("TAS.acquire", 0, 7), ("TAS.acquire", 999, 8), ("Gone.acquire", 0, 9)})
    line = moved["TAS"].methods["acquire"].instrs[0].line
    after = {("TAS.acquire", 0, line), ("TAS.acquire", 999, 8), ("Gone.acquire", 0, 9)}
    assert after == relined(before, moved)
    assert 2 == line - compile_source(TAS, "<tas.py>")["TAS"].methods["acquire"].instrs[0].line
